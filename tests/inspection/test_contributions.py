"""Contributions: they sum to the score, and are what formulas and paths by hand give."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.special import expit
from sklearn.ensemble import (
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier, GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from unlabeled import (
    EnhancedLogistic,
    JointLogistic,
    NaiveLogistic,
    PropensityLogistic,
    PULogistic,
    PUThresholdClassifier,
    WeightedLogistic,
)
from unlabeled.inspection import contributions

FOREST = ExtraTreesClassifier(5, min_samples_leaf=5, bootstrap=True, random_state=0)
BOOSTING = HistGradientBoostingClassifier(max_iter=5, max_leaf_nodes=6)
LINEAR = [
    NaiveLogistic(),
    EnhancedLogistic(),
    JointLogistic(),
    WeightedLogistic(label_frequency=0.9, C=1.0),
    PULogistic(),
    PropensityLogistic(propensity_features=[0]),
    LogisticRegression(),
]
TREES = [FOREST, RandomForestClassifier(5, min_samples_leaf=5, random_state=0), BOOSTING]


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3)) * [1, 10, 0.1] + [0, 5, -1]
    return X, (rng.random(400) < 0.6 * expit(2 * X[:, 0] + X[:, 1] / 10)).astype(int)


def score_of(model, X):
    if hasattr(model, "positive_score"):
        return model.positive_score(X)
    if hasattr(model, "decision_function"):
        return model.decision_function(X)
    return model.predict_proba(X)[:, 1]


def assert_sums_to_score(found, score):
    np.testing.assert_allclose(found.base + found.values.sum(axis=1), score, atol=1e-12)
    np.testing.assert_array_equal(found.score, score)


@pytest.mark.parametrize("model", LINEAR, ids=lambda model: type(model).__name__)
def test_a_linear_model_has_coefficient_times_distance_from_the_mean(rows, model):
    X, s = rows
    model.fit(X, s)
    found = contributions(model, X[:4], background=X[10:])
    known = model.coef_[0] * (X[:4] - X[10:].mean(axis=0))
    np.testing.assert_allclose(found.values, known, atol=1e-12)
    assert found.base == pytest.approx(score_of(model, X[10:].mean(axis=0)[None])[0])
    assert_sums_to_score(found, score_of(model, X[:4]))


def test_without_background_the_rows_themselves_are_the_base(rows):
    X, s = rows
    model = LogisticRegression().fit(X, s)
    found = contributions(model, X)
    np.testing.assert_allclose(found.values.mean(axis=0), 0, atol=1e-12)
    assert found.base == pytest.approx(model.decision_function(X).mean())


def paths(values, parent_of, feature_of, leaves, n_features):
    """Add up the changes from the leaf up to the root, by hand."""
    out = np.zeros((len(leaves), n_features))
    for row, node in enumerate(leaves):
        while parent_of.get(node) is not None:
            parent = parent_of[node]
            out[row, feature_of[parent]] += values[node] - values[parent]
            node = parent
    return out


def parents(left, right):
    pairs = [(child, k) for k, both in enumerate(zip(left, right, strict=True)) for child in both]
    return {int(child): k for child, k in pairs if child > 0}


@pytest.mark.parametrize("with_nan", [False, True])
@pytest.mark.parametrize("forest", TREES[:2], ids=lambda model: type(model).__name__)
def test_a_forest_has_the_changes_along_its_paths(rows, forest, with_nan):
    X, s = rows[0].copy(), rows[1]
    X[::7, 1] = np.nan if with_nan else 0.0
    forest.fit(X, s)
    known = np.zeros((50, 3))
    for one in forest.estimators_:
        tree, leaves = one.tree_, one.apply(X[:50])
        up = parents(tree.children_left, tree.children_right)
        known += paths(tree.value[:, 0, 1], up, tree.feature, leaves, 3)
    found = contributions(forest, X[:50])
    np.testing.assert_allclose(found.values, known / 5, atol=1e-12)
    assert found.base == pytest.approx(np.mean([e.tree_.value[0, 0, 1] for e in forest]))
    assert_sums_to_score(found, forest.predict_proba(X[:50])[:, 1])


def test_a_boosting_has_the_changes_of_the_mean_leaf_of_its_training_rows(rows):
    """One tree of boosting: a node's value is the mean raw score of the training rows in it."""
    X, s = rows[0].copy(), rows[1]
    X[::7, 1] = np.nan
    model = HistGradientBoostingClassifier(max_iter=1, max_leaf_nodes=6).fit(X, s)
    nodes = model._predictors[0][0].nodes
    raw = model.decision_function(X)
    in_node = np.zeros((len(nodes), len(X)), dtype=bool)
    in_node[0] = True
    for k in np.flatnonzero(nodes["is_leaf"] == 0):
        cell = X[:, nodes["feature_idx"][k]]
        left = cell <= nodes["num_threshold"][k]
        left[np.isnan(cell)] = nodes["missing_go_to_left"][k]
        in_node[nodes["left"][k]] = in_node[k] & left
        in_node[nodes["right"][k]] = in_node[k] & ~left
    value = np.array([raw[inside].mean() for inside in in_node])
    inner = nodes["is_leaf"] == 0
    up = parents(np.where(inner, nodes["left"], 0), np.where(inner, nodes["right"], 0))
    leaves = [np.flatnonzero(in_node[:, i] & ~inner)[0] for i in range(len(X))]
    found = contributions(model, X)
    np.testing.assert_allclose(
        found.values, paths(value, up, nodes["feature_idx"], leaves, 3), atol=1e-10
    )
    assert found.base == pytest.approx(raw.mean())
    assert_sums_to_score(found, raw)


def test_many_trees_and_many_rows_sum_to_the_score(rows):
    X, s = rows
    model = HistGradientBoostingClassifier(max_iter=30).fit(X, s)
    assert_sums_to_score(contributions(model, X), model.decision_function(X))
    many = np.vstack([X] * 6)  # more than one block of rows
    assert_sums_to_score(contributions(FOREST.fit(X, s), many), FOREST.predict_proba(many)[:, 1])


@pytest.mark.parametrize("model", [LogisticRegression(), PULogistic(), *TREES])
def test_contributions_point_to_the_labeled_class_whichever_sorts_first(rows, model):
    X, s = rows
    known = contributions(model.fit(X, s), X[:20])
    y = np.where(s == 1, "labeled", "unlabeled")
    if hasattr(model, "pos_label"):
        model = PULogistic(pos_label="labeled")
    found = contributions(model.fit(X, y), X[:20], pos_label="labeled")
    np.testing.assert_allclose(found.values, known.values, atol=1e-6)
    np.testing.assert_allclose(found.score, known.score, atol=1e-6)


@pytest.mark.parametrize(
    "inside", [make_pipeline(StandardScaler(), EnhancedLogistic()), FOREST, BOOSTING]
)
def test_a_threshold_over_a_model_has_the_parts_of_the_model(rows, inside):
    X, s = rows
    model = PUThresholdClassifier(inside, cv="train").fit(X, s)
    found = contributions(model, X[:20])
    np.testing.assert_allclose(found.values, contributions(model.estimator_, X[:20]).values)
    assert_sums_to_score(found, model.positive_score(X[:20]))


def test_other_wrappers_are_looked_into(rows):
    X, s = rows
    inside = LogisticRegression().fit(X, s)
    known = contributions(inside, X[:9])
    fixed = FixedThresholdClassifier(inside, threshold=0.2).fit(X, s)
    search = GridSearchCV(LogisticRegression(), {"C": [1.0]}, cv=2).fit(X, s)
    for model in (fixed, search, make_pipeline(inside)):
        np.testing.assert_allclose(contributions(model, X[:9]).values, known.values)


def test_a_pipeline_over_a_frame_has_its_names_and_background(rows):
    X, s = pd.DataFrame(rows[0], columns=["age", "dose", "weight"]), rows[1]
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, s)
    found = contributions(model, X[:2], background=X)
    assert found.feature_names == ("age", "dose", "weight")
    np.testing.assert_allclose(found.values, model[-1].coef_ * model[0].transform(X[:2]))
    frame = found.to_frame()
    assert frame["feature"].tolist() == ["age", "dose", "weight"] * 2
    assert frame["row"].tolist() == [0, 0, 0, 1, 1, 1]
    np.testing.assert_array_equal(frame["contribution"], found.values.ravel())
    assert contributions(FOREST.fit(X, s), X[:2]).feature_names == ("age", "dose", "weight")


@pytest.mark.parametrize("model", [LogisticRegression(), FOREST])
def test_sparse_rows_give_what_dense_ones_give(rows, model):
    X, s = rows
    model.fit(X, s)
    found = contributions(model, sparse.csr_matrix(X))
    np.testing.assert_allclose(found.values, contributions(model, X).values, atol=1e-12)


def test_features_of_the_same_column_are_added_up(rows):
    X, s = rows
    found = contributions(LogisticRegression().fit(X, s), X)
    summed = found.summed_by({"x0": "first", "x2": "first"})
    assert summed.feature_names == ("first", "x1")
    np.testing.assert_allclose(summed.values[:, 0], found.values[:, 0] + found.values[:, 2])
    assert_sums_to_score(summed, found.score)


def test_a_score_that_is_no_sum_is_rejected(rows):
    X, s = rows

    class Bent(LogisticRegression):
        def decision_function(self, X):
            return np.exp(super().decision_function(X))

    with pytest.raises(ValueError, match="`estimator` must have a score that .* add up to"):
        contributions(Bent().fit(X, s), X)


def test_models_that_cannot_be_taken_apart_are_rejected(rows):
    X, s = rows
    with pytest.raises(
        ValueError, match="`estimator` must be a linear .* got KNeighborsClassifier"
    ):
        contributions(KNeighborsClassifier().fit(X, s), X)
    counts = np.column_stack([X, np.arange(400) % 3])
    s = (counts[:, 3] == 1) * s
    model = HistGradientBoostingClassifier(categorical_features=[3], max_iter=5).fit(counts, s)
    with pytest.raises(ValueError, match="without `categorical_features`"):
        contributions(model, counts)

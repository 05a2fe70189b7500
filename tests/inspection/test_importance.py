"""Importance of columns: known truths, every kind of rows, and the same result by hand."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pandas as pd
import polars as pl
import pytest
from joblib import parallel_config
from scipy import sparse
from scipy.special import expit
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, StratifiedGroupKFold, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from unlabeled import EnhancedLogistic, PULogistic, PUThresholdClassifier
from unlabeled.inspection import label_importance
from unlabeled.metrics import label_auc_score

MODEL = LogisticRegression()


@pytest.fixture(scope="module")
def rows():
    """Column 0 matters, column 1 matters less, column 2 is noise."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(1500, 3))
    return X, (rng.random(1500) < 0.6 * expit(2 * X[:, 0] + 0.8 * X[:, 1])).astype(int)


def test_the_useful_columns_come_first_and_noise_is_nothing(rows):
    found = label_importance(MODEL, *rows, random_state=0)
    assert found.to_frame()["name"].tolist() == ["x0", "x1", "x2"]
    assert found.mean[0] > 2 * found.mean[1]
    assert np.all(found.mean[:2] > 3 * found.error[:2])
    assert abs(found.mean[2]) < 3 * found.error[2]
    assert abs(found.mean[2]) < 2 * found.spread[2]
    assert "x0" in str(found)


def test_a_shuffled_column_leaves_the_auc_of_the_others():
    """With one column that matters, shuffling it leaves a coin toss: the fall is AUC - 1/2."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(2000, 1))
    s = (rng.random(2000) < 0.6 * expit(3 * X[:, 0])).astype(int)
    found = label_importance(MODEL, X, s, random_state=0)
    error = 0.5 / np.sqrt(s.sum())  # at least the standard error of an AUC
    assert found.mean[0] == pytest.approx(label_auc_score(s, X[:, 0]) - 0.5, abs=4 * error)
    assert found.fold_scores.mean() == pytest.approx(label_auc_score(s, X[:, 0]), abs=0.01)


def test_two_copies_share_and_a_group_has_them_back(rows):
    X, s = rows
    forest = RandomForestClassifier(15, min_samples_leaf=10, max_features=1, random_state=0)
    options = {"cv": 3, "n_repeats": 2, "random_state": 0}
    alone = label_importance(forest, X[:, [0, 2]], s, **options).mean[0]
    copies = X[:, [0, 0, 2]]
    found = label_importance(forest, copies, s, **options)
    assert np.all(found.mean[:2] > 4 * abs(found.mean[2]))
    assert np.all(found.mean[:2] < 0.75 * alone)
    both = label_importance(forest, copies, s, columns={"both": [0, 1]}, **options)
    assert both.names == ("both",)
    assert both.mean[0] == pytest.approx(alone, abs=0.03)


def test_the_numbers_by_hand(rows):
    X, s = rows
    folds = list(StratifiedKFold(3).split(X, s))
    found = label_importance(MODEL, X, s, cv=folds, n_repeats=2, random_state=0)
    for k, (train, test) in enumerate(folds):
        model = LogisticRegression().fit(X[train], s[train])
        auc = label_auc_score(s[test], model.decision_function(X[test]))
        assert found.fold_scores[k] == pytest.approx(auc)
    assert found.falls.shape == (3, 3, 2)
    per_fold = found.falls.mean(axis=2)
    np.testing.assert_allclose(found.mean, found.falls.mean(axis=(1, 2)))
    np.testing.assert_allclose(found.spread, found.falls.reshape(3, 6).std(axis=1, ddof=1))
    # Two thirds of the rows are fitted to, one third is left out.
    np.testing.assert_allclose(found.error, per_fold.std(axis=1, ddof=1) * np.sqrt(1 / 3 + 1 / 2))


@pytest.mark.parametrize(
    "as_rows",
    [
        sparse.csr_matrix,
        sparse.csc_array,
        lambda X: X.tolist(),
        lambda X: pd.DataFrame(X, columns=["a", "b", "c"], index=np.arange(len(X))[::-1]),
        lambda X: pl.DataFrame(X, schema=["a", "b", "c"]),
    ],
    ids=["csr", "csc", "list", "pandas", "polars"],
)
def test_every_kind_of_rows_gives_the_same_numbers(rows, as_rows):
    X, s = rows[0][:400], rows[1][:400]
    options = {"cv": 2, "n_repeats": 2, "random_state": 0}
    known = label_importance(MODEL, X, s, **options)
    found = label_importance(MODEL, as_rows(X), s, **options)
    np.testing.assert_allclose(found.falls, known.falls, atol=1e-6)
    if hasattr(as_rows(X), "columns"):
        assert found.names == ("a", "b", "c")
        of_group = label_importance(MODEL, as_rows(X), s, columns={"g": ["a", "c"]}, **options)
        same = label_importance(MODEL, X, s, columns={"g": [0, 2]}, **options)
        np.testing.assert_allclose(of_group.falls, same.falls, atol=1e-6)


def test_a_frame_keeps_its_types_when_it_is_shuffled(rows):
    X = pd.DataFrame({"a": rows[0][:, 0], "b": pd.Categorical(np.arange(1500) % 3)})
    seen = []

    def scorer(model, X, s):
        seen.append(X.dtypes.astype(str).tolist())
        return 0.0

    model = make_pipeline(StandardScaler(), MODEL)
    label_importance(model, X, rows[1], cv=2, n_repeats=1, scoring=scorer, random_state=0)
    assert seen == [["float64", "category"]] * 6
    assert str(X["b"].dtype) == "category"


def test_text_labels_and_processes_change_nothing(rows):
    X, s = rows
    options = {"cv": 2, "n_repeats": 1, "random_state": 0}
    known = label_importance(EnhancedLogistic(), X, s, **options)
    y = np.where(s == 1, "labeled", "unlabeled")
    for model, given in (
        (EnhancedLogistic(pos_label="labeled"), None),
        (EnhancedLogistic(), "labeled"),
    ):
        with parallel_config("threading"):
            found = label_importance(model, X, y, pos_label=given, n_jobs=2, **options)
        np.testing.assert_allclose(found.falls, known.falls, atol=1e-12)


def test_rows_of_weight_zero_are_dropped_and_weights_count(rows):
    X, s = rows
    weight = (np.arange(1500) % 2).astype(float)
    options = {"cv": 2, "n_repeats": 2, "random_state": 0}
    found = label_importance(PULogistic(), X, s, sample_weight=2 * weight, **options)
    known = label_importance(
        PULogistic(), X[1::2], s[1::2], sample_weight=np.full(750, 2), **options
    )
    np.testing.assert_allclose(found.falls, known.falls, atol=1e-8)
    heavy = np.where(X[:, 0] > 0, 5.0, 1.0)
    other = label_importance(MODEL, X, s, sample_weight=heavy, **options)
    assert np.all(other.fold_scores != label_importance(MODEL, X, s, **options).fold_scores)


def test_max_rows_draws_a_part_and_says_so(rows):
    found = label_importance(MODEL, *rows, max_rows=300, cv=2, n_repeats=1, random_state=0)
    assert found.note == "on 300 of the 1500 rows, drawn at random"
    assert found.note in str(found)
    assert label_importance(MODEL, *rows, cv=2, n_repeats=1).note is None


def test_another_scorer_is_used(rows):
    found = label_importance(MODEL, *rows, scoring="neg_log_loss", cv=2, random_state=0)
    assert np.all(found.fold_scores < 0)
    assert found.mean[0] > found.mean[1] > abs(found.mean[2])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_repeats": 0}, "`n_repeats` must be .* at least 1; got 0"),
        ({"max_rows": 0}, "`max_rows` must be .*; got 0"),
        ({"columns": {}}, "`columns` must have a name"),
        ({"columns": {"a": []}}, "`columns` must have a name"),
        ({"columns": {"a": ["age"]}}, "`columns` must name columns of `X`.*got 'age'"),
        ({"columns": [0, 1]}, r"`columns` must be a mapping.*got \[0, 1\]"),
        ({"columns": {"a": "age"}}, "`columns` must be a mapping.*'age'"),
        ({"groups": {"both": [0, 1]}}, "`groups` must have one value for each row.*`columns`"),
        ({"groups": [1, 2]}, "2 in `groups`"),
        (
            {"groups": np.arange(1500) // 2, "cv": StratifiedKFold(2, shuffle=True).split},
            "`cv` must be",
        ),
        ({"scoring": 3}, "`scoring` must be .*; got 3"),
        ({"cv": 1}, "`cv` must be at least 2"),
        ({"cv": [(np.arange(20), np.arange(30, 60))]}, "`cv` must leave labeled and unlabeled"),
    ],
)
def test_bad_input_is_rejected(rows, options, message):
    X, s = rows[0], np.sort(rows[1]) if "cv" in options else rows[1]
    with pytest.raises(ValueError, match=message):
        label_importance(MODEL, X, s, **options)


def test_weights_that_a_model_does_not_take_are_rejected(rows):
    with pytest.raises(ValueError, match="`sample_weight` must be None .* KNeighborsClassifier"):
        label_importance(KNeighborsClassifier(), *rows, sample_weight=np.ones(1500))


def test_folds_without_labeled_rows_are_an_error(rows):
    X, s = rows
    order = np.argsort(s, kind="stable")
    with pytest.raises(ValueError, match="two classes"):
        label_importance(MODEL, X[order], s[order], cv=KFold(3))


def test_a_frozen_estimator_cannot_leave_rows_out(rows):
    frozen = FrozenEstimator(LogisticRegression().fit(*rows))
    for model in (
        frozen,
        make_pipeline(StandardScaler(), frozen),
        PUThresholdClassifier(frozen),
        FrozenEstimator(make_pipeline(StandardScaler(), MODEL).fit(*rows)),
    ):
        with pytest.raises(ValueError, match="`estimator` must be fitted again.*frozen estimator"):
            label_importance(model, *rows)


class Keeps(LogisticRegression):
    """Keeps the groups of the rows of each fit."""

    SEEN: ClassVar[list] = []

    def fit(self, X, y, groups=None):
        self.SEEN.append(np.unique(groups))
        return super().fit(X, y)


def test_rows_of_one_group_are_left_out_together(rows):
    person = np.arange(1500) // 5
    splits = list(StratifiedGroupKFold(3).split(*rows, person))
    Keeps.SEEN.clear()
    found = label_importance(Keeps(), *rows, groups=person, cv=StratifiedGroupKFold(3))
    for seen, (train, _) in zip(Keeps.SEEN, splits, strict=True):
        np.testing.assert_array_equal(seen, np.unique(person[train]))
    same = label_importance(LogisticRegression(), *rows, cv=splits)
    np.testing.assert_allclose(found.fold_scores, same.fold_scores)
    by_number = label_importance(Keeps(), *rows, groups=[f"p{k}" for k in person], cv=3)
    assert by_number.falls.shape == (3, 3, 5)
    part = label_importance(Keeps(), *rows, groups=person, cv=2, max_rows=500)
    assert part.note is not None

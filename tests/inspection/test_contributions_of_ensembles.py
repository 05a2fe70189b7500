"""Contributions to the score of an ensemble: the weighted parts of its members."""

from __future__ import annotations

from copy import copy

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, logit
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from unlabeled import PUEnsemble, PULogistic
from unlabeled.inspection import contributions

TREES = ExtraTreesClassifier(
    20, min_samples_leaf=10, bootstrap=True, oob_score=True, random_state=0
)
MEMBERS = {
    "line": PULogistic(),
    "trees": TREES,
    "boosting": HistGradientBoostingClassifier(max_iter=10, max_leaf_nodes=4, early_stopping=False),
    "scaled": make_pipeline(StandardScaler(), LogisticRegression()),
}


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(6)
    X = rng.normal(size=(300, 3))
    return X, (rng.random(300) < 0.6 * expit(2 * X[:, 0] + 2 * X[:, 1] * X[:, 2])).astype(int)


@pytest.fixture(scope="module")
def fitted(rows):
    return PUEnsemble(members=list(MEMBERS.items()), cv=2, random_state=0).fit(*rows)


def only(fitted, name, weight=0.7):
    """The ensemble with the weight of one member."""
    model = copy(fitted)
    model.member_weights_ = dict.fromkeys(MEMBERS, 0.0) | {name: weight}
    return model


def test_they_sum_to_the_score(rows, fitted):
    X = rows[0]
    found = contributions(fitted, X)
    np.testing.assert_allclose(
        found.base + found.values.sum(axis=1), fitted.positive_score(X), atol=1e-8
    )
    few = contributions(fitted, X[:1], background=X)
    np.testing.assert_allclose(few.values[0], found.values[0], atol=1e-8)
    assert few.base == pytest.approx(found.base, abs=1e-8)


def test_they_are_the_weighted_parts_of_the_members(rows, fitted):
    X = rows[0]
    parts = [
        contributions(only(fitted, name, weight), X).values
        for name, weight in fitted.member_weights_.items()
    ]
    np.testing.assert_allclose(contributions(fitted, X).values, sum(parts), atol=1e-10)


@pytest.mark.parametrize("name", MEMBERS)
def test_a_member_has_its_own_parts_times_the_slope_of_the_chord(rows, fitted, name):
    X, model, share = rows[0], only(fitted, name), fitted.labeled_share_
    found, own = contributions(model, X), contributions(model.members_[name], X)
    way, own_way = found.values.sum(axis=1), own.values.sum(axis=1)
    np.testing.assert_allclose(
        found.values * own_way[:, None], own.values * way[:, None], atol=1e-8
    )
    assert np.all(found.values * own.values >= 0)
    start = (found.base - logit(share)) / 0.7 + logit(share)
    end = model.member_logits(X)[name]
    np.testing.assert_allclose(way, 0.7 * (end - start), atol=1e-8)
    # The logit at the base is where the curve of logits over own scores passes the own base.
    order = np.argsort(own.score)
    assert np.interp(own.base, own.score[order], end[order]) == pytest.approx(start, abs=0.02)


def test_parts_that_cancel_stay_finite(rows, fitted):
    """The mean row of a line, a row whose two parts cancel, and one beside it."""
    X, model = rows[0], only(fitted, "line")
    coef, mean = model.members_["line"].coef_[0], X.mean(axis=0)
    away = mean + np.array([1 / coef[0], -1 / coef[1], 0.0])
    found = contributions(model, np.vstack([mean, away, away + 1e-3]), background=X)
    np.testing.assert_allclose(found.values[0], 0, atol=1e-12)
    assert found.values[1, 0] > 0.1
    assert found.values[1].sum() == pytest.approx(0, abs=1e-8)
    np.testing.assert_allclose(found.values[1], found.values[2], atol=0.01)  # the same slope
    np.testing.assert_allclose(found.base + found.values.sum(axis=1), found.score, atol=1e-8)


def test_names_and_text_labels_are_taken(rows):
    X, s = pd.DataFrame(rows[0], columns=["age", "dose", "weight"]), rows[1]
    model = PUEnsemble(members=[("trees", TREES)], pos_label="labeled", random_state=0)
    model.fit(X, np.where(s == 1, "labeled", "unlabeled"))
    found = contributions(model, X)
    assert found.feature_names == ("age", "dose", "weight")
    np.testing.assert_array_equal(found.score, model.positive_score(X))
    assert np.corrcoef(found.values[:, 0], X["age"])[0, 1] > 0.5


@pytest.mark.parametrize(
    ("member", "message"),
    [
        (KNeighborsClassifier(), "got KNeighborsClassifier"),
        (make_pipeline(PolynomialFeatures(), LogisticRegression()), "10 features in 'scaled'"),
    ],
)
def test_members_that_cannot_be_taken_apart_are_rejected(rows, fitted, member, message):
    model = copy(fitted)
    model.members_ = fitted.members_ | {"scaled": member.fit(*rows)}
    with pytest.raises(ValueError, match=message):
        contributions(model, rows[0])


def test_a_member_whose_probability_is_not_its_score_is_rejected(rows, fitted):
    class Bent(LogisticRegression):
        def predict_proba(self, X):
            return super().predict_proba(X) ** 2

    model = copy(fitted)
    model.members_ = fitted.members_ | {"scaled": Bent().fit(*rows)}
    with pytest.raises(ValueError, match="under the name 'scaled'"):
        contributions(model, rows[0])

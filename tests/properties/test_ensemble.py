"""Properties of PUEnsemble: folds and trees are random, so fits agree within Monte-Carlo error."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from unlabeled import PUEnsemble

N = 300
SEEDS = range(3)


@pytest.fixture(scope="module")
def data() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows to fit, their labels, and rows to predict."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N + 100, 3))
    y = rng.random(N) < 1 / (1 + np.exp(-4 * (X[:N, 0] + X[:N, 1] * X[:N, 2])))
    return X[:N], (y & (rng.random(N) < 0.5)).astype(int), X[N:]


def members() -> list[tuple[str, Any]]:
    forest = ExtraTreesClassifier(12, min_samples_leaf=10, bootstrap=True, oob_score=True)
    boosting = HistGradientBoostingClassifier(max_iter=6, max_leaf_nodes=4, early_stopping=False)
    return [("trees", forest), ("boosting", boosting), ("bayes", GaussianNB())]


def fitted(X: Any, s: Any, seed: int, **options: Any) -> PUEnsemble:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # small samples warrant warnings, tested elsewhere
        model = PUEnsemble(members=members(), cv=3, random_state=seed, weights="frequency")
        return model.fit(X, s, **options)


@pytest.fixture(scope="module")
def plain(data: Any) -> list[np.ndarray]:
    """Scores of new rows by fits that differ in the seed only."""
    X, s, new = data
    return [fitted(X, s, seed).positive_score(new) for seed in SEEDS]


def apart(some: list[np.ndarray], others: list[np.ndarray]) -> float:
    """Mean absolute difference between scores of one kind of fit and of another."""
    return float(np.mean([np.abs(a - b).mean() for a in some for b in others if a is not b]))


def test_permuted_rows_move_scores_about_as_much_as_other_seeds_do(data: Any, plain: Any) -> None:
    X, s, new = data
    permuted = []
    for seed in SEEDS:
        order = np.random.default_rng(seed).permutation(N)
        permuted.append(fitted(X[order], s[order], seed + 100).positive_score(new))
    assert apart(plain, permuted) < apart(plain, plain) + apart(permuted, permuted)
    assert apart(plain, plain) < 0.3 * np.std(plain[0])  # seeds matter little beside the rows
    assert np.corrcoef(np.mean(plain, axis=0), np.mean(permuted, axis=0))[0, 1] > 0.98


def test_weight_2_is_nearly_a_row_twice_for_forests_and_boosting(data: Any, plain: Any) -> None:
    """Leaves count rows, not weights, and a copy may be in the bag when its twin is not."""
    X, s, new = data
    twice = np.concatenate([np.arange(N), np.flatnonzero(s)])
    weighted = [fitted(X, s, seed, sample_weight=1.0 + s).positive_score(new) for seed in SEEDS]
    repeated = [fitted(X[twice], s[twice], seed + 100).positive_score(new) for seed in SEEDS]
    assert apart(weighted, repeated) < 0.5 * apart(plain, repeated)
    assert apart(weighted, repeated) < 2.5 * apart(weighted, weighted)
    assert np.corrcoef(np.mean(weighted, axis=0), np.mean(repeated, axis=0))[0, 1] > 0.95


def test_weight_2_is_a_row_twice_for_members_that_say_so(data: Any) -> None:
    X, s, new = data
    weight = np.random.default_rng(3).integers(0, 3, N)
    numbers, fold = np.repeat(np.arange(N), weight), np.arange(N) % 3
    exact = [("tree", DecisionTreeClassifier(max_depth=2)), ("bayes", GaussianNB())]
    scores = []
    for rows, count in ((np.arange(N), weight.astype(float)), (numbers, None)):
        splits = [
            (np.flatnonzero(fold[rows] != k), np.flatnonzero(fold[rows] == k)) for k in range(3)
        ]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            one = PUEnsemble(members=exact, cv=splits, random_state=0, weights="frequency")
            one.fit(X[rows], s[rows], count)
        scores.append([*one.positive_score(new), one.class_prior_, *one.member_weights_.values()])
    np.testing.assert_allclose(scores[0], scores[1], rtol=1e-4, atol=1e-5)


@pytest.fixture(scope="module")
def model(data: Any) -> PUEnsemble:
    X, s, _ = data
    return fitted(X, s, 0)


def test_predictions_follow_their_rows(model: PUEnsemble, data: Any) -> None:
    new = data[2]
    order = np.random.default_rng(1).permutation(len(new))
    for method in (model.positive_score, model.predict, model.predict_proba):
        np.testing.assert_array_equal(method(new[order]), method(new)[order])


def test_predictions_do_not_depend_on_the_batch(model: PUEnsemble, data: Any) -> None:
    new = data[2][:25]
    one_by_one = np.concatenate([model.positive_score(row[None, :]) for row in new])
    np.testing.assert_allclose(one_by_one, model.positive_score(new), rtol=1e-12)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_frames_are_checked_by_name(frame: Any, model: PUEnsemble, data: Any) -> None:
    X, s, _ = data
    names = ["age", "dose", "weight"]
    table = frame({name: X[:, j] for j, name in enumerate(names)})
    named = fitted(table, s, 0)
    assert named.feature_names_in_.tolist() == names
    np.testing.assert_allclose(named.positive_score(table), model.positive_score(X), rtol=1e-9)
    with pytest.raises(ValueError, match="feature names"):
        named.predict(table[["dose", "age", "weight"]])

"""A fit whose held-out scores nearly separate labels says so, and names the column."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from unlabeled import PropensityLogistic, PUEnsemble, PULogistic, PUThresholdClassifier
from unlabeled.codes import PUWarning
from unlabeled.datasets import make_paper_gaussian
from unlabeled.diagnostics import diagnose


def told_by(model, X, s):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, s)
    texts = (str(one.message) for one in caught if issubclass(one.category, PUWarning))
    return [text for text in texts if "PU204" in text]


@pytest.fixture(scope="module")
def made():
    """Return features, and 25 labels given at random."""
    data = make_paper_gaussian(500, 0.5, random_state=0)
    return data.X, data.s * (np.cumsum(data.s) <= 25)


@pytest.mark.parametrize(
    "model",
    [
        PULogistic(),
        PropensityLogistic(propensity_features=[0]),
        PUEnsemble(random_state=0),
        PUThresholdClassifier(RandomForestClassifier(50, random_state=0), random_state=0),
        PUThresholdClassifier(PULogistic(), random_state=0),
    ],
    ids=["line", "propensity", "ensemble", "forest", "nested"],
)
def test_a_perfect_leak_with_25_labeled_rows_is_told_once_by_every_fit(made, model):
    X, s = made
    frame = pd.DataFrame(np.c_[X, s], columns=["a", "b", "c", "treated on"])
    (told,) = told_by(model, frame, s)
    assert "'treated on' = 1" in told or "'treated on' >= 1" in told
    assert "25" in told
    assert told_by(model, frame.drop(columns="treated on"), s) == []


def test_a_tree_whose_leaves_hide_a_leak_is_told_of_it(rng):
    X, s = rng.normal(size=(240, 3)), np.arange(240) < 18
    large_leaves = DecisionTreeClassifier(min_samples_leaf=15, random_state=0)
    model = PUThresholdClassifier(large_leaves, cv=3, random_state=0)
    for leak in (s, ~s):
        assert len(told_by(model, np.c_[X, leak], s)) == 1
        assert len(told_by(model, sparse.csr_matrix(np.c_[X, leak]), s)) == 1
    rare = np.where(np.arange(240) == 200, 1, 0)  # it separates too, and tells nothing
    assert told_by(model, sparse.csr_matrix(np.c_[X, rare]), s) == []
    almost = np.where(np.arange(240) == 17, 0, s)  # one labeled row lies with the others
    assert told_by(model, np.c_[X, almost], s) == []


def test_the_check_finds_the_same_as_the_fit(made):
    X, s = made
    with pytest.warns(PUWarning, match="PU204"):
        model = PULogistic().fit(np.c_[X, s], s)
    assert diagnose(model, np.c_[X, s], s, checks=["leakage"])["leakage"].state == "serious"


def test_a_leak_through_two_columns_together_is_told_without_a_name(rng):
    data = make_paper_gaussian(500, 0.5, random_state=0)
    noise = 10 * rng.normal(size=500)
    (told,) = told_by(PULogistic(), np.c_[data.X, noise, noise + 10 * data.s], data.s)
    assert "together" in told


def test_well_separated_classes_and_c_at_nine_tenths_are_no_leak(rng):
    fired = 0
    for _ in range(20):
        y_true = rng.random(600) < 0.2
        X = rng.normal(size=(600, 4)) + 3 * y_true[:, None]
        fired += bool(told_by(PULogistic(), X, (y_true & (rng.random(600) < 0.9)).astype(int)))
    assert fired <= 3  # of 20 at the level of .05, with a probability of .98


def test_with_every_positive_labeled_the_fit_says_that_either_may_be(rng):
    y_true = rng.random(900) < 0.2
    X = rng.normal(size=(900, 4)) + 4 * y_true[:, None]
    (told,) = told_by(PULogistic(), X, y_true.astype(int))
    assert "nearly every positive is labeled" in told


def test_many_rows_by_passes_and_sparse_rows_name_the_column(made, monkeypatch):
    X, s = made
    leaky = np.c_[X, s]
    (told,) = told_by(PULogistic(), sparse.csr_matrix(leaky), s)
    assert "column 3" in told
    monkeypatch.setattr(PULogistic, "_subset_rows", 200)
    (told,) = told_by(PULogistic(), leaky, s)
    assert "column 3" in told


def test_two_samples_are_left_alone(made):
    X, s = made
    assert told_by(PULogistic(sampling="two-sample"), np.c_[X, s], s) == []

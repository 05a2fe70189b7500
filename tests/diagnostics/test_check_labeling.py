"""The check whether labels follow a column that nobody named."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from sklearn.ensemble import ExtraTreesClassifier

from unlabeled import NaiveLogistic, PropensityLogistic, PULogistic, PUThresholdClassifier
from unlabeled.diagnostics import diagnose


@pytest.fixture(scope="module")
def crossed():
    """Classes by a product of two columns; labels at random, and labels by the third column."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 4))
    X[:, :2] = X[:, :2] > 0
    y = rng.random(3000) < expit(6 * (X[:, 0] != X[:, 1]) - 3 + 1.5 * X[:, 3])
    e = expit(-0.5 + 2 * X[:, 2])
    return X, (y & (rng.random(3000) < 0.4)).astype(int), (y & (rng.random(3000) < e)).astype(int)


def forest():
    trees = ExtraTreesClassifier(
        100, min_samples_leaf=5, bootstrap=True, oob_score=True, random_state=0
    )
    return PUThresholdClassifier(trees, cv="oob")


@pytest.mark.filterwarnings("ignore:.PU106")  # without the name
def test_it_names_the_column_of_any_classifier_and_both_counts_and_changes_nothing(crossed):
    X, _, s = crossed
    frame = pd.DataFrame(X, columns=["north", "east", "age", "dose"])
    model = forest().fit(frame, s)
    before = model.class_prior_
    found = diagnose(model, frame, s, checks="labeling")["labeling"]
    assert (found.state, found.code, found.facts["column"]) == ("warning", "PU208", "age")
    own = model.class_prior_interval()
    for end in (*own, found.facts["class_prior"]["lower"], found.facts["class_prior"]["upper"]):
        assert f"{100 * end:.0f} %" in found.message
    assert "or the curve is wrong" in found.message
    assert "where it is large" in found.message
    assert model.class_prior_ == before


def test_labels_at_random_on_a_table_that_no_line_fits_are_left_alone(crossed):
    X, s, _ = crossed
    found = diagnose(forest(), X, s, checks=("labeling", "scar"), random_state=0)
    assert found["labeling"].state == "fine"
    assert "clearest positives" in found["labeling"].message  # what no check sees
    assert found["scar"].state == "not applicable"
    assert "not linear" in found["scar"].message


@pytest.mark.parametrize(("level", "state"), [(0.05, "warning"), (0.0, "note")])
def test_the_scar_test_of_a_line_warns_only_if_a_column_stands_out(
    dependent, monkeypatch, level, state
):
    monkeypatch.setattr("unlabeled.diagnostics._check_scar.FOLLOWED_LEVEL", level)
    found = diagnose(PULogistic(), *dependent, checks="scar", random_state=0)["scar"]
    assert found.facts["p_value"] <= 0.05
    assert (found.state, "No single column" in found.message) == (state, state == "note")


def test_a_classifier_without_held_out_scores_gets_those_of_a_ridge_fit(dependent):
    X, s = dependent
    found = diagnose(NaiveLogistic(), X, s, checks="labeling", random_state=0)["labeling"]
    assert (found.state, found.facts["column"]) == ("warning", "x0")
    assert "without a name" not in found.message


@pytest.mark.filterwarnings("ignore:.PU1")
def test_when_it_does_not_apply(dependent):
    X, s = dependent
    X, s = X[:600], s[:600]
    few = s * (np.cumsum(s) <= 9)
    constant = np.ones((600, 1))
    cases = [
        (NaiveLogistic(sampling="two-sample"), X, s, {}, "elsewhere"),
        (NaiveLogistic(), X, s, {"groups": np.arange(600) // 2}, "groups"),
        (NaiveLogistic(), X, s, {"sample_weight": 1 + np.arange(600) % 2}, "weights"),
        (PropensityLogistic(propensity_features=[0]), X, s, {}, "follow 'x0'"),
        (NaiveLogistic(), X, few, {}, "9 labeled rows"),
        (NaiveLogistic(), constant, s, {}, "more than one value"),
    ]
    for model, rows, labels, more, why in cases:
        found = diagnose(model, rows, labels, checks="labeling", random_state=0, **more)["labeling"]
        assert found.state == "not applicable", why
        assert why in found.message

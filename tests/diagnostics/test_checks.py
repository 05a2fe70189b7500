"""Every check fires on data made to set it off, and is silent on data made not to."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from unlabeled import (
    EnhancedLogistic,
    JointLogistic,
    NaiveLogistic,
    PULogistic,
    PUThresholdClassifier,
)
from unlabeled.diagnostics import CHECKS, _check_label_quality, diagnose

FIRES = [
    ("fit", JointLogistic(max_iter=1), "small", "PU105", "warning"),
    ("fit", NaiveLogistic(), "rare_column", "PU103", "warning"),
    ("labels", PULogistic(), "few", "PU114", "warning"),
    ("labels", NaiveLogistic(), "memorised", "PU102", "warning"),
    ("separation", NaiveLogistic(), "rare_column", "PU103", "serious"),
    ("separation", EnhancedLogistic(), "nearly_separated", "PU103", "warning"),
    ("identifiability", PULogistic(), "flat", "PU202", "serious"),
    ("direction", EnhancedLogistic(), "skewed", "PU203", "warning"),
    ("direction", PULogistic(), "skewed", "PU203", "note"),
    ("leakage", PULogistic(), "leak", "PU204", "serious"),
    ("label quality", PULogistic(), "flipped", "PU205", "warning"),
    ("duplicates", PULogistic(), "copied", "PU206", "warning"),
    ("class prior", PULogistic(class_prior=0.8), "honest", "PU113", "warning"),
]


@pytest.mark.parametrize(("check", "model", "data", "code", "state"), FIRES)
def test_a_check_fires_on_data_made_for_it(made, check, model, data, code, state):
    finding = diagnose(model, *made(data), checks=check if check == "fit" else ["fit", check])[
        check
    ]
    assert (finding.code, finding.state) == (code, state)
    assert finding.page.endswith(code.lower())
    assert finding.message.endswith(".")


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("data", ["honest", "apart"])
def test_a_check_is_silent_on_honest_data(made, check, data):
    finding = diagnose(NaiveLogistic(), *made(data), checks=["fit", check])[check]
    assert finding.state == "fine", finding.message


def test_a_factor_of_two_in_the_label_frequency_is_a_note_and_of_three_a_warning(made):
    states = {}
    for seed in range(6):
        found = diagnose(
            NaiveLogistic(), *made("honest", n=600, seed=seed), checks=["fit", "identifiability"]
        )["identifiability"]
        factor = found.facts["upper"] / found.facts["lower"]
        expected = "warning" if factor > 3 else "note" if factor > 2 else "fine"
        at_one = found.facts["estimate"] == 1
        assert found.state == expected or (at_one and found.code == "PU106")
        states[found.state] = True
    assert len(states) >= 2


def test_a_label_frequency_of_one_is_said_to_be_on_the_boundary(made):
    X, _ = made("apart")
    _, y_true = made("apart", c=1.0)
    finding = diagnose(JointLogistic(), X, y_true)["identifiability"]
    assert finding.code == "PU106" or finding.facts["upper"] == pytest.approx(1)


def test_a_given_label_frequency_needs_no_identifiability(made):
    finding = diagnose(JointLogistic(0.6), *made("honest"))["identifiability"]
    assert finding.state == "not applicable"
    assert finding.message.startswith("because the label frequency")


def test_leakage_names_feature_and_region_and_needs_not_be_told_of_two(made):
    X, s = made("leak")
    twice = np.column_stack([X, -X[:, -1]])
    finding = diagnose(PULogistic(), twice, s)["leakage"]
    assert finding.state == "serious"
    assert finding.facts["suspects"] == ["x3", "x4"]
    assert finding.facts["region"].startswith(">=")


@pytest.mark.parametrize("missing_when", [0, 1])
def test_leakage_sees_a_column_that_is_missing_by_label(made, missing_when):
    X, s = made("honest")
    X = X.copy()
    X[s == missing_when, 0] = np.nan
    imputed = make_pipeline(SimpleImputer(), PULogistic())
    boosted = PUThresholdClassifier(HistGradientBoostingClassifier(max_iter=5), cv=2)
    imputed_finding = diagnose(imputed, X, s, checks=["fit", "leakage"])["leakage"]
    assert "x0 is missing" in imputed_finding.facts["suspects"]
    diagnosis = diagnose(boosted, X, s)
    assert diagnosis["leakage"].state == "serious"
    assert diagnosis["leakage"].facts["region"] == ("present", "missing")[missing_when]
    assert "missing" in diagnosis["label quality"].message


class Halves(FunctionTransformer):
    """Two features from the last column, and who they come from, as skrub says it."""

    def __init__(self):
        super().__init__(lambda X: np.column_stack([X, X[:, -1] ** 2]))

    def get_feature_names_out(self, input_features=None):
        return np.array([*self.output_to_input_])

    @property
    def output_to_input_(self):
        return {"age": "age", "dose": "dose", "weight": "weight", "paid": "bill", "owed": "bill"}


def test_leakage_names_the_column_a_feature_was_made_from(made):
    X, s = made("honest")
    X = np.column_stack([X, np.where(s == 1, np.arange(len(s)) % 7 + 1, 0)])
    finding = diagnose(make_pipeline(Halves(), PULogistic()), X, s)["leakage"]
    assert finding.state == "serious"
    assert finding.facts["suspects"] == ["paid", "owed"]
    assert finding.facts["columns"] == ["bill"]
    assert "'bill'" in finding.message


def test_leakage_is_a_note_where_all_features_tell_who_is_labelled():
    rng = np.random.default_rng(0)
    y_true = rng.random(3000) < 0.3
    X = rng.normal(size=(3000, 3)) + 6 * y_true[:, None]
    finding = diagnose(PULogistic(), X, y_true.astype(int))["leakage"]
    assert finding.state == "note"
    assert len(finding.facts["suspects"]) == 3 or finding.facts["bound_of_the_others"] > 0.8


def test_flipped_labels_are_named(made):
    X, s = made("flipped")
    finding = diagnose(PULogistic(), X, s)["label quality"]
    _, clean = made("apart", n=5000)
    rows = np.array(finding.facts["rows"])
    assert len(rows) == 20
    assert np.mean(s[rows] == 1) == 1
    assert np.mean(clean[rows] == 0) > 0.9


def test_twins_of_discrete_rows_are_a_note(rng):
    X = rng.integers(0, 3, size=(2000, 3)).astype(float)
    s = ((X.sum(axis=1) > 3) & (rng.random(2000) < 0.5)).astype(int)
    finding = diagnose(PULogistic(), X, s)["duplicates"]
    assert finding.state == "note"
    assert finding.facts["share"] > 0.9


def test_near_separation_and_labels_do_not_apply_to_a_ridge(made):
    diagnosis = diagnose(NaiveLogistic(C=1.0), *made("rare_column"))
    assert diagnosis["separation"].state == "not applicable"
    assert diagnosis["labels"].state == "fine"


def test_a_perfect_leak_is_a_note_with_a_dozen_labelled_rows_and_serious_with_a_hundred(made):
    X, s = made("honest")
    for n_labelled, state in ((8, "fine"), (12, "note"), (40, "note"), (100, "serious")):
        kept = s * (np.cumsum(s) <= n_labelled)
        known = np.where(kept == 1, 1.0, 0.0)
        finding = diagnose(PULogistic(), np.column_stack([X, known]), kept)["leakage"]
        assert finding.state == state


def test_one_good_feature_and_nearly_all_positives_labelled_is_no_leak(rng):
    y_true = rng.random(2000) < 0.3
    X = np.column_stack([rng.normal(size=2000) + 5 * y_true, rng.normal(size=(2000, 3))])
    s = (y_true & (rng.random(2000) < 0.9)).astype(int)
    assert diagnose(PULogistic(), X, s)["leakage"].state == "fine"


@pytest.mark.parametrize(("p_value", "state"), [(0.3, "fine"), (0.047, "fine"), (0.02, "note")])
def test_label_quality_states_the_level_that_its_p_value_is_held_against(
    made, monkeypatch, p_value, state
):
    fit = _check_label_quality.fit_labelled_negatives

    def with_p_value(score, s):
        return dataclasses.replace(fit(score, s), p_value=p_value)

    monkeypatch.setattr(_check_label_quality, "fit_labelled_negatives", with_p_value)
    finding = diagnose(PULogistic(), *made("flipped"))["label quality"]
    assert finding.state == state
    assert f"p = {p_value}" in finding.message
    assert ("not below 0.025" in finding.message) == (state == "fine")


@pytest.mark.parametrize(
    ("model", "whose"),
    [
        (PULogistic(), "by JOINT on all features, not by the fitted model"),
        (JointLogistic(), "by JOINT on all features)"),
    ],
)
def test_identifiability_says_whose_range_it_is(made, model, whose):
    finding = diagnose(model, *made("honest"), checks="identifiability")["identifiability"]
    assert whose in finding.message

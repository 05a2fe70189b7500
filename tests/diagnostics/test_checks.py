"""Every check fires on data made to set it off, and is silent on data made not to."""

from __future__ import annotations

import numpy as np
import pytest

from unlabeled import (
    EnhancedLogistic,
    JointLogistic,
    NaiveLogistic,
    PULogistic,
)
from unlabeled.diagnostics import CHECKS, diagnose

FIRES = [
    ("fit", JointLogistic(max_iter=1), "small", "PU105", "warning"),
    ("fit", NaiveLogistic(), "rare_column", "PU103", "warning"),
    ("labels", PULogistic(), "few", "PU114", "serious"),
    ("labels", NaiveLogistic(), "memorized", "PU102", "warning"),
    ("separation", NaiveLogistic(), "rare_column", "PU103", "serious"),
    ("separation", EnhancedLogistic(), "nearly_separated", "PU103", "warning"),
    ("identifiability", PULogistic(), "flat", "PU202", "serious"),
    ("direction", EnhancedLogistic(), "skewed", "PU203", "warning"),
    ("direction", PULogistic(), "skewed", "PU203", "note"),
    ("leakage", PULogistic(), "leak", "PU204", "serious"),
    ("label quality", PULogistic(), "flipped", "PU205", "warning"),
    ("duplicates", PULogistic(), "copied", "PU206", "serious"),
    ("duplicates", PULogistic(), "few_copied", "PU206", "warning"),
    ("duplicates", PULogistic(), "stacked", "PU206", "serious"),
    ("inverted", PULogistic(), "inverted", "PU207", "warning"),
    ("inverted", PULogistic(), "inverted_minority", "PU207", "warning"),
    ("inverted", PULogistic(), "nearly_all", "PU207", "warning"),
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


def test_twins_of_discrete_rows_are_a_note(find, rng):
    X = rng.integers(0, 3, size=(2000, 3)).astype(float)
    s = ((X.sum(axis=1) > 3) & (rng.random(2000) < 0.5)).astype(int)
    finding = find("duplicates", PULogistic(), X, s)
    assert finding.state == "note"
    assert finding.facts["share"] > 0.9


def test_a_stack_of_discrete_rows_is_told_from_equal_rows(find, rng):
    """Every distinct row occurs an even number of times if the table was stacked on itself."""
    X = rng.integers(0, 4, size=(600, 4)).astype(float)
    s = ((X.sum(axis=1) > 6) & (rng.random(600) < 0.5)).astype(int)
    assert find("duplicates", PULogistic(), X, s).state == "note"
    twice = find("duplicates", PULogistic(), np.vstack([X, X]), np.append(s, np.zeros(600, int)))
    assert twice.state == "serious"
    assert "every row is in the table twice, once labeled and once not" in twice.message
    assert f"{s.sum()} labeled rows (100.0%)" in twice.message


def test_cases_that_the_population_holds_are_a_note(made):
    model = PULogistic(sampling="two-sample")
    finding = diagnose(model, *made("copied"), checks=["fit", "duplicates"])["duplicates"]
    assert finding.state == "note"


def test_a_small_value_that_is_labeled_is_not_asked_about(made):
    X, s = made("apart")
    model = PULogistic(pos_label=0)
    finding = diagnose(model, X, 1 - s, checks=["fit", "inverted"])["inverted"]
    assert finding.state == "fine"
    assert finding.facts["better_inverted_by"] < -6


def test_a_labeled_majority_that_fits_is_not_asked_about(rng):
    positive = rng.random(3000) < 0.8
    X = rng.normal(size=(3000, 2)) + 3 * positive[:, None]
    s = (positive & (rng.random(3000) < 0.7)).astype(int)
    assert s.mean() > 0.5
    finding = diagnose(PULogistic(), X, s, checks=["fit", "inverted"])["inverted"]
    assert finding.state == "fine"


def test_near_separation_does_not_harm_a_ridge(made):
    diagnosis = diagnose(NaiveLogistic(C=1.0), *made("rare_column"))
    assert diagnosis["separation"].state == "fine"
    assert diagnosis["labels"].state == "fine"


def test_a_class_prior_from_checked_rows_is_not_judged_by_the_labels(made):
    """Checked rows may say more positives than the labels allow: then labeling is not random."""
    X, s = made("honest")
    checked = np.full(len(s), np.nan)
    checked[np.flatnonzero(s == 0)[:300]] = 1.0
    diagnosis = diagnose(PULogistic(), X, s, checks=["fit", "class prior"], checked=checked)
    assert diagnosis["class prior"].state == "not applicable"
    assert "checked rows" in diagnosis["class prior"].message

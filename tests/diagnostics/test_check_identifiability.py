"""The identifiability check: which label frequencies the labels allow."""

from __future__ import annotations

import numpy as np
import pytest

from unlabeled import EnhancedLogistic, JointLogistic, NaiveLogistic, PULogistic
from unlabeled.diagnostics import diagnose


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


def test_a_label_frequency_of_one_is_reported_as_the_boundary(find, made):
    X, _ = made("apart")
    _, y_true = made("apart", c=1.0)
    finding = find("identifiability", JointLogistic(), X, y_true)
    assert finding.code == "PU106" or finding.facts["upper"] == pytest.approx(1)


def test_a_given_label_frequency_needs_no_identifiability(find, made):
    finding = find("identifiability", JointLogistic(0.6), *made("honest"))
    assert finding.state == "not applicable"
    assert finding.message.startswith("The label frequency")


@pytest.mark.parametrize(
    ("model", "whose"),
    [
        (EnhancedLogistic(), "JointLogistic on all features. Your model"),
        (PULogistic(), "the model's own"),
        (JointLogistic(), "JointLogistic on all features."),
    ],
)
def test_identifiability_names_the_model_behind_the_range(made, model, whose):
    finding = diagnose(model, *made("honest"), checks="identifiability")["identifiability"]
    assert whose in finding.message


@pytest.mark.filterwarnings("ignore:.PU103")
def test_columns_that_separate_the_rows_are_named_as_left_out(honest):
    separated = np.column_stack([honest.X, honest.s])
    found = diagnose(
        EnhancedLogistic(C=1.0), separated, honest.s, checks="identifiability", random_state=0
    )
    message = found["identifiability"].message
    assert "except those that separate the rows ('" in message

"""The label-quality check: labeled rows that look like negatives."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import optimize
from scipy.special import expit

from unlabeled import (
    PULogistic,
)
from unlabeled.diagnostics import STATES, _check_label_quality
from unlabeled.diagnostics._check_label_quality import (
    MOST_WARNED_IF_RIGHT,
    NOTED_IF_RIGHT,
    WARNED_IF_RIGHT,
    WRONG_OF_THE_LIST,
    _value_and_gradient,
    fit_labeled_negatives,
)
from unlabeled.scores import ScoreProfile

DOCS = Path(__file__).parents[2] / "docs"


def test_flipped_labels_are_named(find, made):
    X, s = made("flipped")
    finding = find("label quality", PULogistic(), X, s)
    _, clean = made("apart", n=5000)
    rows = np.array(finding.facts["rows"])
    assert len(rows) == finding.facts["likely_negative"] > 20
    assert np.mean(s[rows] == 1) == 1
    assert np.mean(clean[rows] == 0) > 0.9


def test_the_words_have_the_measured_rates_of_false_alarms(find, made):
    """What the message says of tables with right labels is what docs/check_rates measured."""
    page = " ".join((DOCS / "check_rates" / "index.rst").read_text("utf-8").split())
    said = page.split("``label quality`` applied to")[1]
    warns, notes = (
        float(re.search(rf"It {words} on ([\d.]+) % of them", said)[1])
        for words in ("warned", "had a note or warned")
    )
    assert (round(warns), round(notes)) == (WARNED_IF_RIGHT, NOTED_IF_RIGHT)
    rates = pd.read_csv(DOCS / "check_rates" / "rates.csv").query("check == 'label quality'")
    by_set = rates.assign(warned=rates["warning"] * rates["applied"]).groupby("dataset")
    of_set = by_set["warned"].sum() / by_set["applied"].sum()
    assert round(100 * of_set.max()) == MOST_WARNED_IF_RIGHT
    message = find("label quality", PULogistic(), *made("flipped")).message
    right = f"With right labels it was none, and {WARNED_IF_RIGHT} % of our test tables got this"
    assert right in message
    assert "remove" not in message.lower()
    assert "Look at all these rows, `facts['rows']`, before you change a label." in message


def test_the_words_have_the_measured_share_of_the_list_that_is_wrong(find, made):
    """The message, for a note and for a warning, has what docs/check_rates counted."""
    draws = pd.read_csv(DOCS / "check_rates" / "wrong_labels.csv")
    told = draws[(draws["state"] >= STATES.index("note")) & (draws["wrong"] != "none")]
    rate = 100 * told["wrong_listed"] / told["listed"]
    measured = (round(rate.mean()), *(round(rate.quantile(end)) for end in (0.1, 0.9)))
    assert measured == WRONG_OF_THE_LIST
    mean, low, high = measured
    said = f"it was {mean} % of such a list on the mean, and {low} to {high} % in four of five"
    assert said in find("label quality", PULogistic(), *made("flipped")).message
    assert said in _check_label_quality._how_sure(sure=False)
    assert draws.loc[draws["wrong"] == "none", "wrong_listed"].max() == 0


def test_the_expected_share_of_negatives_is_the_mean_suspicion_of_the_list(find, made):
    X, s = made("flipped")
    facts = find("label quality", PULogistic(), X, s).facts
    share = facts["expected_share_of_negatives_in_rows"]
    assert 0.5 < share < 1
    n_expected = facts["estimated_share_of_negatives_among_labeled"] * s.sum()
    assert share * len(facts["rows"]) <= n_expected


@pytest.mark.parametrize(("p_value", "state"), [(0.3, "fine"), (0.047, "fine"), (0.02, "note")])
def test_label_quality_states_its_p_value_and_its_level(find, made, monkeypatch, p_value, state):
    fit = _check_label_quality.fit_labeled_negatives

    def with_p_value(score, s):
        return dataclasses.replace(fit(score, s), p_value=p_value)

    monkeypatch.setattr(_check_label_quality, "fit_labeled_negatives", with_p_value)
    finding = find("label quality", PULogistic(), *made("flipped"))
    assert finding.state == state
    assert f"p = {p_value}" in finding.message
    assert ("not below 0.025" in finding.message) == (state == "fine")


def test_the_gradient_of_the_model_with_labeled_negatives_is_right(rng):
    bins = ScoreProfile.of(rng.normal(size=300), (rng.random(300) < 0.3).astype(float), None)
    for x in (np.array([-0.5, 0.3, 0.2, -3.0]), np.array([-0.5, 0.3, 0.2])):
        gradient = optimize.approx_fprime(x, lambda y: _value_and_gradient(y, bins)[0], 1e-6)
        assert _value_and_gradient(x, bins)[1] == pytest.approx(gradient, rel=1e-4, abs=1e-3)


def test_the_rate_of_labeled_negatives_is_found(rng):
    score = rng.normal(size=40_000)
    posterior = expit(-2 + 4 * score)
    s = (rng.random(40_000) < 0.6 * posterior + 0.02 * (1 - posterior)).astype(float)
    found = fit_labeled_negatives(score, s)
    assert found.rate == pytest.approx(0.02, abs=0.003)
    assert found.label_frequency == pytest.approx(0.6, abs=0.03)
    assert found.p_value < 1e-6
    expected = 0.02 * (1 - posterior) / (0.6 * posterior + 0.02 * (1 - posterior))
    assert found.suspicion == pytest.approx(expected, abs=0.15)

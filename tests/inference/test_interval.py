"""Intervals of a deployed rule."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from unlabeled.inference import Interval, rate_interval
from unlabeled.inference._interval import (
    SCALES,
    Deployed,
    OnScale,
    Rates,
)


def rule_of(own, original, left_out, observed=(600, 1000, 2000, 10_000)):
    """Refitted rules that all have the same counts."""
    refitted = (np.tile(np.array(one, dtype=float), (5, 1)) for one in (own, original, left_out))
    return Deployed(np.array(observed, dtype=float), *refitted)


def test_the_optimism_of_a_smooth_rule_is_what_its_own_rows_show_against_all():
    rule = rule_of((650, 1000, 2000, 10_000), (600, 1000, 2000, 10_000), (550, 1000, 2000, 10_000))
    recall, share = rule.corrected()
    assert recall == pytest.approx(0.6 - 0.05, abs=1e-3)
    assert share == pytest.approx(0.2, abs=1e-3)


def test_the_optimism_of_a_rule_that_memorizes_is_what_unseen_rows_show():
    unseen = 0.3
    original = (1 - np.exp(-1)) * 1 + np.exp(-1) * unseen
    rule = rule_of(
        (1000, 1000, 2000, 10_000),
        (1000 * original, 1000, 2000, 10_000),
        (1000 * unseen, 1000, 2000, 10_000),
        observed=(1000, 1000, 2000, 10_000),
    )
    assert rule.corrected()[0] == pytest.approx(unseen, abs=2e-3)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("recall", 0.6),
        ("share", 0.2),
        ("f1_pu", 0.6**2 / 0.2),
        ("precision", 0.3 * 0.6 / 0.2),
        ("f1", 2 * 0.3 * 0.6 / 0.5),
    ],
)
def test_values_follow_from_recall_share_and_prior(name, value):
    same = (60_000, 100_000, 200_000, 1_000_000)
    found = rule_of(same, same, same, same).on_scale(name, 0.3, np.full(5, 0.3))
    interval = found.interval(SCALES[name], 0.95)
    assert interval.estimate == pytest.approx(value, rel=1e-4)
    assert interval.lower < value < interval.upper


@pytest.mark.parametrize("name", SCALES)
def test_errors_are_at_least_those_of_counting(name):
    """By simulation of labeled rows above a fixed cut, and of all rows."""
    rng = np.random.default_rng(0)
    recall, share, prior, labeled, total = 0.7, 0.3, 0.25, 400, 5000
    drawn = [
        SCALES[name].value(Rates(rng.binomial(labeled, recall) / labeled, q, prior))
        for q in rng.binomial(total, share, size=4000) / total
    ]
    rates = Rates(recall, share, prior)
    assert SCALES[name].variance(rates, labeled, total) == pytest.approx(np.var(drawn), rel=0.1)


def test_full_recall_is_not_taken_for_certain():
    """Fifty of fifty labeled rows above the cut: the exact interval starts at .93."""
    full = (50, 50, 300, 1000)
    interval = (
        rule_of(full, full, full, full)
        .on_scale("recall", np.nan, np.full(5, np.nan))
        .interval(SCALES["recall"], 0.95)
    )
    assert interval.lower < 0.93
    assert interval.upper > 0.995


def test_precision_ends_at_one():
    interval = OnScale(np.log(0.9), 0.2).interval(SCALES["precision"], 0.95)
    assert interval.upper == 1.0
    assert interval.lower == pytest.approx(0.9 * np.exp(-1.959964 * 0.2))


PRIOR = Interval(0.25, 0.2, 0.3, 0.95, "")
RATES = {"recall": 0.8, "share": 0.3, "class_prior": PRIOR, "n_labeled": 100}


@pytest.mark.parametrize(
    ("name", "more", "message"),
    [
        ("accuracy", {}, "`name` must.*'precision', 'f1'.*'accuracy'"),
        ("f1", {"recall": 1.2}, "`recall` and `share` must.*1.2"),
        ("f1", {"share": np.nan}, "`recall` and `share` must.*nan"),
        ("f1", {"class_prior": 0}, "`class_prior` must.*got 0"),
        ("f1", {"class_prior": replace(PRIOR, upper=1.3)}, "`class_prior` must.*1.3"),
        ("f1", {"class_prior": replace(PRIOR, estimate=0, lower=0)}, "`class_prior` must.*0"),
        ("f1", {"n_labeled": 0}, "`n_labeled` must.*got 0"),
        ("f1", {"class_prior": replace(PRIOR, confidence_level=95)}, "`confidence_level` must.*95"),
    ],
)
def test_bad_rates_are_named(name, more, message):
    with pytest.raises(ValueError, match=message):
        rate_interval(name, **(RATES | more))


@pytest.mark.parametrize("name", ["precision", "f1"])
def test_a_class_prior_that_may_be_zero_gives_a_rate_that_may_be_zero(name):
    found = rate_interval(name, **(RATES | {"class_prior": replace(PRIOR, lower=0.0)}))
    assert found.lower == 0
    assert found.upper == rate_interval(name, **RATES).upper

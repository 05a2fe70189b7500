"""Verdicts: holds, does not hold, cannot be told; statistics and their standard errors."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from unlabeled.paper.outcome import _statistics as statistics
from unlabeled.paper.outcome._judge import (
    FAILS,
    HOLDS,
    UNTOLD,
    Verdict,
    combine,
    error_multiple,
    judge,
)
from unlabeled.paper.outcome._statistics import Estimate, jackknife

INF = math.inf


def cells_at(*, c=(0.5,), n=(100,), dataset=("x",)) -> pd.DataFrame:
    rows = [(name, "scar", size, freq) for name in dataset for size in n for freq in c]
    return pd.DataFrame(rows, columns=["dataset", "mechanism", "n", "c"])


@pytest.mark.parametrize(
    ("value", "low", "high", "word"),
    [
        (0.03, 0, INF, HOLDS),  # greater
        (-0.03, 0, INF, FAILS),
        (0.01, 0, INF, UNTOLD),
        (0.0, -0.05, 0.05, HOLDS),  # on par
        (0.08, -0.05, 0.05, FAILS),
        (-0.08, -0.05, 0.05, FAILS),
        (0.04, -0.05, 0.05, UNTOLD),
        (0.1, -INF, 0.2, HOLDS),  # small
        (0.3, -INF, 0.2, FAILS),
        (0.19, -INF, 0.2, UNTOLD),
    ],
)
def test_a_verdict_needs_two_standard_errors(value, low, high, word):
    assert judge(Estimate(value, 0.01, 200), low, high).word == word


def test_the_number_of_repeats_that_would_tell():
    # 2 · .02 · sqrt(100 / m) = .01 at m = 1600
    assert judge(Estimate(0.01, 0.02, 100), 0, INF) == Verdict(UNTOLD, 1600)
    # the nearest bound is .05, at .01
    assert judge(Estimate(0.04, 0.02, 100), -0.05, 0.05) == Verdict(UNTOLD, 1600)


def test_no_number_of_repeats_tells_a_number_on_the_bound():
    assert judge(Estimate(0.0, 0.02, 100), 0, INF) == Verdict(UNTOLD, None)


def test_without_a_standard_error_nothing_can_be_told():
    assert judge(Estimate(0.5, math.nan, 1), 0, INF) == Verdict(UNTOLD)
    assert judge(Estimate(), 0, INF) == Verdict(UNTOLD)


def test_few_repeats_need_more_than_two_standard_errors():
    assert error_multiple(3) == pytest.approx(4.302653, abs=1e-5)
    assert judge(Estimate(0.03, 0.01, 3), 0, INF).word == UNTOLD
    assert judge(Estimate(0.03, 0.01, 30), 0, INF).word == HOLDS


def test_all_parts_must_hold():
    holds, fails, open_ = Verdict(HOLDS), Verdict(FAILS), Verdict(UNTOLD, 70)
    assert combine([holds, holds]) == holds
    assert combine([holds, open_, fails]) == fails
    assert combine([holds, open_, Verdict(UNTOLD, 90)]) == Verdict(UNTOLD, 90)
    assert combine([open_, Verdict(UNTOLD, None)]) == Verdict(UNTOLD, None)


def test_enough_parts_must_hold():
    holds, fails, open_ = Verdict(HOLDS), Verdict(FAILS), Verdict(UNTOLD, 70)
    assert combine([holds, holds, fails], enough=2) == holds
    assert combine([holds, fails, fails], enough=2) == fails
    assert combine([holds, open_, fails], enough=2) == open_


def test_the_error_of_a_mean_difference_is_that_of_the_repeats_means_over_c():
    rng = np.random.default_rng(0)
    split = rng.normal(size=(40, 1, 1, 1))  # what methods and c of a repeat share
    values = split + rng.normal(size=(40, 3, 2, 1)) + rng.normal(size=(40, 1, 2, 1))
    found = jackknife(values, cells_at(c=(0.1, 0.2, 0.3)), statistics.difference)
    per_repeat = (values[:, :, 0, 0] - values[:, :, 1, 0]).mean(axis=1)
    assert found.value == pytest.approx(per_repeat.mean())
    assert found.se == pytest.approx(per_repeat.std(ddof=1) / math.sqrt(40))
    assert found.repeats == 40


def test_the_best_of_several_is_subtracted():
    values = np.broadcast_to(np.array([0.5, 0.3, 0.7])[:, None], (4, 2, 3, 1))
    assert statistics.difference(values, cells_at()) == pytest.approx(-0.2)


def test_a_ratio_is_of_means_and_to_the_slowest():
    values = np.array([[[[6.0], [1.0], [2.0]]], [[[2.0], [1.0], [0.0]]]])
    assert statistics.ratio(values, cells_at()) == pytest.approx(4 / 1)


def test_slopes_are_per_tenth_of_c_and_per_doubling_of_n():
    cells = cells_at(c=(0.1, 0.2, 0.4), dataset=("x", "y"))
    level = np.where(cells["dataset"] == "x", 5.0, 1.0)
    values = (level + 0.3 * cells["c"].to_numpy() / 0.1)[None, :, None, None]
    assert statistics.slope_c(values, cells) == pytest.approx(0.3)
    cells = cells_at(n=(500, 1000, 4000))
    values = (7 - 2 * np.log2(cells["n"].to_numpy()))[None, :, None, None]
    assert statistics.slope_n(values, cells) == pytest.approx(-2)
    both = np.concatenate([values, values / 2], axis=2)
    assert statistics.slope_n(both, cells) == pytest.approx(-1)


def test_one_value_of_c_has_no_slope():
    assert math.isnan(statistics.slope_c(np.ones((3, 1, 1, 1)), cells_at()))


def test_standard_errors_are_those_of_two_hundred_repeats_whatever_was_run():
    values = (
        np.array([0.1, 0.2, 0.6, np.nan])[:, None, None, None]
        * np.array([1.0, 2.0, 0.5])[None, :, None, None]
    )
    cells = cells_at(c=(0.1, 0.2, 0.3))
    assert statistics.se_median(values, cells) == pytest.approx(math.sqrt(0.07 / 200))
    assert statistics.se_largest(values, cells) == pytest.approx(2 * math.sqrt(0.07 / 200))
    assert math.isnan(statistics.se_largest(values[:1], cells))


def test_agreement_is_the_correlation_of_differences_over_sets_and_competitors():
    rng = np.random.default_rng(1)
    values = rng.normal(size=(5, 4, 3, 2))
    cells = cells_at(c=(0.1, 0.2), dataset=("x", "y"))
    means = values.mean(axis=0)
    gaps = [
        [means[rows, 0, k].mean() - means[rows, m, k].mean() for k in (0, 1)]
        for rows in (slice(0, 2), slice(2, 4))
        for m in (1, 2)
    ]
    expected = np.corrcoef(np.transpose(gaps))[0, 1]
    assert statistics.agreement(values, cells) == pytest.approx(expected)
    assert math.isnan(statistics.agreement(values[:, :2, :2], cells[:2]))

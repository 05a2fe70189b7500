"""The numbers of claims and their standard errors."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from reproduction.outcome import _statistics as statistics
from reproduction.outcome._statistics import jackknife


def cells_at(*, c=(0.5,), n=(100,), dataset=("x",)) -> pd.DataFrame:
    rows = [(name, "scar", size, freq) for name in dataset for size in n for freq in c]
    return pd.DataFrame(rows, columns=["dataset", "mechanism", "n", "c"])


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

"""Columns of a frame: ranges that reveal no single row."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from unlabeled.app.tables._columns import coarse_range


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_a_range_holds_all_numbers_and_is_at_most_a_few_times_as_wide(scale):
    rng = np.random.default_rng(0)
    for _ in range(50):
        numbers = pd.Series(scale * rng.normal(rng.normal(scale=9), rng.exponential(), 30))
        low, high = coarse_range(numbers)
        assert low <= numbers.min() < numbers.max() <= high
        assert high - low <= 3.01 * (numbers.max() - numbers.min())


def test_the_ends_of_a_range_are_not_numbers_of_rows():
    numbers = pd.Series([18.37, 44.2, 97.61])
    assert not {*coarse_range(numbers)} & {*numbers}


def test_equal_numbers_have_no_range():
    assert coarse_range(pd.Series([3.0, 3.0, None])) is None

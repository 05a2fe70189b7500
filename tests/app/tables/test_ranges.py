"""Ranges of the numbers of a fit: coarse, and remarks kept to a few lines."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from unlabeled.app.tables import TableFeatures
from unlabeled.app.tables._prepare import coarse_range, far_outside


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_a_range_holds_all_numbers_and_is_at_most_a_few_times_as_wide(scale):
    rng = np.random.default_rng(0)
    for _ in range(50):
        numbers = pd.Series(scale * rng.normal(rng.normal(scale=9), rng.exponential(), 30))
        low, high = coarse_range(numbers)
        assert low <= numbers.min() < numbers.max() <= high
        assert high - low <= 3.01 * (numbers.max() - numbers.min())


def test_the_ends_are_not_numbers_of_rows():
    numbers = pd.Series([18.37, 44.2, 97.61])
    assert not {*coarse_range(numbers)} & {*numbers}


def test_equal_numbers_have_no_range():
    assert coarse_range(pd.Series([3.0, 3.0, None])) is None


def test_only_columns_of_numbers_have_ranges():
    frame = pd.DataFrame(
        {"age": [61, None, 50, 38], "sex": list("fmff"), "smoker": [True, False, True, True]}
    )
    assert TableFeatures().fit(frame).ranges_in_ == {"age": (30.0, 70.0)}


def test_one_row_far_below_is_told_with_its_number():
    (remark,) = far_outside(pd.DataFrame({"age": [-400.0, 50.0]}), {"age": (0.0, 100.0)})
    assert "between 0 and 100, in 1 row: -400." in remark


def test_many_columns_are_told_in_four_lines_those_of_most_rows_first():
    names = list("abcdef")
    columns = {name: [1e6] * (k + 1) + [0.5] * (9 - k) for k, name in enumerate(names)}
    remarks = far_outside(pd.DataFrame(columns), dict.fromkeys(names, (0.0, 1.0)))
    assert [remark[:3] for remark in remarks[:3]] == ["'f'", "'e'", "'d'"]
    assert remarks[3] == "Numbers as far outside are also in 'c', 'b', 'a'."
    assert len(remarks) == 4

"""Values and their squares must be finite."""

import numpy as np
import pytest
from scipy import sparse

from unlabeled import NaiveLogistic
from unlabeled.engine.rows._cells import (
    BadCells,
    find_bad_cells,
    reject_bad_chunks,
    squares_are_finite,
)


@pytest.mark.parametrize("order", ["C", "F", "strided"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_one_bad_value_is_seen_wherever_it_is(order, dtype, rng):
    X = rng.normal(size=(50, 8)).astype(dtype)
    X = {"C": X, "F": np.asfortranarray(X), "strided": X[::2, ::3]}[order].copy(order="K")
    if order == "strided":
        X = np.repeat(X, 2, axis=0)[::2]
    assert squares_are_finite(X)
    for bad in (np.nan, np.inf, -np.inf):
        Z = X.copy(order="K")
        Z[3, 1] = bad
        assert not squares_are_finite(Z)


def test_single_precision_may_be_as_large_as_it_can():
    assert squares_are_finite(np.full((3, 3), 3e38, dtype=np.float32))
    assert not squares_are_finite(np.array([1e160]))


@pytest.mark.parametrize("row", [0, 1, 77_777])
@pytest.mark.parametrize("value", [1e160, 1e200])
def test_squares_that_overflow_are_rejected_in_any_row(row, value, rng):
    X = rng.normal(size=(100_000, 3))
    X[row, 1] = value
    with pytest.raises(ValueError, match="`X` must have values whose squares"):
        NaiveLogistic().fit(X, (X[:, 0] > 1).astype(int))


@pytest.mark.parametrize("kind", [np.array, sparse.csr_matrix])
def test_bad_cells_are_counted_and_the_first_is_found(kind, rng):
    X = rng.normal(size=(5, 4))
    X[1] = 0.0
    X[2, 3], X[2, 1], X[4, 0] = np.inf, np.nan, np.nan
    assert find_bad_cells(kind(X)) == BadCells(3, has_nan=True, has_inf=True, row=2, column=1)
    X[2] = 1.0
    assert find_bad_cells(kind(X)) == BadCells(1, has_nan=True, has_inf=False, row=4, column=0)
    X[4] = 1.0
    assert find_bad_cells(kind(X)) is None


def test_bad_cells_of_parts_are_added_up():
    first, second = BadCells(2, True, False, 0, 3), BadCells(1, False, True, 7, 1)
    with pytest.raises(ValueError, match=r"`X` must.*NaN and inf in 3 cells.* column 3\."):
        reject_bad_chunks(NaiveLogistic(), [first, second])

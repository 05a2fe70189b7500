"""Values and their squares must be finite."""

import numpy as np
import pytest

from unlabeled import NaiveLogistic
from unlabeled.labels._finite import squares_are_finite


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
def test_squares_that_overflow_are_refused_in_any_row(row, value, rng):
    X = rng.normal(size=(100_000, 3))
    X[row, 1] = value
    with pytest.raises(ValueError, match="squares are finite numbers"):
        NaiveLogistic().fit(X, (X[:, 0] > 1).astype(int))

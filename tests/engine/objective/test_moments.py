"""Smallest and largest values of columns."""

import numpy as np
import pytest
from scipy import sparse

from unlabeled.engine.objective._moments import column_range


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix, sparse.csr_array])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_zeros_that_are_not_stored_count_and_rows_can_be_chosen(rng, kind, dtype):
    X = rng.normal(size=(60, 5)) * (rng.random((60, 5)) < 0.5)
    X[:, 1], X[:, 2], X[:, 3] = 0, np.abs(X[:, 2]) + 1, -np.abs(X[:, 3]) - 1
    X = X.astype(dtype)
    for rows in (None, rng.random(60) < 0.3, np.arange(60) == 7):
        low, high = column_range(kind(X), rows)
        chosen = X if rows is None else X[rows]
        np.testing.assert_array_equal(low, chosen.min(axis=0))
        np.testing.assert_array_equal(high, chosen.max(axis=0))
        assert low.dtype == dtype

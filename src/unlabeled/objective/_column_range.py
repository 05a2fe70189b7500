"""The smallest and the largest value of every column."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..blocks import Array, Matrix, is_sparse, namespace_of, to_host


def column_range(X: Matrix, rows: Array | None = None) -> tuple[Array, Array]:
    """Smallest and largest value of the columns, in all rows or where `rows` is true.

    Of a sparse matrix, whose entries are distinct, the stored values are looked at in place.
    """
    if not is_sparse(X):
        xp = namespace_of(X)
        if rows is not None:
            X = X[rows] if xp is np else xp.take(X, _numbers(X, rows), axis=0)
        return to_host(xp.min(X, axis=0)), to_host(xp.max(X, axis=0))
    columns, values, n_rows = X.indices, X.data, X.shape[0]
    if rows is not None:
        stored = np.repeat(rows, np.diff(X.indptr))
        columns, values, n_rows = columns[stored], values[stored], int(np.sum(rows))
    low, high = np.full(X.shape[1], np.inf, X.dtype), np.full(X.shape[1], -np.inf, X.dtype)
    np.minimum.at(low, columns, values)
    np.maximum.at(high, columns, values)
    has_zeros = np.bincount(columns, minlength=X.shape[1]) < n_rows
    low[has_zeros] = np.minimum(low[has_zeros], 0)
    high[has_zeros] = np.maximum(high[has_zeros], 0)
    return low, high


def _numbers(X: Matrix, rows: Array) -> Any:
    return namespace_of(X).asarray(np.flatnonzero(rows), device=X.device)

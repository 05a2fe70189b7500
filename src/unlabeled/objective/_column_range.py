"""The smallest and the largest value of every column."""

from __future__ import annotations

import numpy as np

from ._design import Array, Matrix, is_sparse


def column_range(X: Matrix, rows: Array | None = None) -> tuple[Array, Array]:
    """Smallest and largest value of the columns, in all rows or where `rows` is true.

    Of a sparse matrix, whose entries are distinct, the stored values are looked at in place.
    """
    if not is_sparse(X):
        taken = X if rows is None else X[rows]
        return taken.min(axis=0), taken.max(axis=0)
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

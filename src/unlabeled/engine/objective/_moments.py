"""Means, second moments and ranges of the columns, block by block."""

from __future__ import annotations

from functools import partial, reduce
from typing import Any

import numpy as np

from ..arrays import Array, Matrix, is_sparse, namespace_of, on_host, to_host
from ..rows import (
    MomentSums,
    consecutive_slices,
    pooled,
    reduce_rows,
    reject_large_squares,
    rows_in_a_dense_block,
)

# Below this ratio of variance to squared mean, products of sparse columns would cancel, so the
# rows are made dense, block by block.
_CANCELLATION = 1e-6


def moments_of_rows(X: Matrix, weight: Any, full: bool) -> tuple[Array, Array]:
    """Return the means of the columns and their covariance matrix; only variances unless `full`."""
    with np.errstate(over="ignore", invalid="ignore"):
        total, mean, products = reduce_rows(partial(_of_block, full), X, weight, combine=pooled)
    if not np.all(np.isfinite(products)):
        reject_large_squares()
    return mean, products / total


def _of_block(full: bool, X: Matrix, weight: Array | None) -> MomentSums:
    if not is_sparse(X):
        return _of_dense(full, X, weight)
    return _of_sparse(full, X, np.ones(X.shape[0]) if weight is None else weight.astype(np.float64))


def _of_dense(full: bool, X: Matrix, weight: Array | None) -> MomentSums:
    xp = namespace_of(X)
    rows = X.astype(np.float64, copy=False) if on_host(X) else X
    ones = xp.ones_like(rows[:, 0])
    mass = ones if weight is None else weight
    total = float(xp.sum(mass, dtype=xp.float64))
    mean = (mass @ rows) / total
    centred = rows - mean
    weighted = centred if weight is None else centred * xp.sqrt(weight)[:, None]
    products = weighted.T @ weighted if full else xp.sum(weighted * weighted, axis=0)
    return total, _double(to_host(mean)), _double(to_host(products))


def _double(array: Any) -> Array:
    return np.asarray(array, dtype=np.float64)


def _of_sparse(full: bool, X: Matrix, weight: Array) -> MomentSums:
    total = float(weight.sum())
    mean = _double(X.T @ weight) / total
    spread = _spread_of_sparse(X, weight, mean)
    if not full:
        return total, mean, spread
    if np.any(spread < _CANCELLATION * total * mean**2):
        return _of_dense_blocks(X, weight)
    products = (X.T @ X.astype(np.float64).multiply(weight[:, None]).tocsr()).toarray()
    return total, mean, products - total * np.outer(mean, mean)


def _spread_of_sparse(X: Matrix, weight: Array, mean: Array) -> Array:
    """Sum the squared deviations from the mean: of stored entries, and of the zeros not stored."""
    of_entry = np.repeat(weight, np.diff(X.indptr))
    deviation = X.data.astype(np.float64) - mean[X.indices]
    of_entries = np.bincount(X.indices, of_entry * deviation**2, minlength=X.shape[1])
    stored = np.bincount(X.indices, of_entry, minlength=X.shape[1])
    is_full = np.bincount(X.indices, minlength=X.shape[1]) == X.shape[0]
    weight_of_zeros = np.where(is_full, 0.0, weight.sum() - stored)
    return of_entries + weight_of_zeros * mean**2


def _of_dense_blocks(X: Matrix, weight: Array) -> MomentSums:
    slices = consecutive_slices(X.shape[0], rows_in_a_dense_block(X.shape[1]))
    of_blocks = (_of_dense(True, X[rows].toarray(), weight[rows]) for rows in slices)
    return reduce(pooled, of_blocks)


def spread_of_columns(X: Matrix, weight: Any) -> tuple[Array, Array, Array, Array]:
    """Return mean, variance, smallest and largest value of each column, in one pass."""
    with np.errstate(over="ignore", invalid="ignore"):
        found = reduce_rows(_spread_of_block, X, weight, combine=_pooled_spread)
    (total, mean, products), (low, high) = found[:3], found[3:]
    if not np.all(np.isfinite(products)):
        reject_large_squares()
    return mean, products / total, low, high


def _spread_of_block(X: Matrix, weight: Array | None) -> tuple[Any, ...]:
    return *_of_block(False, X, weight), *(_double(end) for end in column_range(X))


def _pooled_spread(first: tuple[Any, ...], second: tuple[Any, ...]) -> tuple[Any, ...]:
    low, high = np.minimum(first[3], second[3]), np.maximum(first[4], second[4])
    return *pooled(first[:3], second[:3]), low, high


def column_range(X: Matrix, rows: Array | None = None) -> tuple[Array, Array]:
    """Return the smallest and largest value of each column, in all rows or in the mask `rows`.

    A sparse matrix must have distinct entries; it is not made dense.
    """
    if not is_sparse(X):
        xp = namespace_of(X)
        if rows is not None and xp is np:
            X = X[rows]
        elif rows is not None:
            X = xp.take(X, xp.asarray(np.flatnonzero(rows), device=X.device), axis=0)
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

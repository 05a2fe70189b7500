"""Means and second moments of rows, block by block, without cancellation."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..blocks import (
    BLOCK_BYTES,
    Array,
    Matrix,
    is_sparse,
    namespace_of,
    on_host,
    reduce_rows,
    to_host,
)

# Below this ratio of variance to squared mean a sparse column is made dense, block by block,
# where its products with others are wanted.
_CANCELLATION = 1e-6

# The weight of rows, their mean, and the sum of the products of their deviations from it.
Moments = tuple[float, Array, Array]


def moments_of_rows(X: Matrix, weight: Any, full: bool) -> tuple[Array, Array]:
    """Mean of the columns and their covariance matrix, or only variances unless `full`."""
    with np.errstate(over="ignore", invalid="ignore"):
        total, mean, products = reduce_rows(partial(_of_block, full), X, weight, combine=_together)
    if not np.all(np.isfinite(products)):
        raise ValueError(
            "`X` must have values whose squares are finite numbers; got larger ones. "
            "Rescale the features, for instance with StandardScaler."
        )
    return mean, products / total


def _of_block(full: bool, X: Matrix, weight: Array | None) -> Moments:
    if not is_sparse(X):
        return _of_dense(full, X, weight)
    return _of_sparse(full, X, np.ones(X.shape[0]) if weight is None else weight.astype(np.float64))


def _together(first: Moments, second: Moments) -> Moments:
    """Moments of two sets of rows, about their common mean."""
    total = first[0] + second[0]
    apart = second[1] - first[1]
    share = second[0] / total
    between = apart[:, None] * apart if second[2].ndim == 2 else apart * apart
    mean = first[1] + share * apart
    return total, mean, first[2] + second[2] + (first[0] * share) * between


def _of_dense(full: bool, X: Matrix, weight: Array | None) -> Moments:
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


def _of_sparse(full: bool, X: Matrix, weight: Array) -> Moments:
    total = float(weight.sum())
    mean = _double(X.T @ weight) / total
    spread = _spread_of_sparse(X, weight, mean)
    if not full:
        return total, mean, spread
    if np.any(spread < _CANCELLATION * total * mean**2):
        # Columns far from zero for their spread: differences of products would be noise.
        return _of_dense_blocks(X, weight)
    products = (X.T @ X.astype(np.float64).multiply(weight[:, None]).tocsr()).toarray()
    return total, mean, products - total * np.outer(mean, mean)


def _spread_of_sparse(X: Matrix, weight: Array, mean: Array) -> Array:
    """Sum of the squared deviations from the mean: of the entries, and of the zeros left out."""
    of_entry = np.repeat(weight, np.diff(X.indptr))
    deviation = X.data.astype(np.float64) - mean[X.indices]
    of_entries = np.bincount(X.indices, of_entry * deviation**2, minlength=X.shape[1])
    stored = np.bincount(X.indices, of_entry, minlength=X.shape[1])
    is_full = np.bincount(X.indices, minlength=X.shape[1]) == X.shape[0]
    weight_of_zeros = np.where(is_full, 0.0, weight.sum() - stored)
    return of_entries + weight_of_zeros * mean**2


def _of_dense_blocks(X: Matrix, weight: Array) -> Moments:
    step = max(256, BLOCK_BYTES // (8 * X.shape[1]))
    moments: Moments | None = None
    for start in range(0, X.shape[0], step):
        rows = slice(start, start + step)
        block = _of_dense(True, X[rows].toarray(), weight[rows])
        moments = block if moments is None else _together(moments, block)
    assert moments is not None
    return moments

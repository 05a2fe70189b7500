"""Columns of rows, wherever they live: their type, a multiple, their mean, a part of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._arrays import Array, Matrix, namespace_of, on_host
from ._chunked import Chunked, numbers_of_part
from ._reduce import reduce_rows


def every_row(stride: int, X: Matrix, *columns: Any) -> tuple[Any, ...]:
    """One row of every `stride`, of X and of each column, in memory or on the same device."""
    if isinstance(X, Chunked):
        return X.every(stride, *columns)
    rows = numbers_of_part(X.shape[0], stride)
    return tuple(None if part is None else _taken(part, rows) for part in (X, *columns))


def _taken(part: Any, rows: Array) -> Any:
    if on_host(part):
        return part[rows]
    xp = namespace_of(part)
    return xp.take(part, xp.asarray(rows, device=part.device), axis=0)


def as_type(column: Any, dtype: Any) -> Any:
    """Return the column in another type."""
    if isinstance(column, Chunked):
        return column.astype(dtype)
    if on_host(column):
        return column.astype(dtype, copy=False)
    return namespace_of(column).astype(column, dtype, copy=False)


def times(column: Any, number: float) -> Any:
    """Return a multiple of the column."""
    return column.times(number) if isinstance(column, Chunked) else column * number


def plus(column: Any, number: float) -> Any:
    """Return the column with a number added to every row."""
    return column.plus(number) if isinstance(column, Chunked) else column + number


def weighted_mean(column: Array | Chunked, weight: Any = None) -> float:
    """Mean of a column."""
    if isinstance(column, Chunked):
        return _chunked_mean(column, weight)
    if isinstance(column, np.ndarray):
        return float(np.average(column, weights=weight))
    return _mean(column, weight)


def _chunked_mean(column: Chunked, weight: Chunked | None) -> float:
    # Chunks are read to be counted, so a mean that was counted is kept.
    for known, mean in column.means:
        if known is weight:
            return mean
    mean = _mean(column, weight)
    column.means.append((weight, mean))
    return mean


def _mean(column: Any, weight: Any) -> float:
    total, mass = reduce_rows(_sums, column, weight)
    return float(total / mass)


def _sums(column: Any, weight: Any) -> tuple[Any, Any]:
    xp = namespace_of(column)
    if weight is None:
        return xp.sum(column, dtype=xp.float64), float(column.shape[0])
    return xp.sum(column * weight, dtype=xp.float64), xp.sum(weight, dtype=xp.float64)

"""Blocks of rows: cut, run on threads, and reduced to one small answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing

from ..arrays import (
    Array,
    Matrix,
    is_on_device,
    is_sparse,
    joined,
    namespace_of,
    on_device,
    on_host,
    precision_of,
    some_rows,
    to_host,
)
from ..parallel import blas_threads, shares_on_threads
from ._dask import Chunked, subsample_index

# A block is read twice (predictor, then gradient). It should still be in the last-level cache
# the second time, and be large enough that Python's overhead does not matter.
_BLOCK_BYTES = 2**22
# On a device, blocks only bound the memory of intermediate results.
_DEVICE_BLOCK_BYTES = 2**31
_FEWEST_ROWS = 256
# With fewer numbers per thread, threads cost more than they save.
_FEWEST_NUMBERS = 5_000_000


def row_blocks(
    X: Matrix, *columns: Array | None, step: int | None = None
) -> Iterator[tuple[Any, ...]]:
    """Cut (X, columns) into consecutive blocks of rows; blocks are views, not copies."""
    n_rows = X.shape[0]
    if step is None:
        step = n_rows if is_sparse(X) else rows_in_a_block(X)
    if step >= n_rows:
        if n_rows:
            yield X, *columns
        return
    for rows in consecutive_slices(n_rows, step):
        given = (X, *columns)
        yield tuple(None if column is None else some_rows(column, rows) for column in given)


def consecutive_slices(n_rows: int, step: int) -> Iterator[slice]:
    """Cut the indices of `n_rows` rows into slices of `step`; the last may be shorter."""
    return (slice(start, min(start + step, n_rows)) for start in range(0, n_rows, step))


def rows_in_a_block(X: Matrix) -> int:
    """Return how many rows of a dense matrix, or of a column, make one block."""
    width = X.shape[1] if X.ndim == 2 else 1
    most = _BLOCK_BYTES if on_host(X) or "cpu" in str(X.device).lower() else _DEVICE_BLOCK_BYTES
    return _rows_in(most, width * precision_of(X).itemsize)


def rows_in_a_dense_block(n_columns: int) -> int:
    """Return how many rows of `n_columns` numbers in double precision make one block in memory."""
    return _rows_in(_BLOCK_BYTES, n_columns * 8)


def _rows_in(n_bytes: int, bytes_per_row: int) -> int:
    return max(_FEWEST_ROWS, n_bytes // max(1, bytes_per_row))


# Reductions: a small answer from every block, combined to one.

Answer = tuple[Any, ...]
OfBlock = Callable[..., Answer]
Combine = Callable[[Answer, Answer], Answer]


def add(first: Answer, second: Answer) -> Answer:
    """Sum entry by entry; the arrays of `first` are overwritten."""
    return tuple(_plus(a, b) for a, b in zip(first, second, strict=True))


def reduce_rows(of_block: OfBlock, X: Matrix, *columns: Any, combine: Combine = add) -> Answer:
    """Apply `of_block` to every block of rows and combine the answers, on the host.

    Parameters
    ----------
    of_block : callable
        Maps (block of X, block of each column) to a tuple of numbers and arrays
        that do not grow with the rows. A column that is None is passed as None.
        It may be sent to another machine, so it must not hold data.
    X : dense array, CSR matrix, array on a device, or rows in chunks
        A column is also allowed.
    *columns : ndarray or None
        Aligned with X and stored where X is.
    combine : callable, default=add
        Combines two answers, in the order of the rows.

    Returns
    -------
    answer : tuple
        NumPy arrays and numbers.
    """
    if isinstance(X, Chunked):
        return X.reduce(_Reduction(of_block, combine), *columns)
    reduction = _Reduction(of_block, combine)
    answer: Answer | None = None
    for share in _in_shares(reduction.of, None, X, columns):
        answer = reduction.both(answer, share)
    if answer is None:
        raise ValueError("There must be at least one row.")
    return tuple(to_host(entry) for entry in answer)


def _in_shares(
    of_rows: Callable[..., Any], step: int | None, X: Matrix, columns: tuple[Any, ...]
) -> list[Any]:
    """Return what a function makes of all rows, or of each thread's share if there are many.

    Each share is a multiple of `step` rows, or of a block's.
    """
    threads = 1
    if isinstance(X, np.ndarray) and X.size >= 2 * _FEWEST_NUMBERS:
        threads = min(blas_threads(), X.size // _FEWEST_NUMBERS)
    if threads <= 1:
        return [of_rows(X, *columns)]

    def of_share(rows: slice) -> Any:
        return of_rows(X[rows], *(None if column is None else column[rows] for column in columns))

    return shares_on_threads(of_share, X.shape[0], step or rows_in_a_block(X), threads)


class _Reduction:
    """The two functions of a reduction, without data: it can be pickled and sent to a worker."""

    def __init__(self, of_block: OfBlock, combine: Combine) -> None:
        self.of_block, self.combine = of_block, combine

    def of(self, X: Matrix, *columns: Any) -> Answer | None:
        """Reduce rows in one place; None if there are no rows."""
        answer: Answer | None = None
        for block in row_blocks(X, *columns):
            answer = self.both(answer, self.of_block(*block))
        return answer

    def both(self, first: Answer | None, second: Answer | None) -> Answer | None:
        """Combine two answers, either of which may be missing."""
        if first is None or second is None:
            return second if first is None else first
        return self.combine(first, second)


def map_rows(
    of_block: Callable[..., Any], step: int, X: Matrix, *columns: Any, dtype: Any = np.float64
) -> Any:
    """Return the column that a function makes of blocks of rows; it is stored where X is.

    Parameters
    ----------
    of_block : callable
        Maps (block of X, block of each column) to one number per row. It may be sent to another
        machine, so it must not hold data.
    step : int
        Rows per block in memory. Blocks on a device are as large as in a reduction.
    X : dense array, CSR matrix, array on a device, or rows in chunks
    *columns : column or None
        Aligned with X and stored where X is.
    dtype : dtype, default=float64
        The type of the numbers in memory.

    Returns
    -------
    column : column of shape (n_rows,)
        Of rows in chunks nothing is computed yet.
    """
    mapping = _Mapping(of_block, step, dtype)
    if isinstance(X, Chunked):
        return X.mapped(mapping, *columns)
    return joined(_in_shares(mapping.of, step, X, columns))


class _Mapping:
    """A function of blocks of rows, without data: it can be pickled and sent to a worker."""

    def __init__(self, of_block: Callable[..., Any], step: int, dtype: Any) -> None:
        self.of_block, self.step, self.dtype = of_block, step, dtype

    def of(self, X: Matrix, *columns: Any) -> Any:
        """Return the column of rows in one place."""
        if X.shape[0] == 0:
            return np.zeros(0, self.dtype)
        step = None if on_device(X) else self.step
        return joined([self.of_block(*block) for block in row_blocks(X, *columns, step=step)])


def _plus(first: Any, second: Any) -> Any:
    if isinstance(first, np.ndarray) and first.ndim and first.flags.writeable:
        first += second
        return first
    return first + second


# The total weight of rows, the mean of one or several columns, and the sum of squared deviations
# from it; for several columns also the matrix of the products of their deviations.
MomentSums = tuple[float, Any, Any]


def pooled(first: MomentSums, second: MomentSums) -> MomentSums:
    """Return the moments of two sets of rows together, about their common mean.

    Means are subtracted before anything is squared, so that nothing cancels.
    """
    total = first[0] + second[0]
    apart = second[1] - first[1]
    share = second[0] / total
    between = apart[:, None] * apart if np.ndim(second[2]) == 2 else apart * apart
    mean = first[1] + share * apart
    return total, mean, first[2] + second[2] + (first[0] * share) * between


# Small operations that work on columns in memory, on a device and in chunks.


def subsample(stride: int, X: Matrix, *columns: Any) -> tuple[Any, ...]:
    """Take one row from each run of `stride` rows, of X and of each column, on the same device."""
    if isinstance(X, Chunked):
        return X.subsample(stride, *columns)
    return take_rows(subsample_index(X.shape[0], stride), X, *columns)


def take_rows(row_index: Array, X: Any, *columns: Any) -> tuple[Any, ...]:
    """Take rows of X and of each column: in memory of any form, on their device, or from chunks.

    Rows from chunks come to memory, and their indices must rise.
    """
    if isinstance(X, Chunked):
        return X.take(row_index, *columns)
    return tuple(None if column is None else _taken(column, row_index) for column in (X, *columns))


def _taken(column: Any, row_index: Array) -> Any:
    if on_host(column):
        return column[row_index]
    if not is_on_device(column):  # a frame or a list
        return _safe_indexing(column, row_index)
    xp = namespace_of(column)
    return xp.take(column, xp.asarray(row_index, device=column.device), axis=0)


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
    """Return the mean of a column."""
    if isinstance(column, Chunked):
        return _chunked_mean(column, weight)
    if isinstance(column, np.ndarray):
        return float(np.average(column, weights=weight))
    return _mean(column, weight)


def _chunked_mean(column: Chunked, weight: Chunked | None) -> float:
    # A mean costs a pass over the chunks, so it is cached.
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


def weighted_quantile(
    values: np.ndarray, weight: np.ndarray | None, level: float | np.ndarray
) -> np.ndarray:
    """Return the smallest value at or below which at least `level` of the weight lies.

    Without weights all values count the same.

    Examples
    --------
    >>> values, weight = np.array([3.0, 1.0, 2.0]), np.array([1.0, 2.0, 1.0])
    >>> weighted_quantile(values, weight, np.array([0.5, 0.75])).tolist()
    [1.0, 2.0]
    """
    order = np.argsort(values)
    mass = np.cumsum(np.ones_like(values) if weight is None else weight[order])
    enough = np.asarray(level) * mass[-1] * (1 - 1e-12)  # less rounding
    return np.asarray(values[order][np.searchsorted(mass, enough)])

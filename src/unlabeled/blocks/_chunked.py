"""Rows in chunks of Dask: what is known of them, and reductions that go to the chunks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy import sparse

from ._arrays import Array, is_sparse
from ._compute import Chunks

Pick = Callable[[tuple[Any, ...]], Any]


@dataclass(frozen=True, eq=False)
class ChunkedTable:
    """Chunks, each a tuple (X, s, weight) when it is there, and what a first look at them found.

    Attributes
    ----------
    chunks : Chunks
    lengths : ndarray of shape (n_chunks,)
        Rows in each.
    n_labelled : int
    """

    chunks: Chunks
    lengths: Array
    n_labelled: int
    _parts: dict[int, tuple[Any, ...]] = field(default_factory=dict)

    def part(self, number: int, dtype: np.dtype[Any], *n_columns: int) -> Chunked:
        """Return X, s or weight: a matrix of so many columns, or a column."""
        shape = (int(self.lengths.sum()), *n_columns)
        return Chunked(self, _Part(number), shape, dtype)

    def every(self, stride: int) -> tuple[Any, ...]:
        """Bring one row of every `stride` here, as one chunk; a part that was brought is kept."""
        if stride not in self._parts:
            ends = np.cumsum(self.lengths)
            numbers = numbers_of_part(int(ends[-1]), stride)
            of_chunks = np.split(numbers, np.searchsorted(numbers, ends[:-1]))
            starts = ends - self.lengths
            parts = self.chunks.each(
                [
                    _Rows(rows - start) if len(rows) else None
                    for rows, start in zip(of_chunks, starts, strict=True)
                ]
            )
            columns = zip(*parts, strict=True)
            self._parts[stride] = tuple(_stacked(column) for column in columns)
        return self._parts[stride]


@dataclass(frozen=True, eq=False)
class Chunked:
    """A matrix or a column of rows that lie in chunks.

    It has a shape and a type, and can be reduced; it has no values here.

    Attributes
    ----------
    table : ChunkedTable
        Columns of the same table are aligned.
    pick : callable
        What it is, from a loaded chunk.
    shape : tuple of int
    dtype : numpy.dtype
    means : list of (weight, mean)
        Of a column, as far as they were computed.
    """

    table: ChunkedTable
    pick: Pick
    shape: tuple[int, ...]
    dtype: Any
    means: list[tuple[Any, float]] = field(default_factory=list)

    def __len__(self) -> int:
        return self.shape[0]

    @property
    def ndim(self) -> int:
        """1 for a column, 2 for a matrix."""
        return len(self.shape)

    def then(self, of_block: Callable[[Any], Any], dtype: Any = np.float64) -> Chunked:
        """Return the column that a function makes of each block, when the chunk is there."""
        return Chunked(self.table, _Then(self.pick, of_block), self.shape[:1], np.dtype(dtype))

    def astype(self, dtype: Any) -> Chunked:
        """Return the same values in another type."""
        if np.dtype(dtype) == self.dtype:
            return self
        return replace(self, pick=_Then(self.pick, _Cast(dtype)), dtype=np.dtype(dtype), means=[])

    def times(self, number: float) -> Chunked:
        """Return a multiple."""
        return replace(self, pick=_Then(self.pick, _Times(number)), means=[])

    def plus(self, number: float) -> Chunked:
        """Return the values with a number added."""
        return replace(self, pick=_Then(self.pick, _Plus(number)), means=[])

    def reduce(self, reduction: Any, *columns: Chunked | None) -> tuple[Any, ...]:
        """Reduce every chunk where it is, and the answers to one; only that one comes here."""
        picks = (self.pick, *(None if column is None else column.pick for column in columns))
        answer = self.table.chunks.reduced(_OfChunk(reduction, picks), _Both(reduction))
        if answer is None:
            raise ValueError("There must be at least one row.")
        return answer

    def every(self, stride: int, *columns: Chunked | None) -> tuple[Any, ...]:
        """Bring one row of every `stride` here: of this, and of each column."""
        part = self.table.every(stride)
        return _picked((self.pick, *(None if c is None else c.pick for c in columns)), part)


def numbers_of_part(n_rows: int, stride: int) -> Array:
    """Numbers of one row of every `stride`, drawn alike each time.

    Every k-th row would be every Monday's, or every labelled one's, where rows have a period.
    """
    starts = np.arange(0, n_rows - stride + 1, stride)
    return starts + np.random.default_rng(0).integers(0, stride, len(starts))


def is_chunked(X: Any) -> bool:
    """Whether X is rows in chunks."""
    return isinstance(X, Chunked)


@dataclass(frozen=True)
class _Part:
    number: int

    def __call__(self, chunk: tuple[Any, ...]) -> Any:
        return chunk[self.number]


@dataclass(frozen=True)
class _Then:
    pick: Pick
    of_block: Callable[[Any], Any]

    def __call__(self, chunk: tuple[Any, ...]) -> Any:
        return self.of_block(self.pick(chunk))


@dataclass(frozen=True)
class _Cast:
    dtype: Any

    def __call__(self, block: Array) -> Array:
        return block.astype(self.dtype, copy=False)


@dataclass(frozen=True)
class _Times:
    number: float

    def __call__(self, block: Array) -> Array:
        return block * self.number


@dataclass(frozen=True)
class _Plus:
    number: float

    def __call__(self, block: Array) -> Array:
        return block + self.number


@dataclass(frozen=True)
class _OfChunk:
    reduction: Any
    picks: tuple[Pick | None, ...]

    def __call__(self, chunk: tuple[Any, ...]) -> Any:
        return self.reduction.of(*_picked(self.picks, chunk))


@dataclass(frozen=True)
class _Both:
    reduction: Any

    def __call__(self, answers: list[Any]) -> Any:
        # A cluster may ask for an answer once more when a worker is lost, so it is not added to.
        total = None
        for answer in answers:
            total = self.reduction.both(total, _copy(answer) if total is None else answer)
        return total


@dataclass(frozen=True, eq=False)
class _Rows:
    numbers: Array

    def __call__(self, chunk: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(None if part is None else part[self.numbers] for part in chunk)


def _copy(answer: Any) -> Any:
    if answer is None:
        return None
    return tuple(part.copy() if isinstance(part, np.ndarray) else part for part in answer)


def _picked(picks: tuple[Pick | None, ...], chunk: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(None if pick is None else pick(chunk) for pick in picks)


def _stacked(parts: tuple[Any, ...]) -> Any:
    if parts[0] is None:
        return None
    if is_sparse(parts[0]):
        return sparse.vstack(parts, format="csr")
    return np.concatenate(parts)

"""Rows in chunks of Dask: what is known of them, and reductions that go to the chunks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy import sparse

from ._arrays import Array, is_sparse
from ._compute import compute, for_every_chunk, together

Pick = Callable[[tuple[Any, ...]], Any]
# So many answers are made one at a time, on the way to one answer of all chunks.
_FAN_IN = 8


@dataclass(frozen=True, eq=False)
class ChunkedTable:
    """Chunks, each a delayed tuple (X, s, weight), and what a first look at them found.

    Attributes
    ----------
    chunks : sequence of Delayed
    lengths : ndarray of shape (n_chunks,)
        Rows in each.
    n_labelled : int
    """

    chunks: Sequence[Any]
    lengths: Array
    n_labelled: int
    _parts: dict[int, tuple[Any, ...]] = field(default_factory=dict)

    def every(self, stride: int) -> tuple[Any, ...]:
        """Bring every `stride`-th row here, as one chunk; a part that was brought is kept."""
        if stride not in self._parts:
            lengths = self.lengths
            first = -(np.cumsum(lengths) - lengths) % stride
            parts = [
                for_every_chunk(_Every(int(start), stride), [chunk])[0]
                for start, length, chunk in zip(first, lengths, self.chunks, strict=True)
                if start < length
            ]
            columns = zip(*compute(parts), strict=True)
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

    def astype(self, dtype: Any, copy: bool = False) -> Chunked:
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
        answers = for_every_chunk(_OfChunk(reduction, picks), self.table.chunks)
        while len(answers) > 1:
            groups = [answers[k : k + _FAN_IN] for k in range(0, len(answers), _FAN_IN)]
            answers = [together(_Both(reduction), group) for group in groups]
        answer = compute(answers)[0]
        if answer is None:
            raise ValueError("There must be at least one row.")
        return answer

    def every(self, stride: int, *columns: Chunked | None) -> tuple[Any, ...]:
        """Bring every `stride`-th row here: of this, and of each column."""
        part = self.table.every(stride)
        return _picked((self.pick, *(None if c is None else c.pick for c in columns)), part)


def is_chunked(X: Any) -> bool:
    """Whether X is rows in chunks."""
    return isinstance(X, Chunked)


@dataclass(frozen=True)
class Field:
    """One of the parts of a loaded chunk."""

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
        total = None
        for answer in answers:
            total = self.reduction.both(total, answer)
        return total


@dataclass(frozen=True)
class _Every:
    start: int
    stride: int

    def __call__(self, chunk: tuple[Any, ...]) -> tuple[Any, ...]:
        rows = slice(self.start, None, self.stride)
        # Copies: a view would keep the whole chunk in memory.
        return tuple(None if part is None else part[rows].copy() for part in chunk)


def _picked(picks: tuple[Pick | None, ...], chunk: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(None if pick is None else pick(chunk) for pick in picks)


def _stacked(parts: tuple[Any, ...]) -> Any:
    if parts[0] is None:
        return None
    if is_sparse(parts[0]):
        return sparse.vstack(parts, format="csr")
    return np.concatenate(parts)

"""Rows in chunks of Dask: described without being gathered, and reduced chunk by chunk.

A sum over rows in chunks, from top to bottom:

    reduce_rows(of_block, X, s)      _blocks: the same call for rows in memory and elsewhere
    Chunked.reduce(reduction, s)     X and s of one table: which part of a loaded chunk is a block
    Chunks.reduced(of_chunk, ...)    one task per chunk, and tasks that combine a few answers each
    _Question.answer()               Dask's scheduler computes the last of them
    reduction.of, reduction.both     on the worker: a block's answer, and two of them combined

A `ChunkedTable` is validated training rows in chunks; a `Chunked` is its X, s or weight. The last
section makes chunks of Dask's arrays and frames, and lazy columns of chunks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial, wraps
from importlib import import_module
from operator import add, itemgetter, methodcaller, mul
from typing import Any, Protocol, TypeVar, cast
from uuid import uuid4

import numpy as np
from scipy import sparse

from ..arrays import (
    Array,
    is_dask,
    is_on_device,
    is_sparse,
    reject_other_length,
    with_distinct_entries,
)
from ..parallel import one_blas_thread

# How many answers one task combines, on the way to one answer of all chunks.
_FAN_IN = 8
# What `distributed` raises when it gives up on a task; by name, because it may not be installed.
_WORKERS_LOST = ("KilledWorker", "NoWorkerError", "FutureCanceledError", "CommClosedError")

OfChunk = Callable[[Any], Any]
_Method = TypeVar("_Method", bound=Callable[..., Any])


class Reduction(Protocol):
    """Makes a small answer of rows, and one answer of two; it holds no rows."""

    def of(self, X: Any, *columns: Any) -> tuple[Any, ...] | None:
        """Reduce rows in one place; None if there are no rows."""

    def both(self, first: Any, second: Any) -> tuple[Any, ...] | None:
        """Combine two answers, either of which may be missing."""


class Mapping(Protocol):
    """Makes a column of rows, one number each; it holds no rows."""

    def of(self, X: Any, *columns: Any) -> Any:
        """Return the column of rows in one place."""


@dataclass(frozen=True, eq=False)
class Chunks:
    """Chunks of rows: a graph that makes them, written once, and the steps applied to each.

    Each computation adds one task per chunk to the graph, since a fit runs dozens of them. The
    steps run inside that task, so no copy of a chunk is kept.

    Attributes
    ----------
    graph : dict
        The Dask graph that makes the chunks.
    keys : list
        The key of each chunk in the graph, or the list of keys of its columns.
    steps : tuple of callable
        Applied to each loaded chunk, one after the other.
    """

    graph: dict[Any, Any]
    keys: list[Any]
    steps: tuple[OfChunk, ...] = ()

    @classmethod
    def of(cls, delayed: Iterable[Any]) -> Chunks:
        """Make chunks of delayed values."""
        chunks = list(delayed)
        return cls(_one_graph(chunks), [chunk.key for chunk in chunks])

    @classmethod
    def side_by_side(cls, *columns: Iterable[Any]) -> Chunks:
        """Make chunks of several delayed columns each; a loaded chunk is a list of them."""
        rows = list(zip(*columns, strict=True))
        parts = [part for row in rows for part in row]
        return cls(_one_graph(parts), [[part.key for part in row] for row in rows])

    def __len__(self) -> int:
        return len(self.keys)

    def then(self, step: OfChunk) -> Chunks:
        """Return the chunks with one more step."""
        return replace(self, steps=(*self.steps, step))

    def beside(self, values: Sequence[Any]) -> Chunks:
        """Return chunks that load as (chunk, value); each chunk has its own value, held here."""
        name = f"unlabeled-{uuid4().hex}"
        keys = [(name, k) for k in range(len(values))]
        graph = {**self.graph, **dict(zip(keys, values, strict=True))}
        nested = [
            [*key, one] if isinstance(key, list) else [key, one]
            for key, one in zip(self.keys, keys, strict=True)
        ]
        is_list = bool(self.keys) and isinstance(self.keys[0], list)
        return Chunks(graph, nested, (partial(_with_value, _Steps(self.steps), is_list),))

    def each(self, functions: Sequence[OfChunk | None]) -> list[Any]:
        """Return one answer per chunk, each by its own function; None skips a chunk."""
        question = _Question(self.graph)
        answers = [
            question.task((question.name, k), _Steps((*self.steps, function)), key)
            for k, (key, function) in enumerate(zip(self.keys, functions, strict=True))
            if function is not None
        ]
        question.task(question.name, list, answers)
        return question.answer()

    def reduced(self, of_chunk: OfChunk, together: Callable[[list[Any]], Any]) -> Any:
        """Return one answer of all chunks, combined in their order, a few at a time."""
        question = _Question(self.graph)
        name = question.name
        first = question.value((name, "of chunk"), _Steps((*self.steps, of_chunk)))
        both = question.value((name, "together"), together)
        answers = [
            question.task((name, 0, k), _apply, first, key) for k, key in enumerate(self.keys)
        ]
        height = 0
        while len(answers) > _FAN_IN:
            height += 1
            groups = [answers[k : k + _FAN_IN] for k in range(0, len(answers), _FAN_IN)]
            answers = [
                question.task((name, height, k), _apply, both, group)
                for k, group in enumerate(groups)
            ]
        question.task(name, _apply, both, answers)
        return question.answer()


class _Question:
    """One computation: tasks added to a graph. The key of the last task is `name`."""

    def __init__(self, graph: dict[Any, Any]) -> None:
        self.name = f"unlabeled-{uuid4().hex}"
        self._graph = dict(graph)

    def value(self, key: Any, value: Any) -> Any:
        """Put a value into the graph, to be sent once; return its key."""
        self._graph[key] = value
        return key

    def task(self, key: Any, function: Callable[..., Any], *keys: Any) -> Any:
        """Add a function of the values with these keys, or lists of keys; return its own key."""
        self._graph[key] = (function, *keys)
        return key

    def answer(self) -> Any:
        """Compute the last task on the user's scheduler."""
        from dask.delayed import Delayed

        delayed: Any = Delayed
        try:
            with one_blas_thread():  # Dask runs its own threads
                (answer,) = _dask().compute(delayed(self.name, self._graph))
        except BaseException as error:  # a cluster's cancellation may not be an `Exception`
            if type(error).__name__ not in _WORKERS_LOST:
                raise
            raise RuntimeError(
                "The rows in chunks could not be read: workers of the Dask cluster were lost, and "
                f"others did not take over ({type(error).__name__}: {error}). Read the workers' "
                "logs; often memory ran out. Make the chunks smaller, then fit again. Rows that "
                "were sent to workers are lost with them: let workers read rows from files."
            ) from error
        return answer


def _one_graph(delayed: list[Any]) -> dict[Any, Any]:
    """Merge graphs; a layer that several of them share is merged once."""
    graph: dict[Any, Any] = {}
    seen: dict[int, Any] = {}
    for one in delayed:
        whole = one.__dask_graph__()
        for layer in getattr(whole, "layers", {"": whole}).values():
            if id(layer) not in seen:
                seen[id(layer)] = layer
                graph.update(layer)
    return graph


@dataclass(frozen=True)
class _Steps:
    """Functions applied one after the other."""

    functions: tuple[OfChunk, ...]

    def __call__(self, chunk: Any) -> Any:
        for function in self.functions:
            chunk = function(chunk)
        return chunk


def _apply(function: OfChunk, chunk: Any) -> Any:
    return function(chunk)


def _with_value(steps: OfChunk, is_list: bool, parts: list[Any]) -> tuple[Any, Any]:
    """Apply steps to a loaded chunk, but not to the value that came with it."""
    *chunk, value = parts
    return steps(chunk if is_list else chunk[0]), value


def _dask() -> Any:
    """Import Dask on first use, so that only users of its collections wait for it."""
    import dask

    return dask


# Validated rows in chunks. Functions sent to chunks must be picklable: partials of functions here.


@dataclass(frozen=True, eq=False)
class ChunkedTable:
    """Chunks that load as tuples (X, s, weight), and what checking them found.

    Attributes
    ----------
    chunks : Chunks
    lengths, labeled : ndarray of shape (n_chunks,)
        Rows and labeled rows per chunk.
    """

    chunks: Chunks
    lengths: Array
    labeled: Array
    _parts: dict[int, tuple[Any, ...]] = field(default_factory=dict)

    def part(self, number: int, dtype: np.dtype[Any], *n_columns: int) -> Chunked:
        """Return X, s or weight: a matrix with this many columns, or a column."""
        shape = (int(self.lengths.sum()), *n_columns)
        return Chunked(self, itemgetter(number), shape, dtype)

    def subsample(self, stride: int) -> tuple[Any, ...]:
        """Load one row from each run of `stride` rows, as one chunk; the result is cached."""
        if stride not in self._parts:
            self._parts[stride] = self.take(subsample_index(int(self.lengths.sum()), stride))
        return self._parts[stride]

    def take(self, row_index: Array) -> tuple[Any, ...]:
        """Load rows, whose indices rise, as one chunk."""
        of_chunks = _of_chunks(row_index, self.lengths)
        parts = self.chunks.each(
            [partial(_take_rows, rows) if len(rows) else None for rows in of_chunks]
        )
        return tuple(_stacked(column) for column in zip(*parts, strict=True))

    def without(self, row_index: Array, s: Array) -> ChunkedTable:
        """Return the other rows, in chunks; nothing is loaded.

        `row_index` are the rows to leave out, rising, and `s` are their labels.
        """
        left_out = _of_chunks(row_index, self.lengths)
        fewer = np.array([len(one) for one in left_out])
        ends = np.cumsum(fewer)
        labeled = np.diff(np.append(0, np.cumsum(s))[np.append(0, ends)]).astype(np.int64)
        chunks = self.chunks.beside(left_out).then(_leave_out)
        return ChunkedTable(chunks, self.lengths - fewer, self.labeled - labeled)


@dataclass(frozen=True, eq=False)
class Chunked:
    """A matrix or a column of rows in chunks: a shape and a type, but no values in memory.

    Attributes
    ----------
    table : ChunkedTable
        Columns of the same table are aligned.
    pick : callable
        Maps a loaded chunk to its block of this matrix or column.
    shape : tuple of int
    dtype : numpy.dtype
    means : list of (weight, mean)
        The means of a column that were computed so far.
    """

    table: ChunkedTable
    pick: OfChunk
    shape: tuple[int, ...]
    dtype: Any
    means: list[tuple[Any, float]] = field(default_factory=list)

    def __len__(self) -> int:
        return self.shape[0]

    @property
    def ndim(self) -> int:
        """1 for a column, 2 for a matrix."""
        return len(self.shape)

    def then(self, of_block: OfChunk, dtype: Any = np.float64) -> Chunked:
        """Return the column that a function makes of each loaded block."""
        pick = _Steps((self.pick, of_block))
        return Chunked(self.table, pick, self.shape[:1], np.dtype(dtype))

    def astype(self, dtype: Any) -> Chunked:
        """Return the same values in another type."""
        if np.dtype(dtype) == self.dtype:
            return self
        cast = _Steps((self.pick, methodcaller("astype", dtype, copy=False)))
        return replace(self, pick=cast, dtype=np.dtype(dtype), means=[])

    def times(self, number: float) -> Chunked:
        """Return a multiple."""
        return replace(self, pick=_Steps((self.pick, partial(mul, number))), means=[])

    def plus(self, number: float) -> Chunked:
        """Return the values with a number added."""
        return replace(self, pick=_Steps((self.pick, partial(add, number))), means=[])

    def reduce(self, reduction: Reduction, *columns: Chunked | None) -> tuple[Any, ...]:
        """Reduce every chunk where it is and combine the answers; only one answer comes back."""
        of_chunk = partial(_reduce_chunk, reduction, self._picks(columns))
        answer = self.table.chunks.reduced(of_chunk, partial(combine_answers, reduction))
        if answer is None:
            raise ValueError("There must be at least one row.")
        return answer

    def mapped(self, mapping: Mapping, *columns: Chunked | None) -> Chunked:
        """Return the column that a mapping makes of this and other columns, chunk by chunk."""
        pick = partial(_map_chunk, mapping, self._picks(columns))
        return Chunked(self.table, pick, self.shape[:1], np.dtype(np.float64))

    def subsample(self, stride: int, *columns: Chunked | None) -> tuple[Any, ...]:
        """Load one row from each run of `stride` rows, of this and of each column."""
        return _picked(self._picks(columns), self.table.subsample(stride))

    def take(self, row_index: Array, *columns: Chunked | None) -> tuple[Any, ...]:
        """Load rows of this and of each column; their indices rise."""
        return _picked(self._picks(columns), self.table.take(row_index))

    def loaded(self) -> Any:
        """Return all rows, in memory."""
        chunks = self.table.chunks
        return _stacked(tuple(chunks.each([self.pick] * len(chunks))))

    def of_table(self, table: ChunkedTable) -> Chunked:
        """Return the same matrix or column of another table."""
        shape = (int(table.lengths.sum()), *self.shape[1:])
        return replace(self, table=table, shape=shape, means=[])

    def _picks(self, columns: tuple[Chunked | None, ...]) -> tuple[OfChunk | None, ...]:
        return self.pick, *(None if column is None else column.pick for column in columns)


def subsample_index(n_rows: int, stride: int) -> Array:
    """Return the indices of random rows: one from each run of `stride` consecutive rows.

    The seed is fixed. Taking every k-th row would fail for periodic data.
    """
    starts = np.arange(0, n_rows - stride + 1, stride)
    return starts + np.random.default_rng(0).integers(0, stride, len(starts))


def _of_chunks(row_index: Array, lengths: Array) -> list[Array]:
    """Split rising indices of rows by chunk; each chunk begins at 0."""
    ends = np.cumsum(lengths)
    split = np.split(row_index, np.searchsorted(row_index, ends[:-1]))
    return [one - start for one, start in zip(split, ends - lengths, strict=True)]


def _reduce_chunk(
    reduction: Reduction, picks: tuple[OfChunk | None, ...], chunk: tuple[Any, ...]
) -> tuple[Any, ...] | None:
    return reduction.of(*_picked(picks, chunk))


def _map_chunk(
    mapping: Mapping, picks: tuple[OfChunk | None, ...], chunk: tuple[Any, ...]
) -> Array:
    return np.asarray(mapping.of(*_picked(picks, chunk)))


def combine_answers(reduction: Reduction, answers: list[Any]) -> Any:
    """Combine answers in their order, without changing any of them.

    If a worker is lost, Dask may combine the same answers again.
    """
    total = None
    for answer in answers:
        total = reduction.both(total, _copy(answer) if total is None else answer)
    return total


def _copy(answer: Any) -> Any:
    if answer is None:
        return None
    return tuple(part.copy() if isinstance(part, np.ndarray) else part for part in answer)


def _picked(picks: tuple[OfChunk | None, ...], chunk: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(None if pick is None else pick(chunk) for pick in picks)


def _take_rows(row_index: Array, chunk: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(None if column is None else rows_at(column, row_index) for column in chunk)


def rows_at(X: Any, row_index: Array) -> Any:
    """Return rows of a frame, a matrix or a column in memory, by index or marked by True."""
    return X.iloc[row_index] if hasattr(X, "iloc") else X[row_index]


def _leave_out(chunk: tuple[tuple[Any, ...], Array]) -> tuple[Any, ...]:
    parts, left_out = chunk
    if len(left_out) == 0:
        return parts
    return _take_rows(np.delete(np.arange(len(parts[1])), left_out), parts)


def _stacked(parts: tuple[Any, ...]) -> Any:
    if parts[0] is None:
        return None
    if is_sparse(parts[0]):
        return sparse.vstack(parts, format="csr")
    if hasattr(parts[0], "iloc"):
        return import_module("pandas").concat(parts, ignore_index=True)
    return np.concatenate(parts)


# From Dask's arrays and frames to chunks, and from chunks to lazy columns.


def is_frame(X: Any) -> bool:
    """Whether a collection of Dask is a frame or a column of one."""
    return hasattr(X, "to_dask_array")


def aligned_chunks(X: Any, *columns: Any) -> Chunks:
    """Make chunks that load as a block of X and of every column.

    Columns may be Dask collections or in memory; the latter are split like X.
    """
    columns = tuple(_one_column(column) for column in columns)
    if hasattr(X, "assign") and all(is_dask(column) and is_frame(column) for column in columns):
        of_one_frame = _chunks_of_one_frame(X, columns)
        if of_one_frame is not None:
            return of_one_frame
    blocks = _matrix_chunks(X)
    parts = (_column_chunks(column, X, blocks) for column in columns)
    return Chunks.side_by_side(blocks, *parts).then(_of_one_length)


def chunks_of(X: Any, *columns: Any) -> Chunks | None:
    """Return `aligned_chunks` of a matrix in chunks; None if X is not in chunks."""
    return aligned_chunks(X, *columns) if is_dask(X) else None


def chunks_of_columns(*columns: Any) -> Chunks | None:
    """Return chunks that load as a block of each column that is not None.

    Any column in chunks determines them; the others are divided like it. None if there is no such
    column.
    """
    cut = next((column for column in columns if is_dask(column)), None)
    if cut is None:
        return None
    given = (column for column in columns if column is not None)
    return aligned_chunks(cut, *given).then(itemgetter(slice(1, None)))


def chunk_by_chunk(n_columns: int | None = None) -> Callable[[_Method], _Method]:
    """Make a method of rows lazy for rows in chunks of Dask.

    Of such rows the method's class is asked: `_lazily(X, name of the method, n_columns)`. Without
    `n_columns` the results are one number per row.
    """

    def decorate(method: _Method) -> _Method:
        @wraps(method)
        def of_rows(self: Any, X: Any) -> Any:
            return self._lazily(X, method.__name__, n_columns) if is_dask(X) else method(self, X)

        return cast(_Method, of_rows)

    return decorate


def of_score(function: Callable[[Any], Any], score: Any) -> Any:
    """Apply a function to a number, or to a column of them in memory, on a device or in chunks."""
    reject_matrix(score)
    if is_dask(score):
        return score.map_blocks(partial(of_score, function), dtype=np.dtype(np.float64))
    return function(score if is_on_device(score) else np.asarray(score, dtype=np.float64))


def reject_matrix(score: Any) -> None:
    """Raise if a score has two dimensions, wherever it is: X may have been passed."""
    shape = score.shape if hasattr(score, "shape") else np.shape(score)
    if len(shape) > 1:
        raise ValueError(
            f"`score` must be one number, or one column of them; got shape {tuple(shape)}. Pass "
            "`positive_score(X)`."
        )


def _one_column(column: Any) -> Any:
    """Return a column of Dask, also if it is given as a table of one column."""
    if not is_dask(column) or column.ndim == 1:
        return column
    if column.shape[1] != 1:
        raise ValueError(
            "`y` and `sample_weight` must be single columns; got a table of "
            f"{column.shape[1]} columns. Take one of them."
        )
    return column[column.columns[0]] if is_frame(column) else column[:, 0]


def _chunks_of_one_frame(X: Any, columns: tuple[Any, ...]) -> Chunks | None:
    """Make chunks of a frame with the columns added, so that each file is read once."""
    names = tuple(f"__column_{k}__" for k in range(len(columns)))
    try:
        frame = X.assign(**dict(zip(names, columns, strict=True)))
    except (ValueError, NotImplementedError):  # frames that Dask cannot align
        return None
    return Chunks.of(frame.to_delayed()).then(partial(_split_frame, list(X.columns), names))


def _split_frame(features: list[Any], names: tuple[str, ...], frame: Any) -> tuple[Any, ...]:
    return frame[features], *(frame[name] for name in names)


def _matrix_chunks(X: Any) -> list[Any]:
    """Delayed chunks of whole rows: arrays, CSR matrices or frames."""
    if is_frame(X):
        return list(X.to_delayed())
    if X.ndim == 2 and len(X.chunks[1]) > 1:
        X = X.rechunk({1: -1})
    return list(X.to_delayed().ravel())


def _column_chunks(column: Any, X: Any, blocks: list[Any]) -> list[Any]:
    """Delayed chunks of a column, aligned with the chunks of X."""
    if not is_dask(column):
        counts = _row_counts(X, blocks)
        reject_other_length(sum(counts), len(column))
        return [_held(part) for part in np.split(np.asarray(column), np.cumsum(counts)[:-1])]
    if not is_frame(column):
        known = not is_frame(X) and not np.isnan(X.chunks[0] + column.chunks[0]).any()
        if known:
            reject_other_length(X.shape[0], column.shape[0])
            column = column.rechunk((X.chunks[0],))
    parts = list(np.ravel(column.to_delayed()))
    if len(parts) != len(blocks):
        raise ValueError(
            "`X`, `y` and `sample_weight` must have the same chunks; got "
            f"{len(blocks)} chunks of `X` and {len(parts)} of another. "
            "Take both from one frame, or rechunk one."
        )
    return parts


def _row_counts(X: Any, chunks: list[Any]) -> list[int]:
    """Return the rows per chunk; chunks are loaded and counted if Dask does not know."""
    if not is_frame(X) and not np.isnan(X.chunks[0]).any():
        return [int(count) for count in X.chunks[0]]
    return Chunks.of(chunks).each([_n_rows] * len(chunks))


def _n_rows(block: Any) -> int:
    return int(block.shape[0])


def _held(value: Any) -> Any:
    """Return a value in memory as a chunk."""
    return _dask().delayed(value, traverse=False)


def _of_one_length(parts: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the columns of a loaded chunk; they must have the same number of rows."""
    for part in parts[1:]:
        advice = "Take both from one frame, or rechunk one."
        reject_other_length(
            parts[0].shape[0], part.shape[0], "the chunk of `y` or `sample_weight`", advice
        )
    return parts


def matrix_of(block: Any, dtype: Any) -> Any:
    """Return a loaded chunk as a matrix of floating-point numbers: dense or CSR."""
    if is_sparse(block):
        return with_distinct_entries(block.tocsr().astype(dtype, copy=False))
    if hasattr(block, "to_numpy"):
        return block.to_numpy(dtype=dtype, na_value=np.nan)  # pandas 2.2.0 must be told
    return np.asarray(block, dtype=dtype)


def lazy_column(X: Any, of_block: OfChunk, dtype: Any, n_columns: int | None = None) -> Any:
    """Return a Dask array of what a function makes of every chunk; nothing is computed yet."""
    import dask.array

    da: Any = dask.array
    beside = () if n_columns is None else (n_columns,)
    meta = np.empty((0, *beside), dtype=dtype)
    if not is_frame(X):
        # Chunk by chunk, empty ones too, so that the column stays aligned with X.
        dropped = 1 if n_columns is None else None
        chunks = (X.chunks[0], *((width,) for width in beside))
        whole = X.rechunk({1: -1}) if len(X.chunks[1]) > 1 else X
        return whole.map_blocks(of_block, dtype=dtype, chunks=chunks, drop_axis=dropped, meta=meta)
    sent = _held(of_block)  # once, not with every chunk
    apply = _dask().delayed(_apply, pure=False, traverse=False)
    parts = [apply(sent, chunk) for chunk in _matrix_chunks(X)]
    arrays = [da.from_delayed(part, shape=(np.nan, *beside), meta=meta) for part in parts]
    return da.concatenate(arrays, axis=0, allow_unknown_chunksizes=True)

"""Rows in chunks of Dask: known without being gathered, and reduced chunk by chunk."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any
from uuid import uuid4

import numpy as np
from scipy import sparse

from ._arrays import Array, is_sparse, with_distinct_entries
from ._threads import one_blas_thread

# Columns must be as long as the rows they stand beside.


def reject_other_length(
    n_rows: int,
    length: int,
    column: str = "a column beside them",
    advice: str = "Pass one value for each row.",
) -> None:
    """Raise where a column has not as many rows as it stands beside; `column` says which it is."""
    if n_rows != length:
        raise ValueError(
            "Found input variables with inconsistent numbers of samples: "
            f"{n_rows} rows, and {length} in {column}. {advice}"
        )


# Asking Dask: one place, on whatever scheduler the user has set up.

# So many answers are made one at a time, on the way to one answer of all chunks.
_FAN_IN = 8
# What `distributed` raises when it gives a task up; by name, as it need not be installed.
_WORKERS_LOST = ("KilledWorker", "NoWorkerError", "FutureCancelledError", "CommClosedError")

OfChunk = Callable[[Any], Any]


@dataclass(frozen=True, eq=False)
class Chunks:
    """Chunks of rows: how they are made, a graph written once, and what is then done to each.

    A question to them adds a task a chunk to that graph, and little else: a fit asks dozens of
    times. What is done to a chunk is part of that task, so no copy of it outlives it.

    Attributes
    ----------
    graph : dict
        What Dask does to make them.
    keys : list
        Where each comes up in it, or its parts.
    steps : tuple of callable
        What is done to each, one after the other, when it is there.
    """

    graph: dict[Any, Any]
    keys: list[Any]
    steps: tuple[OfChunk, ...] = ()

    @classmethod
    def of(cls, delayed: Iterable[Any]) -> Chunks:
        """Write down how delayed chunks are made."""
        chunks = list(delayed)
        return cls(_one_graph(chunks), [chunk.key for chunk in chunks])

    @classmethod
    def side_by_side(cls, *columns: Iterable[Any]) -> Chunks:
        """Make chunks of several delayed parts each, which come as a list."""
        rows = list(zip(*columns, strict=True))
        parts = [part for row in rows for part in row]
        return cls(_one_graph(parts), [[part.key for part in row] for row in rows])

    def __len__(self) -> int:
        return len(self.keys)

    def then(self, step: OfChunk) -> Chunks:
        """Return the chunks with one more step."""
        return replace(self, steps=(*self.steps, step))

    def each(self, functions: Sequence[OfChunk | None]) -> list[Any]:
        """Bring here what a function says of each chunk; None leaves a chunk out."""
        question = _Question(self.graph)
        answers = [
            question.task((question.name, k), _Steps((*self.steps, function)), key)
            for k, (key, function) in enumerate(zip(self.keys, functions, strict=True))
            if function is not None
        ]
        question.task(question.name, list, answers)
        return question.answer()

    def reduced(self, of_chunk: OfChunk, together: Callable[[list[Any]], Any]) -> Any:
        """Bring here one answer, made of answers of all chunks in their order, a few at a time."""
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
    """Tasks that are added to a graph, the last of which has the graph's name as its key."""

    def __init__(self, graph: dict[Any, Any]) -> None:
        self.name = f"unlabeled-{uuid4().hex}"
        self._graph = dict(graph)

    def value(self, key: Any, value: Any) -> Any:
        """Put a value into the graph, to be sent once; return its key."""
        self._graph[key] = value
        return key

    def task(self, key: Any, function: Callable[..., Any], *keys: Any) -> Any:
        """Add a function of what has these keys, or lists of keys; return its own key."""
        spec = import_module("dask._task_spec")
        self._graph[key] = spec.Task(key, function, *(_reference(spec, one) for one in keys))
        return key

    def answer(self) -> Any:
        """Compute the last task on the scheduler that is set."""
        from dask.delayed import Delayed

        delayed: Any = Delayed
        try:
            with one_blas_thread():  # Dask has threads of its own
                (answer,) = _dask().compute(delayed(self.name, self._graph))
        except BaseException as error:  # what a cluster cancels may be no `Exception`
            if type(error).__name__ not in _WORKERS_LOST:
                raise
            raise RuntimeError(
                "The rows in chunks could not be read: workers of the Dask cluster were lost, and "
                f"others did not take over ({type(error).__name__}: {error}). Look at the workers' "
                "logs, often for want of memory; make the chunks smaller, then fit again. Rows "
                "that were sent to workers are lost with them: let workers read them from files."
            ) from error
        return answer


def _reference(spec: Any, key: Any) -> Any:
    """Say that it is a key: what only looks like one might be taken for a value."""
    if isinstance(key, list):
        return spec.List(*(spec.TaskRef(one) for one in key))
    return spec.TaskRef(key)


def held(value: Any) -> Any:
    """A value that is here, as a chunk."""
    return _dask().delayed(value, traverse=False)


def for_every_chunk(function: OfChunk, chunks: Sequence[Any]) -> list[Any]:
    """The delayed answers of a function for every chunk; the function is sent once."""
    sent = held(function)
    apply = _dask().delayed(_apply, pure=False, traverse=False)
    return [apply(sent, chunk) for chunk in chunks]


def _one_graph(delayed: list[Any]) -> dict[Any, Any]:
    """Put graphs together; a layer that many of them share is looked at once."""
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
    functions: tuple[OfChunk, ...]

    def __call__(self, chunk: Any) -> Any:
        for function in self.functions:
            chunk = function(chunk)
        return chunk


def _apply(function: OfChunk, chunk: Any) -> Any:
    return function(chunk)


def _dask() -> Any:
    """Dask is there when somebody passes its collections; nobody else waits for its import."""
    import dask

    return dask


# Rows in chunks of Dask: what is known of them, and reductions that go to the chunks.

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


# From Dask's arrays and frames to chunks of rows, and back to lazy columns.


def is_dask(X: Any) -> bool:
    """Whether X is a collection of Dask, without importing Dask."""
    # Of the type: a delayed object says yes to every name, and is no array.
    return hasattr(type(X), "__dask_graph__") and hasattr(type(X), "to_delayed")


def is_frame(X: Any) -> bool:
    """Whether a collection of Dask is a frame or a column of one."""
    return hasattr(X, "to_dask_array")


def matrix_chunks(X: Any) -> list[Any]:
    """Chunks of whole rows, each a delayed array, CSR matrix or frame."""
    if is_frame(X):
        return list(X.to_delayed())
    if X.ndim == 2 and len(X.chunks[1]) > 1:
        X = X.rechunk({1: -1})
    return list(X.to_delayed().ravel())


def row_counts(X: Any, chunks: list[Any]) -> list[int]:
    """Rows of every chunk; they are counted where Dask does not know."""
    if not is_frame(X) and not np.isnan(X.chunks[0]).any():
        return [int(count) for count in X.chunks[0]]
    return Chunks.of(chunks).each([_n_rows] * len(chunks))


def aligned_chunks(X: Any, *columns: Any) -> Chunks:
    """Chunks, each a part of X and of every column.

    Columns may be of Dask, or values that are here and are dealt out.
    """
    columns = tuple(_one_column(column) for column in columns)
    if hasattr(X, "assign") and all(is_dask(column) and is_frame(column) for column in columns):
        of_one_frame = _chunks_of_one_frame(X, columns)
        if of_one_frame is not None:
            return of_one_frame
    blocks = matrix_chunks(X)
    parts = (column_chunks(column, X, blocks) for column in columns)
    return Chunks.side_by_side(blocks, *parts).then(_of_one_length)


def _of_one_length(parts: tuple[Any, ...]) -> tuple[Any, ...]:
    """The parts of a loaded chunk, as they are; they must have the same number of rows."""
    for part in parts[1:]:
        advice = "Take both from one frame, or rechunk one."
        reject_other_length(parts[0].shape[0], part.shape[0], "a chunk beside them", advice)
    return parts


def _chunks_of_one_frame(X: Any, columns: tuple[Any, ...]) -> Chunks | None:
    """Chunks of a frame that has the columns too, so that a file is read once for all of them."""
    names = tuple(f"__column_{k}__" for k in range(len(columns)))
    try:
        frame = X.assign(**dict(zip(names, columns, strict=True)))
    except (ValueError, NotImplementedError):  # of different frames that Dask cannot align
        return None
    return Chunks.of(frame.to_delayed()).then(_Split(list(X.columns), names))


@dataclass(frozen=True)
class _Split:
    features: list[Any]
    names: tuple[str, ...]

    def __call__(self, frame: Any) -> tuple[Any, ...]:
        return frame[self.features], *(frame[name] for name in self.names)


def column_chunks(column: Any, X: Any, blocks: list[Any]) -> list[Any]:
    """Chunks of a column beside the chunks of X."""
    if not is_dask(column):
        return _dealt(column, row_counts(X, blocks))
    if not is_frame(column):
        known = not is_frame(X) and not np.isnan(X.chunks[0] + column.chunks[0]).any()
        if known:
            reject_other_length(X.shape[0], column.shape[0])
            column = column.rechunk((X.chunks[0],))
    parts = list(np.ravel(column.to_delayed()))
    if len(parts) != len(blocks):
        raise ValueError(
            "`X` and the columns beside it must be cut into the same chunks; got "
            f"{len(blocks)} chunks and {len(parts)}. Take both from one frame, or rechunk one."
        )
    return parts


def _dealt(column: Any, counts: list[int]) -> list[Any]:
    """Values that are here, dealt out to chunks of so many rows."""
    reject_other_length(sum(counts), len(column))
    return [held(part) for part in np.split(np.asarray(column), np.cumsum(counts)[:-1])]


def _one_column(column: Any) -> Any:
    """A column of Dask, also where it comes as a table of one column."""
    if not is_dask(column) or column.ndim == 1:
        return column
    if column.shape[1] != 1:
        raise ValueError(
            "The columns beside `X` must be columns; got a table of "
            f"{column.shape[1]} columns. Take one of them."
        )
    return column[column.columns[0]] if is_frame(column) else column[:, 0]


def lazy_column(
    X: Any, of_block: Callable[[Any], Any], dtype: Any, n_columns: int | None = None
) -> Any:
    """A Dask array of what a function makes of every chunk; nothing is computed yet."""
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
    parts = for_every_chunk(of_block, matrix_chunks(X))
    arrays = [da.from_delayed(part, shape=(np.nan, *beside), meta=meta) for part in parts]
    return da.concatenate(arrays, axis=0, allow_unknown_chunksizes=True)


def matrix_of(block: Any, dtype: Any) -> Any:
    """A loaded chunk as a matrix of floating-point numbers: dense or CSR."""
    if is_sparse(block):
        return with_distinct_entries(block.tocsr().astype(dtype, copy=False))
    if hasattr(block, "to_numpy"):
        return block.to_numpy(dtype=dtype)
    return np.asarray(block, dtype=dtype)


def _n_rows(block: Any) -> int:
    return int(block.shape[0])

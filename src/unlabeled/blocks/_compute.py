"""Asking Dask: one place, on whatever scheduler the user has set up."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any
from uuid import uuid4

from ._threads import one_blas_thread

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

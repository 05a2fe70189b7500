"""Asking Dask: one place, on whatever scheduler the user has set up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

# What `distributed` raises when it gives a task up; by name, as it need not be installed.
_WORKERS_LOST = ("KilledWorker", "NoWorkerError", "FutureCancelledError", "CommClosedError")


def held(value: Any) -> Any:
    """A value that is here, as a chunk."""
    return _dask().delayed(value, traverse=False)


def for_every_chunk(function: Callable[[Any], Any], chunks: Sequence[Any]) -> list[Any]:
    """The delayed answers of a function for every chunk; the function is sent once."""
    sent = held(function)
    apply = _dask().delayed(_apply, pure=False, traverse=False)
    return [apply(sent, chunk) for chunk in chunks]


def together(function: Callable[[list[Any]], Any], answers: list[Any]) -> Any:
    """The delayed answer of a function of several answers."""
    return _dask().delayed(function, pure=False, traverse=False)(answers)


def compute(answers: list[Any]) -> list[Any]:
    """Compute delayed answers on the scheduler that is set."""
    try:
        (computed,) = _dask().compute(answers)
    except Exception as error:
        if type(error).__name__ not in _WORKERS_LOST:
            raise
        raise RuntimeError(
            "The rows in chunks could not be read: workers of the Dask cluster were lost, and "
            f"others did not take over ({type(error).__name__}: {error}). Look at the workers' "
            "logs, often for want of memory; make the chunks smaller, then fit again."
        ) from error
    return list(computed)


def _apply(function: Callable[[Any], Any], chunk: Any) -> Any:
    return function(chunk)


def _dask() -> Any:
    """Dask is there when somebody passes its collections; nobody else waits for its import."""
    import dask

    return dask

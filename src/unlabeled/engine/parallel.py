"""Tasks on several processes, by the one call of joblib, and on several threads."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from itertools import pairwise
from threading import Lock
from typing import Any

from joblib import effective_n_jobs
from sklearn.utils.parallel import Parallel, delayed
from threadpoolctl import ThreadpoolController, threadpool_info, threadpool_limits

__all__ = [
    "blas_threads",
    "delayed",
    "in_parallel",
    "on_threads",
    "one_blas_thread",
    "shares_on_threads",
]

# A thread of joblib's warns when it replaces a worker that ended while tasks wait. Where warnings
# are errors, that thread would end instead, and the caller would wait for ever: decision 36.
_OF_WORKERS = r"(joblib\.externals\.)?loky\."


def in_parallel(
    tasks: Iterable[Any], n_jobs: int | None = None, return_as: str = "generator", **options: Any
) -> Iterator[Any]:
    """Yield the results of delayed calls, in their order unless `return_as` says otherwise.

    `options` are those of joblib's Parallel. Each call has the warning filters and the
    scikit-learn configuration of the caller, wherever it runs. A worker that ended while idle, or
    because its memory grew, is replaced without a word.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=UserWarning, module=_OF_WORKERS)
        yield from Parallel(n_jobs, return_as=return_as, **options)(tasks)


def on_threads(work: Callable[..., Any], given: Sequence[Any], n_jobs: int | None) -> list[Any]:
    """Return the results of `work` on tuples of arguments, `n_jobs` of them at a time.

    What runs at the same time shares out the threads of OpenMP. Boosting has as many as there are
    processors: on two threads of ours it would have twice as many, which wait for each other.
    """
    at_once = effective_n_jobs(n_jobs)
    if at_once == 1:
        return [work(*arguments) for arguments in given]
    runtimes = [one["num_threads"] for one in threadpool_info() if one["user_api"] == "openmp"]
    results: list[Any] = []
    for first in range(0, len(given), at_once):
        together = given[first : first + at_once]
        threads = max(1, max(runtimes, default=1) // len(together))
        calls = (delayed(_limited)(threads, work, arguments) for arguments in together)
        results += in_parallel(calls, n_jobs, prefer="threads")
    return results


def _limited(threads: int, work: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    with threadpool_limits(threads, "openmp"):  # of the thread that calls
        return work(*arguments)


# Shares of rows: NumPy releases Python's lock, and BLAS gets one thread for each of ours.


def blas_threads() -> int:
    """Return how many threads BLAS may use."""
    libraries = _controller().lib_controllers
    allowed = [library.num_threads for library in libraries if library.user_api == "blas"]
    return min(allowed, default=1)


def shares_on_threads(
    work: Callable[[slice], Any], n_rows: int, step: int, threads: int
) -> list[Any]:
    """Do the work on consecutive shares of the rows, one per thread.

    Each share is a multiple of `step` rows; the last may be shorter.
    """
    steps = -(-n_rows // step)
    ends = [min(n_rows, step * (steps * k // threads)) for k in range(threads + 1)]
    shares = [slice(a, b) for a, b in pairwise(ends)]
    with one_blas_thread(), ThreadPoolExecutor(threads) as pool:
        return list(pool.map(work, shares))


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Limit BLAS to one thread, for small problems and inside our own threads.

    The limit is global to the process. If fits overlap, the first to begin sets it and the last
    to end restores the old one.
    """
    _LIMIT.enter()
    try:
        yield
    finally:
        _LIMIT.leave()


class _Limit:
    """Counts the users of the limit."""

    def __init__(self) -> None:
        self._lock, self._inside = Lock(), 0
        self._held: Any = None

    def enter(self) -> None:
        with self._lock:
            if self._inside == 0:
                self._held = _controller().limit(limits=1, user_api="blas")
            self._inside += 1

    def leave(self) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0 and self._held is not None:
                self._held.restore_original_limits()
                self._held = None


_LIMIT = _Limit()


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()

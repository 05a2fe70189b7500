"""Tasks on several processes or threads: the one place where joblib is called."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from joblib import effective_n_jobs
from sklearn.utils.parallel import Parallel, delayed
from threadpoolctl import threadpool_info, threadpool_limits

__all__ = ["delayed", "in_parallel", "on_threads"]

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

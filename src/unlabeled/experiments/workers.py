"""Who does the work: this process, its children, or a cluster."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager

from joblib import Parallel, delayed, parallel_config

from .._version import __version__
from ..extras import needs_extra
from .errors import ResultsError
from .plan import PAPER_GAUSSIAN, Batch, Cell, Task
from .records import Record
from .task import run_batch, run_task

_SECONDS_TO_CONNECT = 10

Results = Iterator[tuple[Batch, list[Record]]]


def run_alone(batches: Iterable[Batch], data_home: str | None) -> Results:
    """Run batches one after the other, here, to time them.

    The first fits of a process load code; they are done on few rows and thrown away.
    """
    for number, batch in enumerate(batches):
        if number == 0:
            task = Task("warm-up", Cell(PAPER_GAUSSIAN, "scar", 200, 0.5), 0)
            run_task(task, batch.methods, cast=batch.cast)
        yield run_batch(batch, data_home, __version__)


def run_together(
    batches: list[Batch], data_home: str | None, n_jobs: int, backend: str, scheduler: str | None
) -> Results:
    """Run batches on the workers of a joblib backend; yield them as they are done."""
    if not batches:
        return
    with _cluster(scheduler), parallel_config(backend=backend, n_jobs=n_jobs):
        workers = Parallel(return_as="generator_unordered", batch_size=1)
        calls = (delayed(run_batch)(batch, data_home, __version__) for batch in batches)
        try:
            yield from workers(calls)
        except BrokenProcessPool:
            raise ResultsError(
                "every worker process must live on; one was killed, perhaps for want of memory. "
                "The same command goes on from here; use fewer jobs."
            ) from None


@contextmanager
def _cluster(scheduler: str | None) -> Iterator[None]:
    """Connect to a Dask scheduler, if there is one."""
    if scheduler is None:
        yield
        return
    with needs_extra("`scheduler`", "dask"):
        from distributed import Client

    try:
        client = Client(scheduler, timeout=_SECONDS_TO_CONNECT)
    except (OSError, TimeoutError, ValueError):
        raise ResultsError(
            f"`scheduler` must be the address of a running Dask scheduler; got {scheduler!r}. "
            "Start one with `dask scheduler`, and workers with `dask worker`."
        ) from None
    with client:
        yield

"""Run a plan: workers fit, this process writes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from joblib import Parallel, delayed, parallel_config

from ..._version import __version__
from ...engine.extras import needs_extra
from ...engine.progress import Progress
from .agreement import Tell, confirm_numbers
from .draw import describe_rows
from .fit import run_batch, run_task
from .plan import PAPER_GAUSSIAN, Batch, Cell, Plan, Task
from .records import Record, ResultsError, describe_run
from .store import Store, read_records

# Who does the work: this process, its children, or a cluster.

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


# Timed fits must not share the machine with others.
_ALONE = frozenset({"timing"})


@dataclass(frozen=True)
class RunReport:
    """What a run found and did.

    Attributes
    ----------
    n_tasks : int
        Tasks of the plan.
    n_found : int
        How many of them were on disk before.
    n_damaged : int
        Files that were damaged and set aside; what they held was redone.
    n_failed : int
        Records in the folder that are of a failed fit.
    """

    n_tasks: int
    n_found: int
    n_damaged: int
    n_failed: int


def run_plan(
    plan: Plan,
    folder: str | Path,
    *,
    n_jobs: int = 1,
    backend: str = "loky",
    scheduler: str | None = None,
    data_home: str | None = None,
    progress: Progress | None = None,
    command: str = "",
    libraries: Sequence[str] = (),
    tell: Tell | None = None,
) -> RunReport:
    """Run what is not on disk yet of a plan.

    Killed at any moment, the same call goes on where it stopped. The numbers do not depend on
    the order, on `n_jobs` or on `backend`. Records that other code or other libraries wrote are
    continued if this installation computes the same numbers: it first does some of the recorded
    tasks again, for half a minute at most with the paper's plan.

    Parameters
    ----------
    plan : Plan
    folder : str or Path
        Where the results go; results of the same plan may be there.
    n_jobs : int, default=1
        Worker processes; -1 for one a core.
    backend : str, default="loky"
        Any joblib backend; "dask" runs on the cluster of `scheduler`.
    scheduler : str, optional
        Address of a running Dask scheduler. Its workers need this version of the package, one
        thread each, and the data under the same path.
    data_home : str, optional
        Folder with the UCI sets, for `load_uci`.
    progress : callable, optional
        Called with the number of tasks done and of all tasks, at the start and after each batch.
    command : str, default=""
        How the run was started, for the manifest.
    libraries : sequence of str, default=()
        Packages of the plan's cast whose versions the manifest is to name.
    tell : callable, optional
        Called with a sentence before recorded tasks are done again, and after.

    Returns
    -------
    report : RunReport

    Raises
    ------
    ResultsError
        If the folder has results of another plan, or numbers that this installation does not
        compute.
    """
    folder = Path(folder)
    # Missing data are told before anything runs.
    datasets = {name: describe_rows(name, data_home) for name in plan.real_datasets()}
    run = describe_run(command, n_jobs, backend, libraries)

    def confirm(runs: list[dict[str, Any]]) -> dict[str, Any] | None:
        return confirm_numbers(folder, plan, runs, run, data_home, tell)

    with Store(folder, plan, run, datasets, confirm) as store:
        batches = list(plan.batches())
        counter = _Counter(batches, store.done, progress)
        to_do = [batch for batch in batches if batch.key not in store.done]
        alone = [batch for batch in to_do if batch.study in _ALONE]
        together = [batch for batch in to_do if batch.study not in _ALONE]
        for results in (
            run_alone(alone, data_home),
            run_together(together, data_home, n_jobs, backend, scheduler),
        ):
            for batch, records in results:
                store.write(batch, records)
                counter.add(batch)
        store.finish()
    n_failed = int((read_records(folder)["error"] != "").sum())
    return RunReport(counter.n_tasks, counter.n_found, store.n_damaged, n_failed)


class _Counter:
    def __init__(self, batches: list[Batch], done: set[str], progress: Progress | None) -> None:
        self.n_tasks = sum(len(batch.cells) for batch in batches)
        self.n_found = sum(len(batch.cells) for batch in batches if batch.key in done)
        self.n_done, self.progress = self.n_found, progress
        self._tell()

    def add(self, batch: Batch) -> None:
        self.n_done += len(batch.cells)
        self._tell()

    def _tell(self) -> None:
        if self.progress is not None:
            self.progress(self.n_done, self.n_tasks)

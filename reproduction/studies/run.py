"""Run a plan: workers fit the models, this process writes the records."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from joblib import Parallel, delayed, parallel_config

from unlabeled import __version__

from .agreement import Tell, confirm_numbers
from .draw import describe_rows
from .fit import run_batch, run_task
from .plan import PAPER_GAUSSIAN, Batch, Cell, Plan, Task
from .records import Record, ResultsError, describe_run
from .store import Store, read_records

# Timed fits must not share the machine with others.
_ALONE = frozenset({"timing"})
_SECONDS_TO_CONNECT = 10

Progress = Callable[[int, int], None]
"""Called with what is done and with all that there is to do."""

Results = Iterator[tuple[Batch, list[Record]]]


@dataclass(frozen=True)
class RunReport:
    """What a run found and did.

    Attributes
    ----------
    n_tasks : int
        Tasks of the plan.
    n_found : int
        How many of them were already on disk.
    n_damaged : int
        Damaged files, renamed; their tasks were run again.
    n_failed : int
        Records of failed fits in the folder.
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
    """Run the part of a plan that is not on disk yet.

    If the process is killed, the same call resumes. The numbers do not depend on the order, on
    `n_jobs` or on `backend`. If another version of this package or of its libraries wrote the
    records, some of the recorded tasks are first run again, and an error is raised if their
    numbers differ. With the paper's plan this takes at most half a minute.

    Parameters
    ----------
    plan : Plan
        The studies to run.
    folder : str or Path
        Folder for the results. It may hold results of the same plan.
    n_jobs : int, default=1
        Worker processes; -1 for one per core.
    backend : str, default="loky"
        Any joblib backend; "dask" runs on the cluster of `scheduler`.
    scheduler : str, optional
        Address of a running Dask scheduler. Each worker needs this version of the package, one
        thread, and the data under the same path.
    data_home : str, optional
        Folder with the UCI sets, for `load_uci`.
    progress : callable, optional
        Called with the number of finished tasks and of all tasks, at the start and after each
        batch.
    command : str, default=""
        The command that started the run, for the manifest.
    libraries : sequence of str, default=()
        Packages of the plan's methods whose versions the manifest should list.
    tell : callable, optional
        Called with a message before and after the check of recorded tasks.

    Returns
    -------
    report : RunReport

    Raises
    ------
    ResultsError
        If the folder holds results of another plan, or numbers that this installation does not
        compute.
    """
    folder = Path(folder)
    # Missing data raise before anything runs.
    datasets = {name: describe_rows(name, data_home) for name in plan.real_datasets()}
    run = describe_run(command, n_jobs, backend, libraries)

    def confirm(runs: list[dict[str, Any]]) -> dict[str, Any] | None:
        return confirm_numbers(folder, plan, runs, run, data_home, tell)

    with Store(folder, plan, run, datasets, confirm) as store:
        batches = list(plan.batches())
        to_do = [batch for batch in batches if batch.key not in store.done]
        n_tasks = _count_tasks(batches)
        n_found = n_done = n_tasks - _count_tasks(to_do)
        if progress is not None:
            progress(n_done, n_tasks)
        alone = [batch for batch in to_do if batch.study in _ALONE]
        together = [batch for batch in to_do if batch.study not in _ALONE]
        for batch, records in chain(
            run_alone(alone, data_home),
            run_together(together, data_home, n_jobs, backend, scheduler),
        ):
            store.write(batch, records)
            n_done += len(batch.cells)
            if progress is not None:
                progress(n_done, n_tasks)
        store.finish()
    n_failed = int((read_records(folder)["error"] != "").sum())
    return RunReport(n_tasks, n_found, store.n_damaged, n_failed)


def _count_tasks(batches: list[Batch]) -> int:
    return sum(len(batch.cells) for batch in batches)


def run_alone(batches: Iterable[Batch], data_home: str | None) -> Results:
    """Run batches one after the other in this process, to time them.

    The first fits of a process load code, so a warm-up on few rows comes first.
    """
    for number, batch in enumerate(batches):
        if number == 0:
            task = Task("warm-up", Cell(PAPER_GAUSSIAN, "scar", 200, 0.5), 0)
            run_task(task, batch.methods, cast=batch.cast)
        yield run_batch(batch, data_home, __version__)


def run_together(
    batches: list[Batch], data_home: str | None, n_jobs: int, backend: str, scheduler: str | None
) -> Results:
    """Run batches on the workers of a joblib backend; yield them as they finish."""
    if not batches:
        return
    with (
        _cluster(scheduler),
        parallel_config(backend=backend, n_jobs=n_jobs),
        warnings.catch_warnings(),
    ):
        # An error of such a warning would end the thread that collects results (decision 36).
        warnings.filterwarnings(
            "ignore", category=UserWarning, module=r"(joblib\.externals\.)?loky\."
        )
        workers = Parallel(return_as="generator_unordered", batch_size=1)
        calls = (delayed(run_batch)(batch, data_home, __version__) for batch in batches)
        try:
            yield from workers(calls)
        except BrokenProcessPool:
            raise ResultsError(
                "A worker process was killed, perhaps for lack of memory. "
                "Run the same command with fewer jobs: it continues from here."
            ) from None


@contextmanager
def _cluster(scheduler: str | None) -> Iterator[None]:
    """Connect to a Dask scheduler, if an address is given."""
    if scheduler is None:
        yield
        return
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

"""Run one task: draw its rows, fit every method to them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from joblib import parallel_config
from threadpoolctl import threadpool_limits

from .._version import __version__
from .casts import load_cast
from .draw import Sample, draw_sample
from .errors import ResultsError
from .fit import describe, fit_and_score
from .plan import PAPER_CAST, PAPER_GAUSSIAN, Batch, Key, Task
from .records import Record
from .seeds import seed_of
from .sources import load_rows


def run_batch(
    batch: Batch, data_home: str | None, version: str, nudge: float = 0.0
) -> tuple[Batch, list[Record]]:
    """Run the tasks of a batch on one BLAS thread; `version` is the package's at home.

    `nudge` is that of `run_task`.

    A fit that wants workers of its own works alone: on a cluster it would hold the lock of fits
    while it waits for a worker, and the workers would wait for the lock.
    """
    if version != __version__:
        raise ResultsError(
            f"every worker must have unlabeled {version}, as here; one has {__version__}. "
            "Install the same version on all machines."
        )
    if batch.dataset != PAPER_GAUSSIAN:
        load_rows(batch.dataset, data_home)  # data that are not there are no failing fit
    with threadpool_limits(limits=1), parallel_config(backend="sequential"):
        records = [
            run_task(task, batch.methods, data_home, batch.cast, nudge) for task in batch.tasks()
        ]
    return batch, [record for of_task in records for record in of_task]


def run_task(
    task: Task,
    methods: tuple[Key, ...],
    data_home: str | None = None,
    cast: str = PAPER_CAST,
    nudge: float = 0.0,
) -> list[Record]:
    """Fit every method of a cast to the rows of a task; a failing fit is a record of its error.

    Features are multiplied by 1 + `nudge` and 1 - `nudge` in turn, column by column. With a tiny
    one the problem is the same and its rounding errors are others.

    Angles are measured to the true direction where it is known, else to that of the oracle,
    which is fitted to the same training rows before the others.
    """
    known = load_cast(cast)
    blanks = [_blank(task, *method) for method in methods]
    try:
        sample = _nudged(draw_sample(task, data_home), nudge)
    except Exception as error:
        return [replace(blank, error=describe(error)) for blank in blanks]
    reference, records = sample.direction, []
    for blank in blanks:
        method = known[blank.method, blank.setting]
        record, slopes = fit_and_score(method, sample, blank, reference)
        if method.sees_classes and reference is None and slopes is not None:
            reference, record = slopes, replace(record, angle=0.0)
        records.append(record)
    return records


def _nudged(sample: Sample, nudge: float) -> Sample:
    if not nudge:
        return sample
    factors = 1 + nudge * (-1.0) ** np.arange(sample.X.shape[1])
    return replace(sample, X=sample.X * factors, X_test=sample.X_test * factors)


def _blank(task: Task, method: str, setting: str) -> Record:
    cell = task.cell
    key = (task.study, cell.dataset, cell.mechanism, cell.n, cell.c, task.repeat, method, setting)
    return Record(
        study=task.study,
        dataset=cell.dataset,
        mechanism=cell.mechanism,
        n=cell.n,
        c=cell.c,
        method=method,
        setting=setting,
        repeat=task.repeat,
        seed=seed_of("method", *key),
    )

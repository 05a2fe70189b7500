"""One task: draw its rows, fit every method to them, and score each fit."""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np
from joblib import parallel_config
from threadpoolctl import threadpool_limits

from ..._version import __version__
from ...codes import PUWarning
from ...metrics import direction_angle
from .draw import Sample, draw_sample, load_rows, seed_of
from .methods import ORACLE_MOST_ITERATIONS, Method
from .plan import PAPER_CAST, PAPER_GAUSSIAN, Batch, Key, Task
from .records import Record, ResultsError

# Casts by name, so that a worker can find the methods of a plan it was sent.


def load_methods(name: str) -> Mapping[Key, Method]:
    """Return the methods of a cast by their keys.

    Parameters
    ----------
    name : str
        "module:attribute"; every worker must be able to import the module.
    """
    module, _, attribute = name.partition(":")
    try:
        cast: Mapping[Key, Method] = getattr(import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise ResultsError(
            f"`cast` must name methods that can be imported, as 'module:attribute'; got {name!r} "
            f"({error})."
        ) from None
    return cast


# One fit: time it, collect its warnings, score it; an error becomes part of the record.

# Python collects warnings for the whole process, so threads must fit one after the other.
_ONE_FIT_AT_A_TIME = threading.Lock()


def fit_and_score(
    method: Method, sample: Sample, blank: Record, reference: np.ndarray | None
) -> tuple[Record, np.ndarray | None]:
    """Fit `method` to the training rows, score it on the test rows.

    Parameters
    ----------
    method : Method
    sample : Sample
    blank : Record
        What is known before the fit.
    reference : ndarray or None
        The direction angles are measured to; none if None.

    Returns
    -------
    record : Record
        With the scores, or with the error.
    slopes : ndarray or None
        The fitted direction.
    """
    record = replace(blank, n=len(sample.s))
    try:
        fitted, seconds, codes = _fit(method, sample, record.seed)
        slopes = _slopes(fitted, sample)
        record = replace(
            record, **_scores(fitted, sample), **_facts(fitted), fit_seconds=seconds,
            warning_codes=codes, angle=_angle(slopes, reference),
        )  # fmt: skip
    except Exception as error:  # whatever it is, the other fits go on
        return replace(record, error=describe(error)), None
    return record, slopes


def describe(error: Exception) -> str:
    """Return the error as "Type: message"."""
    return f"{type(error).__name__}: {error}"


def _fit(method: Method, sample: Sample, seed: int) -> tuple[Any, float, str]:
    target = sample.y_true if method.sees_classes else sample.s
    handed = {"class_prior": float(sample.y_true.mean())} if method.sees_prior else {}
    with _ONE_FIT_AT_A_TIME, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        estimator = method.make(seed)
        start = time.perf_counter()
        estimator.fit(sample.X, target, **handed)
        seconds = time.perf_counter() - start
    codes = {item.message.code for item in caught if isinstance(item.message, PUWarning)}
    return estimator, round(seconds, 6), ",".join(sorted(codes))


def _scores(fitted: Any, sample: Sample) -> dict[str, float]:
    """Scores with the true classes, F1 being 0 where nothing is predicted; the share predicted."""
    predicted, true = fitted.predict(sample.X_test) == 1, sample.y_test == 1
    hits, false_alarms = int(np.sum(predicted & true)), int(np.sum(predicted & ~true))
    n_positive, n_negative = int(true.sum()), int((~true).sum())
    recall, specificity = hits / n_positive, 1 - false_alarms / n_negative
    f1 = 2 * hits / (hits + false_alarms + n_positive)
    return {
        "f1": f1,
        "balanced_accuracy": (recall + specificity) / 2,
        "predicted_share": (hits + false_alarms) / len(true),
    }


def _facts(fitted: Any) -> dict[str, Any]:
    n_iter = int(np.max(getattr(fitted, "n_iter_", 0)))  # a forest has no iterations
    return {
        "label_frequency": float(getattr(fitted, "label_frequency_", np.nan)),
        "class_prior": float(getattr(fitted, "class_prior_", np.nan)),
        "n_iter": n_iter,
        "converged": bool(getattr(fitted, "converged_", n_iter < ORACLE_MOST_ITERATIONS)),
    }


def _slopes(fitted: Any, sample: Sample) -> np.ndarray | None:
    """Slopes on the scale of the true ones; of standardised features where none are known.

    None if the model is not linear, or does not say.
    """
    if not hasattr(fitted, "coef_"):
        return None
    coef = np.asarray(fitted.coef_[0], dtype=np.float64)
    return coef if sample.direction is None else coef / sample.scale


def _angle(slopes: np.ndarray | None, reference: np.ndarray | None) -> float:
    if slopes is None or reference is None or not np.any(slopes) or not np.any(reference):
        return float("nan")
    return direction_angle(slopes, reference)


# Run one task: draw its rows, fit every method to them.


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
    known = load_methods(cast)
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

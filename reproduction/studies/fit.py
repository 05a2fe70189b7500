"""Run tasks: draw their rows, fit every method to them, and score each fit."""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
from joblib import parallel_config
from threadpoolctl import ThreadpoolController

from unlabeled import __version__
from unlabeled.codes import PUWarning

from ..theory import direction_angle
from .draw import Sample, draw_sample, load_rows, seed_of
from .methods import ORACLE_MOST_ITERATIONS, Key, Method, Recut
from .plan import PAPER_CAST, PAPER_GAUSSIAN, Batch, Task
from .records import Record, ResultsError


def run_batch(
    batch: Batch, data_home: str | None, version: str, nudge: float = 0.0
) -> tuple[Batch, list[Record]]:
    """Run the tasks of a batch on one BLAS thread.

    `version` is the package version of the process that sends the batch; `nudge` is passed to
    `run_task`. Fits must not start workers. On a cluster this would deadlock: a fit would hold the
    lock while it waits for a worker, and that worker would wait for the lock.
    """
    if version != __version__:
        raise ResultsError(
            f"every worker must have unlabeled {version}; got {__version__}. "
            "Install the same version on all machines."
        )
    if batch.dataset != PAPER_GAUSSIAN:
        load_rows(batch.dataset, data_home)  # missing data must stop the run, not fail a fit
    load_methods(batch.cast)  # with the libraries whose threads are limited
    with _controller(batch.cast).limit(limits=1), parallel_config(backend="sequential"):
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
    """Fit the methods to the rows of a task. A fit that fails becomes a record of its error.

    A method that shares the fit of another (`Method.fit_of`) must come after it.

    Angles are measured to the true direction if it is known, otherwise to the direction of the
    oracle, which is fitted first, to the same training rows.

    Columns are multiplied alternately by 1 + `nudge` and 1 - `nudge`. A tiny nudge changes the
    rounding errors but not the problem.
    """
    registry = load_methods(cast)
    blanks = [_blank(task, *method) for method in methods]
    try:
        sample = _nudged(draw_sample(task, data_home), nudge)
    except Exception as error:
        return [replace(blank, error=_described(error)) for blank in blanks]
    reference, records, fits = sample.direction, [], dict[Key, Fit]()
    for blank in blanks:
        method = registry[blank.method, blank.setting]
        record, slopes = fit_and_score(method, sample, blank, reference, fits)
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


def load_methods(name: str) -> Mapping[Key, Method]:
    """Import a method registry from "module:attribute": methods by name and setting."""
    module, _, attribute = name.partition(":")
    try:
        registry: Mapping[Key, Method] = getattr(import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise ResultsError(
            f"`cast` must name a method registry as 'module:attribute'; got {name!r} ({error}). "
            "Every worker must be able to import it."
        ) from None
    return registry


@cache
def _controller(cast: str) -> ThreadpoolController:
    """Find libraries with threads, once per cast: Python loses a Ctrl-C that comes meanwhile."""
    return ThreadpoolController()


# Python records warnings for the whole process, so only one thread may fit at a time.
_ONE_FIT_AT_A_TIME = threading.Lock()

Fit = tuple[Any, float, str]
"""A fitted estimator, the seconds its fit took, and its warning codes."""


def fit_and_score(
    method: Method,
    sample: Sample,
    blank: Record,
    reference: np.ndarray | None,
    fits: dict[Key, Fit],
) -> tuple[Record, np.ndarray | None]:
    """Fit a method to the training rows and score it on the test rows.

    Parameters
    ----------
    method : Method
        The method to fit.
    sample : Sample
        Training and test rows.
    blank : Record
        What is known before the fit.
    reference : ndarray or None
        The direction to which the angle is measured; without one the angle is NaN.
    fits : dict
        Fits to the same rows by key; this one is added. A method that shares a fit finds it here.

    Returns
    -------
    record : Record
        With the scores, or with the error.
    slopes : ndarray or None
        The fitted direction.
    """
    record = replace(blank, n=len(sample.s))
    try:
        if method.fit_of is not None:
            fit = _recut(method, sample, fits)
        else:
            fit = fits[method.key] = _fit(method, sample, record.seed)
        fitted, seconds, codes = fit
        slopes = _slopes(fitted, sample)
        record = replace(
            record, **_scores(fitted, sample), **_facts(fitted), fit_seconds=seconds,
            warning_codes=codes, angle=_angle(slopes, reference),
        )  # fmt: skip
    except Exception as error:  # whatever it is, the other methods are still fitted
        return replace(record, error=_described(error)), None
    return record, slopes


def _described(error: Exception) -> str:
    """Return the error as "Type: message"."""
    return f"{type(error).__name__}: {error}"


def _recut(method: Method, sample: Sample, fits: dict[Key, Fit]) -> Fit:
    """Take the fit that the method shares, and choose its threshold anew."""
    if method.fit_of not in fits:
        raise ValueError(f"the fit of {method.fit_of}, which it shares, is missing or failed")
    fitted, seconds, codes = fits[method.fit_of]
    return Recut(fitted, method.rule, sample.X, sample.s), seconds, codes


def _fit(method: Method, sample: Sample, seed: int) -> Fit:
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
    """Score with the true classes. F1 is 0 if no true positive is found."""
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
    n_iter = int(np.max(getattr(fitted, "n_iter_", 0)))  # a forest has none
    return {
        "label_frequency": float(getattr(fitted, "label_frequency_", np.nan)),
        "class_prior": float(getattr(fitted, "class_prior_", np.nan)),
        "n_iter": n_iter,
        "converged": bool(getattr(fitted, "converged_", n_iter < ORACLE_MOST_ITERATIONS)),
    }


def _slopes(fitted: Any, sample: Sample) -> np.ndarray | None:
    """Return slopes on the scale of the true slopes, or of the standardized features.

    None if the model has no `coef_`.
    """
    if not hasattr(fitted, "coef_"):
        return None
    coef = np.asarray(fitted.coef_[0], dtype=np.float64)
    return coef if sample.direction is None else coef / sample.scale


def _angle(slopes: np.ndarray | None, reference: np.ndarray | None) -> float:
    if slopes is None or reference is None or not np.any(slopes) or not np.any(reference):
        return float("nan")
    return direction_angle(slopes, reference)

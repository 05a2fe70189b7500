"""One fit: time it, collect its warnings, score it; an error becomes part of the record."""

from __future__ import annotations

import threading
import time
import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from ..codes import PUWarning
from ..metrics import direction_angle
from .draw import Sample
from .methods import ORACLE_MOST_ITERATIONS, Method
from .records import Record

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

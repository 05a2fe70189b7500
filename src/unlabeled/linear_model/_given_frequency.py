"""The label frequency a classifier is given: a number, or an estimator of it."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import clone

from ..label_frequency import fit_watched
from ..labels import LabelledRows, label_folds
from ..parameters import check_fraction
from ..solvers import Watch


def refuse_impossible_frequency(label_frequency: float | None, labelled_share: float) -> None:
    """Raise where a known c is below the share of labelled rows: P(Y=1) would exceed 1."""
    if label_frequency is not None and label_frequency < labelled_share * (1 - 1e-9):
        raise ValueError(
            f"`label_frequency` must be at least the share of labelled rows, {labelled_share:.4g}, "
            f"or there would be more positives than rows; got {label_frequency!r}."
        )


def check_known_frequency(given: Any, labelled_share: float) -> float:
    """Return a label frequency that is a number the labels allow."""
    if not isinstance(given, Real):
        raise ValueError(
            "`label_frequency` must be a number in (0, 1] or an estimator such as "
            f"ElkanNoto(); got {given!r}."
        )
    check_fraction("label_frequency", given)
    refuse_impossible_frequency(given, labelled_share)
    return float(given)


def fit_frequency_estimator(given: Any, rows: LabelledRows, watch: Watch) -> Any:
    """Fit a clone of an estimator of the label frequency to checked rows."""
    estimator = clone(given)
    parameters = estimator.get_params()
    if "positive_label" in parameters:
        estimator.set_params(positive_label=None)  # the labels are 0 and 1 from here on
    if rows.kept is not None and np.iterable(parameters.get("cv")):
        estimator.set_params(cv=label_folds(rows, parameters["cv"]))  # in the rows that are left
    weight = {} if rows.weight is None else {"sample_weight": rows.weight}
    fit_watched(estimator, watch, rows.X, rows.s, **weight)
    check_fraction("label_frequency_", estimator.label_frequency_)
    return estimator

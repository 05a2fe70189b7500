"""An estimator fitted to the rows of a bootstrap, and what their labels mean to it."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from ..labels import encode_labels, fitted_model, positive_class_of, refuse_chunks
from ._resample import Rows, indexable


def fitted_to(estimator: Any, X: Any, y: Any, positive_label: Any) -> tuple[Any, Rows]:
    """Return the estimator fitted, itself or a clone, and its rows."""
    _refuse_what_cannot_be_refitted(estimator)
    refuse_chunks(X, "the bootstrap")
    y = column_or_1d(y)
    check_consistent_length(X, y)
    X = indexable(X)
    model = _fitted(estimator, X, y)
    s, _ = encode_labels(y, _positive_value(model, positive_label))
    return model, Rows(X, y, s)


def _refuse_what_cannot_be_refitted(estimator: Any) -> None:
    if is_regressor(estimator):
        raise ValueError(
            "`estimator` must be a classifier or an estimator of the label frequency; got "
            f"{type(estimator).__name__}, a regressor."
        )
    if getattr(fitted_model(estimator), "cv", None) == "prefit":
        raise ValueError(
            "`estimator` must be refitted to resamples, which cv='prefit' rules out. Give `cv` "
            "another value."
        )


def _fitted(estimator: Any, X: Any, y: np.ndarray) -> Any:
    try:
        check_is_fitted(estimator)
    except NotFittedError:
        return clone(estimator).fit(X, y)
    return estimator


def _positive_value(model: Any, positive_label: Any) -> Any:
    """The label value that the estimator, or else the caller, says marks labelled rows."""
    positive = positive_class_of(model)
    if positive is None:
        positive = getattr(model, "positive_label", None)
    if positive is None:
        return positive_label
    if positive_label is not None and positive_label != positive:
        raise ValueError(
            f"`positive_label` must be the class the estimator takes as positive, {positive}; "
            f"got {positive_label!r}. Leave it out."
        )
    return positive

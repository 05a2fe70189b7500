"""A fitted pipeline without the numbers of single rows, and without what only a fit needs."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from ..tables import TableFeatures
from ..thresholds import Rule
from ._errors import ModelFileError
from ._vectoriser import only_for_transform

# Scores of every row of the fit, for pictures and reports; predictions do not need them.
_OF_ROWS = ("cuts_", "observed_cuts_")
# Settings that may be estimators, used in the fit only.
_USED_IN_THE_FIT = ("class_prior", "label_frequency")


def parts(pipeline: Any) -> tuple[TableFeatures, Any]:
    """Return the two fitted steps of a `table_pipeline`."""
    names = [name for name, _ in pipeline.steps] if isinstance(pipeline, Pipeline) else None
    if names != ["table", "classifier"] or not isinstance(pipeline["table"], TableFeatures):
        what = type(pipeline).__name__ if names is None else f"steps {', '.join(names)}"
        raise ModelFileError(
            f"`pipeline` must be a fitted table_pipeline, with the steps table and classifier; "
            f"got {what}. Use unlabeled.tables.table_pipeline."
        )
    features, classifier = pipeline["table"], pipeline["classifier"]
    if not hasattr(features, "vectoriser_") or not hasattr(classifier, "classes_"):
        raise ModelFileError("`pipeline` must be fitted; got one that is not. Call fit first.")
    return features, classifier


def check_settings(classifier: Any) -> None:
    """Reject settings that a file cannot hold: functions, and numbers of rows."""
    for name, value in classifier.get_params(deep=True).items():
        _check_setting(name, value)


def without_rows(pipeline: Any) -> Pipeline:
    """Return a copy that predicts the same and holds no numbers of single rows.

    The fitted parts that are kept are shared with `pipeline`, which is not changed.
    """
    features, classifier = parts(pipeline)
    check_settings(classifier)
    slim = copy(features)
    slim.vectoriser_ = only_for_transform(features.vectoriser_)
    return Pipeline([("table", slim), ("classifier", _slim(classifier))])


def _slim(estimator: Any) -> Any:
    slim = copy(estimator)
    if isinstance(slim, Pipeline):
        last, step = slim.steps[-1]
        slim.steps = [*slim.steps[:-1], (last, _slim(step))]
    for name in _OF_ROWS:
        vars(slim).pop(name, None)
    for name in _USED_IN_THE_FIT:
        given = getattr(slim, name, None)
        if hasattr(given, "fit"):
            setattr(slim, name, clone(given))
    if hasattr(slim, "estimator_"):
        slim.estimator_ = _slim(slim.estimator_)
        prefit = isinstance(slim.cv, str) and slim.cv == "prefit"
        slim.estimator = slim.estimator_ if prefit else clone(slim.estimator)
    return slim


def _check_setting(name: str, value: Any) -> None:
    if isinstance(value, Rule):
        raise ModelFileError(
            f"`{name}` of the classifier must be text to be saved; got a Rule, which holds "
            f"functions. Fit with {name}={value.name!r}."
        )
    at_end = name.rpartition("__")[2]
    if at_end == "cv" and not isinstance(value, int | np.integer | str | None):
        raise ModelFileError(
            f"`{name}` of the classifier must be a number or text to be saved; got "
            f"{type(value).__name__}, which may hold numbers of rows. Fit with a number of folds."
        )

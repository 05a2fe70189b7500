"""What a classifier sees: the features that reach it, and their names."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils.validation import validate_data

from ..labels import names_or_numbers
from ..meta import PUThresholdClassifier


class Seen(NamedTuple):
    """A fitted classifier without what is wrapped around it.

    Attributes
    ----------
    classifier : object
        The classifier that cuts and has a class prior.
    model : object
        The one that scores, the same unless a `PUThresholdClassifier` is around it.
    X : array, sparse matrix or what the model takes
        The features that reach the model.
    names : tuple of str
        Names of the features.
    sources : tuple of str
        The column of the user's table each feature was made from, where the step
        that made it says so (``output_to_input_``, as skrub calls it); else its name.
    """

    classifier: Any
    model: Any
    X: Any
    names: tuple[str, ...]
    sources: tuple[str, ...] = ()


def seen_by(estimator: Any, X: Any) -> Seen:
    """Walk through pipelines, searches and threshold classifiers to the model inside."""
    classifier, names = None, getattr(X, "columns", None)
    source_of: dict[Any, Any] = {}
    while True:
        if hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        elif hasattr(estimator, "steps"):
            if len(estimator.steps) > 1:
                X, names = estimator[:-1].transform(X), _names_out(estimator[:-1])
                source_of = getattr(estimator[-2], "output_to_input_", {})
            estimator = estimator[-1]
        elif isinstance(estimator, PUThresholdClassifier):
            refuse_other_features(estimator, X)
            classifier = estimator
            estimator = estimator.estimator_
        else:
            break
    if classifier is None:
        refuse_other_features(estimator, X)
    if not sparse.issparse(X):
        X = np.asarray(X)
    if names is None or X.ndim != 2 or len(names) != X.shape[1]:
        names = None
    names = names_or_numbers(names, X.shape[-1])
    sources = tuple(str(source_of.get(name, name)) for name in names)
    return Seen(classifier or estimator, estimator, X, names, sources)


def refuse_other_features(estimator: Any, X: Any) -> None:
    """Raise where the features differ, in number or name, from those of the fit."""
    validate_data(estimator, X, reset=False, skip_check_array=True)


def _names_out(steps: Any) -> Any:
    """Names the steps give to what they return; None where one of them does not say."""
    try:
        return steps.get_feature_names_out()
    except (AttributeError, ValueError):
        return None


def missing_columns(X: Any) -> dict[str, np.ndarray]:
    """Return which cells are missing, for the columns of the user's table that have some."""
    if sparse.issparse(X):
        return {}
    if hasattr(X, "iloc"):  # pandas knows, without a copy of the table as objects
        columns = {str(name): X.iloc[:, j].isna().to_numpy() for j, name in enumerate(X.columns)}
    else:
        names = getattr(X, "columns", None)
        values = np.asarray(X, dtype=object if names is not None else None)
        if values.ndim != 2 or values.dtype.kind not in "fO":
            return {}
        known = names_or_numbers(names, values.shape[1])
        columns = {name: _is_missing(values[:, j]) for j, name in enumerate(known)}
    return {name: missing for name, missing in columns.items() if 0 < missing.sum() < len(missing)}


def _is_missing(column: np.ndarray) -> np.ndarray:
    if column.dtype.kind == "f":
        return np.isnan(column)
    return np.array([value is None or _differs_from_itself(value) for value in column], dtype=bool)


def _differs_from_itself(value: Any) -> bool:
    try:
        return bool(value != value)
    except TypeError:  # pandas' NA refuses to say
        return True

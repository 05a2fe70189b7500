"""Helpers for fitted estimators: state if a fit fails, unwrapping, the rows they were fitted to."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from ._arrays import is_sparse
from ._blocks import consecutive_slices

# Rows per block, so that a table in Fortran order is never copied as a whole.
_BLOCK = 16384


def fingerprint_rows(X: Any) -> str:
    """Return a checksum of a matrix in memory: equal for equal rows in equal order.

    Parameters
    ----------
    X : ndarray or CSR matrix
        The rows.

    Returns
    -------
    fingerprint : str
        64 hexadecimal digits.

    Examples
    --------
    >>> rows = np.array([[0.0, 1.0], [2.0, 0.0]])
    >>> fingerprint_rows(rows) == fingerprint_rows(np.asfortranarray(rows))
    True
    >>> fingerprint_rows(rows) == fingerprint_rows(rows[::-1])
    False
    """
    in_csr = is_sparse(X)
    found = hashlib.sha256(repr((X.shape, X.dtype.str, in_csr)).encode())
    if in_csr:
        for part in (X.indptr.astype(np.int64), X.indices.astype(np.int64), X.data):
            found.update(np.ascontiguousarray(part).data)
        return found.hexdigest()
    for block in consecutive_slices(X.shape[0], _BLOCK):
        found.update(np.ascontiguousarray(X[block]).data)
    return found.hexdigest()


@contextmanager
def restore_on_failure(estimator: Any) -> Iterator[None]:
    """Remove fitted attributes before a fit; put them back if it fails."""
    state = vars(estimator)
    before = dict(state)
    for name in before:
        if name.endswith("_") and not name.endswith("__"):
            del state[name]
    try:
        yield
    except BaseException:
        state.clear()
        state.update(before)
        raise


def fitted_model(estimator: Any) -> Any:
    """Return the classifier itself: a pipeline's last step, a fitted search's best estimator."""
    while (inner := _last_step_or_best(estimator)) is not None:
        estimator = inner
    return estimator


def fit_parameter(estimator: Any, name: str) -> str | None:
    """Return what `fit` of a pipeline or search calls an argument of its last step's `fit`.

    None if that step does not take it. With scikit-learn's metadata routing the name is the same
    everywhere; otherwise a pipeline writes the name of its step before it.
    """
    prefix = ""
    while True:
        if getattr(estimator, "steps", None):
            step, estimator = estimator.steps[-1]
            prefix += f"{step}__"
        elif hasattr(estimator, "refit") and hasattr(estimator, "estimator"):  # a search
            estimator = estimator.estimator
        else:
            break
    if not has_fit_parameter(estimator, name):
        return None
    return name if get_config().get("enable_metadata_routing") else f"{prefix}{name}"


def checked_argument(estimator: Any, checked: Any) -> dict[str, Any]:
    """Return the answers of checked rows as an argument of `estimator.fit`; {} if they are None.

    Raises if the estimator does not take them.
    """
    if checked is None:
        return {}
    name = fit_parameter(estimator, "checked")
    if name is None:
        raise ValueError(
            "`checked` must be None for an estimator whose fit does not take it; got answers for "
            f"{type(fitted_model(estimator)).__name__}. Use PULogistic or JointLogistic."
        )
    return {name: checked}


def clone_for_labels(estimator: Any, seed: int) -> Any:
    """Clone an estimator for labels 0 and 1, and seed it if it has no seed."""
    fresh = clone(estimator)
    changes: dict[str, int | None] = {}
    for name, value in fresh.get_params(deep=True).items():
        last = name.rpartition("__")[2]
        if last == "random_state" and value is None:
            changes[name] = seed
        elif last == "positive_label" and value is not None:
            changes[name] = None
    return fresh.set_params(**changes) if changes else fresh


def positive_class_of(estimator: Any) -> Any:
    """Return the label value that a fitted classifier takes as positive, or None if unknown.

    Looks into pipelines, searches and other wrappers of one classifier: thresholds,
    calibration, feature elimination. If the wrapper recoded the labels, the inner value is
    not one of its classes, and None is returned.
    """
    inner = estimator
    while inner is not None:
        positive = getattr(inner, "positive_class_", None)
        if positive is not None:
            return positive if positive in getattr(estimator, "classes_", [positive]) else None
        inner = _last_step_or_best(inner) or _wrapped(inner)
    return None


def agreed_positive_label(estimator: Any, positive_label: Any) -> Any:
    """Return the label value of labelled rows: the estimator's if it has one, else the caller's.

    Raises if both are given and differ.
    """
    positive = positive_class_of(estimator)
    if positive is None:
        positive = getattr(estimator, "positive_label", None)
    if positive is None:
        return positive_label
    if positive_label is not None and positive_label != positive:
        shown = positive.item() if hasattr(positive, "item") else positive
        raise ValueError(
            f"`positive_label` must be the class the estimator takes as positive, {shown!r}; "
            f"got {positive_label!r}. Leave it out."
        )
    return positive


def _last_step_or_best(estimator: Any) -> Any:
    steps = getattr(estimator, "steps", None)
    return steps[-1][1] if steps else getattr(estimator, "best_estimator_", None)


def _wrapped(estimator: Any) -> Any:
    calibrated = getattr(estimator, "calibrated_classifiers_", None)
    return calibrated[0].estimator if calibrated else getattr(estimator, "estimator_", None)

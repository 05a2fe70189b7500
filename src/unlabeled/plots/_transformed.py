"""Rows as the last step of a pipeline sees them, and the names of its features."""

from __future__ import annotations

from typing import Any

import numpy as np


def _before_last(estimator: Any) -> Any:
    """Return a pipeline of all steps but the last, or None."""
    estimator = getattr(estimator, "best_estimator_", estimator)
    return estimator[:-1] if len(getattr(estimator, "steps", ())) > 1 else None


def transformed(estimator: Any, X: Any) -> Any:
    """Return the rows after all steps of a pipeline but the last."""
    before = _before_last(estimator)
    return X if before is None else before.transform(X)


def feature_names(estimator: Any, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return a pipeline's own names of the last step's features, where it can tell."""
    before = _before_last(estimator)
    if before is None:
        return names
    try:
        told = before.get_feature_names_out()
    except (AttributeError, ValueError):
        return names
    return tuple(str(name) for name in np.asarray(told))

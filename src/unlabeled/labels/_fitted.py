"""What a fitted estimator says of its labels, also from inside a pipeline or a search."""

from __future__ import annotations

from typing import Any


def fitted_model(estimator: Any) -> Any:
    """Return the classifier itself: a pipeline's last step, a search's best estimator."""
    while True:
        steps = getattr(estimator, "steps", None)
        inner = steps[-1][1] if steps else getattr(estimator, "best_estimator_", None)
        if inner is None:
            return estimator
        estimator = inner


def positive_class_of(estimator: Any) -> Any:
    """Return the label value a fitted classifier takes as positive, or None if it does not say.

    Looks into a pipeline's last step and a search's best estimator.
    """
    return getattr(fitted_model(estimator), "positive_class_", None)

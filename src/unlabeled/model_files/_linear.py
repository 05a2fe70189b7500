"""Fitted linear classifiers as a few numbers."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..linear_model import (
    EnhancedLogistic,
    JointLogistic,
    NaiveLogistic,
    PULogistic,
    WeightedLogistic,
)
from ..meta import PUThresholdClassifier
from ._errors import ModelFileError

_LINEAR = (EnhancedLogistic, JointLogistic, NaiveLogistic, PULogistic, WeightedLogistic)


class Linear(NamedTuple):
    """A classifier: positive where x @ coef + intercept > 0.

    The posterior is sigmoid(a + b x @ coef), with (a, b) in `line`.
    """

    coef: np.ndarray
    intercept: float
    line: tuple[float, float]


def linear_of(classifier: Any) -> Linear:
    """Return the numbers of a linear classifier, towards the positive class."""
    if isinstance(classifier, PUThresholdClassifier):
        return _with_threshold(classifier)
    if not isinstance(classifier, _LINEAR):
        raise _not_linear(classifier)
    sign = 1.0 if classifier.classes_[1] == classifier.positive_class_ else -1.0
    coef = sign * classifier.coef_[0]
    return Linear(coef, -classifier.threshold_, classifier.posterior_line_)


def _with_threshold(classifier: PUThresholdClassifier) -> Linear:
    inner = classifier.estimator_
    if not isinstance(inner, _LINEAR):
        raise _not_linear(inner)
    sign = 1.0 if inner.classes_[1] == classifier.positive_class_ else -1.0
    coef, intercept = sign * inner.coef_[0], sign * float(inner.intercept_[0])
    a, b = classifier.posterior_line_
    return Linear(coef, intercept - classifier.threshold_, (a + b * intercept, b))


def _not_linear(classifier: Any) -> ModelFileError:
    names = ", ".join(one.__name__ for one in _LINEAR)
    return ModelFileError(
        f"`pipeline` must end in one of {names}, or in PUThresholdClassifier over one, for ONNX; "
        f"got {type(classifier).__name__}. Fit one of these, or use model.skops."
    )

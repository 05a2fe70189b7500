"""The sum over row blocks: value, gradient, Hessian. The only place that meets the type of X."""

from ._moments import column_range
from ._objective import (
    CONSTANT,
    FEATURES,
    FEATURES_WITHOUT_INTERCEPT,
    Design,
    Objective,
    feature_design,
    linear_score,
)
from ._whitening import Moments, WhitenedObjective, Whitening

__all__ = [
    "CONSTANT",
    "FEATURES",
    "FEATURES_WITHOUT_INTERCEPT",
    "Design",
    "Moments",
    "Objective",
    "WhitenedObjective",
    "Whitening",
    "column_range",
    "feature_design",
    "linear_score",
]

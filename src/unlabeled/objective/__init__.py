"""The sum over row blocks: value, gradient, Hessian. The only place that meets the type of X."""

from ._column_range import column_range
from ._design import CONSTANT, FEATURES, FEATURES_WITHOUT_INTERCEPT, Design, feature_design
from ._objective import Objective
from ._score import linear_score
from ._whitened import WhitenedObjective
from ._whitening import Moments, Whitening

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

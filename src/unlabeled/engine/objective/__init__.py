"""Value, gradient and Hessian of a linear model's mean loss, as sums over blocks of rows.

Solvers never see X: the products with it are here, whatever its type.
"""

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

"""Value, gradient and Hessian of a linear model's mean loss, as sums over blocks of rows.

All products with X are computed here, for every type of X; solvers never see X.
"""

from ._objective import (
    CONSTANT,
    FEATURES,
    FEATURES_WITHOUT_INTERCEPT,
    Design,
    Objective,
    feature_design,
    linear_score,
    parameter_slices,
)
from ._whitening import Moments, WhitenedObjective, Whitening, column_range, spread_of_columns

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
    "parameter_slices",
    "spread_of_columns",
]

"""Linear classifiers for positive and unlabelled data, one a file."""

from ._joint import JointLogistic
from ._naive import EnhancedLogistic, NaiveLogistic
from ._pu_logistic import PULogistic
from ._weighted import WeightedLogistic

__all__ = ["EnhancedLogistic", "JointLogistic", "NaiveLogistic", "PULogistic", "WeightedLogistic"]

# For other parts of the package, not for users.
from ._direction import ComparableFeatures as ComparableFeatures
from ._direction import Direction as Direction
from ._direction import DirectionSearch as DirectionSearch
from ._published import ClippedLogisticLoss as ClippedLogisticLoss
from ._published import published_weighted_risk as published_weighted_risk

"""Estimators of the label frequency c = P(S=1|Y=1)."""

from ..scores import (
    CheckedScore,
    PriorDensity,
    PropensityPrior,
    ScoreJoint,
    class_prior_density,
    fit_checked_score,
    fit_score_joint,
    mean_class_prior,
    propensity_prior,
)
from ._base import LabelFrequencyEstimator
from ._best_bin import BestBin
from ._bound import PriorBound
from ._dedpul import DEDPUL
from ._elkan_noto import ElkanNoto
from ._kernel_mean import KernelMean
from ._one_dimensional_joint import OneDimensionalJoint
from ._tice import TIcE

__all__ = [
    "DEDPUL",
    "BestBin",
    "CheckedScore",
    "ElkanNoto",
    "KernelMean",
    "LabelFrequencyEstimator",
    "OneDimensionalJoint",
    "PriorBound",
    "PriorDensity",
    "PropensityPrior",
    "ScoreJoint",
    "TIcE",
    "class_prior_density",
    "fit_checked_score",
    "fit_score_joint",
    "mean_class_prior",
    "propensity_prior",
]
__dir__ = __all__.copy  # dir() shows what users may use

# For other parts of the package, not for users.
from ._base import ESTIMATORS as ESTIMATORS

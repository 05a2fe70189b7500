"""Estimators of the label frequency c = P(S=1|Y=1)."""

from ..scores import PriorDensity, class_prior_density
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
    "ElkanNoto",
    "KernelMean",
    "LabelFrequencyEstimator",
    "OneDimensionalJoint",
    "PriorBound",
    "PriorDensity",
    "TIcE",
    "class_prior_density",
]
__dir__ = __all__.copy  # dir() shows what users may use

# For other parts of the package, not for users.
from ._base import ESTIMATORS as ESTIMATORS

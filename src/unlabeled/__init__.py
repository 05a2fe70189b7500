"""Learning from positive and unlabelled data, the scikit-learn way."""

from ._version import __version__
from .linear_model import EnhancedLogistic, JointLogistic, NaiveLogistic, WeightedLogistic

__all__ = [
    "EnhancedLogistic",
    "JointLogistic",
    "NaiveLogistic",
    "WeightedLogistic",
    "__version__",
]

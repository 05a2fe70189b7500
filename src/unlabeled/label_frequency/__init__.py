"""Estimators of the label frequency c = P(S=1|Y=1)."""

from ._base import LabelFrequencyEstimator
from ._elkan_noto import ElkanNoto
from ._score_joint import ScoreJoint, fit_score_joint, is_at_boundary
from ._tice import TIcE

__all__ = [
    "ElkanNoto",
    "LabelFrequencyEstimator",
    "ScoreJoint",
    "TIcE",
    "fit_score_joint",
    "is_at_boundary",
]

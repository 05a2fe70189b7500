"""Pictures in scikit-learn's manner: `from_*` computes, `frame` gives the numbers, `plot` draws."""

from ._coefficients import CoefficientDisplay
from ._cut_curve import CutCurveDisplay
from ._label_frequency import LabelFrequencyDisplay
from ._recall_share import RecallShareDisplay
from ._reliability import ReliabilityDisplay
from ._scar_test import ScarTestDisplay
from ._score_distribution import ScoreDistributionDisplay

__all__ = [
    "CoefficientDisplay",
    "CutCurveDisplay",
    "LabelFrequencyDisplay",
    "RecallShareDisplay",
    "ReliabilityDisplay",
    "ScarTestDisplay",
    "ScoreDistributionDisplay",
]

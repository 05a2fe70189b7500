"""Pictures in scikit-learn's manner: `from_*` draws, `ax_` and `figure_` are what it drew.

`frame` gives the numbers, as a dictionary of columns that ``pandas.DataFrame`` and
``polars.DataFrame`` take as it is; with ``plot=False`` they can be had without matplotlib.
"""

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

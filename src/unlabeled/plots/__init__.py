"""Displays as in scikit-learn.

Create a display with one of its `from_*` class methods. The matplotlib objects are in `ax_` and
`figure_`. `frame` returns the numbers as a dictionary of columns, which ``pandas.DataFrame`` and
``polars.DataFrame`` accept. With ``plot=False`` matplotlib is not needed.
"""

from ._audit import AuditDisplay
from ._coefficients import CoefficientDisplay
from ._cut_curve import CutCurveDisplay
from ._importance import ImportanceDisplay
from ._label_frequency import LabelFrequencyDisplay
from ._labeling_sensitivity import LabelingSensitivityDisplay
from ._recall_share import RecallShareDisplay
from ._reliability import ReliabilityDisplay
from ._scar_test import ScarTestDisplay
from ._score_distribution import ScoreDistributionDisplay

__all__ = [
    "AuditDisplay",
    "CoefficientDisplay",
    "CutCurveDisplay",
    "ImportanceDisplay",
    "LabelFrequencyDisplay",
    "LabelingSensitivityDisplay",
    "RecallShareDisplay",
    "ReliabilityDisplay",
    "ScarTestDisplay",
    "ScoreDistributionDisplay",
]
__dir__ = __all__.copy  # dir() shows what users may use

"""Linear classifiers for positive and unlabeled data."""

from ._joint import JointLogistic
from ._naive import EnhancedLogistic, NaiveLogistic
from ._propensity import PropensityLogistic
from ._pu_logistic import PULogistic
from ._weighted import WeightedLogistic

__all__ = [
    "EnhancedLogistic",
    "JointLogistic",
    "NaiveLogistic",
    "PULogistic",
    "PropensityLogistic",
    "WeightedLogistic",
]
__dir__ = __all__.copy  # dir() shows what users may use

# For other parts of the package, not for users.
from ._base import FEW_LABELED as FEW_LABELED
from ._base import warn_if_all_negative as warn_if_all_negative
from ._base import warn_if_few_labeled as warn_if_few_labeled
from ._direction import Direction as Direction
from ._direction import held_out_direction as held_out_direction
from ._far_cells import report_far_cells_to as report_far_cells_to
from ._label_leak import PURE as PURE
from ._label_leak import Region as Region
from ._label_leak import bound_of_others as bound_of_others
from ._label_leak import purest_regions as purest_regions
from ._label_leak import report_label_leak as report_label_leak
from ._label_leak import state_of as state_of
from ._label_leak import suspects_among as suspects_among
from ._likelihood import estimates_from_part as estimates_from_part

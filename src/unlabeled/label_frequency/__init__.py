"""Estimators of the label frequency c = P(S=1|Y=1)."""

from ._averaged import PriorDensity, class_prior_density
from ._base import LabelFrequencyEstimator
from ._best_bin import BestBin
from ._bound import PriorBound
from ._checked_score import CheckedScore, fit_checked_score
from ._dedpul import DEDPUL
from ._elkan_noto import ElkanNoto
from ._kernel_mean import KernelMean
from ._one_dimensional_joint import OneDimensionalJoint
from ._profile import mean_class_prior
from ._propensity_prior import PropensityPrior, propensity_prior
from ._score_joint import ScoreJoint, fit_score_joint
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
from ._averaged import NOT_AT_ALL as NOT_AT_ALL
from ._averaged import ROUGHLY as ROUGHLY
from ._averaged import WELL as WELL
from ._averaged import mixed_density as mixed_density
from ._base import weighted_quantile as weighted_quantile
from ._bound import largest_class_prior as largest_class_prior
from ._class_prior import ResolvedPrior as ResolvedPrior
from ._class_prior import fit_nested as fit_nested
from ._class_prior import report_flat as report_flat
from ._class_prior import report_prior_above_bound as report_prior_above_bound
from ._class_prior import resolve_class_prior as resolve_class_prior
from ._label_logit import LogitLine as LogitLine
from ._label_logit import bounded_logit as bounded_logit
from ._label_logit import fit_line as fit_line
from ._label_logit import label_design_effect as label_design_effect
from ._label_logit import label_log_likelihood as label_log_likelihood
from ._label_logit import penalised_weights as penalised_weights
from ._profile import WIDEST_LOGITS as WIDEST_LOGITS
from ._profile import Line as Line
from ._profile import ScoreProfile as ScoreProfile
from ._score_joint import as_good_at_boundary as as_good_at_boundary

"""Statistical inference: covariances of fitted parameters and confidence intervals."""

from ..engine.intervals import Interval, Intervals
from ._bootstrap import bootstrap
from ._bootstrap_result import Bootstrap
from ._estimates import Estimates, Summary
from ._labeling_sensitivity import LabelingSensitivity, labeling_sensitivity
from ._metric_interval import metric_interval

__all__ = [
    "Bootstrap",
    "Estimates",
    "Interval",
    "Intervals",
    "LabelingSensitivity",
    "Summary",
    "bootstrap",
    "labeling_sensitivity",
    "metric_interval",
]
__dir__ = __all__.copy  # dir() shows what users may use

# For other parts of the package, not for users.
from ._estimates import COVARIANCES as COVARIANCES
from ._estimates import CovarianceKind as CovarianceKind
from ._estimates import covariance as covariance
from ._interval import rate_interval as rate_interval
from ._labeling_sensitivity import TIMES as TIMES
from ._labeling_sensitivity import UnlabeledPartError as UnlabeledPartError
from ._labeling_sensitivity import in_words as in_words
from ._profile_interval import FrequencyFacts as FrequencyFacts
from ._profile_interval import frequency_facts as frequency_facts
from ._profile_interval import frequency_interval as frequency_interval
from ._profile_interval import prior_interval as prior_interval

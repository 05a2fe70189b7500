"""How sure: covariances of fitted parameters, and intervals."""

from ._bootstrap import bootstrap
from ._bootstrap_result import Bootstrap
from ._cut_interval import cut_interval
from ._estimates import Estimates, direction_of
from ._frequency_interval import FrequencyInterval, frequency_interval
from ._interval import Interval
from ._intervals_of_scores import ScoreIntervals, intervals_of_scores
from ._prior_interval import prior_interval
from ._summary import Summary

__all__ = [
    "Bootstrap",
    "Estimates",
    "FrequencyInterval",
    "Interval",
    "ScoreIntervals",
    "Summary",
    "bootstrap",
    "cut_interval",
    "direction_of",
    "frequency_interval",
    "intervals_of_scores",
    "prior_interval",
]

# For other parts of the package, not for users.
from ._covariance import COVARIANCES as COVARIANCES
from ._covariance import covariance as covariance
from ._prior_interval import share_correlation as share_correlation
from ._resample import COUNTS as COUNTS
from ._resample import Rows as Rows
from ._resample import counts as counts
from ._resample import parameters_of as parameters_of
from ._resample import warning_name as warning_name

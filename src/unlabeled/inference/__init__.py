"""How sure: covariances of fitted parameters, and intervals."""

from ._covariance import COVARIANCES, covariance
from ._estimates import Estimates, direction_of
from ._frequency_interval import FrequencyInterval, frequency_interval
from ._summary import Summary

__all__ = [
    "COVARIANCES",
    "Estimates",
    "FrequencyInterval",
    "Summary",
    "covariance",
    "direction_of",
    "frequency_interval",
]

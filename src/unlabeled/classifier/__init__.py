"""What every classifier shares: a score, a threshold, a posterior, and what a decision says."""

from ._mended import Known, Mended, MendedScore, mend
from ._pu_classifier import (
    DecidedClassifier,
    PUClassifier,
    WithoutIntervals,
    held_out_label_logit,
)

__all__ = [
    "DecidedClassifier",
    "Known",
    "Mended",
    "MendedScore",
    "PUClassifier",
    "WithoutIntervals",
    "held_out_label_logit",
    "mend",
]

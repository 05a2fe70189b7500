"""What every classifier shares: a score, a threshold, a posterior, and what a decision says."""

from ._mended import Known, Mended, MendedRows, MendedScore, mend
from ._pu_classifier import (
    DecidedClassifier,
    PUClassifier,
    WithoutIntervals,
    follows_answers,
    held_out_label_logit,
    mended_rows,
)

__all__ = [
    "DecidedClassifier",
    "Known",
    "Mended",
    "MendedRows",
    "MendedScore",
    "PUClassifier",
    "WithoutIntervals",
    "follows_answers",
    "held_out_label_logit",
    "mend",
    "mended_rows",
]

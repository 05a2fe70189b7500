"""What every classifier shares: a score, a threshold, a posterior, and what a decision says."""

from ._decided import DecidedClassifier
from ._pu_classifier import PUClassifier

__all__ = ["DecidedClassifier", "PUClassifier"]

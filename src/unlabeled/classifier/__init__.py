"""What every classifier shares: a score, a threshold, a posterior, and what a decision says."""

from ._pu_classifier import DecidedClassifier, PUClassifier, WithoutIntervals

__all__ = ["DecidedClassifier", "PUClassifier", "WithoutIntervals"]

"""What every classifier shares: a score, a threshold, a posterior, and what a decision says."""

from ._pu_classifier import DecidedClassifier, PUClassifier

__all__ = ["DecidedClassifier", "PUClassifier"]

"""PU thresholds over any scikit-learn classifier."""

from ._threshold import PUThresholdClassifier

__all__ = ["PUThresholdClassifier"]

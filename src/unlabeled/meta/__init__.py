"""PU thresholds over any scikit-learn classifier."""

from ._threshold import PUThresholdClassifier

__all__ = ["PUThresholdClassifier"]
__dir__ = __all__.copy  # dir() shows what users may use

# For other parts of the package, not for users.
from ._in_chunks import RoundRobinScorer as RoundRobinScorer
from ._in_chunks import count_all as count_all
from ._in_chunks import counter_around as counter_around
from ._in_chunks import effects_of_part as effects_of_part
from ._in_chunks import part_to_fit as part_to_fit

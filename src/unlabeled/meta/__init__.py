"""PU thresholds over any scikit-learn classifier."""

from ._threshold import PUThresholdClassifier

__all__ = ["PUThresholdClassifier"]
__dir__ = __all__.copy  # dir() shows what users may use

# For other parts of the package, not for users.
from ._held_out_scores import is_linear as is_linear
from ._held_out_scores import out_of_bag_scores as out_of_bag_scores
from ._held_out_scores import score_method as score_method
from ._held_out_scores import scores_of as scores_of
from ._in_chunks import ENOUGH_LABELLED as ENOUGH_LABELLED
from ._in_chunks import RoundRobinScorer as RoundRobinScorer
from ._in_chunks import count_all as count_all
from ._in_chunks import counter_around as counter_around

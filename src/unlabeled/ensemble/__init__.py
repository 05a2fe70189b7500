"""Combinations of classifiers, chosen and weighted by the likelihood of left-out labels."""

from ._ensemble import PUEnsemble

__all__ = ["PUEnsemble"]
__dir__ = __all__.copy  # dir() shows what users may use

# For other parts of the package, not for users.
from ._members import logit_of_posterior as logit_of_posterior
from ._members import raw_logit as raw_logit
from ._stack import probabilities_of_members as probabilities_of_members

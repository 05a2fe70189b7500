"""Combinations of classifiers, chosen and weighted by the likelihood of left-out labels."""

from ._ensemble import PUEnsemble

__all__ = ["PUEnsemble"]

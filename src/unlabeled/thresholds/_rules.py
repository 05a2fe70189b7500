"""Rules: what a cut is chosen for, as functions of labelled and total counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from ._cuts import Array, Cuts


@dataclass(frozen=True)
class Rule:
    """A criterion to be maximised over cuts.

    Attributes
    ----------
    name : str
    values : callable
        From `Cuts` to the criterion at every cut.
    exact : callable, optional
        From integer (labelled, total) to a number in the same order as
        `values`, to decide near ties without rounding.
    """

    name: str
    values: Callable[[Cuts], Array]
    exact: Callable[[int, int], Fraction] | None = None


def _f1_pu(cuts: Cuts) -> Array:
    return cuts.recall**2 / cuts.share


F1_PU = Rule("f1_pu", _f1_pu, exact=lambda labelled, total: Fraction(labelled**2, total))
"""Recall squared over the share predicted positive: the paper's observable analogue of F1."""

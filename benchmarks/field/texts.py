"""Numbers as the tables, the figures and the page write them."""

from __future__ import annotations

from unlabeled.experiments.outcome._words import with_error

from .compare import Estimate


def frequency(c: float | None) -> str:
    """Write a label frequency, or that it is all of them.

    Examples
    --------
    >>> frequency(0.3), frequency(None)
    ('.3', 'all c')
    """
    return "all c" if c is None else f"{c:g}".replace("0.", ".")


def mean_and_error(one: Estimate, failed: int = 0) -> str:
    """Write a mean, its standard error in brackets, and how many fits are not in it."""
    return with_error(one.value, one.se) + (f" †{failed}" if failed else "")

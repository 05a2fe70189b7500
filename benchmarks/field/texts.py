"""Estimates as the tables and the page write them."""

from __future__ import annotations

from unlabeled.paper.outcome import with_error

from .compare import Estimate


def mean_and_error(one: Estimate, failed: int = 0) -> str:
    """Write a mean, its standard error in brackets, and how many fits are not in it."""
    return with_error(one.value, one.se) + (f" †{failed}" if failed else "")

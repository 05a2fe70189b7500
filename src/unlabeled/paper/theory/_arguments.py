"""Checks of the numbers a caller passes to the population formulas."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

LARGEST_VAR = 1e4
"""Above this variance the logistic curve is a step to the eye and the quadrature gets long."""


def finite_number(name: str, value: Any) -> float:
    """Return `value` as a float, or say that `name` must be a finite number."""
    number = _number(value)
    if not math.isfinite(number):
        raise ValueError(f"`{name}` must be a finite number; got {value!r}. Pass one number.")
    return number


def index_variance(value: Any) -> float:
    """Return the variance of a normal index, in (0, 1e4]."""
    number = _number(value)
    if not 0 < number <= LARGEST_VAR:
        raise ValueError(
            f"`var` must be a number in (0, {LARGEST_VAR:g}]; got {value!r}. "
            "Pass the variance of the index, not its standard deviation; "
            "an index that does not vary has no slope and no cut."
        )
    return number


def positive_number(name: str, value: Any) -> float:
    """Return `value` as a float, or say that `name` must be positive and finite."""
    number = _number(value)
    if not 0 < number < math.inf:
        raise ValueError(
            f"`{name}` must be a positive finite number; got {value!r}. Swap the classes if it "
            "is negative."
        )
    return number


def open_probability(name: str, value: Any) -> float:
    """Return `value` as a float, or say that `name` must lie strictly between 0 and 1."""
    number = _number(value)
    if not 0 < number < 1:
        raise ValueError(
            f"`{name}` must be a number strictly between 0 and 1; got {value!r}. "
            "Both classes must be possible."
        )
    return number


def label_frequency(value: Any) -> float:
    """Return the label frequency c = P(S=1|Y=1), in (0, 1]."""
    number = _number(value)
    if not 0 < number <= 1:
        raise ValueError(
            f"`c` must be a number in (0, 1]; got {value!r}. "
            "Pass the label frequency P(S=1|Y=1) as a fraction."
        )
    return number


def _number(value: Any) -> float:
    """Return a float, NaN for what is not a number: every comparison then fails."""
    return float(value) if isinstance(value, Real) else math.nan

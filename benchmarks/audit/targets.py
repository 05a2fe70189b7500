"""What must hold, set before the runs, and whether the records say that it does."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from unlabeled.paper.outcome import number

_MOST_DIGITS = 6
_NOISE = 1e-7  # records have single precision: their .03 may be .0299999993


@dataclass(frozen=True)
class Target:
    """A number and the range in which it must lie.

    Attributes
    ----------
    words : str
        What the number is.
    value : float
        As measured; NaN if it was not.
    low, high : float
        The range.
    allowed : float
        How far outside it may lie, for the Monte-Carlo error.
    digits : int
        Decimal places.
    missed : tuple of str
        The cells that miss the target, in words.
    """

    words: str
    value: float
    low: float = -math.inf
    high: float = math.inf
    allowed: float = 0.0
    digits: int = 3
    missed: tuple[str, ...] = ()

    def contains(self, value: float) -> bool:
        """Say whether a number lies in the range, or as far outside as is allowed."""
        allowed = self.allowed + _NOISE
        return self.low - allowed <= value <= self.high + allowed

    @property
    def is_measured(self) -> bool:
        """Whether there is a number."""
        return math.isfinite(self.value)

    @property
    def holds(self) -> bool:
        """Whether the number lies in the range."""
        return self.contains(self.value)

    def range_in_words(self) -> str:
        """Return the range.

        Examples
        --------
        >>> Target("", 0.9, low=0.93, allowed=0.0114).range_in_words()
        'at least .93, less .011'
        >>> Target("", 0.9, low=0.03, high=0.08).range_in_words()
        'between .03 and .08'
        """
        low, high = _short(self.low), _short(self.high)
        if math.isfinite(self.low) and math.isfinite(self.high):
            return f"between {low} and {high}"
        if math.isfinite(self.high):
            return f"at most {high}"
        return f"at least {low}" + (f", less {number(self.allowed)}" if self.allowed else "")

    def value_in_words(self) -> str:
        """Write the number with as many digits as it takes to see whether the target holds.

        Examples
        --------
        >>> Target("", 0.8604, high=0.86).value_in_words()
        '.8604'
        """
        digits = self.digits
        while digits < _MOST_DIGITS and self.contains(round(self.value, digits)) != self.holds:
            digits += 1
        return number(self.value, digits)

    def verdict(self) -> str:
        """Return "holds", or "does not hold" with the number."""
        if not self.is_measured:
            return "not measured"
        return "holds" if self.holds else f"does not hold: {self.value_in_words()}"


def target_table(targets: Sequence[Target]) -> pd.DataFrame:
    """One line per target."""
    return pd.DataFrame(
        {
            "what": [one.words for one in targets],
            "target": [one.range_in_words() for one in targets],
            "measured": [one.value_in_words() for one in targets],
            "verdict": [one.verdict() for one in targets],
        }
    )


def _short(value: float) -> str:
    """Write a limit with two decimal places or more; a whole number with none.

    Examples
    --------
    >>> _short(0.8), _short(0.035), _short(1.05), _short(38)
    ('.80', '.035', '1.05', '38')
    """
    text = f"{value:g}"
    if "." not in text:
        return text
    return number(value, max(2, len(text.partition(".")[2])))

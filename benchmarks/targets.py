"""What must hold, set before the runs, and whether the records say that it does."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from reproduction.outcome import number

from .pages import PAGE, render, rst_of
from .study import Records

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


@dataclass(frozen=True)
class Section:
    """Tables and targets of a study.

    Attributes
    ----------
    done, of : int
        Records that there are, and that there should be.
    unit : str
        What a record is, in the plural.
    tables : dict of str to DataFrame
    targets : list of Target
    words : dict of str to str
        Further numbers for the text.
    """

    done: int
    of: int
    unit: str
    tables: dict[str, pd.DataFrame] = field(default_factory=dict)
    targets: list[Target] = field(default_factory=list)
    words: dict[str, str] = field(default_factory=dict)

    def incomplete(self) -> str:
        """Return a sentence if records are missing."""
        if self.done == self.of:
            return ""
        return f"The records are incomplete: {self.done} of {self.of} {self.unit}."

    def missed(self) -> list[str]:
        """Return the cells that miss a target."""
        return [cell for target in self.targets for cell in target.missed]

    def rendered(self) -> dict[str, Any]:
        """Return what a template shows of it."""
        return {
            "done": self.done,
            "incomplete": self.incomplete(),
            "targets": rst_of(target_table(self.targets)) if self.targets else "",
            "missed": self.missed(),
            **{name: rst_of(table) for name, table in self.tables.items()},
            **self.words,
        }


def verdict_on(sections: Iterable[Section]) -> dict[str, Any]:
    """Return how many targets of a page were measured and hold, and the others in words."""
    targets = [target for section in sections for target in section.targets]
    return {
        "measured": sum(target.is_measured for target in targets),
        "holding": sum(target.holds for target in targets),
        "failing": [
            f"{one.words}: {one.value_in_words()}, target {one.range_in_words()}"
            for one in targets
            if one.is_measured and not one.holds
        ],
    }


def read_section(records: Records, folder: Path, unit: str) -> tuple[pd.DataFrame, Section]:
    """Read the records of a folder; return them and a section that says how many there are."""
    cells = records.read(folder)
    return cells, Section(len(cells), len(records.plan()), unit)


def write_sections(
    folder: Path, templates: Path, sections: Mapping[str, Section], **values: Any
) -> None:
    """Write a page of sections, by the template in a folder."""
    text = render(
        templates,
        sections={name: section.rendered() for name, section in sections.items()},
        **verdict_on(sections.values()),
        **values,
    )
    (folder / PAGE).write_text(text, encoding="utf-8")


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

"""What was read in one of several ways: each said once, with counts and the option to change it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._columns import as_numbers, storage
from ._read import Table, date_format
from ._words import are, count, count_of, listed

_MOST_SHOWN = 3
# Numbers that often stand for a missing cell, with either sign.
_SENTINELS = (9.0, 99.0, 999.0, 9999.0, 99999.0, 999999.0)
# Less far from zero than this, only a negative one among positive numbers is odd.
_LARGE = 999.0
_FEWEST_CELLS, _SMALLEST_SHARE = 3, 0.01
# Categories have few levels; of others, spellings say nothing.
_MOST_LEVELS = 100
_SHORTEST_WORD = 4
# A level with so small a share of the rows of another is rare beside it.
_RARE_BESIDE = 0.05


def doubts(table: Table, names: Sequence[str], as_text: Iterable[str] = ()) -> tuple[str, ...]:
    """Return remarks on the columns that are used.

    Parameters
    ----------
    table : Table
        The table.
    names : list of str
        The columns that are used.
    as_text : list of str
        Columns that were to be kept as text; they are not in doubt.

    Returns
    -------
    remarks : tuple of str
    """
    frame, asked = table.frame, set(as_text)
    open_ = [name for name in names if name not in asked]
    return (
        *_leading_zeros({name: frame[name] for name in open_ if name in table.reading.as_text}),
        *_decimal_commas(table, open_),
        *Missing.of(table, names).remark(),
        *_sentinels({name: frame[name] for name in names if storage(frame[name]) == "number"}),
        *_dates({name: frame[name] for name in open_ if storage(frame[name]) == "text"}),
        *_levels({name: frame[name] for name in names if storage(frame[name]) == "text"}),
    )


def _leading_zeros(columns: dict[str, Any]) -> list[str]:
    if not columns:
        return []
    shown = []
    for name, column in columns.items():
        zeros = column[column.astype(str).str.fullmatch("0[0-9]+").fillna(False).astype(bool)]
        such = f", such as {zeros.iloc[0]}" if len(zeros) else ""
        shown.append(f"{name!r} ({count_of(len(zeros), 'cell')}{such})")
    names = list(columns)
    return [
        f"Kept as text, because of leading zeros: {', '.join(shown[:_MOST_SHOWN])}"
        f"{_more(columns)}. To read {_column(names)} as numbers, give `as_number`; to leave out, "
        "`drop`."
    ]


def _decimal_commas(table: Table, names: Sequence[str]) -> list[str]:
    reading = table.reading
    commas = [name for name in names if name in reading.decimal_comma]
    return [
        f"{said} If that is wrong, name {_column(some)} in `as_text` or in `drop`."
        for some, said in _with_commas(commas, reading.points)
    ]


def _with_commas(commas: Sequence[str], points: Sequence[str]) -> list[tuple[list[str], str]]:
    """Return columns with decimal commas, without and with points, each with a sentence."""
    plain = [name for name in commas if name not in points]
    both = [name for name in commas if name in points]
    found = []
    if plain:
        found.append(
            (plain, f"{listed(plain)} {are(plain)} read with decimal commas: 1,37 is 1.37.")
        )
    if both:
        said = (
            f"{listed(both)} {are(both)} read with points between thousands and decimal commas: "
            "1.234 is 1234, and 3.271,50 is 3271.5."
        )
        found.append((both, said))
    return found


def _column(names: list[str]) -> str:
    return "the column" if len(names) == 1 else "the columns"


@dataclass(frozen=True)
class Missing:
    """How many cells are missing, and how many of them each word marks."""

    cells: int
    marks: dict[str, int]

    @classmethod
    def of(cls, table: Table, names: Sequence[str]) -> Missing:
        """Count in some columns of a table."""
        marks: dict[str, int] = {}
        for name in names:
            for mark, times in table.marks.get(name, {}).items():
                marks[mark] = marks.get(mark, 0) + times
        return cls(sum(int(table.frame[name].isna().sum()) for name in names), marks)

    def __add__(self, other: Missing) -> Missing:
        marks = dict(self.marks)
        for mark, times in other.marks.items():
            marks[mark] = marks.get(mark, 0) + times
        return Missing(self.cells + other.cells, marks)

    def remark(self) -> list[str]:
        """Return a remark on cells that a word marks as missing; none if all are blank."""
        if not self.marks:
            return []
        marks, blank = self.marks, self.cells - sum(self.marks.values())
        order = sorted(marks, key=lambda mark: -marks[mark])
        shown = [f"{count(marks[mark])} {mark!r}" for mark in order]
        shown = [f"{count(blank)} blank"] * (blank > 0) + shown
        verb = are(self.cells)
        return [f"{count_of(self.cells, 'cell')} {verb} missing: {', '.join(shown)}."]


# Numbers that perhaps stand for a missing cell.


def _sentinels(columns: dict[str, Any]) -> list[str]:
    doubted = {
        name: one
        for name, column in columns.items()
        if (one := _sentinel(as_numbers(column))) is not None
    }
    if not doubted:
        return []
    shown = [
        f"{count_of(times, 'cell')} of {name!r} {'has' if times == 1 else 'have'} {value:g}, far "
        f"from the others ({low:g} to {high:g})"
        for name, (value, times, low, high) in list(doubted.items())[:_MOST_SHOWN]
    ]
    values = dict.fromkeys(f"{value:g}" for value, *_ in doubted.values())
    return [
        f"{'; '.join(shown)}{_more(doubted)}. They are used as numbers. If they stand for missing "
        f"cells, give {' and '.join(values)} to `missing`."
    ]


def _more(columns: dict[str, Any]) -> str:
    rest = list(columns)[_MOST_SHOWN:]
    return f"; likewise {listed(rest)}" if rest else ""


def _sentinel(numbers: np.ndarray) -> tuple[float, int, float, float] | None:
    """Return a number far from the others that is often a mark, its count, and their range."""
    present = numbers[np.isfinite(numbers)]
    if len(present) == 0:
        return None
    for value in (float(present.min()), float(present.max())):
        if abs(value) not in _SENTINELS or (value > 0 and value < _LARGE):
            continue
        others = present[present != value]
        times = len(present) - len(others)
        if times < max(_FEWEST_CELLS, _SMALLEST_SHARE * len(numbers)) or len(others) == 0:
            continue
        low, high = float(others.min()), float(others.max())
        gap = low - value if value < low else value - high
        if gap > high - low and (abs(value) >= _LARGE or low >= 0):
            return value, times, low, high
    return None


# Dates that could be two dates.


def _dates(columns: dict[str, Any]) -> list[str]:
    unclear = {}
    for name, column in columns.items():
        if _could_be_either(column):
            unclear[name] = str(column.dropna().iloc[0])
    if not unclear:
        return []
    example = next(iter(unclear.values()))
    return [
        f"{listed(list(unclear))}: no date tells days from months (such as {example}). The month "
        f"is taken to come first. If the day does, name {_column(list(unclear))} in `day_first`."
    ]


def _could_be_either(column: Any) -> bool:
    """Whether every cell is a date with the month first and with the day first, and they differ."""
    import pandas as pd

    first, second = (date_format(column, day_first) for day_first in (False, True))
    if first is None:
        return False
    either = [pd.to_datetime(column, format=one, errors="coerce") for one in (first, second)]
    if any((column.notna() & dates.isna()).any() for dates in either):
        return False
    return bool((either[0] != either[1])[column.notna()].any())


# Levels that are perhaps one.


def _levels(columns: dict[str, Any]) -> list[str]:
    similar = {}
    for name, column in columns.items():
        alike = _alike(column)
        if alike:
            similar[name] = alike
    if not similar:
        return []
    shown = [f"{name!r} ({'; '.join(pairs[:2])})" for name, pairs in similar.items()]
    return [
        f"Levels that differ by case, spaces or one letter: {', '.join(shown[:_MOST_SHOWN])}"
        f"{_more(similar)}. They count as different levels. If they are one, write them alike in "
        "the file."
    ]


def _alike(column: Any) -> list[str]:
    """Return pairs of levels that differ by case, by spaces, or by a likely slip."""
    if column.nunique() > _MOST_LEVELS:
        return []
    counts = column.dropna().astype(str).value_counts()
    times = {str(level): int(n) for level, n in counts.items() if n}
    levels, pairs = list(times), []
    for k, rare in enumerate(levels):
        for frequent in levels[:k]:
            same = _folded(rare) == _folded(frequent)
            if same or (
                times[rare] <= _RARE_BESIDE * times[frequent] and _is_a_slip(rare, frequent)
            ):
                pairs.append(
                    f"{frequent!r}: {count(times[frequent])}, {rare!r}: {count(times[rare])}"
                )
                break
    return pairs


def _folded(level: str) -> str:
    return "".join(level.casefold().split())


def _is_a_slip(one: str, other: str) -> bool:
    """Whether two words differ by one letter: another, one more, or two that changed places.

    Examples
    --------
    >>> _is_a_slip("norht", "north"), _is_a_slip("ward 1", "ward 2"), _is_a_slip("east", "west")
    (True, False, False)
    """
    one, other = one.casefold(), other.casefold()
    if min(len(one), len(other)) < _SHORTEST_WORD or abs(len(one) - len(other)) > 1:
        return False
    start = next((k for k, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)
    if start is None:
        start = min(len(one), len(other))
    a, b = one[start:], other[start:]
    swapped = len(a) > 1 and a[1::-1] == b[:2] and a[2:] == b[2:]
    if not (swapped or a[1:] == b[1:] or a[1:] == b or a == b[1:]):
        return False
    return not any(letter.isdigit() for letter in a[:2] + b[:2])


def comma_remarks(commas: Sequence[str], points: Sequence[str]) -> list[str]:
    """Return remarks on columns of a new table with decimal commas; the fit decided the rest."""
    return [said for _, said in _with_commas(commas, points)]

"""Words of the sentences about tables: counts, names, and the name that was meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from pathlib import Path

MISSING: tuple[str, ...] = (
    "",
    " ",
    "NA",
    "N/A",
    "n/a",
    "#N/A",
    "#N/A N/A",
    "#NA",
    "<NA>",
    "NULL",
    "null",
)
MISSING += ("NaN", "nan", "-NaN", "-nan", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN")
MISSING += ("None", "none", "?", "...")
"""Text that says that a cell is missing: what skrub takes for it."""

_MOST_LISTED = 6


class TableError(ValueError):
    """A table or a column that cannot be used; the message says what to do."""


def count(number: int) -> str:
    """Write a count with a space between thousands.

    Examples
    --------
    >>> count(38800)
    '38 800'
    """
    return f"{number:,}".replace(",", " ")


def listed(names: Sequence[object], most: int = _MOST_LISTED) -> str:
    """Write names in quotes, and how many more there are.

    Examples
    --------
    >>> listed(["age", "dose"]), listed("abcd", most=2)
    ("'age', 'dose'", "'a', 'b' and 2 more")
    """
    shown = ", ".join(repr(str(name)) for name in names[:most])
    return shown + (f" and {count(len(names) - most)} more" if len(names) > most else "")


def none_of(number: int, noun: str = "") -> str:
    """Write how many cells are not what they should be.

    Examples
    --------
    >>> none_of(1), none_of(2, "cell")
    ('1 that is none', '2 cells that are none')
    """
    what = f" {noun}{'' if number == 1 else 's'}" if noun else ""
    return f"{count(number)}{what} that {'is' if number == 1 else 'are'} none"


def nearest(name: str, names: Iterable[str]) -> str | None:
    """Return the name that was probably meant.

    Examples
    --------
    >>> nearest("diagnose", ["age", "Diagnosis"])
    'Diagnosis'
    """
    by_lower = {one.lower(): one for one in names}
    found = difflib.get_close_matches(name.lower(), by_lower, n=1, cutoff=0.6)
    return by_lower[found[0]] if found else None


def perhaps_meant(absent: str, names: Iterable[str]) -> str:
    """Ask whether another name was meant to be one that is not there; empty if none is like it.

    Examples
    --------
    >>> perhaps_meant("ages", ["age"])
    " Is 'age' meant to be 'ages'?"
    """
    meant = nearest(absent, names)
    return f" Is {meant!r} meant to be {absent!r}?" if meant else ""


def rows_in_words(number: int) -> str:
    """Write a number of rows.

    Examples
    --------
    >>> rows_in_words(1), rows_in_words(1200)
    ('1 row', '1 200 rows')
    """
    return f"{count(number)} row{'' if number == 1 else 's'}"


def check_column(name: str, columns: Sequence[str], argument: str, but: str | None = None) -> None:
    """Refuse a name that is no column, and suggest the nearest, but for one never meant."""
    if name in columns:
        return
    meant = nearest(name, (one for one in columns if one != but))
    hint = f"Did you mean {meant!r}?" if meant else f"The columns are {listed(columns)}."
    raise TableError(f"`{argument}` must be a column of the table; got {name!r}. {hint}")


def only_a_header(path: Path) -> TableError:
    """Refuse a table without rows."""
    return TableError(f"`path` must have rows; got {path.name} with a header and nothing below.")

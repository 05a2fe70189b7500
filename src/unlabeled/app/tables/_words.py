"""Words for sentences about tables: counts, lists of names, and the name that was meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

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


def count_of(number: int, noun: str) -> str:
    """Write a count with its noun.

    Examples
    --------
    >>> count_of(1, "row"), count_of(1200, "row")
    ('1 row', '1 200 rows')
    """
    return f"{count(number)} {noun}{'' if number == 1 else 's'}"


def are(several: int | Sequence[object]) -> str:
    """Return the verb for a count, or for as many names as there are."""
    number = several if isinstance(several, int) else len(several)
    return "is" if number == 1 else "are"


def together(errors: Sequence[TableError]) -> TableError:
    """Return one error for all columns that cannot be used; the first ones are spelled out.

    Examples
    --------
    >>> print(together([TableError("'a' is blank."), TableError("'b' is blank.")]))
    2 columns cannot be used as they are.
    - 'a' is blank.
    - 'b' is blank.
    """
    if len(errors) == 1:
        return errors[0]
    lines = [f"- {error}" for error in errors[:_MOST_LISTED]]
    rest = len(errors) - _MOST_LISTED
    lines += [f"- and {count(rest)} more with such problems."] * (rest > 0)
    return TableError(
        "\n".join((f"{count(len(errors))} columns cannot be used as they are.", *lines))
    )


def cells_are_not(number: int, one: str, many: str) -> str:
    """Write how many cells are not what they should be.

    Examples
    --------
    >>> cells_are_not(1, "a number", "numbers"), cells_are_not(2, "a number", "numbers")
    ('1 cell is not a number', '2 cells are not numbers')
    """
    return f"{count_of(number, 'cell')} {f'is not {one}' if number == 1 else f'are not {many}'}"


def listed(names: Sequence[object], most: int = _MOST_LISTED) -> str:
    """Write names in quotes, and how many more there are.

    Examples
    --------
    >>> listed(["age", "dose"]), listed("abcd", most=2)
    ("'age', 'dose'", "'a', 'b' and 2 more")
    """
    shown = ", ".join(repr(str(name)) for name in names[:most])
    return shown + (f" and {count(len(names) - most)} more" if len(names) > most else "")


def nearest(name: str, names: Iterable[str]) -> str | None:
    """Return the name that was probably meant.

    Examples
    --------
    >>> nearest("diagnose", ["age", "Diagnosis"])
    'Diagnosis'
    """
    by_lower = {one.lower(): one for one in names}
    close = difflib.get_close_matches(name.lower(), by_lower, n=1, cutoff=0.6)
    return by_lower[close[0]] if close else None


def rename_hint(absent: str, names: Iterable[str]) -> str:
    """Suggest the column to rename to the one that is missing; empty if no name is similar.

    Examples
    --------
    >>> rename_hint("ages", ["age"])
    " If 'age' is this column, rename it to 'ages'."
    """
    similar = nearest(absent, names)
    return f" If {similar!r} is this column, rename it to {absent!r}." if similar else ""


def check_column(
    name: str, columns: Sequence[str], argument: str, never_suggest: str | None = None
) -> None:
    """Reject a name that is not a column, and suggest the nearest one."""
    if name in columns:
        return
    meant = nearest(name, (one for one in columns if one != never_suggest))
    hint = f"Did you mean {meant!r}?" if meant else f"The columns are {listed(columns)}."
    raise TableError(f"`{argument}` must be a column of the table; got {name!r}. {hint}")

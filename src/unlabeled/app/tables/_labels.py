"""Read from a column which rows of a table are labelled."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...engine.sampling import ONE_SAMPLE, TWO_SAMPLES
from ._read import Table
from ._words import TableError, check_column, count, nearest

PAIRS = (
    ("0", "1"),
    ("-1", "1"),
    ("false", "true"),
    ("f", "t"),
    ("no", "yes"),
    ("n", "y"),
    ("unlabelled", "labelled"),
    ("unlabeled", "labeled"),
    ("unlabelled", "positive"),
    ("unlabeled", "positive"),
    ("negative", "positive"),
    ("negativ", "positiv"),
    ("négatif", "positif"),
    ("negativo", "positivo"),
    ("nein", "ja"),
    ("nee", "ja"),
    ("nej", "ja"),
    ("non", "oui"),
    ("no", "sí"),
    ("no", "sì"),
    ("no", "si"),
    ("não", "sim"),
    ("nie", "tak"),
    ("falsch", "wahr"),
    ("faux", "vrai"),
)
"""Pairs of values that need no `positive`: the second value marks labelled rows."""

_NEGATIVE = {first for first, _ in PAIRS}
_MOST_VALUES = 6
# A column with more values than this hardly marks rows.
_MOST_LABEL_VALUES = 50


@dataclass(frozen=True, eq=False)
class Labels:
    """The labels of a table; prints as a sentence.

    Attributes
    ----------
    s : ndarray of shape (n_rows,)
        1 for labelled rows, else 0.
    column : str
        The label column.
    positive : str
        The value that marks labelled rows, as text.
    others : dict of str to int
        The other values with their counts, the most frequent first.
    blank : int
        Rows with a blank or missing label.
    negatives : dict of str to int
        The values that mark known negatives, with their counts. Such rows are not labelled.
    negative : ndarray of shape (n_rows,)
        True for known negatives.
    cases : str or None
        The name of the file of cases, if they come from a file of their own. The unlabelled rows
        are then a sample of the population.
    """

    s: np.ndarray
    column: str
    positive: str
    others: dict[str, int]
    blank: int
    negatives: dict[str, int] = field(default_factory=dict)
    negative: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=bool))
    cases: str | None = None

    @property
    def sampling(self) -> str:
        """The parameter `sampling` of classifiers: whether there is one sample, or two."""
        return ONE_SAMPLE if self.cases is None else TWO_SAMPLES

    @property
    def in_table(self) -> np.ndarray:
        """True for the rows that the numbers are about: all, or the sample of the population."""
        return np.ones(len(self.s), dtype=bool) if self.cases is None else self.s == 0

    @property
    def n_labelled(self) -> int:
        """How many rows are labelled."""
        return int(self.s.sum())

    def record(self) -> dict[str, Any]:
        """Return the counts as plain values, for JSON.

        Returns
        -------
        record : dict
        """
        return {
            "column": self.column,
            "positive": self.positive,
            "labelled": self.n_labelled,
            "unlabelled": len(self.s) - self.n_labelled,
            "other_values": self.others,
            "blank": self.blank,
            "negatives": self.negatives,
            "cases": self.cases,
        }

    def __str__(self) -> str:
        if self.cases is not None:
            cases, others = self.n_labelled, len(self.s) - self.n_labelled
            return (
                f"{count(cases)} {'case comes' if cases == 1 else 'cases come'} from {self.cases}. "
                f"The other {count(others)} rows are a sample of the population."
            )
        n_rows, labelled, negative = len(self.s), self.n_labelled, sum(self.negatives.values())
        others = n_rows - labelled - negative
        known = ""
        if self.negatives:
            known = f", {count(negative)} {_are(negative)} known to be negative"
            known += f" ({_counted(self.negatives, 0)})"
        unlabelled = _counted(self.others, self.blank)
        return (
            f"{count(labelled)} of {count(n_rows)} rows {_are(labelled)} labelled "
            f"(`{self.column}` = {self.positive!r}){known}. The other {count(others)} "
            f"{_are(others)} unlabelled{f' ({unlabelled})' * bool(unlabelled)}."
        )


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


def label_column(
    table: Table, name: str, positive: Any = None, negative: Iterable[Any] = ()
) -> Labels:
    """Read from a column which rows are labelled.

    Values are compared as text, without spaces around them: ``1``, ``1.0`` and
    ``"1"`` are the same. The first of these rules that applies decides:

    - With `positive`, rows with that value are labelled. All others, including blank ones, are
      not. The comparison ignores case if no value matches exactly.
    - With one of the pairs in `PAIRS` (0/1, no/yes, false/true, ...; in upper or lower case),
      with or without blanks, rows with the second value are labelled.
    - With one value and blanks, rows with the value are labelled. A value that means no
      (0, ``no``, ``false``, ...) is rejected.
    - Anything else is rejected, with the values and their counts.

    Rows with a value in `negative` are known negatives. They are not labelled, and their value is
    left out of these rules.

    Parameters
    ----------
    table : Table
        The table.
    name : str
        The label column.
    positive : optional
        The value that marks labelled rows.
    negative : list, optional
        Values that mark known negatives.

    Returns
    -------
    labels : Labels

    Examples
    --------
    >>> from pathlib import Path
    >>> import pandas as pd
    >>> from unlabeled.app.tables import Table, label_column
    >>> frame = pd.DataFrame({"diagnosis": ["yes", "no", None, "no"], "age": [61, 47, 50, 38]})
    >>> print(label_column(Table(frame, Path("patients.csv")), "diagnosis"))
    1 of 4 rows is labelled (`diagnosis` = 'yes'). The other 3 are unlabelled ('no': 2, blank: 1).
    """
    check_column(name, table.columns, "label")
    words = cells_as_words(table.frame[name])
    found = words.value_counts()
    values = {str(value): int(times) for value, times in found.items() if value and times}
    blank = len(words) - sum(values.values())
    if not values:
        raise TableError(
            f"`label` must be a column that marks the labelled rows; got {name!r}, which is blank "
            "in every row. Name another column."
        )
    no = {_given(name, values, blank, one, "negative"): one for one in negative}
    negatives = {value: values[value] for value in no}
    may_mark = {value: times for value, times in values.items() if value not in negatives}
    if positive is not None:
        marked = _given(name, values, blank, positive, "positive")
    else:
        marked = _known(name, may_mark, blank) if may_mark else ""
    if marked not in may_mark:
        raise TableError(
            f"`negative` must leave a value of {name!r} that marks labelled rows; got "
            f"{_counted(negatives, 0)} of {_counted(values, blank)}. Name only values that mark "
            "known negatives."
        )
    if values[marked] == len(words):
        raise TableError(
            f"`label` must leave some rows unlabelled; got {name!r}, which is {marked!r} in all "
            f"{count(len(words))} rows. Unlabelled rows need another value, or a blank."
        )
    others = {value: times for value, times in may_mark.items() if value != marked}
    s, known = (words == marked).to_numpy(dtype=np.int64), words.isin(negatives).to_numpy()
    return Labels(s, name, marked, others, blank, negatives, known)


def cells_as_words(column: Any) -> Any:
    """Return the values as stripped text, blank where missing."""
    import pandas as pd

    if pd.api.types.is_bool_dtype(column.dtype):
        column = column.map({True: "true", False: "false"})
    elif pd.api.types.is_float_dtype(column.dtype):
        column = column.map(lambda value: f"{value:.15g}", na_action="ignore")
    missing = column.isna()
    return column.astype(object).where(~missing, "").astype(str).str.strip()


def _given(name: str, values: dict[str, int], blank: int, value: Any, argument: str) -> str:
    given = str(value).strip()
    if given in values:
        return given
    same = [value for value in values if value.lower() == given.lower()]
    if len(same) == 1:
        return same[0]
    meant = nearest(given, values)
    hint = f" Did you mean {meant!r}?" if meant else ""
    raise TableError(
        f"`{argument}` must be a value of {name!r} ({_counted(values, blank)}); got {given!r}."
        f"{hint}"
    )


def _known(name: str, values: dict[str, int], blank: int) -> str:
    by_lower = {value.lower(): value for value in values}
    if len(values) == len(by_lower) == 2:
        for no, yes in PAIRS:
            if by_lower.keys() == {no, yes}:
                return by_lower[yes]
    if len(values) == 1:
        only = next(iter(values))
        if only.lower() not in _NEGATIVE:
            return only
        raise TableError(
            f"`label` must be a column that marks the labelled rows; got {name!r} "
            f"({_counted(values, blank)}), which marks no row. Set `positive` to the value that "
            "does."
        )
    if len(values) > _MOST_LABEL_VALUES:
        raise TableError(
            f"`label` must be the column that marks the labelled rows; got {name!r} with "
            f"{count(len(values))} different values, so it is probably not that column. Name "
            "another column, or set `positive` to the value that marks labelled rows."
        )
    many, example = "two values", ""
    if len(values) == 2:
        many = "a pair of values such as no and yes"
        example = f", such as {min(values, key=lambda value: values[value])!r}"
    raise TableError(
        f"`label` must be a column with {many}, or with one value and blanks; got {name!r} with "
        f"{count(len(values))} ({_counted(values, blank)}). Set `positive` to the value that marks "
        f"labelled rows{example}; all other rows then count as unlabelled."
    )


def _counted(values: dict[str, int], blank: int) -> str:
    shown = [f"{value!r}: {count(times)}" for value, times in list(values.items())[:_MOST_VALUES]]
    rest = list(values.values())[_MOST_VALUES:]
    shown += [f"{count(len(rest))} more values: {count(sum(rest))}"] * bool(rest)
    shown += [f"blank: {count(blank)}"] * bool(blank)
    return ", ".join(shown)

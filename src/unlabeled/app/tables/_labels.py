"""Read from columns which rows of a table are labeled, and what checked rows turned out to be."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ...codes import Message
from ...engine.label_words import LABELED, NO, PAIRS, UNLABELED, as_word, labeled_word
from ...engine.sampling import Sampling
from ._columns import cells_as_words
from ._formats import MISSING
from ._read import Table
from ._words import TableError, are, check_column, count, count_of, listed, nearest

_NO_LABEL = NO | UNLABELED
_WORDS = {word for pair in PAIRS for word in pair} | UNLABELED | LABELED
# In a column with yes or no, y is yes and n is no.
_SHORT = {"y": "yes", "n": "no", "t": "true", "f": "false"}
_LONG_PAIR = {
    "y": {"no", "yes"},
    "n": {"no", "yes"},
    "t": {"false", "true"},
    "f": {"false", "true"},
}
_MOST_VALUES = 6
# A column with more values than this hardly marks rows.
_MOST_LABEL_VALUES = 50

FILLED = "any value"
"""What marks labeled rows of a column where every value does, such as a date of diagnosis."""


@dataclass(frozen=True, eq=False)
class Labels:
    """The labels of a table; prints as a sentence.

    Attributes
    ----------
    s : ndarray of shape (n_rows,)
        1 for labeled rows, else 0.
    column : str
        The label column.
    positive : str
        The value that marks labeled rows, as text; the most frequent one if there are several.
    others : dict of str to int
        The other values with their counts, the most frequent first.
    blank : int
        Rows with a blank or missing label.
    negatives : dict of str to int
        The values that mark known negatives, with their counts. Such rows are not labeled.
    negative : ndarray of shape (n_rows,)
        True for known negatives.
    cases : str or None
        The name of the file of cases, if they come from a file of their own. The unlabeled rows
        are then a sample of the population.
    positives : dict of str to int
        All values that mark labeled rows, with their counts: several if `positive` named
        several, or if one is spelled in several ways.
    """

    s: np.ndarray
    column: str
    positive: str
    others: dict[str, int]
    blank: int
    negatives: dict[str, int] = field(default_factory=dict)
    negative: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=bool))
    cases: str | None = None
    positives: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.positives:
            object.__setattr__(self, "positives", {self.positive: int(self.s.sum())})

    @property
    def sampling(self) -> Sampling:
        """Which rows stand for the population."""
        return Sampling.ONE if self.cases is None else Sampling.TWO

    @property
    def of_population(self) -> np.ndarray:
        """True for the rows that the numbers are about: all, or the sample of the population."""
        return np.ones(len(self.s), dtype=bool) if self.cases is None else self.s == 0

    @property
    def n_labeled(self) -> int:
        """How many rows are labeled."""
        return int(self.s.sum())

    @property
    def may_be_negative(self) -> tuple[str, ...]:
        """Values that mean no, beside blank cells: perhaps somebody has looked at these rows."""
        if self.cases is not None or not self.blank:
            return ()
        return tuple(value for value in self.others if as_word(value) in NO)

    @property
    def values(self) -> str:
        """The values of the column with their counts, the labeled one first."""
        labeled = {self.positive: self.n_labeled}
        return _counted(labeled | self.negatives | self.others, self.blank)

    def to_dict(self) -> dict[str, Any]:
        """Return the counts as plain values, for JSON.

        Returns
        -------
        found : dict
        """
        return {
            "column": self.column,
            "positive": self.positive,
            "positives": self.positives,
            "labeled": self.n_labeled,
            "unlabeled": len(self.s) - self.n_labeled,
            "other_values": self.others,
            "blank": self.blank,
            "negatives": self.negatives,
            "cases": self.cases,
        }

    def __str__(self) -> str:
        if self.cases is not None:
            cases, others = self.n_labeled, len(self.s) - self.n_labeled
            return (
                f"{count(cases)} {'case comes' if cases == 1 else 'cases come'} from {self.cases}. "
                f"The other {count(others)} rows are a sample of the population."
            )
        n_rows, labeled, negative = len(self.s), self.n_labeled, sum(self.negatives.values())
        others = n_rows - labeled - negative
        known = ""
        if self.negatives:
            known = f", {count(negative)} {are(negative)} known to be negative"
            known += f" ({_counted(self.negatives, 0)})"
        unlabeled = _counted(self.others, self.blank)
        return (
            f"{count(labeled)} of {count(n_rows)} rows {are(labeled)} labeled "
            f"(`{self.column}` = {_marking(self.positives)}){known}. The other {count(others)} "
            f"{are(others)} unlabeled{f' ({unlabeled})' * bool(unlabeled)}."
        )


def _marking(values: dict[str, int]) -> str:
    """Write the values that mark labeled rows."""
    if len(values) == 1:
        return FILLED if FILLED in values else repr(next(iter(values)))
    one = ", taken as one value" * (len(set(_spellings(values).values())) == 1)
    return _counted(values, 0) + one


def label_column(
    table: Table,
    name: str,
    positive: Any = None,
    negative: Iterable[Any] = (),
    *,
    filled: bool = False,
) -> Labels:
    """Read from a column which rows are labeled.

    Values are compared as text, without spaces around them: ``1``, ``1.0`` and
    ``"1"`` are the same. The first of these rules that applies decides:

    - With `positive`, rows with that value, or one of these values, are labeled. All others,
      including blank ones, are not. The comparison ignores case if no value matches exactly.
    - With a pair such as 0/1, -1/1, no/yes, false/true or negative/positive, with or without
      blanks, rows with the second value are labeled.
    - With one value beside words for unlabeled rows (``unlabeled``, ``unknown``, ``not tested``,
      ...), rows with that value are labeled.
    - With one value and blanks, rows with the value are labeled. A value that means no
      (0, ``no``, ``false``, ...) is rejected.
    - Anything else is rejected, with the values and their counts.

    Spellings such as ``Yes``, ``yes`` and ``Y`` are one value; the sentence counts them.

    Rows with a value in `negative` are known negatives. They are not labeled, and their value is
    left out of these rules.

    Parameters
    ----------
    table : Table
        The table.
    name : str
        The label column.
    positive : value or list of values, optional
        What marks labeled rows.
    negative : list, optional
        Values that mark known negatives.
    filled : bool
        Whether every value marks a labeled row, as a date of diagnosis or a note does. Blank rows
        are the others. No value is then kept.

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
    1 of 4 rows is labeled (`diagnosis` = 'yes'). The other 3 are unlabeled ('no': 2, blank: 1).
    """
    check_column(name, table.columns, "label")
    words = cells_as_words(table.frame[name])
    counts = words.value_counts()
    values = {str(value): int(times) for value, times in counts.items() if value and times}
    said = _said(name, values, len(words), positive, negative, filled)
    marked = words != "" if filled else words.isin(said.positives)
    known = words.isin(said.negatives).to_numpy()
    return said.labels(name, marked.to_numpy(dtype=np.int64), known)


def labels_of_codes(
    name: str,
    codes: np.ndarray,
    words: Sequence[str],
    positive: Any = None,
    negative: Iterable[Any] = (),
    *,
    filled: bool = False,
) -> Labels:
    """Read which rows are labeled from codes of rows and the word of each code.

    Parameters
    ----------
    name : str
        The label column.
    codes : ndarray of shape (n_rows,)
        The place of each row's value in `words`.
    words : list of str
        The values as `cells_as_words` gives them, blank where missing. Some may be equal.
    positive, negative, filled
        As in `label_column`.

    Returns
    -------
    labels : Labels
        With `s` and `negative` of one byte per row.
    """
    times = np.bincount(codes, minlength=len(words))
    counted: dict[str, int] = {}
    for word, n in zip(words, times.tolist(), strict=True):
        counted[word] = counted.get(word, 0) + n
    values = {word: n for word, n in counted.items() if word and n}
    values = dict(sorted(values.items(), key=lambda one: -one[1]))
    said = _said(name, values, len(codes), positive, negative, filled)
    marks = np.array(
        [bool(word) if filled else word in said.positives for word in words], dtype=np.uint8
    )
    known = np.array([word in said.negatives for word in words], dtype=bool)
    return said.labels(name, marks[codes], known[codes])


class _Said(NamedTuple):
    """What the values of a label column say: which mark labeled rows, and which negatives."""

    positives: dict[str, int]
    others: dict[str, int]
    negatives: dict[str, int]
    blank: int

    def labels(self, name: str, s: np.ndarray, known: np.ndarray) -> Labels:
        """Return the labels of the rows."""
        first = next(iter(self.positives))
        return Labels(
            s, name, first, self.others, self.blank, self.negatives, known, positives=self.positives
        )


def _said(
    name: str,
    values: dict[str, int],
    n_rows: int,
    positive: Any,
    negative: Iterable[Any],
    filled: bool = False,
) -> _Said:
    """Find the values that mark labeled rows; `values` has counts, the most frequent first."""
    blank = n_rows - sum(values.values())
    if not values:
        raise TableError(
            f"`label` must be a column that marks the labeled rows; got {name!r}, which is blank "
            "in every row. Name another column."
        )
    if filled:
        if positive is not None or tuple(negative):
            raise TableError(
                "`filled` must go without `positive` and `negative`: every value of the label "
                "column then marks a labeled row. Leave it, or them, out."
            )
        if not blank:
            raise TableError(
                "`filled` must go with a label column that is blank in unlabeled rows; got "
                f"{name!r}, which has a value in all {count(n_rows)} rows. Name another column."
            )
        return _Said({FILLED: n_rows - blank}, {}, {}, blank)
    no = [value for one in negative for value in _given(name, values, blank, one, "negative")]
    negatives = {value: values[value] for value in values if value in no}
    may_mark = {value: times for value, times in values.items() if value not in negatives}
    if positive is not None:
        several = positive if isinstance(positive, (list, tuple, set)) else (positive,)
        marked = [v for one in several for v in _given(name, values, blank, one, "positive")]
    else:
        marked = _known(name, may_mark, blank) if may_mark else []
    if not marked or not set(marked) <= may_mark.keys():
        raise TableError(
            f"`negative` must leave a value of {name!r} that marks labeled rows; got "
            f"{_counted(negatives, 0)} of {_counted(values, blank)}. Name only values that mark "
            "known negatives."
        )
    positives = {value: times for value, times in values.items() if value in marked}
    if sum(positives.values()) == n_rows:
        raise TableError(
            f"`label` must leave some rows unlabeled; got {name!r}, which is "
            f"{' or '.join(map(repr, positives))} in all {count(n_rows)} rows. Unlabeled rows "
            "need another value, or a blank."
        )
    others = {value: times for value, times in may_mark.items() if value not in positives}
    return _Said(positives, others, negatives, blank)


def _spellings(values: Iterable[str]) -> dict[str, str]:
    """Return the value that each is a spelling of: in lower case, yes for y beside yes or no."""
    lower = {value: as_word(value) for value in values}
    there = set(lower.values())
    return {
        value: _SHORT[word] if _LONG_PAIR.get(word, set()) & there else word
        for value, word in lower.items()
    }


def _given(name: str, values: dict[str, int], blank: int, value: Any, argument: str) -> list[str]:
    """Return the spellings of a value that was named; of other words than yes and no, as named."""
    given = str(value).strip()
    if given in values and as_word(given) not in _WORDS:
        return [given]
    spelled = _spellings([*values, given])
    same = [one for one in values if spelled[one] == spelled[given]]
    if same:
        return same
    meant = nearest(given, values)
    hint = f" Did you mean {meant!r}?" if meant else ""
    raise TableError(
        f"`{argument}` must be a value of {name!r} ({_counted(values, blank)}); got {given!r}."
        f"{hint}"
    )


def _known(name: str, values: dict[str, int], blank: int) -> list[str]:
    """Return the values that mark labeled rows, where that needs no help."""
    spelled = _spellings(values)
    meant = set(spelled.values())
    if len(meant) == 1 and not meant & _NO_LABEL:
        return list(values)
    labeled = labeled_word(meant)
    if labeled is not None:
        return [value for value in values if spelled[value] == labeled]
    if len(meant) == 1:
        raise TableError(
            f"`label` must be a column that marks the labeled rows; got {name!r} "
            f"({_counted(values, blank)}), which marks no row. Set `positive` to the value that "
            "does."
        )
    any_value = " If every row with a value is labeled, give `filled`." * bool(blank)
    if len(values) > _MOST_LABEL_VALUES:
        raise TableError(
            f"`label` must be the column that marks the labeled rows; got {name!r} with "
            f"{count(len(values))} different values, so it is probably not that column. Name "
            f"another column, or set `positive` to the value that marks labeled rows.{any_value}"
        )
    many, example = "two values", ""
    if len(values) == 2:
        many = "a pair of values such as no and yes"
        example = _such_as(values, blank)
    raise TableError(
        Message(
            f"`label` must be a column with {many}, or with one value and blanks; got {name!r} "
            f"with {count(len(values))} ({_counted(values, blank)}). Set `positive` to the value "
            f"that marks labeled rows{example};",
            python="it takes several values.",
            terminal="it may be repeated.",
            more="All other rows then count as unlabeled, unless `negative` names their value as "
            f"that of known negatives.{any_value}",
        )
    )


def _such_as(values: dict[str, int], blank: int) -> str:
    """Suggest the value that most probably marks labeled rows: a word for yes, or none for no.

    Beside blanks, an odd value is rare; without them, labeled rows are. `values` has the most
    frequent first.
    """
    yes = [value for value in values if as_word(value) in _WORDS - _NO_LABEL]
    may_be = yes or [value for value in values if as_word(value) not in _NO_LABEL]
    return f", such as {may_be[0 if blank else -1]!r}" if may_be else ""


def _counted(values: dict[str, int], blank: int) -> str:
    shown = [f"{value!r}: {count(times)}" for value, times in list(values.items())[:_MOST_VALUES]]
    rest = list(values.values())[_MOST_VALUES:]
    shown += [f"{count(len(rest))} more values: {count(sum(rest))}"] * bool(rest)
    shown += [f"blank: {count(blank)}"] * bool(blank)
    return ", ".join(shown)


# What people found when they checked rows: yes, no, or nothing.

_ANSWERS = [pair for pair in PAIRS if pair[0] not in ("one", "-1")]
_NO, _YES = ({pair[which] for pair in _ANSWERS} for which in (0, 1))
_NOT_SURE = {"not sure", "notsure", "not_sure", "unsure", "unknown", "don't know", "maybe", "-"}
_NOT_SURE |= {text.strip().lower() for text in MISSING}

WORDS = "yes, no, 1, 0, true, false or not sure, or leave it blank"
"""What a person may answer, for messages."""


def read_answer(cell: str) -> float | None:
    """Read one answer: 1 for yes, 0 for no, NaN for not sure or blank; None for anything else.

    Upper and lower case, spaces around the word, and ``1.0`` or ``1,0`` for 1, do not matter.

    Parameters
    ----------
    cell : str
        The answer as it was written.

    Returns
    -------
    answer : float or None

    Examples
    --------
    >>> [read_answer(cell) for cell in ("Yes", "FALSE", "1,0", "not sure", "perhaps")]
    [1.0, 0.0, 1.0, nan, None]
    """
    word = " ".join(cell.lower().split())
    if word.replace(",", ".") in ("1.0", "0.0"):
        word = word[0]
    if word in _NOT_SURE:
        return float("nan")
    return 1.0 if word in _YES else 0.0 if word in _NO else None


def checked_rows(table: Table, labels: Labels, column: str | None = None) -> np.ndarray | None:
    """Return what is known of rows beside their labels: 1, 0, or NaN for rows not checked.

    Parameters
    ----------
    table : Table
        The table.
    labels : Labels
        Its labels; their known negatives are checked rows.
    column : str, optional
        A column with yes, no or nothing for every row.

    Returns
    -------
    checked : ndarray of shape (n_rows,) or None
        NaN in labeled rows; None if no unlabeled row was checked.

    Raises
    ------
    TableError
        If the column has other words, if a labeled row was found negative, or if label column
        and checked column disagree.
    """
    checked = np.where(labels.negative, 0.0, np.nan)
    if column is not None:
        answers = _answers(table, column)
        _check_no_conflict(labels, checked, answers, column)
        checked = np.where(np.isnan(answers), checked, answers)
        checked[labels.s == 1] = np.nan  # a labeled row is positive: yes says nothing new
    return None if np.isnan(checked).all() else checked


def _answers(table: Table, name: str) -> np.ndarray:
    check_column(name, table.columns, "checked")
    words = cells_as_words(table.frame[name])
    known = {word: read_answer(word) for word in words.unique()}
    odd = [word for word, answer in known.items() if answer is None]
    if odd:
        raise TableError(
            f"`checked` must be a column with yes, no or blank cells; got {name!r} with "
            f"{listed(odd, 3)} in {count_of(int(words.isin(odd).sum()), 'row')}. Write {WORDS}."
        )
    answers = words.map(known).to_numpy(dtype=np.float64)
    if np.isnan(answers).all():
        raise TableError(
            f"`checked` must be a column that says yes or no for some rows; got {name!r}, which "
            "does for none. Leave it out, or name another column."
        )
    return answers


def _check_no_conflict(
    labels: Labels, negative: np.ndarray, answers: np.ndarray, column: str
) -> None:
    wrong = int(((labels.s == 1) & (answers == 0)).sum())
    if wrong:
        raise TableError(
            f"`checked` must not say no about labeled rows; got {column!r} with no in "
            f"{count_of(wrong, 'row')} labeled {listed(list(labels.positives), 3)} in "
            f"{labels.column!r}. Remove those labels if they are wrong."
        )
    both = int(((negative == 0) & (answers == 1)).sum())
    if both:
        raise TableError(
            f"`checked` and `negative` must not disagree; got {count(both)} known negatives in "
            f"{labels.column!r} with yes in {column!r}. Correct one of the two columns."
        )


def checked_record(checked: np.ndarray | None) -> dict[str, int] | None:
    """Return how many rows were checked, as plain values for JSON; None if none was."""
    if checked is None:
        return None
    return {"positive": int((checked == 1).sum()), "negative": int((checked == 0).sum())}

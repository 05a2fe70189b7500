"""What people found when they checked rows: yes, no, or nothing."""

from __future__ import annotations

import numpy as np

from ._columns import cells_as_words
from ._formats import MISSING
from ._labels import PAIRS, Labels
from ._read import Table
from ._words import TableError, check_column, count, count_of, listed

_WORDS = [pair for pair in PAIRS if pair[0] not in ("unlabelled", "unlabeled", "-1")]
_NO, _YES = ({pair[which] for pair in _WORDS} for which in (0, 1))
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
        NaN in labelled rows; None if no unlabelled row was checked.

    Raises
    ------
    TableError
        If the column has other words, if a labelled row was found negative, or if label column
        and checked column disagree.
    """
    checked = np.where(labels.negative, 0.0, np.nan)
    if column is not None:
        answers = _answers(table, column)
        _check_no_conflict(labels, checked, answers, column)
        checked = np.where(np.isnan(answers), checked, answers)
        checked[labels.s == 1] = np.nan  # a labelled row is positive: yes says nothing new
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
            f"`checked` must not say no about labelled rows; got {column!r} with no in "
            f"{count_of(wrong, 'row')} labelled {listed(list(labels.positives), 3)} in "
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

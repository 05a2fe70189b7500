"""Answers of rows that somebody checked: 1 found positive, 0 found negative, missing otherwise."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

from ..arrays import reject_other_length
from ._dask import is_dask
from ._encoding import is_missing


def validate_checked(
    checked: Any, s: np.ndarray, kept: np.ndarray | None = None
) -> np.ndarray | None:
    """Read the answers of checked rows: 1.0, 0.0, or NaN for a row that nobody checked.

    A labelled row is known to be positive. An answer 1 there says nothing new and becomes NaN; an
    answer 0 is rejected.

    Parameters
    ----------
    checked : array-like or None
        One answer per row that was passed: 1 or True for a row found positive, 0 or False for one
        found negative; NaN, None or pandas' NA for a row that was not checked.
    s : ndarray of shape (n_rows,)
        1.0 for labelled rows, 0.0 for the others.
    kept : ndarray of bool, optional
        Which of the rows that were passed `s` has; None if all.

    Returns
    -------
    answers : ndarray of shape (n_rows,) or None
        None if no unlabelled row was checked.
    """
    if checked is None:
        return None
    numbers = np.arange(len(s)) if kept is None else np.flatnonzero(kept)
    answers = _answers(checked, len(s) if kept is None else len(kept))[numbers]
    refuted = numbers[(answers == 0) & (s == 1)]
    if len(refuted):
        raise ValueError(
            "`checked` must not be 0 in a labelled row, because labels are taken as right; got 0 "
            f"in {len(refuted)} of them, the first is row {refuted[0]}. Make it unlabelled if the "
            "label is wrong, or leave the answer out if that is."
        )
    answers[s == 1] = np.nan
    return None if np.all(np.isnan(answers)) else answers


def _answers(checked: Any, n_rows: int) -> np.ndarray:
    """Return the answers as numbers; reject everything but 1, 0 and missing."""
    if is_dask(checked):
        raise TypeError(
            f"`checked` must be in memory; got a Dask {type(checked).__name__}. Call its compute() "
            "first."
        )
    column = np.asarray(checked)
    if isinstance(checked, np.ma.MaskedArray):
        column = column.astype(object)
        column[np.ma.getmaskarray(checked)] = None
    if column.ndim != 1:
        raise ValueError(
            "`checked` must have one answer per row; got an array of shape "
            f"{column.shape}. Pass one column."
        )
    reject_other_length(n_rows, len(column), "`checked`", "Pass one answer per row.")
    if column.dtype.kind in "biuf":
        answers = column.astype(np.float64)
    else:
        answers = np.array([_answer(value) for value in column])
    wrong = np.flatnonzero(~(np.isnan(answers) | (answers == 0) | (answers == 1)))
    if len(wrong):
        raise ValueError(
            "`checked` must hold 1 (found positive), 0 (found negative) or missing (not checked); "
            f"got {column[wrong[:1]].tolist()[0]!r} in row {wrong[0]}. Translate other values "
            "first."
        )
    return answers


def _answer(value: Any) -> float:
    """Return 1.0, 0.0 or NaN; infinity stands for any other value."""
    if is_missing(value):
        return np.nan
    return float(value) if isinstance(value, Real | np.bool_) and value in (0, 1) else np.inf

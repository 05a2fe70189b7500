"""Columns beside X: row weights, answers of checked rows, groups, scores."""

from __future__ import annotations

from numbers import Number, Real
from typing import Any

import numpy as np
from sklearn.utils.validation import check_array, column_or_1d

from ..arrays import is_dask, reject_other_length
from ._copies import number_distinct_rows, numbered_as_they_come
from ._encoding import is_missing

# Weights.


class CopyCounts(np.ndarray):
    """Row weights that count copies of a row, as a bootstrap draws them.

    Leave-one-out then removes all copies of a row at once. Whoever takes weights takes them;
    their slices are of this type too, so searches and wrappers pass it on to what they fit.
    """

    @classmethod
    def of(cls, counts: Any) -> CopyCounts:
        """Mark weights as counts of copies."""
        return np.asarray(counts, dtype=np.float64).view(cls)


def validate_weight(sample_weight: Any, n_rows: int) -> np.ndarray | None:
    """Check row weights; None stays None."""
    if sample_weight is None:
        return None
    if isinstance(sample_weight, Number):
        sample_weight = np.full(n_rows, sample_weight)
    if isinstance(sample_weight, str):
        raise ValueError(
            f"`sample_weight` must have one number for each of the {n_rows} rows; got "
            f"{sample_weight!r}. Compute them first, for instance with compute_sample_weight."
        )
    weight = check_array(
        sample_weight,
        ensure_2d=False,
        dtype=np.float64,
        ensure_all_finite=False,
        input_name="sample_weight",
    )
    if weight.ndim != 1 or len(weight) != n_rows:
        raise ValueError(
            f"`sample_weight` must have one number for each of the {n_rows} rows; "
            f"got shape {weight.shape}. Sample weights must be 1D array or scalar."
        )
    reject_bad_weight(weight)
    return weight


def reject_bad_weight(weight: np.ndarray) -> None:
    """Raise if a weight is negative or not finite, or if squares of weights overflow."""
    fine = np.isfinite(weight) & (weight >= 0)
    if not np.all(fine):
        raise ValueError(
            f"`sample_weight` must hold finite numbers of at least 0; got {weight[~fine][0]}. "
            "Give rows to leave out the weight 0."
        )
    with np.errstate(over="ignore"):
        if not np.isfinite(np.sum(weight * weight)):
            raise ValueError(
                "`sample_weight` must have squares that add up to a finite number; got a weight of "
                f"{weight.max():g}. Divide all weights by their mean."
            )


def reject_one_class(s: np.ndarray, weight: np.ndarray) -> None:
    """Raise if only labeled, or only unlabeled, rows have a weight above 0."""
    kept = weight > 0
    reject_empty_class(int(s[kept].sum()), int(kept.sum()))


def reject_empty_class(n_labeled: int, n_rows: int) -> None:
    """Raise if no labeled, or no unlabeled, row is left."""
    if not 0 < n_labeled < n_rows:
        raise ValueError(
            "`sample_weight` must be positive for some row of each class, labeled and "
            "unlabeled; got only zeros for one class. Check the weights."
        )


# Answers of rows that somebody checked: 1 found positive, 0 found negative, missing otherwise.


class ChosenBeforehand(np.ndarray):
    """Answers of rows that were chosen for checking before anybody knew their class.

    Slices are of this type too, so searches and resamples pass it on to what they fit.
    """


def chosen_beforehand(checked: Any) -> np.ndarray:
    """Say that rows were chosen for checking before their class was known.

    The fit of a classifier asks for this word if every answer in `checked` is negative: such
    answers may be a record of negatives, which it cannot use. What is right of rows that were
    drawn at random, or by anything in X, is wrong of rows that were recorded as negative.

    Parameters
    ----------
    checked : array-like of shape (n_rows,)
        The answers, as in `fit`: 1, 0, or missing for a row that nobody checked.

    Returns
    -------
    checked : ndarray of shape (n_rows,)
        The same answers with this word, for the argument `checked` of a fit.

    Examples
    --------
    >>> import numpy as np
    >>> from unlabeled import PULogistic
    >>> from unlabeled.audit import chosen_beforehand
    >>> from unlabeled.datasets import make_paper_gaussian
    >>> data = make_paper_gaussian(n=600, label_frequency=0.6, random_state=0)
    >>> checked = np.full(600, np.nan)
    >>> checked[np.flatnonzero(data.s == 0)[:3]] = 0
    >>> PULogistic().fit(data.X, data.s, checked=chosen_beforehand(checked)).n_checked_
    3
    """
    column = np.asarray(checked)
    answers = _answers(checked, len(column) if column.ndim else 0)
    return answers.view(ChosenBeforehand)


def reject_record_of_negatives(checked: Any, answers: np.ndarray | None, s: np.ndarray) -> None:
    """Raise if no checked row is positive, and nobody said that rows were chosen beforehand.

    If every unlabeled row was checked it does not matter how they were chosen.

    Parameters
    ----------
    checked : array-like or None
        What the user passed.
    answers : ndarray of shape (n_rows,) or None
        What `validate_checked` returned for it.
    s : ndarray of shape (n_rows,)
        1.0 for labeled rows, 0.0 for the others.
    """
    if answers is None or isinstance(checked, ChosenBeforehand) or np.any(answers == 1):
        return
    n_checked = int(np.sum(answers == 0))
    if n_checked == np.sum(s == 0):
        return
    raise ValueError(
        f"`checked` must hold a row found positive too, or say how rows were chosen; got "
        f"{n_checked} answers, all negative. {ASKED} If chosen before, pass "
        "chosen_beforehand(checked), from unlabeled.audit. If recorded, pass them as `negatives` "
        "to PUThresholdClassifier or PUEnsemble, or leave `checked` out: the rows then count as "
        f"unlabeled. {COSTS}"
    )


ASKED = (
    "Were these rows chosen before their class was known, or recorded because they are negative?"
)
"""What is asked of a person whose answers are all negative."""

COSTS = (
    "That makes no number wrong, and only what these rows say is not used. Or leave the rows out "
    "of the table: all numbers are then about the other rows, of which more are positive."
)
"""What it costs to do without negatives that were recorded because they are negative."""


def validate_checked(
    checked: Any, s: np.ndarray, kept: np.ndarray | None = None
) -> np.ndarray | None:
    """Read the answers of checked rows: 1.0, 0.0, or NaN for a row that nobody checked.

    A labeled row is known to be positive. An answer 1 there says nothing new and becomes NaN; an
    answer 0 is rejected.

    Parameters
    ----------
    checked : array-like or None
        One answer per row that was passed: 1 or True for a row found positive, 0 or False for one
        found negative; NaN, None or pandas' NA for a row that was not checked.
    s : ndarray of shape (n_rows,)
        1.0 for labeled rows, 0.0 for the others.
    kept : ndarray of bool, optional
        Which of the rows that were passed `s` has; None if all.

    Returns
    -------
    answers : ndarray of shape (n_rows,) or None
        None if no unlabeled row was checked.
    """
    if checked is None:
        return None
    numbers = np.arange(len(s)) if kept is None else np.flatnonzero(kept)
    answers = _answers(checked, len(s) if kept is None else len(kept))[numbers]
    refuted = numbers[(answers == 0) & (s == 1)]
    if len(refuted):
        raise ValueError(
            "`checked` must not be 0 in a labeled row, because labels are taken as right; got 0 "
            f"in {len(refuted)} of them, the first is row {refuted[0]}. Make it unlabeled if the "
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


# Rows that were recorded because they are negative.


def validate_negatives(
    negatives: Any,
    s: np.ndarray,
    kept: np.ndarray | None = None,
    *,
    checked: np.ndarray | None = None,
    is_two: bool = False,
) -> np.ndarray | None:
    """Read which rows were recorded because they are negative.

    Parameters
    ----------
    negatives : array-like of bool or None
        One per row that was passed.
    s : ndarray of shape (n_rows,)
        1.0 for labeled rows, 0.0 for the others.
    kept : ndarray of bool, optional
        Which of the rows that were passed `s` has; None if all.
    checked : ndarray of shape (n_rows,), optional
        The answers, as `validate_checked` returns them.
    is_two : bool
        Whether the labeled rows are a sample of their own.

    Returns
    -------
    marks : ndarray of bool or None
        Of all rows that were passed; None if none was recorded.
    """
    if negatives is None:
        return None
    if is_dask(negatives):
        raise TypeError(
            "`negatives` must be in memory; got a Dask "
            f"{type(negatives).__name__}. Call its compute() first."
        )
    column = np.asarray(negatives)
    n_passed = len(s) if kept is None else len(kept)
    if column.ndim != 1:
        raise ValueError(
            "`negatives` must have one True or False per row; got an array of shape "
            f"{column.shape}. Pass one column."
        )
    reject_other_length(n_passed, len(column), "`negatives`", "Pass one True or False per row.")
    odd = [one for one in column.tolist() if not isinstance(one, bool)]
    if odd:
        raise ValueError(
            "`negatives` must hold True (recorded because the row is negative) or False; got "
            f"{odd[0]!r}. Compare the column with what it says of negative rows."
        )
    marks = column.astype(bool)
    numbers = np.arange(n_passed) if kept is None else np.flatnonzero(kept)
    of_rows = marks[numbers]
    if not of_rows.any():
        return None
    if is_two:
        raise ValueError(
            "`negatives` must be None in two samples, whose unlabeled rows stand for the "
            f"population; got {of_rows.sum()} rows. Leave it out."
        )
    labeled = numbers[of_rows & (s == 1)]
    if len(labeled):
        raise ValueError(
            "`negatives` must be False in a labeled row, because labels are taken as right; got "
            f"True in {len(labeled)} of them, the first is row {labeled[0]}. Make it unlabeled if "
            "the label is wrong."
        )
    denied = numbers[of_rows & (checked == 1)] if checked is not None else numbers[:0]
    if len(denied):
        raise ValueError(
            "`negatives` must be False in a row that `checked` says is positive; got True in "
            f"{len(denied)} of them, the first is row {denied[0]}. Find out which is right."
        )
    if of_rows.sum() == np.sum(s == 0):
        raise ValueError(
            "`negatives` must leave unlabeled rows whose class is unknown; got True in all "
            f"{of_rows.sum()} unlabeled rows. Fit an ordinary classifier to both classes."
        )
    return marks


# Groups: rows that belong together, such as those of one person, and how little they tell.


COPIES = "copies"
"""What `groups` may be beside a column: equal rows are then one group."""


def validate_groups(
    groups: Any, n_rows: int, kept: np.ndarray | None = None, X: Any = None
) -> np.ndarray | None:
    """Return the group of every row as a number; reject missing ones.

    Parameters
    ----------
    groups : array-like, "copies" or None
        One value per row that was passed, or the word for equal rows.
    n_rows : int
        Number of rows that were passed.
    kept : ndarray of bool, optional
        Which of them to return; None if all.
    X : rows, optional
        The rows that were passed; without them there is no word.
    """
    if groups is None:
        return None
    if isinstance(groups, str):
        number = _groups_of_copies(groups, n_rows, X)
        return number if kept is None else number[kept]
    column = column_or_1d(groups)
    reject_other_length(n_rows, len(column), "`groups`")
    is_object = column.dtype.kind not in "biuSU"  # whose values cannot be missing
    missing = sum(is_missing(value) for value in column.tolist()) if is_object else 0
    if missing:
        raise ValueError(
            f"`groups` must say to which group each row belongs; got {missing} missing values. "
            "Give a row that belongs to no other row a group of its own."
        )
    values = column.astype(str) if column.dtype.kind == "O" else column
    number = np.unique(values, return_inverse=True)[1]
    return number if kept is None else number[kept]


def _groups_of_copies(word: str, n_rows: int, X: Any) -> np.ndarray:
    """Return the number of each row's distinct row, for the word that asks for it."""
    if word != COPIES or X is None:
        words = f"{COPIES!r}, " if X is not None else ""
        raise ValueError(
            f"`groups` must be {words}None, or have one value for each of the {n_rows} rows; got "
            f"{word!r}. Pass the column itself, not its name."
        )
    number = number_distinct_rows(X)
    return np.arange(n_rows) if number is None else numbered_as_they_come(number)


def group_sums(values: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Add up values over the rows of each group; one row per group that there is.

    Examples
    --------
    >>> group_sums(np.array([1.0, 2.0, 4.0]), np.array([7, 3, 7])).tolist()
    [2.0, 5.0]
    """
    found, place = np.unique(groups, return_inverse=True)
    sums = np.zeros((len(found), *values.shape[1:]))
    np.add.at(sums, place, values)
    return sums


# Scores.


def score_column(score: Any, s: np.ndarray, name: str = "score") -> np.ndarray:
    """Check a column with one finite number per row."""
    column = np.asarray(score)
    if column.ndim != 1 or column.dtype.kind not in "fiu" or len(column) != len(s):
        raise ValueError(
            f"`{name}` must hold one number for each of the {len(s)} rows; got shape "
            f"{column.shape} of type {column.dtype}. Pass one column."
        )
    if not np.all(np.isfinite(column)):
        raise ValueError(
            f"`{name}` must hold finite numbers; got NaN or inf in "
            f"{int(np.sum(~np.isfinite(column)))} rows. Drop these rows."
        )
    return column


def labeled_scores(
    score: Any, s: Any, sample_weight: Any = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Check scores, labels s in {0, 1} and weights of rows, and return them as arrays.

    For functions that users call with scores. Floats keep their precision.
    """
    labels = np.asarray(s)
    if labels.ndim != 1 or labels.dtype.kind not in "biuf":
        raise ValueError(
            "`s` must hold one number for each row, 1 for labeled rows and 0 for the others; got "
            f"shape {labels.shape} of type {labels.dtype}. Pass one column of 0 and 1."
        )
    wrong = labels[(labels != 0) & (labels != 1)]
    if len(wrong):
        raise ValueError(
            f"`s` must be 1 for labeled rows and 0 for the others; got {wrong[0]}. Pass y == "
            "value, for the value that marks labeled rows."
        )
    weight = validate_weight(sample_weight, len(labels))
    counts = labels if weight is None else labels[weight > 0]
    if not 0 < np.count_nonzero(counts) < len(counts):
        raise ValueError(
            "`s` must be 1 for some row and 0 for some other one, both of positive weight; got "
            f"{np.count_nonzero(counts)} labeled rows of {len(counts)}. Check the labels."
        )
    column = score_column(score, labels)
    return _as_float(column), _as_float(labels), weight


def _as_float(column: np.ndarray) -> np.ndarray:
    return column if column.dtype.kind == "f" else column.astype(np.float64)

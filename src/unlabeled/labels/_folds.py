"""Folds of labelled rows, from anything scikit-learn takes as `cv`."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

from ._labelled_rows import LabelledRows

Split = tuple[np.ndarray, np.ndarray]


def label_folds(rows: LabelledRows, cv: Any, random_state: Any = None) -> list[Split]:
    """Turn `cv` into (train, test) row numbers.

    Parameters
    ----------
    rows : LabelledRows
    cv : int, splitter or iterable of (train, test)
        An integer draws folds stratified by label. Row numbers of an iterable
        are those of the rows passed to `fit`.
    random_state : int, RandomState instance or None
        Shuffles the rows before an integer number of folds is made.
    """
    if isinstance(cv, Integral) and not isinstance(cv, bool):
        _check_number_of_folds(rows, int(cv))
        splitter = StratifiedKFold(int(cv), shuffle=True, random_state=random_state)
        return list(splitter.split(rows.s, rows.s))
    if hasattr(cv, "split") and not isinstance(cv, str):
        return list(cv.split(rows.X, rows.s))
    try:
        return [(rows.position(train), rows.position(test)) for train, test in cv]
    except (TypeError, ValueError, IndexError):
        raise ValueError(
            "`cv` must be a number of folds, a splitter such as StratifiedKFold, or a list of "
            f"(train, test) row numbers; got {cv!r}."
        ) from None


def _check_number_of_folds(rows: LabelledRows, cv: int) -> None:
    n_labelled = rows.n_labelled
    n_unlabelled = len(rows.s) - n_labelled
    if not 2 <= cv <= min(n_labelled, n_unlabelled):
        raise ValueError(
            f"`cv` must be at least 2 and at most the number of labelled ({n_labelled}) and of "
            f"unlabelled ({n_unlabelled}) rows; got {cv}. Use fewer folds."
        )

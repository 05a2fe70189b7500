"""Folds of training rows, stratified by label."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from numbers import Integral
from typing import Any, Protocol

import numpy as np
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold
from sklearn.utils import check_random_state

from ...codes import Message, warn
from ..arrays import is_dask
from ._rows import Rows

Split = tuple[np.ndarray, np.ndarray]


class Splitter(Protocol):
    """What scikit-learn's splitters have."""

    def split(self, *args: Any, **kwargs: Any) -> Any:
        """Return the row numbers of each split."""

    def get_n_splits(self, *args: Any, **kwargs: Any) -> Any:
        """Return how many splits there are; a word has no such method."""


Folds = int | Splitter | Iterable[tuple[Any, Any]]


def label_folds(
    rows: Rows,
    cv: Any,
    random_state: Any = None,
    *,
    also: str = "",
    split_params: Mapping[str, Any] | None = None,
) -> list[Split]:
    """Turn anything scikit-learn accepts as `cv` into (train, test) indices.

    Parameters
    ----------
    rows : Rows
    cv : int, splitter or iterable of (train, test)
        An integer gives folds stratified by label, of whole groups if rows have groups, and of all
        equal rows if not (`Rows.together`). A splitter is given the groups. Indices in an iterable
        refer to the rows passed to `fit`.
    random_state : int, RandomState instance or None
        Controls the shuffling of the rows if `cv` is an integer. None: the same in every fit, so
        that a cut does not differ between two fits of one table.
    also : str
        What else the caller accepts as `cv`, for the error message.
    split_params : mapping, optional
        Further arguments of the splitter, such as groups.
    """
    if is_number_of_folds(cv):
        n_labeled, n_unlabeled = rows.fold_units_by_label
        kinds = f"labeled ({n_labeled}) and of unlabeled ({n_unlabeled}) {rows.fold_unit}"
        check_number_of_folds(cv, min(n_labeled, n_unlabeled), kinds)
        seed = 0 if random_state is None else random_state
        if rows.groups is None and rows.together is not None:
            return _folds_of_units(rows.together, rows.s, int(cv), seed)
        kind = StratifiedKFold if rows.groups is None else StratifiedGroupKFold
        splitter = kind(int(cv), shuffle=True, random_state=seed)
        return list(splitter.split(rows.s, rows.s, rows.groups))
    if hasattr(cv, "split") and not isinstance(cv, str):
        params = {} if rows.groups is None else {"groups": rows.groups}
        splits = list(cv.split(rows.X, rows.s, **params, **(split_params or {})))
    else:
        splits = _given_splits(rows, cv, also)
    _reject_split_groups(rows, splits)
    return splits


def _folds_of_units(unit: np.ndarray, s: np.ndarray, n_folds: int, seed: Any) -> list[Split]:
    """Deal units, the largest first, each to the fold with the fewest labeled rows so far.

    Units without labeled rows go where the fewest unlabeled rows are. Units of one size are dealt
    in a random order, all at once, so that it takes no longer than to sort the rows.
    """
    rng = check_random_state(seed)
    size = int(unit.max()) + 1
    labeled_in, unlabeled_in = (np.bincount(unit[s == one], minlength=size) for one in (1, 0))
    base = int(unlabeled_in.max()) + 1
    sizes, kind = np.unique(labeled_in * base + unlabeled_in, return_inverse=True)
    shuffled = rng.permutation(size)
    in_order = shuffled[np.argsort(kind[shuffled], kind="stable")]
    of_kind = np.split(in_order, np.cumsum(np.bincount(kind))[:-1])
    fold, load = np.empty(size, dtype=int), np.zeros((2, n_folds))
    for both, units in zip(reversed(sizes.tolist()), reversed(of_kind), strict=True):
        on, off = divmod(both, base)
        more = np.multiply.outer([on, off], np.arange(len(units)))
        labeled, unlabeled = (load[:, :, None] + more[:, None, :]).reshape(2, -1)
        order = np.lexsort((unlabeled, labeled)) if on else np.argsort(unlabeled, kind="stable")
        fold[units] = order[: len(units)] // len(units)
        load += np.array([[on], [off]]) * np.bincount(fold[units], minlength=n_folds)
    of_row = fold[unit]
    return [(np.flatnonzero(of_row != k), np.flatnonzero(of_row == k)) for k in range(n_folds)]


def _given_splits(rows: Rows, cv: Any, also: str) -> list[Split]:
    try:
        return [(rows.position(train), rows.position(test)) for train, test in cv]
    except (TypeError, ValueError, IndexError):
        raise ValueError(
            "`cv` must be a number of folds, a splitter such as StratifiedKFold, "
            f"{'' if also else 'or '}a list of (train, test) row numbers{also and f', {also}'}; "
            f"got {cv!r}."
        ) from None


def _reject_split_groups(rows: Rows, splits: list[Split]) -> None:
    """Raise if a split puts rows of one group on both sides."""
    if rows.groups is None:
        return
    for train, test in splits:
        both = np.intersect1d(rows.groups[train], rows.groups[test])
        if len(both):
            raise ValueError(
                f"`cv` must keep the rows of one group together; got a split with {len(both)} "
                "groups on both sides. Use a number of folds, or a splitter such as GroupKFold."
            )


def possible_folds(rows: Rows, cv: Any, owner: str, instead: str) -> Any:
    """Return `cv`, reduced to the number of labeled or unlabeled rows if it is larger.

    Every fold needs a labeled and an unlabeled row; `instead` says what to do without two of
    each. Splitters and iterables are not changed.
    """
    if not is_number_of_folds(cv) or cv < 2:
        return cv
    n_labeled, n_unlabeled = rows.fold_units_by_label
    unit, most = rows.fold_unit, min(n_labeled, n_unlabeled)
    if most < 2:
        remedy = f"Label more {unit}" if n_labeled < 2 else f"Add unlabeled {unit}"
        raise ValueError(
            f"{owner} needs at least 2 labeled and 2 unlabeled {unit} to score them out of fold; "
            f"got {n_labeled} labeled and {n_unlabeled} unlabeled. {remedy}, or " + instead + "."
        )
    if cv <= most:
        return cv
    warn(
        "PU118",
        Message(
            python=f"`cv` asks for {cv} folds, but only {n_labeled} {unit} are labeled and "
            f"{n_unlabeled} are unlabeled; {most} folds were used. Label more {unit}, or use "
            f"cv={most}."
        ),
    )
    return most


def reject_row_numbers(X: Any, cv: Any, also: tuple[str, ...] = ()) -> None:
    """Raise if X is in chunks and `cv` is no number of folds, no splitter and none of `also`."""
    is_known = isinstance(cv, str) and cv in also
    is_splitter = hasattr(cv, "split") and not isinstance(cv, str)
    if is_dask(X) and not (is_known or is_splitter or is_number_of_folds(cv)):
        allowed = ", ".join(["a number of folds", "a splitter", *map(repr, also)])
        got = repr(cv) if isinstance(cv, str) else type(cv).__name__
        raise ValueError(
            f"`cv` must be one of {allowed} for rows in chunks; got {got}. Use a number of folds: "
            "they are made of a part of the rows, which has other row numbers."
        )


def reject_without_folds(cv: Any, groups: Any, why: str) -> None:
    """Raise if there are groups and `cv` is a way to hold rows out that splits them."""
    if groups is not None:
        raise ValueError(
            f"`cv` must keep the rows of one group together; got {cv!r}, which {why}. Use a "
            "number of folds, or leave `groups` out."
        )


def is_number_of_folds(cv: Any) -> bool:
    """Whether `cv` is an integer; True and False are not."""
    return isinstance(cv, Integral) and not isinstance(cv, bool)


def check_number_of_folds(cv: int, most: int, of_what: str) -> None:
    """Reject fewer than 2 folds, and more than there are rows to spread over them."""
    if not 2 <= cv <= most:
        advice = "Use fewer folds." if cv >= 2 else "Use 2 or more."
        raise ValueError(
            f"`cv` must be at least 2 and at most the number of {of_what}; got {cv}. {advice}"
        )


def reject_one_kind(s: np.ndarray) -> None:
    """Raise if the training rows of a split are all labeled, or all unlabeled."""
    labeled = np.sum(s)
    if not 0 < labeled < len(s):
        kind = "labeled" if labeled > 0 else "unlabeled"
        raise ValueError(
            "`cv` must leave labeled and unlabeled rows to fit in every split; a split has only "
            f"{kind} rows. Use StratifiedKFold."
        )


def join_folds(n_rows: int, parts: Iterable[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """Join the scores of the test rows of splits, one per row, or one line per row.

    A row in several test sets gets the mean of its scores. A row in no test set is an error.
    """
    parts = list(parts)
    n_columns = parts[0][1].shape[1:] if parts else ()
    total, times = np.zeros((n_rows, *n_columns)), np.zeros(n_rows)
    for test, score in parts:
        total[test] += score
        times[test] += 1
    if not np.all(times > 0):
        raise ValueError(
            f"`cv` must put every row into a test fold; {np.sum(times == 0)} rows are in none. Use "
            "a partition such as StratifiedKFold."
        )
    return (total.T / times).T

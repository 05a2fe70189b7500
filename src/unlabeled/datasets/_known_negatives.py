"""A label column with a third value, for rows known to be negative, taken apart."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.parameters import listed
from ..engine.rows import is_missing


def split_labels(
    column: Any, *, labelled: Any, negative: Any, unlabelled: Any = ()
) -> tuple[np.ndarray, np.ndarray]:
    """Take a column of positives, known negatives and blanks apart into labels and checked rows.

    Such a column says "confirmed" of some rows, "rejected" of others, and nothing of the rest. A
    rejected row is not unlabelled: somebody looked, and it is negative. `PULogistic` and
    `JointLogistic` take such rows as `checked`. **What breaks it:** rows that are recorded because
    they are negative, while positives that somebody found get a label. The class prior then comes
    out far too small, and a fit warns (PU123).

    Parameters
    ----------
    column : array-like of shape (n_rows,)
        One value per row. Missing values (None, NaN) and blank text are unlabelled rows.
    labelled : value or list of values
        What marks labelled rows, which are known to be positive.
    negative : value or list of values
        What marks rows that were found to be negative.
    unlabelled : value or list of values, optional
        What else marks rows of which nothing is known.

    Returns
    -------
    y : ndarray of shape (n_rows,), int
        1 for labelled rows, 0 for the others: the label column of a fit.
    checked : ndarray of shape (n_rows,), float
        0 for known negatives, NaN for the others: the argument `checked` of a fit.

    Examples
    --------
    >>> from unlabeled.datasets import split_labels
    >>> status = ["confirmed", None, "rejected", "", "confirmed"]
    >>> y, checked = split_labels(status, labelled="confirmed", negative="rejected")
    >>> y.tolist(), checked.tolist()
    ([1, 0, 0, 0, 1], [nan, nan, 0.0, nan, nan])
    """
    values = np.asarray(column, dtype=object)
    if values.ndim != 1:
        raise ValueError(
            f"`column` must have one value per row; got an array of shape {values.shape}. Pass one "
            "column."
        )
    role_of: dict[Any, str] = {}
    for role, named in (("labelled", labelled), ("negative", negative), ("unlabelled", unlabelled)):
        for value in named if isinstance(named, list | tuple | set) else [named]:
            if role_of.setdefault(value, role) != role:
                raise ValueError(
                    f"`{role}` must not share values with `{role_of[value]}`; got {value!r} in "
                    "both. Name each value once."
                )
    roles = [_role(value, role_of) for value in values]
    if "labelled" not in roles:
        raise ValueError(
            f"`labelled` must be a value of the column; got {labelled!r}, which no row has. Check "
            "its spelling."
        )
    is_labelled = np.array([role == "labelled" for role in roles])
    is_negative = np.array([role == "negative" for role in roles])
    return is_labelled.astype(np.int64), np.where(is_negative, 0.0, np.nan)


def _role(value: Any, role_of: dict[Any, str]) -> str:
    if is_missing(value) or (isinstance(value, str) and not value.strip()):
        return "unlabelled"
    if value not in role_of:
        raise ValueError(
            "`labelled`, `negative` and `unlabelled` must name every value of the column, which "
            f"are {listed(list(role_of))}; got {value!r}. Name it too, or make it missing."
        )
    return role_of[value]

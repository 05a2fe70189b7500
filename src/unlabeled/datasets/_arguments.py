"""Checks of what the simulations are given: counts, frequencies, classes."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils import column_or_1d


def check_count(value: Any, name: str, *, least: int) -> int:
    """Return `value` as an int; refuse anything but a whole number of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise ValueError(f"`{name}` must be an integer of at least {least}; got {value!r}.")
    return int(value)


def check_frequency(value: Any, name: str, *, allow_one: bool = True) -> float:
    """Return `value` as a float; refuse anything outside (0, 1], or (0, 1)."""
    interval = "(0, 1]" if allow_one else "(0, 1)"
    number = isinstance(value, Real) and not isinstance(value, (bool, np.bool_))
    if not number or not 0 < value <= 1 or (value == 1 and not allow_one):
        raise ValueError(f"`{name}` must be a number in {interval}; got {value!r}.")
    return float(value)


def check_classes(y_true: Any) -> np.ndarray:
    """Return the hidden classes as ints; refuse values other than 0 and 1."""
    column = np.asarray(column_or_1d(y_true))
    if column.dtype.kind not in "biuf" or not np.all((column == 0) | (column == 1)):
        raise ValueError(
            "`y_true` must hold the hidden classes, 0 for negative and 1 for positive; "
            "got other values. Code the classes as 0 and 1 first."
        )
    return column.astype(np.int64)


def check_positives(y_true: Any) -> np.ndarray:
    """Return the hidden classes as booleans; refuse a column without positives."""
    positive = check_classes(y_true).astype(bool)
    if not positive.any():
        raise ValueError(
            "`y_true` must have at least one positive row; got none. "
            "A mean frequency among the positives has no meaning without them."
        )
    return positive


def check_vector(values: Any, name: str, length: int, *, per: str = "row") -> np.ndarray:
    """Return `values` as float64; refuse a wrong length, NaN and infinity."""
    vector = np.asarray(column_or_1d(values), dtype=np.float64)
    if len(vector) != length:
        raise ValueError(f"`{name}` must have one value a {per}, {length}; got {len(vector)}.")
    if not np.all(np.isfinite(vector)):
        raise ValueError(f"`{name}` must have no missing or infinite values; got NaN or inf.")
    return vector


def check_probabilities(values: Any, name: str, length: int) -> np.ndarray:
    """Return `values` as float64; refuse a wrong length and values outside [0, 1]."""
    vector = check_vector(values, name, length)
    outside = np.flatnonzero((vector < 0) | (vector > 1))
    if len(outside):
        raise ValueError(
            f"`{name}` must lie in [0, 1]; got {vector[outside[0]]:.6g} in row {outside[0]}."
        )
    return vector

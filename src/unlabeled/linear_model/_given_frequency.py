"""The label frequency a classifier is given as a number."""

from __future__ import annotations

from numbers import Real
from typing import Any

from ..parameters import check_fraction


def refuse_impossible_frequency(label_frequency: float | None, labelled_share: float) -> None:
    """Raise where a known c is below the share of labelled rows: P(Y=1) would exceed 1."""
    if label_frequency is not None and label_frequency < labelled_share * (1 - 1e-9):
        raise ValueError(
            f"`label_frequency` must be at least the share of labelled rows, {labelled_share:.4g}, "
            f"or there would be more positives than rows; got {label_frequency!r}."
        )


def check_known_frequency(given: Any, labelled_share: float) -> float:
    """Return a label frequency that is a number the labels allow."""
    if not isinstance(given, Real):
        raise ValueError(
            "`label_frequency` must be a number in (0, 1] or an estimator such as "
            f"ElkanNoto(); got {given!r}."
        )
    check_fraction("label_frequency", given)
    refuse_impossible_frequency(given, labelled_share)
    return float(given)

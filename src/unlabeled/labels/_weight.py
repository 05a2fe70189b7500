"""Row weights, checked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from numbers import Number
from typing import Any

import numpy as np
from sklearn.utils.validation import check_array

_FITTED_TO_COPIES: ContextVar[Any] = ContextVar("_FITTED_TO_COPIES", default=None)


@contextmanager
def weights_are_copies(estimator: Any) -> Iterator[None]:
    """Within this context, weights passed to the fit of `estimator` count copies of a row.

    A bootstrap draws rows repeatedly: where such a row is left out, its copies must be too.
    This holds for the fit of `estimator` itself, not for other estimators that it fits.
    """
    token = _FITTED_TO_COPIES.set(estimator)
    try:
        yield
    finally:
        _FITTED_TO_COPIES.reset(token)


def has_copies(estimator: Any) -> bool:
    """Whether `weights_are_copies` was said of this estimator."""
    return _FITTED_TO_COPIES.get() is estimator


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
    refuse_bad_weight(weight)
    return weight


def refuse_bad_weight(weight: np.ndarray) -> None:
    """Raise where a weight is negative or no finite number."""
    fine = np.isfinite(weight) & (weight >= 0)
    if not np.all(fine):
        raise ValueError(
            f"`sample_weight` must hold finite numbers of at least 0; got {weight[~fine][0]}. "
            "Give rows to leave out the weight 0."
        )


def refuse_one_class(s: np.ndarray, weight: np.ndarray) -> None:
    """Raise where only labelled, or only unlabelled, rows have a weight above 0."""
    kept = weight > 0
    refuse_empty_class(int(s[kept].sum()), int(kept.sum()))


def refuse_empty_class(n_labelled: int, n_rows: int) -> None:
    """Raise where, of the rows with a weight above 0, none or all are labelled."""
    if not 0 < n_labelled < n_rows:
        raise ValueError(
            "`sample_weight` must be positive for some row of each class, labelled and "
            "unlabelled; got only zeros for one class. Check the weights."
        )

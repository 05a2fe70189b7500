"""Row weights, checked."""

from __future__ import annotations

from numbers import Number
from typing import Any

import numpy as np
from sklearn.utils.validation import check_array


def validate_weight(sample_weight: Any, n_rows: int) -> np.ndarray | None:
    """Check row weights; None stays None."""
    if sample_weight is None:
        return None
    if isinstance(sample_weight, Number):
        sample_weight = np.full(n_rows, sample_weight)
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
    if not np.all(np.isfinite(weight)) or np.any(weight < 0):
        raise ValueError(
            "`sample_weight` must hold finite numbers of at least 0; got NaN, inf or negative "
            "values. Give rows to leave out the weight 0."
        )
    return weight


def refuse_one_class(s: np.ndarray, weight: np.ndarray) -> None:
    """Raise where only labelled, or only unlabelled, rows have a weight above 0."""
    if not 0 < s[weight > 0].sum() < np.sum(weight > 0):
        raise ValueError(
            "`sample_weight` must be positive for some row of each class, labelled and "
            "unlabelled; got only zeros for one class. Check the weights."
        )

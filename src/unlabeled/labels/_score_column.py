"""A column of scores, checked."""

from __future__ import annotations

from typing import Any

import numpy as np


def score_column(score: Any, s: np.ndarray, name: str = "score") -> np.ndarray:
    """Check a column with one finite number a row."""
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

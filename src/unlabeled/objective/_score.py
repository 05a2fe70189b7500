"""The linear score of rows, in double precision whatever the type of X."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..blocks import (
    Array,
    Matrix,
    consecutive_slices,
    is_chunked,
    is_sparse,
    on_device_of,
    on_host,
    rows_in_a_block,
)

_SPARSE_ROWS = 100_000


def linear_score(X: Matrix, coef: Array) -> Any:
    """X @ coef in float64, without a float64 copy of X; a column that lives where X lives.

    Scores in single precision would have ties that the data do not have. On a
    device the score has the type of X.
    """
    if is_chunked(X):
        return X.then(partial(_score, coef))
    return _score(coef, X)


def _score(coef: Array, X: Matrix) -> Any:
    if not on_host(X):
        return X @ on_device_of(X, coef)
    if X.dtype == np.float64:
        return np.asarray(X @ coef)
    step = _SPARSE_ROWS if is_sparse(X) else rows_in_a_block(X)
    score = np.empty(X.shape[0])
    for rows in consecutive_slices(X.shape[0], step):
        score[rows] = X[rows].astype(np.float64) @ coef
    return score

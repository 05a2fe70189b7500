"""The linear score of rows, in double precision whatever the type of X."""

from __future__ import annotations

import numpy as np

from ._blocks import rows_in_a_block
from ._design import Array, Matrix, is_sparse

_SPARSE_ROWS = 100_000


def linear_score(X: Matrix, coef: Array) -> Array:
    """X @ coef in float64, without a float64 copy of X.

    Scores in single precision would have ties that the data do not have.
    """
    if X.dtype == np.float64:
        return np.asarray(X @ coef)
    step = _SPARSE_ROWS if is_sparse(X) else rows_in_a_block(X)
    score = np.empty(X.shape[0])
    for start in range(0, X.shape[0], step):
        block = X[start : start + step]
        score[start : start + step] = block.astype(np.float64) @ coef
    return score

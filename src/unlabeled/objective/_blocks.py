"""Cutting rows into blocks that stay in the processor's cache."""

from __future__ import annotations

from collections.abc import Iterator

from scipy import sparse

from ._design import Array, Matrix

# One block is read twice (predictor, then gradient); it should still be in the
# last-level cache the second time, and large enough to make Python's cost vanish.
BLOCK_BYTES = 2**22


def row_blocks(
    X: Matrix, target: Array, weight: Array | None
) -> Iterator[tuple[Matrix, Array, Array | None]]:
    """Cut (X, target, weight) into consecutive blocks of rows; views, never copies."""
    n_rows = X.shape[0]
    step = n_rows if sparse.issparse(X) else rows_in_a_block(X)
    if step >= n_rows:
        yield X, target, weight
        return
    for start in range(0, n_rows, step):
        rows = slice(start, start + step)
        yield X[rows], target[rows], None if weight is None else weight[rows]


def rows_in_a_block(X: Matrix) -> int:
    """How many rows of a dense matrix make one block."""
    return max(256, BLOCK_BYTES // max(1, X.shape[1] * X.dtype.itemsize))

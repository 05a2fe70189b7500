"""Cutting rows into blocks that stay in the processor's cache."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ._arrays import Array, Matrix, is_sparse, on_host, precision_of, some_rows

# One block is read twice (predictor, then gradient); it should still be in the
# last-level cache the second time, and large enough to make Python's cost vanish.
_BLOCK_BYTES = 2**22
# On a device a block is cut only to bound what is computed beside it.
_DEVICE_BLOCK_BYTES = 2**31
_FEWEST_ROWS = 256


def row_blocks(X: Matrix, *columns: Array | None) -> Iterator[tuple[Any, ...]]:
    """Cut (X, columns) into consecutive blocks of rows; views, never copies."""
    n_rows = X.shape[0]
    step = n_rows if is_sparse(X) else rows_in_a_block(X)
    if step >= n_rows:
        if n_rows:
            yield X, *columns
        return
    for rows in consecutive_slices(n_rows, step):
        parts = (None if part is None else some_rows(part, rows) for part in (X, *columns))
        yield tuple(parts)


def consecutive_slices(n_rows: int, step: int) -> Iterator[slice]:
    """Cut the numbers of so many rows into slices of `step`, the last of which may be shorter."""
    return (slice(start, min(start + step, n_rows)) for start in range(0, n_rows, step))


def rows_in_a_block(X: Matrix) -> int:
    """How many rows of a dense matrix, or of a column, make one block."""
    width = X.shape[1] if X.ndim == 2 else 1
    most = _BLOCK_BYTES if on_host(X) or "cpu" in str(X.device).lower() else _DEVICE_BLOCK_BYTES
    return _rows_in(most, width * precision_of(X).itemsize)


def rows_in_a_dense_block(n_columns: int) -> int:
    """How many rows of double precision and so many columns make one block in memory."""
    return _rows_in(_BLOCK_BYTES, n_columns * 8)


def _rows_in(n_bytes: int, bytes_a_row: int) -> int:
    return max(_FEWEST_ROWS, n_bytes // max(1, bytes_a_row))

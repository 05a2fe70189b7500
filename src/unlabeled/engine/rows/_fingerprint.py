"""A checksum by which rows are recognized."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from ..arrays import cells_of, is_sparse
from ._blocks import consecutive_slices

# Cells and rows per block: a copy stays in the cache, and no table is copied as a whole.
_BLOCK_CELLS, _BLOCK = 2**15, 2**14
# All of the first rows count in a checksum, and one of so many rows after them: with more rows it
# would take as long as a fit.
_FIRST_ROWS, _ONE_OF = 2**16, 16
_MULTIPLIER, _RANGE = 2654435761, 2**32


class RowsFingerprint:
    """A checksum of rows that come in blocks: equal for equal cells in equal order.

    Cells that are numbers count as numbers, whatever their type; other cells count as text. A
    frame, a list and an array with the same cells therefore have the same checksum. Dense and
    sparse rows have different ones. Of the rows after the first 65 536 one in sixteen counts.

    Examples
    --------
    >>> found = RowsFingerprint()
    >>> found.add(np.array([[0.0, 1.0]]))
    >>> found.add(np.array([[2, 0]]))
    >>> found.hexdigest() == fingerprint_rows([[0, 1], [2, 0]])
    True
    """

    def __init__(self) -> None:
        self._parts = [hashlib.sha256() for _ in range(3)]
        self._n_rows = 0
        self._forms: set[str] = set()

    def add(self, X: Any) -> None:
        """Add rows, below those added before.

        Parameters
        ----------
        X : array-like, sparse matrix, frame or list
            The rows.
        """
        if is_sparse(X):
            self._add_sparse(X.tocsr())
        elif hasattr(X, "iloc"):  # a frame, which is never copied as a whole
            for block in consecutive_slices(len(X), _BLOCK):
                self._add_cells(cells_of(X.iloc[block]))
        else:
            self._add_cells(cells_of(X))

    def _add_cells(self, cells: np.ndarray) -> None:
        is_number = cells.dtype.kind in "biuf"
        self._forms.add(f"{'numbers' if is_number else 'text'} {cells.shape[1:]}")
        in_a_block = max(1, min(_BLOCK, _BLOCK_CELLS // max(1, cells[:1].size)))
        for block in consecutive_slices(len(cells), in_a_block):
            as_bytes = _number_bytes if is_number else _text_bytes
            self._parts[0].update(as_bytes(self._counted(cells[block])))

    def _counted(self, rows: Any) -> Any:
        """Return those of the next rows that count."""
        numbers = np.arange(self._n_rows, self._n_rows + rows.shape[0], dtype=np.uint64)
        self._n_rows += rows.shape[0]
        if self._n_rows <= _FIRST_ROWS:
            return rows
        drawn = numbers * np.uint64(_MULTIPLIER) % np.uint64(_RANGE) < _RANGE // _ONE_OF
        return rows[np.flatnonzero(drawn | (numbers < _FIRST_ROWS))]

    def _add_sparse(self, X: Any) -> None:
        X = self._counted(X)
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        self._forms.add(f"sparse {X.shape[1:]}")
        parts = (np.diff(X.indptr).astype(np.int64), X.indices.astype(np.int64))
        for found, part in zip(self._parts, (*parts, _number_bytes(X.data)), strict=True):
            found.update(part)

    def hexdigest(self) -> str:
        """Return 64 hexadecimal digits."""
        forms = repr((self._n_rows, sorted(self._forms)))
        return hashlib.sha256(
            forms.encode() + b"".join(one.digest() for one in self._parts)
        ).hexdigest()


def fingerprint_rows(X: Any) -> str:
    """Return a checksum of rows in memory: equal for equal cells in equal order.

    Parameters
    ----------
    X : array-like, sparse matrix, frame or list
        The rows.

    Returns
    -------
    fingerprint : str
        64 hexadecimal digits, see `RowsFingerprint`.

    Examples
    --------
    >>> rows = np.array([[0.0, 1.0], [2.0, 0.0]])
    >>> fingerprint_rows(rows) == fingerprint_rows(np.asfortranarray(rows))
    True
    >>> fingerprint_rows(rows) == fingerprint_rows(rows[::-1])
    False
    """
    found = RowsFingerprint()
    found.add(X)
    return found.hexdigest()


def _number_bytes(cells: np.ndarray) -> memoryview:
    """Return cells in double precision, one row after the other."""
    numbers = np.add(cells, 0.0, dtype=np.float64, order="C")  # -0.0 becomes 0.0
    is_nan = np.isnan(numbers)
    if is_nan.any():
        numbers[is_nan] = np.nan  # there are many kinds of NaN
    return numbers.data


def _text_bytes(cells: np.ndarray) -> bytes:
    texts = [str(cell) for cell in cells.ravel()]
    return "".join(f"{len(text)}:{text}" for text in texts).encode("utf-8", "surrogatepass")

"""Cells of X that are no finite numbers, refused by the name of their column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..blocks import BadCells, all_bad_cells, find_bad_cells, refuse_bad_cells
from ._names import quoted_column


def refuse_bad_matrix(estimator: Any, X: Any) -> None:
    """Raise where cells of a matrix, in memory or on a device, are no finite numbers."""
    bad = find_bad_cells(X)
    if bad is not None:
        refuse_bad_cells(bad, f"row {bad.row}, {_column(estimator, bad)}")


def refuse_bad_chunks(estimator: Any, found: Sequence[BadCells]) -> None:
    """Raise where cells of some chunk are no finite numbers; row numbers are those of the chunk."""
    if found:
        bad = all_bad_cells(found)
        refuse_bad_cells(bad, _column(estimator, bad))


def _column(estimator: Any, bad: BadCells) -> str:
    return f"column {quoted_column(getattr(estimator, 'feature_names_in_', None), bad.column)}"

"""Cells that lie absurdly far from the others of their column, and rows with limits for them.

One such cell would make the standard deviation of its column so large that all others coincide.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..codes import Message, warn
from ..engine.arrays import is_sparse, namespace_of, on_device_of, to_host, with_distinct_entries
from ..engine.objective import spread_of_columns
from ..engine.parameters import listed
from ..engine.rows import Rows, quoted_column

# Nothing lies between a far cell and a tenth of its distance from the median. Of columns in which
# most cells are equal, such as counts, a thousandth: their other cells differ more.
_EMPTY, _EMPTY_OF_TIES = 10.0, 1000.0
# Tails so long that a cell is this many times as far away as the median one are far as a whole; of
# few rows, this many times per row: of n Cauchy cells the farthest is about n times as far away.
_LONG_TAIL, _LONG_TAIL_PER_ROW = 5e4, 100.0
# They end at this many times the distance within which nine of ten cells lie.
_END_OF_TAIL = 2.0
_MOST_CELLS = 0.9
# Fewer cells that differ from the median do not tell what is far.
_FEWEST = 10
# Columns without a cell so many standard deviations from the mean are not looked at. More than a
# fortieth of their cells lie far out, if any: that is no accident.
_DEVIATIONS = 6.0


@dataclass(frozen=True)
class FarCells:
    """The far cells of one column.

    Attributes
    ----------
    column : int
    row : int
        Where the farthest is, among the rows of the fit.
    value : float
        What it is.
    count : int
        How many there are.
    low, high : float
        The smallest and the largest of the other cells.
    """

    column: int
    row: int
    value: float
    count: int
    low: float
    high: float


def far_cells(X: Any) -> list[FarCells]:
    """Return the columns with far cells, of rows in memory or on a device."""
    mean, variance, low, high = spread_of_columns(X, None)
    farthest = np.maximum(high - mean, mean - low)
    columns = np.flatnonzero(farthest > _DEVIATIONS * np.sqrt(variance))
    if is_sparse(X):
        columns = columns[_can_be_far(X, np.maximum(high, -low))[columns]]
        of_column = X[:, columns].tocsc()
    found = []
    for k, column in enumerate(columns.tolist()):
        cells = of_column[:, [k]].toarray() if is_sparse(X) else to_host(X[:, column])
        one = _far_in(column, np.asarray(cells, dtype=np.float64).ravel())
        # Zeros of sparse rows cannot be moved.
        if one is not None and not (is_sparse(X) and one.low * one.high > 0):
            found.append(one)
    return found


def _can_be_far(X: Any, largest: np.ndarray) -> np.ndarray:
    """Return which columns of sparse rows to look at: of text there are many, and hardly any is.

    In a column of mostly zeros a far cell needs nine others, and one of them a thousandth of it.
    """
    is_cell = X.data != 0
    column, size = X.indices[is_cell], np.abs(X.data[is_cell])
    count, smallest = np.bincount(column, minlength=X.shape[1]), np.full(X.shape[1], np.inf)
    np.minimum.at(smallest, column, size)
    is_rare = (count < _FEWEST) | (largest <= _EMPTY_OF_TIES * smallest)
    return np.asarray((2 * count >= X.shape[0]) | ~is_rare)


def _far_in(column: int, x: np.ndarray) -> FarCells | None:
    middle = float(np.median(x))
    distance = np.abs(x - middle)
    differing = np.sort(distance[distance > 0])
    if len(differing) < _FEWEST:
        return None
    most = int(_MOST_CELLS * (len(differing) - 1))
    limit = differing[-1]
    empty = _EMPTY if 2 * len(differing) > len(x) else _EMPTY_OF_TIES
    gaps = np.flatnonzero(differing[most + 1 :] > empty * differing[most:-1])
    if len(gaps):
        limit = differing[most + gaps[0]]
    long_tail = min(_LONG_TAIL, _LONG_TAIL_PER_ROW * len(x))
    if limit > long_tail * differing[(len(differing) - 1) // 2]:
        limit = _END_OF_TAIL * differing[most]
    is_far = distance > limit
    if not is_far.any():
        return None
    others, row = x[~is_far], int(np.argmax(distance))
    count, ends = int(is_far.sum()), (float(others.min()), float(others.max()))
    return FarCells(column, row, float(x[row]), count, *ends)


def within_limits(rows: Rows, far: list[FarCells]) -> Rows:
    """Return the rows with far cells moved to the nearer limit of their columns."""
    if not far:
        return rows
    low, high = (np.full(rows.X.shape[1], end) for end in (-np.inf, np.inf))
    for one in far:
        low[one.column], high[one.column] = one.low, one.high
    if is_sparse(rows.X):
        X = rows.X.copy()
        X.data = X.data.clip(low[X.indices], high[X.indices]).astype(X.dtype, copy=False)
    else:
        xp = namespace_of(rows.X)
        X = xp.clip(rows.X, *(on_device_of(rows.X, end) for end in (low, high)))
    return replace(rows, X=X, X_with_dropped=rows.passed)


def is_mapped(X: Any) -> bool:
    """Whether rows are in a mapped file, of which no columns should be copied."""
    while X is not None and not isinstance(X, np.memmap):
        X = getattr(X, "base", None)
    return X is not None


def report_far_cells(rows: Rows, far: list[FarCells], names: Any, has_limits: bool) -> None:
    """Warn of far cells; say whether the fit moves them to the limits, or follows them."""
    if not far:
        return
    worst = max(far, key=lambda one: abs(one.value) / max(abs(one.low), abs(one.high), 1e-300))
    row = worst.row if rows.kept is None else int(np.flatnonzero(rows.kept)[worst.row])
    more = f", and {worst.count - 1} more cells lie as far out" if worst.count > 1 else ""
    also = [quoted_column(names, one.column) for one in far if one is not worst]
    have = "has" if len(also) == 1 else "have"
    such = f" So {have} column {listed(also, 3, str)}." if also else ""
    follows = "at the nearer end" if has_limits else "as it is, and follows it"
    warn(
        "PU131",
        Message(
            f"column {quoted_column(names, worst.column)} has {worst.value:.4g} in row {row}"
            f"{more}; the other cells lie between {worst.low:.4g} and {worst.high:.4g}.{such} The "
            f"fit takes {'it' if worst.count == 1 else 'each'} {follows}.",
            python="Correct the cell or drop the row. If the column has long tails, take its "
            "logarithm.",
        ),
    )


def report_far_cells_to(
    estimators: Iterable[Any], rows: Rows, names: Any, but_ours: bool = False
) -> None:
    """Warn of far cells if a fitted estimator is linear in the columns as they are.

    With `but_ours`, classifiers of this library have warned themselves.
    """
    lines = [one for one in estimators if hasattr(one, "coef_")]
    if but_ours:
        lines = [one for one in lines if not hasattr(one, "_limits_far_cells")]
    X: Any = rows.X if is_sparse(rows.X) else np.asarray(rows.X)
    if not lines or X.ndim != 2 or X.dtype.kind not in "biuf":
        return
    X = with_distinct_entries(X.tocsr()) if is_sparse(X) else X
    far = far_cells(X.astype(np.float64, copy=False))
    has_limits = all(getattr(one, "_limits_far_cells", False) for one in lines)
    report_far_cells(rows, far, names, has_limits)

"""Whether a column or a score separates labeled from unlabeled rows (no finite optimum)."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..arrays import Array, Matrix, in_double, is_sparse, namespace_of, to_host
from ..objective import column_range
from ..rows import reduce_rows, subsample, weighted_mean

# A subset of about this many rows rules out most columns.
_FIRST_LOOK = 2000

Ranges = tuple[Array, Array, Array, Array]


def step_log_likelihood(t: Any, s: Any, weight: Any, known: float | None = None) -> float:
    """Mean log-likelihood of the labels when the posterior is 1 for t > 0 and 0 otherwise."""
    lowest, predicted, total = reduce_rows(_above_zero, t, s, weight, combine=_lowest_and_sums)
    if lowest <= 0:
        return -np.inf
    labeled, predicted = weighted_mean(s, weight), float(predicted / total)
    c = labeled / predicted if known is None else known
    missed = predicted - labeled
    return labeled * np.log(c) + (missed * np.log1p(-c) if missed > 0 else 0.0)


def share_above_zero(t: Any, weight: Any) -> float:
    """Weighted share of the rows with t > 0."""
    above, total = reduce_rows(_sums_above_zero, t, weight, combine=_both_sums)
    return float(above / total)


def is_separated(score: Any, s: Any, intercept: bool = True) -> bool:
    """Whether all labeled rows score above all others. Without intercept the threshold is 0."""
    low, high = reduce_rows(_ends, score, s, combine=_outermost)
    return bool(low > high if intercept else low > 0 > high)


def separating_columns(X: Matrix, s: Any, intercept: bool = True) -> Array:
    """Find columns with a threshold that separates the labels, ties allowed.

    Example: a dummy variable that is 0 in all labeled rows. Its coefficient has
    no finite optimum. Without an intercept the threshold is 0.
    """
    alive = np.arange(X.shape[1])
    # All sparse rows are used: extracting columns would cost more.
    stride = 1 if is_sparse(X) else X.shape[0] // _FIRST_LOOK
    if stride > 1:
        some_X, some_s = (to_host(column) for column in subsample(stride, X, s))
        ranges = reduce_rows(partial(_ranges, alive), some_X, some_s, combine=_widest)
        alive = alive[_on_one_side(ranges, intercept)]
    if len(alive) == 0:
        return alive
    ranges = reduce_rows(partial(_ranges, alive), X, s, combine=_widest)
    low, high, below, above = ranges
    varies = (above > below) | (above != low) | (low != high)
    return alive[_on_one_side(ranges, intercept) & varies]


def _above_zero(t: Any, s: Any, weight: Any) -> tuple[Any, ...]:
    xp = namespace_of(t)
    return xp.min(xp.where(s > 0, t, np.inf)), *_sums_above_zero(t, weight)


def _sums_above_zero(t: Any, weight: Any) -> tuple[Any, ...]:
    xp = namespace_of(t)
    above = in_double(t > 0) if weight is None else xp.where(t > 0, weight, 0.0)
    total = float(t.shape[0]) if weight is None else xp.sum(weight, dtype=xp.float64)
    return xp.sum(above, dtype=xp.float64), total


def _lowest_and_sums(first: tuple[Any, ...], second: tuple[Any, ...]) -> tuple[Any, ...]:
    return min(first[0], second[0]), *_both_sums(first[1:], second[1:])


def _both_sums(first: tuple[Any, ...], second: tuple[Any, ...]) -> tuple[Any, ...]:
    return first[0] + second[0], first[1] + second[1]


def _ends(score: Any, s: Any) -> tuple[Any, Any]:
    """Lowest labeled and highest unlabeled score."""
    xp = namespace_of(score)
    labeled = s > 0
    return xp.min(xp.where(labeled, score, np.inf)), xp.max(xp.where(labeled, -np.inf, score))


def _outermost(first: tuple[Any, Any], second: tuple[Any, Any]) -> tuple[Any, Any]:
    return min(first[0], second[0]), max(first[1], second[1])


def _ranges(columns: Array, X: Matrix, s: Any) -> Ranges:
    """Smallest and largest value of each column, of labeled rows and of the others."""
    if len(columns) < X.shape[1]:
        X = _columns_of(X, columns)
    return *_range(X, to_host(s) > 0), *_range(X, to_host(s) <= 0)


def _columns_of(X: Matrix, columns: Array) -> Matrix:
    xp = namespace_of(X)
    if xp is np:
        return X[:, columns]
    return xp.take(X, xp.asarray(columns, device=X.device), axis=1)


def _range(X: Matrix, kept: Array) -> tuple[Array, Array]:
    if not kept.any():
        nothing = np.full(X.shape[1], np.inf)
        return nothing, -nothing
    return column_range(X, kept)


def _widest(first: Ranges, second: Ranges) -> Ranges:
    return (
        np.minimum(first[0], second[0]),
        np.maximum(first[1], second[1]),
        np.minimum(first[2], second[2]),
        np.maximum(first[3], second[3]),
    )


def _on_one_side(ranges: Ranges, intercept: bool) -> Array:
    """Whether labeled values, in [low, high], are on one side of [below, above]."""
    low, high, below, above = ranges
    if intercept:
        return (above <= low) | (below >= high)
    return ((above <= 0) & (low >= 0)) | ((below >= 0) & (high <= 0))

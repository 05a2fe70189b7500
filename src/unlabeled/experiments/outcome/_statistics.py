"""Numbers of a block of results: repeats × cells × methods × measures, means over repeats.

Every function takes the block and its cells and gives one number; their standard errors come
from leaving out one repeat at a time, because repeats are independent while the cells, the
methods and the label frequencies of a repeat share one split.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Array = NDArray[np.float64]
Statistic = Callable[[Array, pd.DataFrame], float]

PAPER_REPEATS = 200


def mean(values: Array, cells: pd.DataFrame) -> float:
    """Mean of the first method."""
    return float(values[:, :, 0, 0].mean())


def difference(values: Array, cells: pd.DataFrame) -> float:
    """Mean of the first method minus the largest of the others' means."""
    means = values[..., 0].mean(axis=(0, 1))
    return float(means[0] - means[1:].max())


def ratio(values: Array, cells: pd.DataFrame) -> float:
    """Mean of the first method over the largest of the others' means."""
    means = values[..., 0].mean(axis=(0, 1))
    return float(means[0] / means[1:].max())


def slope_c(values: Array, cells: pd.DataFrame) -> float:
    """Change for .1 more of the label frequency, the other coordinates held."""
    return _slope(values, cells, "c", cells["c"].to_numpy() / 0.1)


def slope_n(values: Array, cells: pd.DataFrame) -> float:
    """Change for twice the sample size, the other coordinates held."""
    return _slope(values, cells, "n", np.log2(cells["n"].to_numpy()))


def _slope(values: Array, cells: pd.DataFrame, along: str, x: Array) -> float:
    height = values[:, :, 0, 0]
    if values.shape[2] > 1:
        height = height - values[:, :, 1, 0]
    others = cells.drop(columns=along)
    centred = x - pd.Series(x).groupby([others[name] for name in others]).transform("mean")
    weights = centred.to_numpy()
    spread = float(weights @ weights)
    return float(height.mean(axis=0) @ weights) / spread if spread > 0 else math.nan


def se_median(values: Array, cells: pd.DataFrame) -> float:
    """Median over cells and methods of the standard error at the paper's 200 repeats."""
    errors = _standard_errors(values)
    return float(np.median(errors)) if len(errors) else math.nan


def se_largest(values: Array, cells: pd.DataFrame) -> float:
    """Largest over cells and methods of the standard error at the paper's 200 repeats."""
    errors = _standard_errors(values)
    return float(errors.max()) if len(errors) else math.nan


def _standard_errors(values: Array) -> Array:
    """Return the standard errors of the cells and methods that have two fits or more."""
    heights = values[..., 0]
    there = np.isfinite(heights)
    counts = there.sum(axis=0)
    enough = counts > 1
    means = np.where(there, heights, 0.0).sum(axis=0) / np.maximum(counts, 1)
    squares = (np.where(there, heights - means, 0.0) ** 2).sum(axis=0)[enough]
    return np.asarray(np.sqrt(squares / (counts[enough] - 1) / PAPER_REPEATS))


def agreement(values: Array, cells: pd.DataFrame) -> float:
    """Correlation of two measures' differences, over data sets and competitors."""
    there = np.isfinite(values)
    with np.errstate(invalid="ignore"):
        means = np.where(there, values, 0.0).sum(axis=0) / there.sum(axis=0)
    gaps = means[:, :1] - means[:, 1:]
    by_set = [gaps[rows].mean(axis=0) for rows in cells.groupby("dataset").indices.values()]
    pairs = np.concatenate(by_set)
    pairs = pairs[np.isfinite(pairs).all(axis=1)]
    if len(pairs) < 3 or np.any(np.ptp(pairs, axis=0) == 0):
        return math.nan
    return float(np.corrcoef(pairs.T)[0, 1])


OF_EVERY_FIT = ("se_median", "se_largest", "agreement")
"""Statistics that compare no pairs: a failed fit costs its cell a value, not the repeat."""

STATISTICS: dict[str, Statistic] = {
    function.__name__: function
    for function in (
        mean,
        difference,
        ratio,
        slope_c,
        slope_n,
        se_median,
        se_largest,
        agreement,
    )
}

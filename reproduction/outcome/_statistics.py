"""The numbers of claims, each with its standard error.

A part of a claim selects a block of results: repeats × cells × methods × measures. A statistic
makes one number of it. Its standard error comes from leaving out one repeat at a time: repeats are
independent, while the cells and methods of a repeat share one split.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ._claim_types import Part
from ._records import COORDINATES, method_name, setting_of

Array = NDArray[np.float64]
Statistic = Callable[[Array, pd.DataFrame], float]

PAPER_REPEATS = 200


@dataclass(frozen=True)
class Block:
    """Results of the complete repeats: every cell, method and measure has a value.

    Statistics in `OF_EVERY_FIT` also use incomplete repeats, whose missing values are NaN.

    Attributes
    ----------
    values : ndarray of shape (repeats, cells, methods, measures)
        The results.
    cells : DataFrame
        Data set, mechanism, n and c of each cell.
    left_out : int
        Repeats left out because a fit is missing or failed.
    failed : int
        Failed fits.
    missing : tuple of str
        Data sets and methods that the records lack.
    """

    values: Array
    cells: pd.DataFrame
    left_out: int
    failed: int
    missing: tuple[str, ...]


def gather(records: pd.DataFrame, part: Part, setting: str) -> Block:
    """Select the results that a part of a claim is about, from checked records."""
    rows = _rows(records, part, setting)
    cells = _cells_of_all(rows, part.methods)
    shape = (len(cells), len(part.methods), len(part.measures))
    failed = int(rows["failed"].sum())
    if not len(cells):
        values = np.empty((0, *shape))
        return Block(values, cells, rows["repeat"].nunique(), failed, _missing(rows, part))
    wide = rows.pivot(index="repeat", columns=[*COORDINATES, "method"], values=list(part.measures))
    columns = [
        (measure, *cell, method)
        for cell in cells.itertuples(index=False, name=None)
        for method in part.methods
        for measure in part.measures
    ]
    wide = wide.reindex(columns=pd.MultiIndex.from_tuples(columns))
    values = wide.to_numpy(dtype=float).reshape(-1, *shape)
    there = np.isfinite(values)
    if part.statistic in OF_EVERY_FIT:
        kept = there.any(axis=(1, 2, 3))
    else:
        kept = there.all(axis=(1, 2, 3))
    return Block(values[kept], cells, int(np.sum(~kept)), failed, _missing(rows, part))


def _rows(records: pd.DataFrame, part: Part, setting: str) -> pd.DataFrame:
    where = part.where
    keep = (
        (records["study"] == where.study)
        & records["method"].isin(part.methods)
        & records["setting"].isin(setting_of(setting))
        & records["c"].between(where.c[0] - 1e-9, where.c[1] + 1e-9)
        & records["n"].between(*where.n)
    )
    if where.datasets:
        keep &= records["dataset"].isin(where.datasets)
    if where.mechanisms:
        keep &= records["mechanism"].isin(where.mechanisms)
    return records[keep]


def _cells_of_all(rows: pd.DataFrame, methods: tuple[str, ...]) -> pd.DataFrame:
    """Return the cells in which every method was run."""
    counts = rows.groupby(COORDINATES)["method"].nunique()
    cells = counts[counts == len(methods)].index
    return cells.to_frame(index=False)


def _missing(rows: pd.DataFrame, part: Part) -> tuple[str, ...]:
    datasets, methods_run = set(rows["dataset"].unique()), set(rows["method"].unique())
    sets = [name for name in part.where.datasets if name not in datasets]
    methods = [method_name(name) for name in part.methods if name not in methods_run]
    return (*sets, *methods)


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
    """Change per .1 of the label frequency, with the other coordinates fixed."""
    return _slope(values, cells, "c", cells["c"].to_numpy() / 0.1)


def slope_n(values: Array, cells: pd.DataFrame) -> float:
    """Change per doubling of the sample size, with the other coordinates fixed."""
    return _slope(values, cells, "n", np.log2(cells["n"].to_numpy()))


def _slope(values: Array, cells: pd.DataFrame, along: str, x: Array) -> float:
    height = values[:, :, 0, 0]
    if values.shape[2] > 1:
        height = height - values[:, :, 1, 0]
    others = cells.drop(columns=along)
    centered = x - pd.Series(x).groupby([others[name] for name in others]).transform("mean")
    weights = centered.to_numpy()
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
"""Statistics that use no paired results. A failed fit removes one value, not the whole repeat."""

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


@dataclass(frozen=True)
class Estimate:
    """A number, its standard error and its number of repeats."""

    value: float = math.nan
    se: float = math.nan
    repeats: int = 0


def jackknife(values: Array, cells: pd.DataFrame, statistic: Statistic) -> Estimate:
    r"""Estimate a statistic and its standard error by leaving out one repeat at a time.

    .. math:: se^2 = \frac{m-1}{m} \sum_{i=1}^m (T_{-i} - \bar T_{-\cdot})^2

    For a mean, or a mean of differences, this is the usual :math:`s/\sqrt{m}`.
    **What breaks it:** statistics that jump, such as a largest value with ties.

    Parameters
    ----------
    values : ndarray of shape (repeats, cells, methods, measures)
        The results.
    cells : DataFrame
        The coordinates of the cells.
    statistic : callable
        Takes `values` and `cells`; returns a number.

    Returns
    -------
    Estimate
    """
    repeats = len(values)
    if repeats == 0 or len(cells) == 0:
        return Estimate(repeats=repeats)
    value = statistic(values, cells)
    if repeats == 1:
        return Estimate(value, math.nan, 1)
    kept = ~np.eye(repeats, dtype=bool)
    without = np.array([statistic(values[rows], cells) for rows in kept])
    spread = float(np.sum((without - without.mean()) ** 2))
    return Estimate(value, math.sqrt(spread * (repeats - 1) / repeats), repeats)

"""A number with its standard error, from repeats that are independent of each other."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ._statistics import Array, Statistic


@dataclass(frozen=True)
class Estimate:
    """A number, its standard error and the repeats it comes from."""

    value: float = math.nan
    se: float = math.nan
    repeats: int = 0


def jackknife(values: Array, cells: pd.DataFrame, statistic: Statistic) -> Estimate:
    r"""Estimate a statistic and its standard error by leaving out one repeat at a time.

    .. math:: se^2 = \frac{m-1}{m} \sum_{i=1}^m (T_{-i} - \bar T_{-\cdot})^2

    For a mean (and a mean of differences) it is the usual :math:`s/\sqrt{m}`. What breaks it:
    statistics that jump, such as a largest value with ties.

    Parameters
    ----------
    values : ndarray of shape (repeats, cells, methods, measures)
    cells : DataFrame
        The coordinates of the cells.
    statistic : callable

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

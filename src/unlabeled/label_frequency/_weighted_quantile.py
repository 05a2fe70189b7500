"""Quantiles of values that weigh differently."""

from __future__ import annotations

import numpy as np

# Sums of weights are rounded: a level is reached a little before it.
_ROUNDING = 1e-12


def weighted_quantile(
    values: np.ndarray, weight: np.ndarray | None, level: float | np.ndarray
) -> np.ndarray:
    """Smallest value up to which lies at least `level` of all weight; None weighs rows alike.

    Examples
    --------
    >>> values, weight = np.array([3.0, 1.0, 2.0]), np.array([1.0, 2.0, 1.0])
    >>> weighted_quantile(values, weight, np.array([0.5, 0.75])).tolist()
    [1.0, 2.0]
    """
    order = np.argsort(values)
    mass = np.cumsum(np.ones_like(values) if weight is None else weight[order])
    enough = np.asarray(level) * mass[-1] * (1 - _ROUNDING)
    return np.asarray(values[order][np.searchsorted(mass, enough)])

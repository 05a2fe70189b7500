"""Estimates with their covariance: standard errors, tests, intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from ..parameters import check_level

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True)
class Estimates:
    """Named estimates that are about normal.

    Attributes
    ----------
    names : tuple of str
    value : ndarray of shape (n_estimates,)
    covariance : ndarray of shape (n_estimates, n_estimates)
    """

    names: tuple[str, ...]
    value: Array
    covariance: Array

    @property
    def standard_error(self) -> Array:
        """Standard error of each estimate; NaN where the rows do not determine it."""
        return np.sqrt(np.diag(self.covariance))

    @property
    def p_value(self) -> Array:
        """Two-sided p-value of the hypothesis that an estimate's aim is 0."""
        return np.asarray(2 * stats.norm.sf(np.abs(self.value) / self.standard_error))

    def interval(self, level: float = 0.95) -> Array:
        """Normal intervals.

        Parameters
        ----------
        level : float, default=0.95
            Of each interval by itself.

        Returns
        -------
        interval : ndarray of shape (n_estimates, 2)
            Lower and upper ends.
        """
        check_level(level)
        half = stats.norm.ppf(0.5 + level / 2) * self.standard_error
        return np.column_stack([self.value - half, self.value + half])


def direction_of(slopes: Estimates) -> Estimates:
    r"""Estimates of the direction :math:`w/\lVert w\rVert` from those of w, by the delta method.

    The covariance is :math:`PVP/\lVert w\rVert^2` with
    :math:`P = I - ww^T/\lVert w\rVert^2`. Scale is left out, since the naive fit
    is right up to scale only.

    Parameters
    ----------
    slopes : Estimates
        Of w, without intercept.

    Returns
    -------
    direction : Estimates
        With the names of the slopes.
    """
    length = float(np.linalg.norm(slopes.value))
    unit = slopes.value / length
    across = np.eye(len(unit)) - np.outer(unit, unit)
    return Estimates(slopes.names, unit, across @ slopes.covariance @ across / length**2)

"""Intervals from resamples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True)
class Interval:
    """An estimate with the ends of its interval.

    Attributes
    ----------
    estimate, lower, upper : float
    level : float
    method : str
        How it was made.
    """

    estimate: float
    lower: float
    upper: float
    level: float
    method: str


def percentile_interval(estimate: float, drawn: Array, level: float) -> Interval:
    """Quantiles of the resampled values."""
    ends = np.quantile(drawn, _tails(level))
    return Interval(estimate, float(ends[0]), float(ends[1]), level, "percentile")


def bca_interval(estimate: float, drawn: Array, left_out: Array, level: float) -> Interval:
    r"""Quantiles corrected for bias and for a spread that changes with the value (BCa).

    With :math:`z_0` the normal quantile of the share of resampled values below the
    estimate (ties half) and :math:`a = \sum d_k^3 / (6 (\sum d_k^2)^{3/2})`, :math:`d_k` the
    mean of the `left_out` estimates minus the k-th, the quantile at z is taken at
    :math:`\Phi(z_0 + (z_0 + z)/(1 - a(z_0 + z)))`.
    """
    below = np.mean(drawn < estimate) + 0.5 * np.mean(drawn == estimate)
    inside = 0.5 / len(drawn)
    bias = stats.norm.ppf(np.clip(below, inside, 1 - inside))
    pull = left_out.mean() - left_out
    spread = float(np.sum(pull**2)) ** 1.5
    acceleration = float(np.sum(pull**3)) / (6 * spread) if spread > 0 else 0.0
    moved = bias + stats.norm.ppf(_tails(level))
    ends = np.quantile(drawn, stats.norm.cdf(bias + moved / (1 - acceleration * moved)))
    return Interval(estimate, float(ends[0]), float(ends[1]), level, "bca")


def _tails(level: float) -> Array:
    return np.array([0.5 - level / 2, 0.5 + level / 2])

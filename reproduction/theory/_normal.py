"""A normal index: expectations under its law, and checks of its parameters."""

from __future__ import annotations

import math
from functools import lru_cache
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]

_REACH = 38.0
"""Standard deviations covered on each side; the density beyond is below 1e-314."""

_ORDER = 16
"""Nodes per panel."""


def normal_nodes(mean: float, var: float, lower: float = -math.inf) -> tuple[Vector, Vector]:
    r"""Return nodes and weights with :math:`\sum_k w_k g(t_k) = E[g(T); T > lower]`, T normal.

    Composite Gauss-Legendre quadrature with 16 nodes per panel. Panels are at most 1
    wide (the logistic function has poles at :math:`\pm\pi i`) and at most half a
    standard deviation. So the logistic function and the density are resolved to
    machine precision for every variance, unlike in Gauss-Hermite quadrature of fixed
    size. Half-lines need no special treatment.

    Parameters
    ----------
    mean, var : float
        Mean and variance of the normal variable T.
    lower : float
        Where the half-line starts.

    Returns
    -------
    nodes, weights : ndarray of shape (k,)
        Empty if `lower` lies beyond 38 standard deviations.
    """
    sd = math.sqrt(var)
    start, stop = max(lower, mean - _REACH * sd), mean + _REACH * sd
    if start >= stop:
        return np.empty(0), np.empty(0)
    panels = math.ceil((stop - start) / min(1.0, sd / 2))
    edges = np.linspace(start, stop, panels + 1)
    points, masses = _legendre()
    half = np.diff(edges)[:, np.newaxis] / 2
    nodes = (edges[:-1, np.newaxis] + half * (points + 1)).ravel()
    return nodes, (half * masses).ravel() * normal_density(nodes, mean, sd)


def normal_density(t: Vector, mean: float, sd: float) -> Vector:
    """Return the density of N(mean, sd²)."""
    density: Vector = np.exp(-0.5 * ((t - mean) / sd) ** 2) / (sd * math.sqrt(2 * math.pi))
    return density


@lru_cache(maxsize=1)
def _legendre() -> tuple[Vector, Vector]:
    points, masses = np.polynomial.legendre.leggauss(_ORDER)
    return points, masses


_LARGEST_VAR = 1e4
"""Above this variance the logistic curve is almost a step, and the quadrature gets long."""


def finite_number(name: str, value: Any) -> float:
    """Return `value` as a float; reject what is not a finite number."""
    number = _number(value)
    if not math.isfinite(number):
        raise ValueError(f"`{name}` must be a finite number; got {value!r}. Pass one number.")
    return number


def index_variance(value: Any) -> float:
    """Return the variance of a normal index, in (0, 1e4]."""
    number = _number(value)
    if not 0 < number <= _LARGEST_VAR:
        raise ValueError(
            f"`var` must be a number in (0, {_LARGEST_VAR:g}]; got {value!r}. "
            "Pass the variance of the index, not its standard deviation. "
            "An index that does not vary has no slope and no cut."
        )
    return number


def positive_number(name: str, value: Any) -> float:
    """Return `value` as a float; reject what is not positive and finite."""
    number = _number(value)
    if not 0 < number < math.inf:
        raise ValueError(
            f"`{name}` must be a positive finite number; got {value!r}. If it is negative, "
            "swap the classes."
        )
    return number


def open_probability(name: str, value: Any) -> float:
    """Return `value` as a float; reject what is not strictly between 0 and 1."""
    number = _number(value)
    if not 0 < number < 1:
        raise ValueError(
            f"`{name}` must be a number strictly between 0 and 1; got {value!r}. "
            "Both classes must be possible."
        )
    return number


def _number(value: Any) -> float:
    """Return a float, and NaN for what is not a number: every comparison then fails."""
    return float(value) if isinstance(value, Real) else math.nan

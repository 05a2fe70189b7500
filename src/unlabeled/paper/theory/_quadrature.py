"""Expectations under a normal law, over the whole line or a half-line."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]

_REACH = 38.0
"""Standard deviations covered on each side; the density beyond is below 1e-314."""

_ORDER = 16
"""Nodes a panel."""


def normal_nodes(mean: float, var: float, lower: float = -math.inf) -> tuple[Vector, Vector]:
    r"""Nodes and weights with :math:`\sum_k w_k g(t_k) = E[g(T); T > lower]`, T normal.

    Composite Gauss-Legendre: 16 nodes on panels no wider than 1 (the poles of
    the logistic function lie :math:`\pi` off the real line) nor than half a
    standard deviation. Both the logistic function and the density are then
    resolved to machine precision for every variance, which a Gauss-Hermite rule
    of fixed size is not, and a half-line is as easy as the line.

    Parameters
    ----------
    mean, var : float
        Of the normal variable T.
    lower : float
        Where the half-line starts.

    Returns
    -------
    nodes, weights : ndarray of shape (k,)
        Empty when `lower` lies beyond 38 standard deviations.
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
    """Density of N(mean, sd²)."""
    density: Vector = np.exp(-0.5 * ((t - mean) / sd) ** 2) / (sd * math.sqrt(2 * math.pi))
    return density


@lru_cache(maxsize=1)
def _legendre() -> tuple[Vector, Vector]:
    points, masses = np.polynomial.legendre.leggauss(_ORDER)
    return points, masses

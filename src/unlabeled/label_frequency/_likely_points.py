"""Points that stand for a distribution of few parameters, by importance sampling."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import linalg, special

# A mean under the distribution is a mean over this many pairs of points. They are drawn from a
# t distribution about the mode, the same in every call, and weighted.
_PAIRS = 256
_DEGREES = 5.0
_SMALLEST_PRECISION = 1e-3
# The points are drawn again while fewer than this many count.
_ENOUGH_POINTS = 100
_ENOUGH_TO_MOVE = 40
_MOST_ROUNDS = 6


def draw_points(
    log_density: Callable[[np.ndarray], np.ndarray], center: np.ndarray, precision: np.ndarray
) -> tuple[np.ndarray, np.ndarray, float]:
    """Return points about the mode of a density, their shares in a mean, and its log-integral.

    If few points have nearly all of the mass, they are drawn again about the mean of the last
    ones, with their covariance.

    Parameters
    ----------
    log_density : callable
        Maps points, one per row, to the logarithm of the density, up to a constant.
    center : ndarray of shape (n_parameters,)
        The mode, or a point near it.
    precision : ndarray of shape (n_parameters, n_parameters)
        Minus the Hessian there.

    Returns
    -------
    points : ndarray of shape (n_points, n_parameters)
    part : ndarray of shape (n_points,)
        Shares, which sum to 1.
    log_integral : float
        Logarithm of the integral, up to a constant that depends on `n_parameters` alone.
    """
    values, vectors = linalg.eigh(precision)
    covariance = (vectors / np.maximum(np.abs(values), _SMALLEST_PRECISION)) @ vectors.T
    random = np.random.default_rng(0)
    drawn = random.standard_normal((_PAIRS, len(center)))
    drawn /= np.sqrt(random.chisquare(_DEGREES, _PAIRS) / _DEGREES)[:, None]
    drawn = np.concatenate([drawn, -drawn])
    log_drawn = -0.5 * (_DEGREES + len(center)) * np.log1p(np.sum(drawn**2, axis=1) / _DEGREES)
    n_rounds = 0
    while True:
        root = linalg.cholesky(covariance)
        points = center + drawn @ root
        log_part = log_density(points) - log_drawn
        part, n_rounds = special.softmax(log_part), n_rounds + 1
        if effective_number(part) >= _ENOUGH_POINTS or n_rounds == _MOST_ROUNDS:
            volume = float(np.log(np.diag(root)).sum())
            return points, part, float(special.logsumexp(log_part)) + volume
        while effective_number(part) < _ENOUGH_TO_MOVE:
            log_part *= 0.5
            part = special.softmax(log_part)
        center = part @ points
        covariance = np.cov(points.T, aweights=part, bias=True) + 1e-9 * np.eye(len(center))


def effective_number(part: np.ndarray) -> float:
    """Return the number of equal shares with the same sum of squares."""
    return float(part.sum() ** 2 / np.sum(part**2))

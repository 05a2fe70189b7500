"""Models of few parameters: their priors, and points that stand for their distribution."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import linalg, special

from ..engine.losses import softplus_and_sigmoid

INTERCEPT_DEVIATION = 10.0
LOG_SLOPE_MEAN, LOG_SLOPE_DEVIATION = 0.7, 1.0
"""Normal priors of a posterior along a score: of its intercept, and of the logarithm of its slope
per standard deviation of the score."""

# A slope is finite at every point that a search may try.
_LARGEST_LOG_SLOPE = 50.0
# A mean under the distribution is a mean over this many pairs of points. They are drawn from a
# t distribution about the mode, the same in every call, and weighted.
_PAIRS = 256
_DEGREES = 5.0
_SMALLEST_PRECISION = 1e-3
# The points are drawn again while fewer than this many count.
_ENOUGH_POINTS = 100
_ENOUGH_TO_MOVE = 40
_MOST_ROUNDS = 6
# A climb to the mode takes differences of this part of a parameter's scale, tries these lengths
# of a Newton step, and ends if a step gains less than this.
_DIFFERENCE = 0.01
_LENGTHS = np.array([1.0, 0.5, 0.25, 0.125, 0.0])
_SMALL_GAIN = 0.01
_MOST_CLIMBS = 15


def slope_of(log_slope: np.ndarray | float) -> np.ndarray:
    """Return the slope, of its logarithm."""
    return np.asarray(np.exp(np.minimum(log_slope, _LARGEST_LOG_SLOPE)))


def log_priors(
    points: np.ndarray, center: np.ndarray, deviation: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Log-density of the priors at each row of `points`, with its two derivatives by each.

    A prior is normal; or it is uniform in the sigmoid of a parameter, if its deviation is infinite.
    """
    precision = 1 / np.square(deviation)
    gap = points - center
    value = -0.5 * gap**2 @ precision
    gradient, curvature = -gap * precision, np.tile(-precision, (len(points), 1))
    for k in np.flatnonzero(np.isinf(deviation)):
        softplus, sigmoid = softplus_and_sigmoid(points[:, k])
        value = value + points[:, k] - 2 * softplus
        gradient[:, k] = 1 - 2 * sigmoid
        curvature[:, k] = -2 * sigmoid * (1 - sigmoid)
    return value, gradient, curvature


def climb(
    log_density: Callable[[np.ndarray], np.ndarray], start: np.ndarray, scale: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the mode of a density near `start` and minus the Hessian there, by differences.

    Parameters
    ----------
    log_density : callable
        As in `draw_points`.
    start, scale : ndarray of shape (n_parameters,)
        Where to start, and how large a change of each parameter is.

    Returns
    -------
    mode : ndarray of shape (n_parameters,)
    precision : ndarray of shape (n_parameters, n_parameters)
    """
    point = start
    for _ in range(_MOST_CLIMBS):
        value, gradient, precision = _differences(log_density, point, _DIFFERENCE * scale)
        values, vectors = linalg.eigh(precision)
        bounded = np.maximum(np.abs(values), _SMALLEST_PRECISION)
        step = vectors @ ((vectors.T @ gradient) / bounded)
        tried = point + _LENGTHS[:, None] * step
        found = log_density(tried)
        best = int(np.nanargmax(np.where(np.isfinite(found), found, -np.inf)))
        point = tried[best]
        if found[best] < value + _SMALL_GAIN:
            break
    return point, _differences(log_density, point, _DIFFERENCE * scale)[2]


def _differences(
    log_density: Callable[[np.ndarray], np.ndarray], point: np.ndarray, step: np.ndarray
) -> tuple[float, np.ndarray, np.ndarray]:
    """Value, gradient and minus the Hessian, by central differences."""
    along, (rows, columns) = np.diag(step), np.triu_indices(len(point), 1)
    first, second = along[rows], along[columns]
    offsets = [np.zeros((1, len(point))), along, -along]
    offsets += [first + second, first - second, second - first, -first - second]
    sizes = np.cumsum([len(one) for one in offsets])[:-1]
    found = np.split(log_density(point + np.concatenate(offsets)), sizes)
    (value,), up, down = found[:3]
    hessian = np.diag((up - 2 * value + down) / step**2)
    mixed = (found[3] - found[4] - found[5] + found[6]) / (4 * step[rows] * step[columns])
    hessian[rows, columns] = hessian[columns, rows] = mixed
    return float(value), (up - down) / (2 * step), -hessian


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

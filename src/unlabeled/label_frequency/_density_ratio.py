"""The ratio of the densities of a score among labelled and unlabelled rows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.ndimage import gaussian_filter1d, median_filter

from ..losses import softplus_and_sigmoid

_POINTS = 1000
_CELLS = 4096
# Widths of the kernels, in standard deviations.
_LABELLED_WIDTH = 0.1
_UNLABELLED_WIDTH = 0.05
_LARGEST_RATIO = 50.0
# Half widths of the running medians, as fractions of the points.
_FIRST_MEDIAN = 0.005
_SECOND_MEDIAN = 0.05


def density_ratio(score: np.ndarray, s: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
    """Density among labelled over that among unlabelled rows, smoothed, mostly rising.

    Evaluated at 1000 quantiles of the unlabelled scores, which have equal mass;
    so a weight counts as so many equal rows.
    """
    weight = np.ones_like(score) if weight is None else weight
    labelled = s == 1
    points = _equal_masses(score[~labelled], weight[~labelled])
    if not score.max() > score.min():
        return np.ones_like(points)
    edges = (float(score.min()), float(score.max()))
    spread = _deviation(score, weight)
    densities = [
        _density(score[part], weight[part], width, spread, edges)(points)
        for part, width in ((labelled, _LABELLED_WIDTH), (~labelled, _UNLABELLED_WIDTH))
    ]
    smallest = np.finfo(np.float64).tiny
    ratio = np.minimum(densities[0] / np.maximum(densities[1], smallest), _LARGEST_RATIO)
    return _smoothed(ratio, points > _middle(score, s, weight))


def _equal_masses(values: np.ndarray, weight: np.ndarray) -> np.ndarray:
    order = np.argsort(values)
    mass = np.cumsum(weight[order])
    levels = (np.arange(_POINTS) + 0.5) / _POINTS * mass[-1]
    return values[order][np.searchsorted(mass, levels)]


def _density(
    values: np.ndarray,
    weight: np.ndarray,
    width: float,
    spread: float,
    edges: tuple[float, float],
) -> Callable[[np.ndarray], np.ndarray]:
    """Gaussian kernel density on a fine grid, as a function of points."""
    deviation = width * (_deviation(values, weight) or spread)
    low, high = edges[0] - 4 * deviation, edges[1] + 4 * deviation
    place = (values - low) * ((_CELLS - 1) / (high - low))
    cell = place.astype(np.intp)
    part = place - cell
    mass = np.bincount(cell, weight * (1 - part), minlength=_CELLS)
    mass += np.bincount(cell + 1, weight * part, minlength=_CELLS)[:_CELLS]
    step = (high - low) / (_CELLS - 1)
    smooth = gaussian_filter1d(mass, deviation / step, mode="constant", truncate=6.0)
    grid = low + step * np.arange(_CELLS)
    return lambda points: np.interp(points, grid, smooth / (mass.sum() * step))


def _deviation(values: np.ndarray, weight: np.ndarray) -> float:
    mean = np.average(values, weights=weight)
    return float(np.sqrt(np.average((values - mean) ** 2, weights=weight)))


def _middle(score: np.ndarray, s: np.ndarray, weight: np.ndarray) -> float:
    """Score whose balanced probability is midway between the means of both groups."""
    odds = float(np.sum(weight * s) / np.sum(weight * (1 - s)))
    probability = softplus_and_sigmoid(score - np.log(odds))[1]
    means = [np.average(probability, weights=weight * (s == group)) for group in (0, 1)]
    middle = np.clip(np.mean(means), 1e-12, 1 - 1e-12)
    return float(np.log(middle / (1 - middle)) + np.log(odds))


def _smoothed(ratio: np.ndarray, upper: np.ndarray) -> np.ndarray:
    ratio = _running_median(ratio, _FIRST_MEDIAN)
    ratio[upper] = np.maximum.accumulate(ratio[upper])
    return _running_median(ratio, _SECOND_MEDIAN)


def _running_median(ratio: np.ndarray, fraction: float) -> np.ndarray:
    return median_filter(ratio, 2 * int(fraction * len(ratio)) + 1, mode="nearest")

"""The likelihood of the class prior along a score, averaged instead of maximised."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ._score_joint import ScoreProfile

_BINS = 1000
_POINTS = 20
_MOST_REFINEMENTS = 6
# Points less likely than the best one by this much, in log, have no part in the mean.
_NEGLIGIBLE = 12.0
# Points with a part in the mean that make it exact enough.
_ENOUGH = 8


def mean_class_prior(score: np.ndarray, s: np.ndarray, weight: np.ndarray | None) -> float:
    r"""Mean of the class prior, uniform between P(S=1) and 1, given the labels along the score.

    The likelihood at a class prior :math:`\alpha` is that of
    :math:`P(S=1|t) = (p_s/\alpha)\,\sigma(a + b t)` with the best a and b. It is
    computed on at most 1000 bins of the score.
    """
    labelled_share = float(np.average(s, weights=weight))
    rows = _binned(score, s, np.ones_like(score) if weight is None else weight)
    return _mean_under(ScoreProfile(*rows).log_likelihood, labelled_share, 1.0)


def _mean_under(log_likelihood: Callable[[float], float], low: float, high: float) -> float:
    """Mean of a number in (low, high) whose log density is given up to a constant."""
    for _ in range(_MOST_REFINEMENTS):
        step = (high - low) / _POINTS
        points = low + step * (np.arange(_POINTS) + 0.5)
        value = np.array([log_likelihood(point) for point in points])
        part = np.flatnonzero(value > value.max() - _NEGLIGIBLE)
        if len(part) >= _ENOUGH:
            break
        low, high = max(low, points[part[0]] - step), min(high, points[part[-1]] + step)
    return float(np.average(points, weights=np.exp(value - value.max())))


def _binned(
    score: np.ndarray, s: np.ndarray, weight: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Scores, labels and weights of bins of equal mass: one labelled, one unlabelled row a bin."""
    order = np.argsort(score)
    mass = np.cumsum(weight[order])
    levels = np.arange(1, _BINS) / _BINS * mass[-1]
    edges = np.unique(score[order][np.searchsorted(mass, levels * (1 - 1e-12))])
    cell = 2 * np.searchsorted(edges, score) + (s == 1)
    bins = np.bincount(cell, weight)
    kept = np.flatnonzero(bins)
    means = np.bincount(cell, weight * score)[kept] / bins[kept]
    return means, (kept % 2).astype(np.float64), bins[kept]

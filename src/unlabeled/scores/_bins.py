"""Rows in bins of a score: which bin each row is in, and what lies in each bin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..engine.rows import weighted_quantile
from ..engine.score_bins import asinh_cells

# A score whose standard deviation is below this fraction of its largest value is constant.
_CONSTANT = 1e-12

Cells = tuple[np.ndarray, int]
"""The number of each row's bin, and how many bins there are."""


class Bins(NamedTuple):
    """What lies in each bin that has rows.

    Attributes
    ----------
    score : ndarray of shape (n_bins,)
        Mean score.
    z : ndarray of shape (n_bins,)
        The same, standardised over the rows; 0 if the score is constant.
    total : ndarray of shape (n_bins,)
        Number of rows, or their weight.
    counts : ndarray of shape (n_kinds, n_bins)
        Number of rows of each kind, or their weight.
    mean, deviation : float
        Mean and standard deviation of `score`; a deviation of 0 is given as 1.
    """

    score: np.ndarray
    z: np.ndarray
    total: np.ndarray
    counts: np.ndarray
    mean: float
    deviation: float

    @classmethod
    def of(
        cls, cells: Cells, score: np.ndarray, weight: np.ndarray, kinds: Sequence[np.ndarray]
    ) -> Bins:
        """Count the rows of bins; `kinds` has the weight of each row as a row of that kind."""
        cell, n_cells = cells
        total = np.bincount(cell, weight, minlength=n_cells)
        counts = np.array([np.bincount(cell, kind, minlength=len(total)) for kind in kinds])
        sums = np.bincount(cell, weight * score, minlength=len(total))
        filled = total > 0
        middle, total = sums[filled] / total[filled], total[filled]
        z, mean, deviation = standardised(middle, total)
        return cls(middle, z, total, counts[:, filled], mean, deviation)


def standardised(score: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, float, float]:
    """Return the standardised score, its mean and its standard deviation; see `Bins`."""
    mean = float(np.average(score, weights=weight))
    deviation = float(np.sqrt(np.average((score - mean) ** 2, weights=weight)))
    if deviation <= _CONSTANT * float(np.max(np.abs(score))):
        return np.zeros(len(score)), mean, 1.0
    return (score - mean) / deviation, mean, deviation


def cells_of_equal_mass(score: np.ndarray, mass: np.ndarray, n_bins: int) -> Cells:
    """Cut at quantiles; rows with the same score share a bin."""
    edges = np.unique(weighted_quantile(score, mass, np.arange(1, n_bins) / n_bins))
    return np.searchsorted(edges, score), len(edges) + 1


def cells_of_both_kinds(score: np.ndarray, s: np.ndarray, weight: np.ndarray, n_bins: int) -> Cells:
    """Cut so that bins hold equal parts of both kinds, labelled rows weighing half.

    The score must rise.
    """
    share = float((weight * s).sum() / weight.sum())
    reached = np.cumsum(np.where(s == 1, weight / share, weight / (1 - share)))
    # Tied scores share the bin of the first of them.
    before = np.concatenate([[0.0], reached])[np.searchsorted(score, score, side="left")]
    # Sums of weights and of copies may differ by rounding; an edge belongs to the bin above.
    cell = (before / reached[-1] * n_bins + 1e-9).astype(np.int64)
    return np.minimum(cell, n_bins - 1), n_bins


def cells_by_density(z: np.ndarray, n_bins: int) -> Cells:
    """Cut a standardised score at equal steps of asinh: narrow bins where scores are dense."""
    low, high = np.arcsinh([z.min(), z.max()])
    return np.clip(asinh_cells(z, low, high, n_bins), 0, n_bins - 1), n_bins

"""From what a user sets to the scale of the mean loss: weights, the ridge, the tolerance."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..blocks import Array, times, weighted_mean


def mean_one(weight: Any, n_rows: int) -> tuple[Any, float]:
    """Return weights scaled to mean 1, as only ratios matter, and their sum before; None is 1s."""
    if weight is None:
        return None, float(n_rows)
    mean = weighted_mean(weight)
    return times(weight, 1 / mean), mean * n_rows


def ridge_strength(C: float, total_weight: float) -> float:
    """Strength of the ridge that scikit-learn's `C` stands for."""
    return 0.0 if np.isinf(C) else 1.0 / (C * total_weight)


def scaled_tol(tol: float, target: Array, weight: Array | None) -> float:
    """Tolerance for the gradient norm: `tol` times twice the standard deviation of the labels.

    A gradient is a mean of residuals, which are as large as the labels vary.
    With few labelled rows an absolute tolerance would stop far from the optimum.
    """
    mean = mean_inside(target, weight)
    return tol * 2 * float(np.sqrt(mean * (1 - mean)))


def mean_inside(target: Array, weight: Array | None) -> float:
    """Mean of the target, kept off 0 and 1."""
    mean = weighted_mean(target, weight)
    return min(max(mean, 1e-6), 1 - 1e-6)

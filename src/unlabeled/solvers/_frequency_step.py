"""The best label frequency for given posteriors."""

from __future__ import annotations

import numpy as np

from ..blocks import Array


def best_label_frequency(
    posterior: Array, s: Array, weight: Array | None, upper: float = 1.0
) -> float:
    r"""Maximise the label likelihood over c in [P(S=1), upper], posteriors held fixed.

    The derivative, :math:`\sum s_i / c - \sum (1-s_i)\,y_i / (1 - c\,y_i)`, falls
    in c, so Newton steps kept inside a shrinking bracket find its root.
    """
    unlabelled = s == 0
    missed = posterior[unlabelled]
    mass = np.ones_like(missed) if weight is None else weight[unlabelled]
    labelled = float(s.sum() if weight is None else (s * weight).sum())
    total = float(len(s) if weight is None else weight.sum())
    low, high = labelled / total, upper

    def slope_and_curvature(c: float) -> tuple[float, float]:
        odds = missed / np.maximum(1 - c * missed, np.finfo(missed.dtype).tiny)
        with np.errstate(over="ignore"):  # posterior 1 and c = 1: the slope is minus infinity
            pull = mass * odds
            curvature = float((pull * odds).sum())
            return labelled / c - float(pull.sum()), -labelled / c**2 - curvature

    if slope_and_curvature(high)[0] >= 0:
        return high
    if slope_and_curvature(low)[0] <= 0:
        return low
    c = 0.5 * (low + high)
    for _ in range(100):
        slope, curvature = slope_and_curvature(c)
        low, high = (c, high) if slope > 0 else (low, c)
        step = c - slope / curvature
        new = step if low < step < high else 0.5 * (low + high)
        if abs(new - c) <= 1e-14:
            break
        c = new
    return c

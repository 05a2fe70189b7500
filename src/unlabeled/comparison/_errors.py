"""Means over splits that share rows, and their standard errors."""

from __future__ import annotations

import numpy as np


def mean_and_error(values: np.ndarray, shared: float) -> tuple[np.ndarray, np.ndarray]:
    """Mean over the last axis and its standard error, NaN left out.

    The variance of k values is multiplied by 1/k + `shared`.
    """
    there = ~np.isnan(values)
    k = there.sum(axis=-1)
    total = np.where(there, values, 0.0).sum(axis=-1)
    mean = np.divide(total, k, out=np.full(np.shape(k), np.nan), where=k > 0)
    squares = np.where(there, np.square(values - mean[..., None]), 0.0).sum(axis=-1)
    variance = np.divide(squares, k - 1, out=np.full(np.shape(k), np.nan), where=k > 1)
    per_split = np.divide(1.0, k, out=np.full(np.shape(k), np.nan), where=k > 0)
    return mean, np.sqrt(variance * (per_split + shared))

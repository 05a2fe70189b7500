"""Rows as points of a kernel: which ones, in which coordinates, with which width."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg, sparse
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils import check_random_state

from ..labels import LabelledRows
from ._derived_rows import part_of
from ._weighted_quantile import weighted_quantile

# Widths tried, as multiples of the median distance.
_WIDTHS = 10.0 ** np.linspace(-1, 1, 5)


def random_part(rows: LabelledRows, most: int, random_state: Any) -> LabelledRows:
    """At most `most` of the rows, labelled ones first up to half of them."""
    if len(rows.s) <= most:
        return rows
    rng = check_random_state(random_state)
    labelled, unlabelled = np.flatnonzero(rows.s == 1), np.flatnonzero(rows.s == 0)
    n_labelled = min(len(labelled), max(most // 2, most - len(unlabelled), 1))
    n_unlabelled = min(len(unlabelled), max(most - n_labelled, 1))
    chosen = np.concatenate(
        [
            rng.choice(labelled, n_labelled, replace=False),
            rng.choice(unlabelled, n_unlabelled, replace=False),
        ]
    )
    return part_of(rows, chosen)


def points_of(rows: LabelledRows, n_components: int | None) -> np.ndarray:
    """The features, or with more than `n_components` their first principal components.

    Of sparse rows always principal components, between which distances are the same.
    """
    if sparse.issparse(rows.X):
        return _principal_components(rows, n_components)
    X = np.asarray(rows.X, dtype=np.float64)
    if n_components is None or X.shape[1] <= n_components:
        return X
    centred = X - np.average(X, axis=0, weights=rows.weight)
    root = 1.0 if rows.weight is None else np.sqrt(rows.weight)[:, None]
    _, _, axes = linalg.svd(centred * root, full_matrices=False)
    return np.asarray(centred @ axes[:n_components].T)


def _principal_components(rows: LabelledRows, n_components: int | None) -> np.ndarray:
    """Principal components of sparse rows, by the inner products of the centred rows."""
    X = rows.X.astype(np.float64, copy=False)
    weight = np.ones(X.shape[0]) if rows.weight is None else rows.weight
    mean = X.T @ weight / weight.sum()
    by_mean = X @ mean
    products = (X @ X.T).toarray() - by_mean - by_mean[:, None] + mean @ mean
    root = np.sqrt(weight)
    values, vectors = linalg.eigh(products * np.outer(root, root))
    first = slice(None, None, -1) if n_components is None else slice(-1, -n_components - 1, -1)
    return np.asarray(vectors[:, first] * np.sqrt(np.maximum(values[first], 0)) / root[:, None])


def best_kernel(
    points: np.ndarray, rows: LabelledRows
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Gaussian kernel under which the means of U and P differ most, and the weights of U and P."""
    weight = np.ones_like(rows.s) if rows.weight is None else rows.weight
    mixture, component = weight * (1 - rows.s), weight * rows.s
    mixture, component = mixture / mixture.sum(), component / component.sum()
    squared = euclidean_distances(points, squared=True)
    unit = _median(squared, rows.weight) or squared.mean() or 1.0
    kernels = (np.exp(squared / (-2 * unit * width**2)) for width in _WIDTHS)
    gap = mixture - component
    kernel = max(kernels, key=lambda kernel: float(gap @ kernel @ gap))
    return kernel, mixture, component


def _median(squared: np.ndarray, weight: np.ndarray | None) -> float:
    """Lower median over all pairs; a weight counts as so many equal rows."""
    values = squared.ravel()
    if weight is None:
        middle = (len(values) - 1) // 2
        return float(np.partition(values, middle)[middle])
    return float(weighted_quantile(values, np.outer(weight, weight).ravel(), 0.5))

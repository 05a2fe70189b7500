"""Coordinates in which the features are uncorrelated and of unit variance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from ._blocks import BLOCK_BYTES
from ._design import Array, Matrix, is_sparse

# Above this many features the p x p moment matrix is not formed and only the
# scale of each feature is used.
MOST_FEATURES = 1000
# A pivot of the correlation matrix under this is taken for a linear dependence.
_SMALLEST_PIVOT = 1e-9
# A standard deviation under this fraction of the mean is taken for a constant.
_SMALLEST_SPREAD = 1e-10
# Below this ratio of variance to squared mean a sparse column is centred block by block.
_CANCELLATION = 1e-6


@dataclass(frozen=True)
class Moments:
    """What a whitening needs to know of the rows.

    Attributes
    ----------
    center : ndarray of shape (n_features,)
        Their mean, or zeros where there is no intercept.
    second : ndarray of shape (n_features, n_features) or (n_features,)
        Second moments about the center, or only their diagonal.
    constant : ndarray of int
        Columns that do not vary about it.
    """

    center: Array
    second: Array
    constant: Array

    @classmethod
    def of(cls, X: Matrix, weight: Array | None, intercept: bool) -> Moments:
        """Compute the moments of the rows of `X`, in full up to 1000 features."""
        full = X.shape[1] <= MOST_FEATURES
        mean, second = _moments(X, weight, full)
        if not intercept:
            second = second + (np.outer(mean, mean) if full else mean**2)
            mean = np.zeros_like(mean)
        return cls(mean, second, _constant_columns(mean, np.diag(second) if full else second))


@dataclass(frozen=True)
class Whitening:
    r"""Linear coordinates z of the coefficients in which :math:`x^T w` has variance :math:`|z|^2`.

    ``coef = basis @ z`` (or ``basis * z`` when only scales are used), and the
    intercept is shifted so that z sees centred features. X itself is never
    changed, so a sparse matrix stays sparse. In these coordinates a fit does
    not depend on how the features are scaled, shifted or mixed, solvers need
    few iterations, and the curvature bound of the MM iterations,
    :math:`\tfrac14 \tilde X^T\tilde X / W`, is a quarter of the identity. With
    more than 1000 features only their scales are used, and neither is exact.

    With a ridge :math:`\lambda` the moment matrix is the one the penalised MM
    bound needs, covariance plus :math:`4\lambda I`.

    Attributes
    ----------
    center : ndarray of shape (n_features,)
        The means taken off (zeros without intercept).
    basis : ndarray of shape (n_features, rank) or (n_features,)
    inverse : ndarray of shape (rank, n_features) or (n_features,)
    rank : int or None
        Dimension of the span of the features; None when it was not computed.
    constant : ndarray of int
        Columns that do not vary (are zero, without intercept).
    """

    center: Array
    basis: Array
    inverse: Array
    rank: int | None
    constant: Array

    @classmethod
    def of(
        cls, X: Matrix, weight: Array | None = None, intercept: bool = True, ridge: float = 0.0
    ) -> Whitening:
        """Compute the whitening of the rows of `X`."""
        return cls.of_moments(Moments.of(X, weight, intercept), ridge)

    @classmethod
    def none(cls, n_features: int) -> Whitening:
        """Return the coordinates that are the coefficients themselves, which cost nothing."""
        ones = np.ones(n_features)
        return cls(np.zeros(n_features), ones, ones, None, np.array([], dtype=np.intp))

    @classmethod
    def of_moments(cls, moments: Moments, ridge: float) -> Whitening:
        """Compute the whitening of rows with these moments, for one of several ridges."""
        whiten = cls._of_matrix if moments.second.ndim == 2 else cls._of_scales
        return whiten(moments.center, moments.second.copy(), moments.constant, ridge)

    @classmethod
    def _of_scales(cls, center: Array, variance: Array, constant: Array, ridge: float) -> Whitening:
        scale = np.sqrt(variance + 4 * ridge)
        scale[constant] = 1.0
        return cls(center, 1 / scale, scale, None, constant)

    @classmethod
    def _of_matrix(cls, center: Array, moment: Array, constant: Array, ridge: float) -> Whitening:
        moment[constant, :] = moment[:, constant] = 0.0
        moment[np.diag_indices_from(moment)] += 4 * ridge
        scale = np.sqrt(np.diag(moment))
        scale[scale == 0] = 1.0
        root, root_inverse = _square_root(moment / np.outer(scale, scale))
        basis = root_inverse / scale[:, None]
        return cls(center, basis, root * scale, basis.shape[1], constant)


def _moments(X: Matrix, weight: Array | None, full: bool) -> tuple[Array, Array]:
    """Mean of the columns and their covariance matrix, or only variances unless `full`."""
    with np.errstate(over="ignore", invalid="ignore"):
        if is_sparse(X):
            mean, moment = _sparse_moments(X, weight, full)
        else:
            mean, moment = _dense_moments(X, weight, full)
    if not np.all(np.isfinite(moment)):
        raise ValueError(
            "`X` must have values whose squares are finite numbers; got larger ones. "
            "Rescale the features, for instance with StandardScaler."
        )
    return mean, moment


def _dense_moments(X: Matrix, weight: Array | None, full: bool) -> tuple[Array, Array]:
    total = float(X.shape[0] if weight is None else weight.sum(dtype=np.float64))
    shift = _rows(X, 0, 1000).mean(axis=0, dtype=np.float64)
    mean = np.zeros(X.shape[1])
    moment = np.zeros((X.shape[1], X.shape[1]) if full else X.shape[1])
    step = max(256, BLOCK_BYTES // (8 * max(1, X.shape[1])))
    for start in range(0, X.shape[0], step):
        centred = _rows(X, start, start + step) - shift
        block_weight = None if weight is None else weight[start : start + step]
        weighted = centred if block_weight is None else centred * np.sqrt(block_weight)[:, None]
        mean += _column_sums(centred, block_weight)
        moment += weighted.T @ weighted if full else np.einsum("ij,ij->j", weighted, weighted)
    mean, moment = mean / total, moment / total
    moment -= np.outer(mean, mean) if full else mean**2
    return mean + shift, moment


def _rows(X: Matrix, start: int, stop: int) -> Array:
    block = X[start:stop]
    return np.asarray(block.toarray() if is_sparse(X) else block, dtype=np.float64)


def _column_sums(block: Array, weight: Array | None) -> Array:
    return np.ones(len(block)) @ block if weight is None else weight @ block


def _sparse_moments(X: Matrix, weight: Array | None, full: bool) -> tuple[Array, Array]:
    row_weight = np.ones(X.shape[0]) if weight is None else weight.astype(np.float64)
    total = float(row_weight.sum())
    mean = np.asarray(X.T @ row_weight, dtype=np.float64) / total
    squares = np.asarray(_with_values(X, X.data * X.data).T @ row_weight, dtype=np.float64) / total
    variance = np.maximum(squares - mean**2, 0.0)
    if np.any(variance < _CANCELLATION * mean**2):
        # Columns far from zero for their spread: differences of squares would be noise.
        if full:
            return _dense_moments(X, weight, full)
        return mean, _variance_about(mean, X, row_weight, total)
    if not full:
        return mean, variance
    weighted = X.astype(np.float64).multiply(row_weight[:, None]).tocsr()
    return mean, (X.T @ weighted).toarray() / total - np.outer(mean, mean)


def _variance_about(mean: Array, X: Matrix, row_weight: Array, total: float) -> Array:
    """Variances of sparse columns: of the values that are stored, and of the zeros that are not."""
    stored = _with_values(X, (X.data - mean[X.indices]) ** 2).T @ row_weight
    weight_stored = _with_values(X, np.ones(len(X.data))).T @ row_weight
    is_full = np.bincount(X.indices, minlength=X.shape[1]) == X.shape[0]
    weight_of_zeros = np.where(is_full, 0.0, total - weight_stored)
    return np.asarray(stored + weight_of_zeros * mean**2) / total


def _with_values(X: Matrix, values: Array) -> Matrix:
    """Other values in the places of the stored ones, which are shared."""
    return type(X)((values, X.indices, X.indptr), shape=X.shape)


def _constant_columns(center: Array, variance: Array) -> Array:
    return np.flatnonzero(variance <= (_SMALLEST_SPREAD * center) ** 2)


def _square_root(correlation: Array) -> tuple[Array, Array]:
    """R and a right inverse B with ``R.T @ R = correlation`` on its range, ``R @ B = I``."""
    try:
        lower = linalg.cholesky(correlation, lower=True)
        if len(lower) == 0 or np.min(np.diag(lower)) ** 2 > _SMALLEST_PIVOT:
            inverse = linalg.solve_triangular(lower, np.eye(len(lower)), lower=True)
            return lower.T, inverse.T
    except linalg.LinAlgError:
        pass
    values, vectors = linalg.eigh(correlation)
    kept = values > _SMALLEST_PIVOT * max(1.0, values[-1])
    root = np.sqrt(values[kept])
    return (vectors[:, kept] * root).T, vectors[:, kept] / root

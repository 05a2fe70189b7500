"""Coordinates in which features are uncorrelated, and the objective in them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any

import numpy as np
from scipy import linalg

from ..arrays import (
    Array,
    Matrix,
    in_double,
    is_sparse,
    namespace_of,
    on_host,
    precision_of,
    to_host,
)
from ..rows import (
    MomentSums,
    consecutive_slices,
    pooled,
    reduce_rows,
    reject_large_squares,
    rows_in_a_dense_block,
    subsample,
)
from ._objective import Objective, one_after_the_other

# With more features the p x p moment matrix is not formed and only the scale of
# each feature is used.
MOST_FEATURES = 1000
# This many rows give the moments to within a tenth.
_ENOUGH_ROWS = 5_000
_ENOUGH_ROWS_PER_FEATURE = 200
# A subset of the rows is a copy. It holds at most this many numbers, and is used only if it is at
# most a quarter of the rows.
_MOST_NUMBERS = 2**25
_SHORTEST_STRIDE = 4
# A smaller pivot of the correlation matrix counts as a linear dependence.
_SMALLEST_PIVOT = 1e-9
# A column whose standard deviation is a smaller fraction of its mean counts as constant.
_SMALLEST_SPREAD = 1e-10
# Below this ratio of variance to squared mean, products of sparse columns would cancel, so the
# rows are made dense, block by block.
_CANCELLATION = 1e-6


@dataclass(frozen=True)
class Moments:
    """The moments of rows that a whitening needs.

    Attributes
    ----------
    center : ndarray of shape (n_features,)
        The mean of the rows, or zeros without an intercept.
    second : ndarray of shape (n_features, n_features) or (n_features,)
        Second moments about the center, or only their diagonal.
    constant : ndarray of int
        Columns that do not vary about the center.
    """

    center: Array
    second: Array
    constant: Array

    @classmethod
    def about(cls, X: Matrix, weight: Array | None, intercept: bool) -> Moments:
        """Approximate the moments of the rows of `X` by those of a subset, which takes less time.

        If columns of the subset are linearly dependent or constant, all rows are used.
        """
        stride = X.shape[0] // _enough_rows(X.shape[1])
        if stride >= _SHORTEST_STRIDE:
            some_X, some_weight = subsample(stride, X, weight)
            moments = cls.of(some_X, some_weight, intercept)
            rank = Whitening.of_moments(moments, ridge=0.0).rank
            if len(moments.constant) == 0 and rank in (None, X.shape[1]):
                return moments
        return cls.of(X, weight, intercept)

    @classmethod
    def of(cls, X: Matrix, weight: Array | None, intercept: bool) -> Moments:
        """Compute the moments of the rows of `X`, in full up to 1000 features."""
        full = X.shape[1] <= MOST_FEATURES
        mean, second = moments_of_rows(X, weight, full)
        if not intercept:
            second = second + (np.outer(mean, mean) if full else mean**2)
            mean = np.zeros_like(mean)
        variance = np.diag(second) if full else second
        return cls(mean, second, np.flatnonzero(variance <= (_SMALLEST_SPREAD * mean) ** 2))


@dataclass(frozen=True)
class Whitening:
    r"""Linear coordinates z of the coefficients in which :math:`x^T w` has variance :math:`|z|^2`.

    ``coef = basis @ z`` (or ``basis * z`` when only scales are used), and the
    intercept is shifted so that z refers to centered features. X itself is never
    changed, so a sparse matrix stays sparse. In these coordinates a fit does
    not depend on invertible linear transformations or shifts of the features,
    solvers need few iterations, and the curvature bound of the MM iterations,
    :math:`\tfrac14 \tilde X^T\tilde X / W`, is a quarter of the identity. With
    more than 1000 features only their scales are used, and these properties
    hold only approximately; so does the unit variance if the moments come from
    a subset of the rows.

    With a ridge :math:`\lambda` the moment matrix is the one the penalized MM
    bound needs, covariance plus :math:`4\lambda I`.

    Attributes
    ----------
    center : ndarray of shape (n_features,)
        The means that are subtracted (zeros without intercept).
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
    def none(cls, n_features: int) -> Whitening:
        """Return the identity: coordinates that are the coefficients themselves."""
        ones = np.ones(n_features)
        return cls(np.zeros(n_features), ones, ones, None, np.array([], dtype=np.intp))

    def of_columns(self, columns: tuple[int, ...] | None) -> Whitening:
        """Return the whitening of some of the features; itself if there are no `columns`."""
        if columns is None:
            return self
        chosen = list(columns)
        constant = np.flatnonzero(np.isin(chosen, self.constant))
        inverse = self.inverse[..., chosen]
        if inverse.ndim == 1:
            return self._of_scales(self.center[chosen], inverse**2, constant, 0.0)
        return self._of_matrix(self.center[chosen], inverse.T @ inverse, constant, 0.0)

    @classmethod
    def of_moments(cls, moments: Moments, ridge: Any) -> Whitening:
        """Compute the whitening of rows with these moments, for one ridge or one per feature."""
        whiten = cls._of_matrix if moments.second.ndim == 2 else cls._of_scales
        return whiten(moments.center, moments.second.copy(), moments.constant, ridge)

    @classmethod
    def _of_scales(cls, center: Array, variance: Array, constant: Array, ridge: Any) -> Whitening:
        scale = np.sqrt(variance + 4 * ridge)
        scale[constant] = 1.0
        return cls(center, 1 / scale, scale, None, constant)

    @classmethod
    def _of_matrix(cls, center: Array, moment: Array, constant: Array, ridge: Any) -> Whitening:
        moment[constant, :] = moment[:, constant] = 0.0
        moment[np.diag_indices_from(moment)] += 4 * ridge
        scale = np.sqrt(np.diag(moment))
        scale[scale == 0] = 1.0
        root, root_inverse = _square_root(moment / np.outer(scale, scale))
        basis = root_inverse / scale[:, None]
        return cls(center, basis, root * scale, basis.shape[1], constant)


def _enough_rows(n_features: int) -> int:
    if n_features > MOST_FEATURES:
        return _ENOUGH_ROWS
    rows = max(_ENOUGH_ROWS, _ENOUGH_ROWS_PER_FEATURE * n_features)
    return min(rows, _MOST_NUMBERS // n_features)


def _square_root(correlation: Array) -> tuple[Array, Array]:
    """R and a right inverse B with ``R.T @ R = correlation`` on its range, ``R @ B = I``."""
    if len(correlation) == 0:  # SciPy 1.11 would hand it to LAPACK, which rejects it
        return correlation, correlation
    try:
        lower = linalg.cholesky(correlation, lower=True)
        if np.min(np.diag(lower)) ** 2 > _SMALLEST_PIVOT:
            inverse = linalg.solve_triangular(lower, np.eye(len(lower)), lower=True)
            return lower.T, inverse.T
    except linalg.LinAlgError:
        pass
    values, vectors = linalg.eigh(correlation)
    kept = values > _SMALLEST_PIVOT * max(1.0, values[-1])
    root = np.sqrt(values[kept])
    return (vectors[:, kept] * root).T, vectors[:, kept] / root


# Relative error of a value, by the bytes per number.
_ROUNDING = {4: 1e-7, 8: 1e-14}


class WhitenedObjective:
    """`objective` as a function of whitened coordinates z.

    A solver uses only value, gradient and Hessian in z; `theta` and
    `coordinates` translate. Fits stop by the norm of the gradient in z: it
    does not depend on the units of the features, and on standardized features
    it bounds every entry of the plain gradient.

    Attributes
    ----------
    objective : Objective
    whitening : Whitening
    parts : tuple of slice
        The slice of z of each predictor.
    n_parameters : int
        Dimension of z.
    rounding : float
        Relative error of the value: losses of float32 rows have float32
        precision.
    """

    def __init__(self, objective: Objective, whitening: Whitening) -> None:
        self.objective = objective
        self.whitening = whitening
        self._whitenings = [whitening.of_columns(design.columns) for design in objective.designs]
        self.parts = one_after_the_other(
            [
                one.basis.shape[-1] * design.features + design.intercept
                for one, design in zip(self._whitenings, objective.designs, strict=True)
            ]
        )
        self.n_parameters: int = self.parts[-1].stop
        self.rounding = _ROUNDING[precision_of(objective.X).itemsize]

    def theta(self, z: Array) -> Array:
        """Return the parameters on the scale of X at the coordinates `z`; column by column."""
        return self._translate(z, _from_z, self.parts)

    def coordinates(self, theta: Array) -> Array:
        """Return the coordinates of the parameters `theta`."""
        return self._translate(theta, _to_z, self.objective.parts)

    def gradient_in_z(self, gradient: Array) -> Array:
        """Apply the chain rule from the scale of X to z; a matrix column by column."""
        return self._translate(gradient, _pull_back, self.objective.parts)

    def subsample(self, stride: int) -> WhitenedObjective:
        """Return the problem on one row from each run of `stride` rows, in the same coordinates."""
        return WhitenedObjective(self.objective.subsample(stride), self.whitening)

    def value_gradient(self, z: Array) -> tuple[float, Array]:
        """Value and gradient in z."""
        value, gradient = self.objective.value_gradient(self.theta(z))
        return value, self.gradient_in_z(gradient)

    def value_gradient_hessian(self, z: Array) -> tuple[float, Array, Array]:
        """Value, gradient and Hessian in z."""
        value, gradient, hessian = self.objective.value_gradient_hessian(self.theta(z))
        in_z = self.gradient_in_z(self.gradient_in_z(hessian).T)
        return value, self.gradient_in_z(gradient), 0.5 * (in_z + in_z.T)

    def _translate(
        self,
        vector: Array,
        translate: Callable[[Whitening, Array, bool], Array],
        parts: tuple[slice, ...],
    ) -> Array:
        """Apply `translate` to the parameters of each design that uses the features."""
        each = zip(self._whitenings, self.objective.designs, parts, strict=True)
        return np.concatenate(
            [
                translate(one, vector[part], design.intercept) if design.features else vector[part]
                for one, design, part in each
            ]
        )


def _from_z(whitening: Whitening, z: Array, intercept: bool) -> Array:
    coef = _apply(whitening.basis, z[:-1] if intercept else z)
    return np.concatenate([coef, z[-1:] - whitening.center @ coef]) if intercept else coef


def _to_z(whitening: Whitening, theta: Array, intercept: bool) -> Array:
    coef = theta[:-1] if intercept else theta
    z = _apply(whitening.inverse, coef)
    return np.append(z, theta[-1] + whitening.center @ coef) if intercept else z


def _pull_back(whitening: Whitening, gradient: Array, intercept: bool) -> Array:
    basis = whitening.basis
    if not intercept:
        return _apply(basis.T, gradient)
    shifted = gradient[:-1] - np.multiply.outer(whitening.center, gradient[-1])
    return np.concatenate([_apply(basis.T, shifted), gradient[-1:]])


def _apply(operator: Array, vector: Array) -> Array:
    """Multiply by a matrix, or by a diagonal matrix given as its diagonal."""
    if operator.ndim == 2:
        return operator @ vector
    return (operator * vector.T).T


# Means, second moments and ranges of the columns, block by block.


def moments_of_rows(X: Matrix, weight: Any, full: bool) -> tuple[Array, Array]:
    """Return the means of the columns and their covariance matrix; only variances unless `full`."""
    with np.errstate(over="ignore", invalid="ignore"):
        total, mean, products = reduce_rows(partial(_of_block, full), X, weight, combine=pooled)
    if not np.all(np.isfinite(products)):
        reject_large_squares()
    return mean, products / total


def _of_block(full: bool, X: Matrix, weight: Array | None) -> MomentSums:
    if not is_sparse(X):
        return _of_dense(full, X, weight)
    return _of_sparse(full, X, np.ones(X.shape[0]) if weight is None else weight.astype(np.float64))


def _of_dense(full: bool, X: Matrix, weight: Array | None) -> MomentSums:
    xp = namespace_of(X)
    rows = X.astype(np.float64, copy=False) if on_host(X) else X
    ones = xp.ones_like(rows[:, 0])
    mass = ones if weight is None else weight
    total = float(xp.sum(mass, dtype=xp.float64))
    mean = (mass @ rows) / total
    centered = rows - mean
    weighted = centered if weight is None else centered * xp.sqrt(weight)[:, None]
    products = weighted.T @ weighted if full else xp.sum(weighted * weighted, axis=0)
    return total, in_double(to_host(mean)), in_double(to_host(products))


def _of_sparse(full: bool, X: Matrix, weight: Array) -> MomentSums:
    total = float(weight.sum())
    mean = in_double(X.T @ weight) / total
    spread = _spread_of_sparse(X, weight, mean)
    if not full:
        return total, mean, spread
    if np.any(spread < _CANCELLATION * total * mean**2):
        return _of_dense_blocks(X, weight)
    products = (X.T @ X.astype(np.float64).multiply(weight[:, None]).tocsr()).toarray()
    return total, mean, products - total * np.outer(mean, mean)


def _spread_of_sparse(X: Matrix, weight: Array, mean: Array) -> Array:
    """Sum the squared deviations from the mean: of stored entries, and of the zeros not stored."""
    of_entry = np.repeat(weight, np.diff(X.indptr))
    deviation = X.data.astype(np.float64) - mean[X.indices]
    of_entries = np.bincount(X.indices, of_entry * deviation**2, minlength=X.shape[1])
    stored = np.bincount(X.indices, of_entry, minlength=X.shape[1])
    is_full = np.bincount(X.indices, minlength=X.shape[1]) == X.shape[0]
    weight_of_zeros = np.where(is_full, 0.0, weight.sum() - stored)
    return of_entries + weight_of_zeros * mean**2


def _of_dense_blocks(X: Matrix, weight: Array) -> MomentSums:
    slices = consecutive_slices(X.shape[0], rows_in_a_dense_block(X.shape[1]))
    of_blocks = (_of_dense(True, X[rows].toarray(), weight[rows]) for rows in slices)
    return reduce(pooled, of_blocks)


def spread_of_columns(X: Matrix, weight: Any) -> tuple[Array, Array, Array, Array]:
    """Return mean, variance, smallest and largest value of each column, in one pass."""
    with np.errstate(over="ignore", invalid="ignore"):
        found = reduce_rows(_spread_of_block, X, weight, combine=_pooled_spread)
    (total, mean, products), (low, high) = found[:3], found[3:]
    if not np.all(np.isfinite(products)):
        reject_large_squares()
    return mean, products / total, low, high


def _spread_of_block(X: Matrix, weight: Array | None) -> tuple[Any, ...]:
    return *_of_block(False, X, weight), *(in_double(end) for end in column_range(X))


def _pooled_spread(first: tuple[Any, ...], second: tuple[Any, ...]) -> tuple[Any, ...]:
    low, high = np.minimum(first[3], second[3]), np.maximum(first[4], second[4])
    return *pooled(first[:3], second[:3]), low, high


def column_range(X: Matrix, rows: Array | None = None) -> tuple[Array, Array]:
    """Return the smallest and largest value of each column, in all rows or in the mask `rows`.

    A sparse matrix must have distinct entries; it is not made dense.
    """
    if not is_sparse(X):
        xp = namespace_of(X)
        if rows is not None and xp is np:
            X = X[rows]
        elif rows is not None:
            X = xp.take(X, xp.asarray(np.flatnonzero(rows), device=X.device), axis=0)
        return to_host(xp.min(X, axis=0)), to_host(xp.max(X, axis=0))
    columns, values, n_rows = X.indices, X.data, X.shape[0]
    if rows is not None:
        stored = np.repeat(rows, np.diff(X.indptr))
        columns, values, n_rows = columns[stored], values[stored], int(np.sum(rows))
    low, high = np.full(X.shape[1], np.inf, X.dtype), np.full(X.shape[1], -np.inf, X.dtype)
    np.minimum.at(low, columns, values)
    np.maximum.at(high, columns, values)
    has_zeros = np.bincount(columns, minlength=X.shape[1]) < n_rows
    low[has_zeros] = np.minimum(low[has_zeros], 0)
    high[has_zeros] = np.maximum(high[has_zeros], 0)
    return low, high

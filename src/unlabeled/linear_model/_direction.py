"""The direction of a linear score, with a ridge: by the logistic fit to the labels, or by JOINT."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy import linalg, sparse

from ..engine.arrays import is_sparse, on_device_of
from ..engine.linear_fits import RidgePath, RidgePoint
from ..engine.losses import KnownFrequencyLoss
from ..engine.objective import spread_of_columns
from ..engine.rows import Rows, label_folds
from ..scores import ScoreProfile

# A column is divided by its standard deviation, but not by less than this fraction of its range;
# otherwise a column that is nonzero in few rows would dominate the scores of those rows.
_SMALLEST_SCALE = 0.03
# Up to this many rows, tables with more columns than rows are rotated into their row space.
_MOST_ROWS_TO_ROTATE = 2000
_SMALLEST_EIGENVALUE = 1e-12
# A spread under this fraction of the largest value counts as constant.
_CONSTANT = 1e-10


@dataclass(frozen=True)
class Scaling:
    """What makes columns comparable.

    Attributes
    ----------
    center : ndarray of shape (n_features,)
        The means of the columns.
    scale : ndarray of shape (n_features,)
        The divisors; those of constant columns are their values, at least 1.
    spread : float
        Sum of the variances of the scaled columns.
    """

    center: np.ndarray
    scale: np.ndarray
    spread: float

    @classmethod
    def of(cls, rows: Rows) -> Scaling:
        """Look at the columns of rows in memory, in chunks or on a device."""
        mean, variance, low, high = spread_of_columns(rows.X, rows.weight)
        scale = np.maximum(np.sqrt(variance), _SMALLEST_SCALE * (high - low))
        largest = np.maximum(np.abs(high), np.abs(low))
        constant = (scale <= _CONSTANT * largest) | (variance == 0)
        scale[constant] = np.maximum(largest, 1.0)[constant]
        return cls(mean, scale, float(np.sum(variance / scale**2)) or 1.0)


@dataclass(frozen=True)
class ComparableFeatures:
    """Rows ready for a ridge, and the way back to the user's features.

    Attributes
    ----------
    rows : Rows
        Centered if they are dense, scaled, and rotated if there were more features than rows.
    spread : float
        Sum of the variances of the scaled features.
    mean : ndarray of shape (n_features,)
        The means of the user's columns.
    center : ndarray of shape (n_features,)
        The numbers subtracted from the columns: the means, or 0 if X is sparse.
    scale : ndarray of shape (n_features,)
        The divisors of the columns.
    rotation : RowSpace or None
        The rotation into the row space, if there were more features than rows.
    """

    rows: Rows
    spread: float
    mean: np.ndarray
    center: np.ndarray
    scale: np.ndarray
    rotation: RowSpace | None

    @classmethod
    def of(cls, rows: Rows, scaling: Scaling | None = None) -> ComparableFeatures:
        """Scale the columns, and rotate tables with more columns than rows.

        Pass the `scaling` of all rows if these are a part of them.
        """
        scaling = Scaling.of(rows) if scaling is None else scaling
        # Far from 0 dense columns would lose precision; zeros of sparse ones must stay zeros.
        center = np.zeros_like(scaling.center) if is_sparse(rows.X) else scaling.center
        X = divided(rows.X, scaling.scale, center)
        rotation = None
        if X.shape[0] < X.shape[1] and X.shape[0] <= _MOST_ROWS_TO_ROTATE:
            rotation = RowSpace.of(X)
            X = rotation.features
        mean, scale = scaling.center, scaling.scale
        return cls(replace(rows, X=X), scaling.spread, mean, center, scale, rotation)

    def original(self, coef: np.ndarray, intercept: float) -> tuple[np.ndarray, float]:
        """Coefficients and intercept for the user's features."""
        if self.rotation is not None:
            coef, intercept = self.rotation.original(coef, intercept)
        coef = coef / self.scale
        return coef, intercept - float(self.center @ coef)


@dataclass(frozen=True)
class RowSpace:
    """Coordinates of rows in the space they span: a ridge fit there is the same fit.

    Attributes
    ----------
    features : ndarray of shape (n_rows, rank)
        The rotated, centered rows.
    """

    features: np.ndarray
    _X: Any
    _mean: np.ndarray
    _dual: np.ndarray

    @classmethod
    def of(cls, X: Any) -> RowSpace:
        """Rotate by the eigenvectors of the inner products of the centered rows."""
        mean = np.asarray(X.mean(axis=0), dtype=np.float64).ravel()
        products: Any = X @ X.T
        products = products.toarray() if is_sparse(products) else np.asarray(products)
        products = products.astype(np.float64)
        products -= products.mean(axis=0)
        products -= products.mean(axis=1, keepdims=True)
        values, vectors = linalg.eigh(0.5 * (products + products.T))
        kept = values > _SMALLEST_EIGENVALUE * max(float(values[-1]), np.finfo(float).tiny)
        root = np.sqrt(values[kept])
        return cls(vectors[:, kept] * root, X, mean, vectors[:, kept] / root)

    def original(self, coef: np.ndarray, intercept: float) -> tuple[np.ndarray, float]:
        """Coefficients and intercept for the features before the rotation."""
        dual = self._dual @ coef
        before = np.asarray(self._X.T @ dual, dtype=np.float64) - self._mean * dual.sum()
        return before, intercept - float(self._mean @ before)


def divided(X: Any, scale: np.ndarray, center: np.ndarray | float = 0.0) -> Any:
    """Divide every column by its scale; if X is dense, subtract its center first."""
    if not is_sparse(X):
        return (X - on_device_of(X, np.asarray(center))) / on_device_of(X, scale)
    # Only the values are copied; the positions of the nonzeros are shared.
    data = X.data / scale.astype(X.dtype)[X.indices]
    return sparse.csr_matrix((data, X.indices, X.indptr), shape=X.shape)


# With more features than this, closed-form leave-one-out costs more than folds.
_MOST_FEATURES_TO_LEAVE_ONE_OUT = 1000
_FOLDS = 5


def held_out_splits(
    features: ComparableFeatures, random_state: Any = None
) -> list[tuple[np.ndarray, np.ndarray]] | None:
    """Return the splits for held-out scores, or None for closed-form leave-one-out.

    Rows in groups get folds of whole groups. Tables with more than 1000 features that were not
    rotated get folds in which equal rows stay together. There are five, or fewer if fewer rows are
    labeled or unlabeled.
    """
    rows = features.rows
    is_small = rows.X.shape[1] <= _MOST_FEATURES_TO_LEAVE_ONE_OUT or features.rotation is not None
    if is_small and rows.groups is None:
        return None
    n_labeled, n_unlabeled = rows.fold_units_by_label
    folds = min(_FOLDS, n_labeled, n_unlabeled)
    if folds < 2:
        unit, many = rows.fold_unit, f"more than {_MOST_FEATURES_TO_LEAVE_ONE_OUT} features"
        table = many if rows.groups is None else unit
        raise ValueError(
            f"A table with {table} needs at least 2 labeled and 2 unlabeled {unit}, to score "
            f"each out of fold; got {n_labeled} labeled of {rows.n_groups or len(rows.s)} "
            f"{unit}. Label more {unit}."
        )
    return label_folds(rows, folds, random_state)


# Above this label frequency, JOINT and naive count as the same model.
_NEARLY_ALL_LABELED = 0.99


@dataclass(frozen=True)
class Direction:
    """A direction with the held-out scores of the rows along it.

    Attributes
    ----------
    name : {"naive", "joint"}
    point : RidgePoint
        The chosen fit.
    path : RidgePath
        The ridge path that `point` was chosen from.
    frequency : float
        The label frequency in the loss; 1 for the naive direction.
    is_settled : bool
        Whether another fit that it rests on has converged.
    """

    name: str
    point: RidgePoint
    path: RidgePath
    frequency: float
    is_settled: bool = True

    @cached_property
    def profile(self) -> ScoreProfile:
        """Profile of the held-out scores."""
        return ScoreProfile.of(self.point.score, self.path.rows.s, self.path.rows.weight)

    def held_out_score(self, features: ComparableFeatures) -> np.ndarray:
        """Return ``X @ coef`` of the user's features, each row by a fit without it."""
        fit = self.point.fit
        return self.point.score - features.original(fit.coef, fit.intercept)[1]


def naive_direction(path: RidgePath, C: float | None = None, fine: bool = True) -> Direction:
    """Fit the labels by the logistic loss, with the given C or the one chosen on `path`.

    Unless `fine`, C is chosen in whole decades.
    """
    return Direction("naive", choose_C(path, C, None, fine), path, 1.0)


def held_out_direction(
    rows: Rows, random_state: Any = None, tol: float = 1e-4, max_iter: int = 1000
) -> Direction:
    """Fit the labels with the best ridge; score all rows by fits without them."""
    features = ComparableFeatures.of(rows)
    splits = held_out_splits(features, random_state)
    return naive_direction(RidgePath(features.rows, features.spread, splits, tol, max_iter))


def joint_direction(
    before: Direction,
    class_prior: float,
    C: float | None = None,
    outcomes: np.ndarray | None = None,
) -> Direction | None:
    """Fit JOINT with the label frequency of a class prior; None if that is the naive model.

    Its likelihood is not concave: the search starts at the direction `before`. It is the
    likelihood of the labels, or of the `outcomes` if rows were checked (`Rows.target`).
    """
    frequency = min(1.0, before.profile.labeled_share / class_prior)
    if frequency > _NEARLY_ALL_LABELED and outcomes is None:
        return None
    # If positives are rare, c sigmoid(t) is nearly exp(t + log c).
    theta = before.point.fit.theta.copy()
    theta[-1] -= np.log(frequency / before.frequency)
    path = before.path.with_loss(KnownFrequencyLoss(frequency), "JOINT", theta, outcomes)
    point = choose_C(path, C, before.point)
    if not np.isfinite(point.mean_log_likelihood):
        return None
    return Direction("joint", point, path, frequency)


def choose_C(  # noqa: N802  # C as everywhere
    path: RidgePath, C: float | None, before: RidgePoint | None, fine: bool = True
) -> RidgePoint:
    """Fit with C, or choose C, starting near `before`."""
    if C is not None:
        return path.at(C)
    return path.best(None if before is None else before.C, fine)

"""Which way positives lie: by the logistic fit to the labels, or by JOINT."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import linalg, sparse
from sklearn.preprocessing import StandardScaler

from ..engine.linear_fits import NOBODY, RidgePath, RidgePoint, RowsToScore, Watch
from ..engine.losses import KnownFrequencyLoss, LogisticLoss
from ..engine.objective import column_range
from ..engine.rows import LabelledRows
from ..label_frequency import ScoreProfile

# Features a ridge treats alike: of comparable scales, and no more of them than rows.

# A column is divided by its standard deviation, but not by less than this fraction of its
# range: a column that is zero in all but a few rows would give those rows a score each.
_SMALLEST_SCALE = 0.03
# Up to this many rows, wider tables are rotated into the space their rows span.
_MOST_ROWS_TO_ROTATE = 2000
_SMALLEST_EIGENVALUE = 1e-12
# A spread under this fraction of the largest value is taken for a constant.
_CONSTANT = 1e-10


@dataclass(frozen=True)
class ComparableFeatures:
    """Rows ready for a ridge, and the way back to the user's features.

    Attributes
    ----------
    rows : RowsToScore
        Centred if they are dense, scaled, and rotated where there were more features than rows.
    center : ndarray of shape (n_features,)
        What was taken from the columns; 0 for sparse ones.
    scale : ndarray of shape (n_features,)
        What the columns were divided by.
    rotation : RowSpace or None
        Into the space the rows span, where there were more features than rows.
    """

    rows: RowsToScore
    center: np.ndarray
    scale: np.ndarray
    rotation: RowSpace | None

    @classmethod
    def of(cls, rows: LabelledRows) -> ComparableFeatures:
        """Scale the columns, and rotate tables that are wider than long."""
        center, variance, scale = _scale(rows.X, rows.weight)
        spread = float(np.sum(variance / scale**2)) or 1.0
        X = divided(rows.X, scale.astype(rows.X.dtype), center.astype(rows.X.dtype))
        scaled = RowsToScore(X, rows.s, rows.weight, spread, rows.are_copies)
        if X.shape[0] >= X.shape[1] or X.shape[0] > _MOST_ROWS_TO_ROTATE:
            return cls(scaled, center, scale, None)
        rotation = RowSpace.of(X)
        return cls(replace(scaled, X=rotation.features), center, scale, rotation)

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
        The rotated, centred rows.
    """

    features: np.ndarray
    _X: Any
    _mean: np.ndarray
    _dual: np.ndarray

    @classmethod
    def of(cls, X: Any) -> RowSpace:
        """Rotate by the eigenvectors of the inner products of the centred rows."""
        mean = np.asarray(X.mean(axis=0), dtype=np.float64).ravel()
        products = X @ X.T
        products = products.toarray() if sparse.issparse(products) else np.asarray(products)
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


def _scale(X: Any, weight: np.ndarray | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Centre and variance of every column, and what it is divided by; 1 for constant columns.

    A column far from 0 would have no digits left; zeros of a sparse one must stay zeros.
    """
    moments = StandardScaler(with_mean=False).fit(X, sample_weight=weight)
    low, high = column_range(X)
    center = np.zeros(X.shape[1]) if sparse.issparse(X) else np.asarray(moments.mean_, np.float64)
    variance = np.asarray(moments.var_, dtype=np.float64)
    scale = np.maximum(np.sqrt(variance), _SMALLEST_SCALE * (high.astype(np.float64) - low))
    constant = scale <= _CONSTANT * np.maximum(np.abs(high), np.abs(low))
    scale[constant | (variance == 0)] = 1.0
    return center, variance, scale


def divided(X: Any, scale: np.ndarray, center: np.ndarray | float = 0.0) -> Any:
    """Every column divided by its scale; where X is dense, less its centre."""
    if not sparse.issparse(X):
        return (X - center) / scale
    # Only the values are copied; the places of the nonzeros are shared.
    data = X.data / scale[X.indices]
    return sparse.csr_matrix((data, X.indices, X.indptr), shape=X.shape)


# From this label frequency on, JOINT and naive are the same model.
_NEARLY_ALL_LABELLED = 0.99


@dataclass(frozen=True)
class Direction:
    """A direction with the honest scores of the rows along it.

    Attributes
    ----------
    name : {"naive", "joint"}
    point : RidgePoint
        The chosen fit.
    path : RidgePath
        What is left of the fits it was chosen from.
    profile : ScoreProfile
        Of the honest scores.
    frequency : float
        The label frequency its loss was told; 1 for the naive one.
    """

    name: str
    point: RidgePoint
    path: RidgePath
    profile: ScoreProfile
    frequency: float

    @classmethod
    def of(cls, name: str, point: RidgePoint, path: RidgePath, frequency: float) -> Direction:
        """Look at the honest scores of a fit."""
        profile = ScoreProfile.of(point.score, path.rows.s, path.rows.weight)
        return cls(name, point, path, profile, frequency)

    def label_frequency(self, class_prior: float) -> float:
        """The label frequency that goes with a class prior."""
        return min(1.0, self.profile.labelled_share / class_prior)


@dataclass(frozen=True)
class DirectionSearch:
    """How a direction is found.

    Attributes
    ----------
    C : float or None
        Inverse strength of the ridge; None chooses it.
    splits : list of (train, test) or None
        Folds to score rows out of; None leaves one row out at a time.
    tol, max_iter : float, int
        Of each fit.
    watch : Watch
        Sees every fit; where it keeps at Ctrl-C, the best strength that is complete is kept.
    """

    C: float | None
    splits: list[tuple[np.ndarray, np.ndarray]] | None
    tol: float
    max_iter: int
    watch: Watch = NOBODY

    def naive(self, rows: RowsToScore, fine: bool = True) -> Direction:
        """The logistic fit to the labels; its ridge only roughly unless `fine`."""
        settings = (self.splits, self.tol, self.max_iter, None, self.watch, "naive")
        path = RidgePath(rows, LogisticLoss(), *settings)
        point = self._walk(path, lambda: path.best(fine=fine))
        return Direction.of("naive", point, path, 1.0)

    def joint(self, naive: Direction, class_prior: float) -> Direction | None:
        """JOINT with the label frequency of a class prior; None where that is the naive model.

        Its likelihood is not convex: the way starts at the naive fit.
        """
        frequency = naive.label_frequency(class_prior)
        if frequency > _NEARLY_ALL_LABELLED:
            return None
        # Where positives are rare, c sigmoid(t) is nearly exp(t + log c).
        theta = naive.point.fit.theta.copy()
        theta[-1] -= np.log(frequency)
        loss = KnownFrequencyLoss(frequency)
        path = naive.path.with_loss(loss, "JOINT", theta)
        point = self._walk(path, lambda: path.best(naive.point.C), naive.point)
        if point is naive.point or not np.isfinite(point.mean_log_likelihood):
            return None
        return Direction.of("joint", point, path, frequency)

    def _walk(
        self,
        path: RidgePath,
        search: Callable[[], RidgePoint],
        before: RidgePoint | None = None,
    ) -> RidgePoint:
        """Go along a path; where Ctrl-C ends that, keep the best complete point, or `before`."""
        try:
            return search() if self.C is None else path.at(self.C)
        except KeyboardInterrupt:
            if not self.watch.keeps or not (path.has_points or before):
                raise
        point = path.best_so_far() if path.has_points else before
        kept = f"the best of the strengths that were complete, C={point.C:.3g},"
        self.watch.interrupt(point.fit.result.gradient_norm, kept)
        return point

"""Rows, a loss and a solver put together: fitting a linear model, and the fit."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import linalg

from ..arrays import Array
from ..losses import LogisticLoss, RowLoss
from ..objective import (
    Design,
    Moments,
    Objective,
    WhitenedObjective,
    Whitening,
    feature_design,
    linear_score,
)
from ..rows import plus, times, weighted_mean
from ..solvers import MOST_PARAMETERS, SolverResult, downhill_step, minimize, newton
from ._report import NEAR, Stage, WatchedObjective

# Tolerance of the fit on a subset of the rows, relative to the curvature.
_PART_TOL = 0.1
# Near the optimum few Newton steps are needed, and the last one makes it nearly exact.
_NEWTON_TOL = 1e-4
_MOST_NEWTON_STEPS = 20
# In fully whitened coordinates the Hessian of the likelihood is at most this times the identity.
CURVATURE_BOUND = 0.25
_POWER_ITERATIONS = 30
_POWER_MARGIN = 1.2


@dataclass(frozen=True)
class LinearFit:
    """The objective of a linear model, and where a solver stopped on it."""

    problem: WhitenedObjective
    result: SolverResult

    @classmethod
    def at(
        cls, theta: Array, X: Any, s: Array, weight: Array | None, C: float, fit_intercept: bool
    ) -> LinearFit:
        """Return a logistic fit from its parameters `theta`, which another library found."""
        weight, total = mean_one(weight, X.shape[0])
        designs = (feature_design(fit_intercept),)
        objective = Objective(LogisticLoss(), designs, X, s, weight, ridge_strength(C, total))
        problem = WhitenedObjective(objective, Whitening.none(X.shape[1]))
        return cls(problem, SolverResult(theta, 0.0, 0.0, 0, True, "fitted elsewhere"))

    @property
    def theta(self) -> Array:
        """All parameters on the scale of X."""
        return self.problem.theta(self.result.z)

    @property
    def coef(self) -> Array:
        """Coefficients of the features in the first predictor."""
        return self.theta[: self.problem.objective.X.shape[1]]

    @property
    def intercept(self) -> float:
        """Intercept of the first predictor, 0 if it has none."""
        objective = self.problem.objective
        if not objective.designs[0].intercept:
            return 0.0
        return float(self.theta[objective.parts[0].stop - 1])

    def predictor(self) -> Array:
        """First linear predictor of every row."""
        return plus(linear_score(self.problem.objective.X, self.coef), self.intercept)


def mean_one(weight: Any, n_rows: int) -> tuple[Any, float]:
    """Return the weights divided by their mean, and their sum; without weights None and n_rows."""
    if weight is None:
        return None, float(n_rows)
    mean = weighted_mean(weight)
    return times(weight, 1 / mean), mean * n_rows


def ridge_strength(C: float, total_weight: float, scale: Array | None = None) -> Any:
    """Penalty on the scale of the mean loss for scikit-learn's `C`.

    With a `scale`, one penalty per coefficient, as for features divided by it, and 0 for the
    intercept.
    """
    strength = 0.0 if np.isinf(C) else 1.0 / (C * total_weight)
    return strength if scale is None else strength * np.append(scale**2, 0.0)


@dataclass(frozen=True)
class LinearProblem:
    """Rows that are ready to be fitted by any loss: X is whitened once for several fits.

    `objective` puts a loss on the rows, in coordinates that make the features uncorrelated
    and of unit variance (`Whitening`). `fit_logistic` hands that to a solver
    (`minimize`: L-BFGS, then Newton steps), which uses only value, gradient and Hessian.
    `stage` records every evaluation of an objective.

    Attributes
    ----------
    X : matrix
        In memory, on disk, on a device or in chunks.
    weight : column or None
        Scaled to mean 1.
    design : Design
        The columns of the first linear predictor.
    ridge : float or ndarray
        The penalty on the scale of the mean loss, of all coefficients or of each parameter.
    moments : Moments
        Moments of the rows; they do not depend on the ridge.
    whitening : Whitening
    ridge_at : ndarray of shape (n_features,) or None
        The features at which a ridge on an intercept is, see `Objective`.
    """

    X: Any
    weight: Array | None
    design: Design
    ridge: Any
    moments: Moments
    whitening: Whitening
    ridge_at: Array | None = None

    @classmethod
    def of(
        cls,
        X: Any,
        weight: Any,
        C: float = np.inf,
        fit_intercept: bool = True,
        exact: bool = False,
        moments: Moments | None = None,
        scale: Array | None = None,
    ) -> LinearProblem:
        """Whiten the rows; `C` is scikit-learn's inverse strength of the ridge.

        Very many rows are whitened by the moments of a subset, unless `exact`.
        Pass the `moments` of the rows if they are known. With a `scale` the ridge is that of
        features divided by it; X itself stays as it is.
        """
        weight, total = mean_one(weight, X.shape[0])
        design, ridge = feature_design(fit_intercept), ridge_strength(C, total, scale)
        if moments is None:
            moments = (Moments.of if exact else Moments.about)(X, weight, fit_intercept)
        of_features = ridge if scale is None else ridge[: X.shape[1]]
        return cls(X, weight, design, ridge, moments, Whitening.of_moments(moments, of_features))

    def objective(
        self, loss: RowLoss, target: Array, *further_designs: Design, stage: Stage | None = None
    ) -> WhitenedObjective:
        """Put `loss` on these rows."""
        designs, ridge = (self.design, *further_designs), self.ridge
        if np.ndim(ridge):  # further parameters have none, unless it is given
            sizes = (design.n_parameters(self.X.shape[1]) for design in designs)
            ridge = np.append(ridge, np.zeros(sum(sizes) - len(ridge)))
        objective = Objective(loss, designs, self.X, target, self.weight, ridge, self.ridge_at)
        if stage is None:
            return WhitenedObjective(objective, self.whitening)
        return WatchedObjective(objective, self.whitening, stage)

    def fit_logistic(
        self,
        target: Array,
        tol: float,
        max_iter: int,
        start: Array | None = None,
        unbounded_below: float = -np.inf,
        stage: Stage | None = None,
    ) -> LinearFit:
        """Fit a logistic model with a real-valued target; `tol` is relative, see `scaled_tol`."""
        problem = self.objective(LogisticLoss(), target, stage=stage)
        tol = scaled_tol(tol, target, self.weight)
        guess: float | Array
        constant, guess = self._constant_start(target)
        if start is None:
            start, guess = _start_on_a_part(problem, constant, guess, max_iter, unbounded_below)
        result = minimize(problem, start, tol, max_iter, guess, unbounded_below)
        return LinearFit(problem, verify_optimum(problem, result, max_iter))

    def fit_near(
        self,
        loss: RowLoss,
        target: Array,
        tol: float,
        max_iter: int,
        theta: Array,
        stage: Stage | None = None,
    ) -> LinearFit:
        """Fit a loss of one predictor, starting near the optimum: at that of a neighboring C."""
        problem = self.objective(loss, target, stage=stage)
        tol = scaled_tol(tol, target, self.weight)
        start = problem.coordinates(theta)
        if problem.n_parameters <= MOST_PARAMETERS:
            steps = min(_MOST_NEWTON_STEPS, max_iter)
            near = newton(problem, start, _NEWTON_TOL * tol, steps)
            if near.gradient_norm <= tol:
                return LinearFit(problem, replace(near, converged=True))
            start = near.z
        result = minimize(problem, start, tol, max_iter, self._constant_start(target)[1])
        return LinearFit(problem, verify_optimum(problem, result, max_iter))

    def curvature_bound(self) -> float:
        """Return an upper bound of the eigenvalues of the Hessian in whitened coordinates.

        It is a quarter if the features are fully whitened. If only their scales are used, it is a
        quarter of the largest eigenvalue of their correlation matrix, by power iteration, with a
        margin.
        """
        X, scale, center = self.X, self.whitening.basis, self.whitening.center
        if scale.ndim == 2:
            return CURVATURE_BOUND
        weight = np.ones(X.shape[0]) if self.weight is None else self.weight
        direction, largest = np.ones(len(scale)) / np.sqrt(len(scale)), 1.0
        for _ in range(_POWER_ITERATIONS):
            score = linear_score(X, scale * direction) - center @ (scale * direction)
            pulled = X.T @ (weight * score).astype(X.dtype) - center * (weight @ score)
            direction = scale * pulled / len(weight) + 4 * self.ridge * scale**2 * direction
            largest = float(np.linalg.norm(direction))
            direction = direction / largest
        return CURVATURE_BOUND * max(1.0, _POWER_MARGIN * largest)

    def _constant_start(self, target: Array) -> tuple[Array, float]:
        """Return the best constant model, and the curvature of the loss there."""
        mean = _mean_inside(target, self.weight)
        start = np.zeros(len(self.whitening.basis.T) + self.design.intercept)
        if self.design.intercept:
            start[-1] = np.log(mean / (1 - mean))
        return start, mean * (1 - mean)


def scaled_tol(tol: float, target: Array, weight: Array | None) -> float:
    """Tolerance for the gradient norm: `tol` times twice the standard deviation of the labels.

    The gradient is a mean of residuals, whose size is the standard deviation of the labels.
    With few labeled rows, a fit with an absolute tolerance would stop far from the optimum.
    """
    mean = _mean_inside(target, weight)
    return tol * 2 * float(np.sqrt(mean * (1 - mean)))


def _mean_inside(target: Array, weight: Array | None) -> float:
    """Return the mean of the target, clipped to be inside (0, 1).

    Of a target with three columns, which says what was checked, the share of known positives.
    """
    mean = weighted_mean(target if target.ndim == 1 else target[:, 0] + target[:, 1], weight)
    return min(max(mean, 1e-6), 1 - 1e-6)


# Size of a subset of the rows that represents all rows.
_PART_ROWS = 2000
_PART_ROWS_PER_FEATURE = 50
# With many rows a fit starts on a larger subset: that costs less than the passes it saves.
_START_SHARE = 10
_START_ROWS_PER_FEATURE = 500
# Maximum number of cells of a subset, which is a copy.
_MOST_NUMBERS = 2**25
# Minimum curvature, relative to the largest.
_SMALLEST_CURVATURE = 0.2
_FLAT = 1e-8


def part_stride(problem: WhitenedObjective) -> int:
    """Return the stride of the subset that a fit starts on; 1 if there are too few rows for one."""
    n_rows, n_features = problem.objective.X.shape
    most = min(_START_ROWS_PER_FEATURE * n_features, _MOST_NUMBERS // max(1, n_features))
    return _stride(problem, min(n_rows // _START_SHARE, most))


def _stride(problem: WhitenedObjective, rows: int) -> int:
    """Return the stride of a subset of at least `rows` rows, large enough to show the curvature."""
    n_rows, n_features = problem.objective.X.shape
    if problem.n_parameters > MOST_PARAMETERS:
        return 1
    return max(1, n_rows // max(_PART_ROWS, _PART_ROWS_PER_FEATURE * n_features, rows))


def subsample_hessian(part: WhitenedObjective, z: Array) -> Array | None:
    """Return the Hessian at `z` on a subset, made positive definite; None if it is flat."""
    hessian = part.value_gradient_hessian(z)[2]
    if not np.all(np.isfinite(hessian)) or np.max(np.abs(hessian)) < _FLAT:
        return None
    values, vectors = linalg.eigh(hessian)
    values = np.maximum(np.abs(values), _SMALLEST_CURVATURE * np.max(np.abs(values)))
    return np.asarray((vectors * values) @ vectors.T)


def _start_on_a_part(
    problem: WhitenedObjective,
    constant: Array,
    curvature: float,
    max_iter: int,
    unbounded_below: float,
) -> tuple[Array, float | Array]:
    """Fit a subset of the rows first; return that point and the Hessian there."""
    stride = part_stride(problem)
    if stride == 1:
        return constant, curvature
    tol = _PART_TOL * curvature
    part = problem.subsample(stride)
    near = minimize(part, constant, tol, max_iter, curvature, unbounded_below)
    hessian = subsample_hessian(part, near.z)
    if near.value <= unbounded_below or hessian is None:
        return constant, curvature
    return near.z, hessian


# If Newton steps are still long after this many, the optimum is taken to lie at infinity.
_MOST_STEPS = 8


def verify_optimum(problem: WhitenedObjective, result: SolverResult, max_iter: int) -> SolverResult:
    """Continue with Newton steps if the next one is long although the gradient is small.

    A small gradient does not prove convergence: an outlier can make a feature's variance huge, or
    the optimum can lie at infinity. The Hessian on a subset of the rows gives a first estimate of
    the distance.
    """
    if not result.converged or problem.n_parameters > MOST_PARAMETERS:
        return result
    distance = _distance(problem, result)
    if distance <= NEAR:
        return replace(result, distance=distance)
    for _ in range(min(_MOST_STEPS, max_iter)):
        step = newton(problem, result.z, 0.0, 1)
        moved = float(np.linalg.norm(step.z - result.z))
        result = replace(
            result,
            z=step.z,
            value=step.value,
            gradient_norm=step.gradient_norm,
            n_iter=result.n_iter + step.n_iter,
            distance=moved,
            hessian=step.hessian,
            gradient=step.gradient,
        )
        if moved <= NEAR or step.n_iter == 0:
            break
    return result


def _distance(problem: WhitenedObjective, result: SolverResult) -> float:
    """Return the length of the next Newton step, computed on a subset if it is short there."""
    stride, gradient = _stride(problem, 0), result.gradient
    if result.hessian is not None and gradient is not None:
        return _step_length(result.hessian, gradient)
    if stride > 1:
        if gradient is None:
            _, gradient = problem.value_gradient(result.z)
        curvature = problem.subsample(stride).value_gradient_hessian(result.z)[2]
        distance = _step_length(curvature, gradient)
        if distance <= NEAR:
            return distance
    _, gradient, hessian = problem.value_gradient_hessian(result.z)
    return _step_length(hessian, gradient)


def _step_length(hessian: Array, gradient: Array) -> float:
    if not np.any(gradient):
        return 0.0
    return float(np.linalg.norm(downhill_step(hessian, gradient)))

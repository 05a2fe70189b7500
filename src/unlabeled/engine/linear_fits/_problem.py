"""Rows, a loss and a solver put together: fitting a linear model."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import linalg

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
from ..rows import Array, plus, times, weighted_mean
from ..solvers import (
    MOST_PARAMETERS,
    SolverResult,
    curvature_bound,
    downhill_step,
    minimise,
    newton,
)
from ._watch import SeenPoint, Stage, WatchedObjective

# From what a user sets to the scale of the mean loss: weights, the ridge, the tolerance.


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


# A fitted linear model.


@dataclass(frozen=True)
class LinearFit:
    """A fitted linear model and how the solver got there."""

    problem: WhitenedObjective
    result: SolverResult

    @classmethod
    def at(
        cls, theta: Array, X: Any, s: Array, weight: Array | None, C: float, fit_intercept: bool
    ) -> LinearFit:
        """Return the logistic fit that somebody else ended at `theta`."""
        weight, total = mean_one(weight, X.shape[0])
        designs = (feature_design(fit_intercept),)
        objective = Objective(LogisticLoss(), designs, X, s, weight, ridge_strength(C, total))
        problem = WhitenedObjective(objective, Whitening.none(X.shape[1]))
        return cls(problem, SolverResult(theta, 0.0, 0.0, 0, True, "fitted elsewhere"))

    @classmethod
    def kept(cls, point: SeenPoint) -> LinearFit:
        """Return the fit that was interrupted and whose best point is `point`."""
        return cls(point.problem, point.result())

    @property
    def theta(self) -> Array:
        """All parameters on the scale of X."""
        return self.problem.theta(self.result.z)

    def predictor(self) -> Array:
        """First linear predictor of every row."""
        return plus(linear_score(self.problem.objective.X, self.coef), self.intercept)

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


# A cheap guess of the Hessian, from a part of the rows.

# A part of the rows this large stands in for all of them.
_PART_ROWS = 2000
_PART_ROWS_A_FEATURE = 50
# A fit starts on a larger part where rows are many: it costs less than the passes it saves.
_START_SHARE = 10
_START_ROWS_A_FEATURE = 500
# It is copied, and holds so many numbers at most.
_MOST_NUMBERS = 2**25
# Directions the part says nothing about get this fraction of the largest curvature.
_SMALLEST_CURVATURE = 0.2
_FLAT = 1e-8


def part_stride(problem: WhitenedObjective) -> int:
    """Every how many rows a part to start on is made of; 1 where rows are too few for a part."""
    n_rows, n_features = problem.objective.X.shape
    most = min(_START_ROWS_A_FEATURE * n_features, _MOST_NUMBERS // max(1, n_features))
    return _stride(problem, min(n_rows // _START_SHARE, most))


def look_stride(problem: WhitenedObjective) -> int:
    """Every how many rows the smallest part is made of that shows the curvature."""
    return _stride(problem, 0)


def _stride(problem: WhitenedObjective, rows: int) -> int:
    n_rows, n_features = problem.objective.X.shape
    if problem.n_parameters > MOST_PARAMETERS:
        return 1
    return max(1, n_rows // max(_PART_ROWS, _PART_ROWS_A_FEATURE * n_features, rows))


def subsample_hessian(part: WhitenedObjective, z: Array) -> Array | None:
    """Hessian at `z` on a part of the rows, made positive definite; None if there is none."""
    hessian = part.value_gradient_hessian(z)[2]
    if not np.all(np.isfinite(hessian)) or np.max(np.abs(hessian)) < _FLAT:
        return None
    values, vectors = linalg.eigh(hessian)
    values = np.maximum(np.abs(values), _SMALLEST_CURVATURE * np.max(np.abs(values)))
    return np.asarray((vectors * values) @ vectors.T)


# Making sure that a small gradient means a near optimum.

# A Newton step shorter than this, in standard deviations of the score, is arrival.
NEAR = 0.5
# Newton steps that do not get short within this many go to infinity.
_MOST_STEPS = 8


def verify_optimum(problem: WhitenedObjective, result: SolverResult, max_iter: int) -> SolverResult:
    """Go on by Newton steps where the step left to go is long although the gradient is small.

    Gradients are small, far from an optimum, where one value out of scale
    makes a feature's spread huge, and where an optimum lies at infinity. The
    distance is first judged by the Hessian of a part of the rows.
    """
    if not result.converged or problem.n_parameters > MOST_PARAMETERS:
        return result
    distance = _distance(problem, result)
    if distance <= NEAR:
        return replace(result, distance=distance)
    for _ in range(min(_MOST_STEPS, max_iter)):
        step = newton(problem, result.z, 0.0, 1)
        moved = float(np.linalg.norm(step.z - result.z))
        n_iter = result.n_iter + step.n_iter
        result = replace(
            result,
            z=step.z,
            value=step.value,
            gradient_norm=step.gradient_norm,
            n_iter=n_iter,
            distance=moved,
            hessian=step.hessian,
            gradient=step.gradient,
        )
        if moved <= NEAR or step.n_iter == 0:
            break
    return result


def _distance(problem: WhitenedObjective, result: SolverResult) -> float:
    """Length of the Newton step at `z`; by a part of the rows if that says it is short."""
    stride, gradient = look_stride(problem), result.gradient
    if stride > 1:
        if gradient is None:
            _, gradient = problem.value_gradient(result.z)
        part_hessian = problem.every(stride).value_gradient_hessian(result.z)[2]
        distance = _step_length(part_hessian, gradient)
        if distance <= NEAR:
            return distance
    _, gradient, hessian = problem.value_gradient_hessian(result.z)
    return _step_length(hessian, gradient)


def _step_length(hessian: np.ndarray, gradient: np.ndarray) -> float:
    if not np.any(gradient):
        return 0.0
    return float(np.linalg.norm(downhill_step(hessian, gradient)))


# How far a fit to a part of the rows is carried before all rows are used.
_PART_TOL = 0.1
# Near the optimum Newton steps are few, and the last one makes it nearly exact.
_NEWTON_TOL = 1e-4
_MOST_NEWTON_STEPS = 20


@dataclass(frozen=True)
class LinearProblem:
    """Rows that are ready to be fitted by any loss: X is looked at once for several fits.

    `objective` puts a loss on the rows, in coordinates that make the features uncorrelated
    and of unit variance (`Whitening`), and `fit_logistic` hands that to a solver
    (`minimise`: L-BFGS, then Newton steps), which sees value, gradient and Hessian only.

    Attributes
    ----------
    X : matrix
        Wherever it lives.
    weight : column or None
        Scaled to mean 1.
    design : Design
        What the first linear predictor sees.
    ridge : float
        The penalty on the scale of the mean loss.
    moments : Moments
        Of the rows, whatever the ridge.
    whitening : Whitening
    stage : Stage or None
        What sees every evaluation of the objectives made here.
    """

    X: Any
    weight: Array | None
    design: Design
    ridge: float
    moments: Moments
    whitening: Whitening
    stage: Stage | None = None

    @classmethod
    def of(
        cls,
        X: Any,
        weight: Any,
        C: float = np.inf,
        fit_intercept: bool = True,
        exact: bool = False,
    ) -> LinearProblem:
        """Whiten the rows; `C` is scikit-learn's inverse strength of the ridge.

        Very many rows are whitened by the moments of a part of them, unless `exact`.
        """
        weight, total = mean_one(weight, X.shape[0])
        design, ridge = feature_design(fit_intercept), ridge_strength(C, total)
        moments = (Moments.of if exact else Moments.about)(X, weight, fit_intercept)
        return cls(X, weight, design, ridge, moments, Whitening.of_moments(moments, ridge))

    def with_ridge(self, C: float, total: float) -> LinearProblem:
        """Return the same rows, of the weight `total` in all, with another ridge."""
        ridge = ridge_strength(C, total)
        return replace(self, ridge=ridge, whitening=Whitening.of_moments(self.moments, ridge))

    def watched(self, stage: Stage | None) -> LinearProblem:
        """Return the same rows, evaluations on which are seen by `stage`."""
        return replace(self, stage=stage)

    def objective(
        self, loss: RowLoss, target: Array, *further_designs: Design
    ) -> WhitenedObjective:
        """Put `loss` on these rows."""
        designs = (self.design, *further_designs)
        objective = Objective(loss, designs, self.X, target, self.weight, self.ridge)
        whole = WhitenedObjective(objective, self.whitening)
        return whole if self.stage is None else WatchedObjective(whole, self.stage)

    def fit_logistic(
        self,
        target: Array,
        tol: float,
        max_iter: int,
        start: Array | None = None,
        unbounded_below: float = -np.inf,
    ) -> LinearFit:
        """Fit a logistic model with a real-valued target; `tol` is relative, see `scaled_tol`."""
        problem = self.objective(LogisticLoss(), target)
        tol = scaled_tol(tol, target, self.weight)
        guess: float | Array
        constant, guess = self._constant_start(target)
        if start is None:
            start, guess = self._start_on_a_part(
                problem, constant, guess, max_iter, unbounded_below
            )
        result = minimise(problem, start, tol, max_iter, guess, unbounded_below)
        return LinearFit(problem, verify_optimum(problem, result, max_iter))

    def fit_near(
        self, loss: RowLoss, target: Array, tol: float, max_iter: int, theta: Array
    ) -> LinearFit:
        """Fit a loss of one predictor from a point near the optimum, such as a neighbour's."""
        problem = self.objective(loss, target)
        tol = scaled_tol(tol, target, self.weight)
        start = problem.coordinates(theta)
        if problem.n_parameters <= MOST_PARAMETERS:
            near = newton(problem, start, _NEWTON_TOL * tol, _MOST_NEWTON_STEPS)
            if near.gradient_norm <= tol:
                return LinearFit(problem, replace(near, converged=True))
            start = near.z
        result = minimise(problem, start, tol, max_iter, self._constant_start(target)[1])
        return LinearFit(problem, verify_optimum(problem, result, max_iter))

    def _start_on_a_part(
        self,
        problem: WhitenedObjective,
        constant: Array,
        curvature: float,
        max_iter: int,
        unbounded_below: float,
    ) -> tuple[Array, float | Array]:
        """Go most of the way on a part of the rows, which also shows the curvature there."""
        stride = part_stride(problem)
        if stride == 1:
            return constant, curvature
        tol = _PART_TOL * curvature
        part = problem.every(stride)
        near = minimise(part, constant, tol, max_iter, curvature, unbounded_below)
        hessian = subsample_hessian(part, near.z)
        if near.value <= unbounded_below or hessian is None:
            return constant, curvature
        return near.z, hessian

    def curvature_bound(self) -> float:
        """Number that the Hessian of the likelihood, in whitened coordinates, stays below."""
        return curvature_bound(self.X, self.weight, self.whitening, self.ridge)

    def _constant_start(self, target: Array) -> tuple[Array, float]:
        """The best constant model, and the curvature of the loss there."""
        mean = mean_inside(target, self.weight)
        start = np.zeros(len(self.whitening.basis.T) + self.design.intercept)
        if self.design.intercept:
            start[-1] = np.log(mean / (1 - mean))
        return start, mean * (1 - mean)

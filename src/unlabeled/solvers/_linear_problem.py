"""Rows, a loss and a solver put together: fitting a linear model."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..blocks import Array
from ..losses import LogisticLoss, RowLoss
from ..objective import (
    Design,
    Moments,
    Objective,
    WhitenedObjective,
    Whitening,
    feature_design,
)
from ._arrive import arrive
from ._curvature_bound import curvature_bound
from ._linear_fit import LinearFit
from ._mean_scale import mean_inside, mean_one, ridge_strength, scaled_tol
from ._minimise import minimise
from ._newton import MOST_PARAMETERS, newton
from ._rough import part_stride, rough_hessian
from ._watch import Stage, WatchedObjective

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
        return LinearFit(problem, arrive(problem, result, max_iter))

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
        return LinearFit(problem, arrive(problem, result, max_iter))

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
        hessian = rough_hessian(part, near.z)
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

"""Fitting a linear model: objective, whitening and solver put together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..losses import LogisticLoss, RowLoss
from ..objective import (
    FEATURES,
    FEATURES_WITHOUT_INTERCEPT,
    Design,
    Objective,
    WhitenedObjective,
    Whitening,
)
from ._minimise import minimise
from ._result import Array, SolverResult
from ._rough import part_stride, rough_hessian

# How far a fit to a part of the rows is carried before all rows are used.
_PART_TOL = 0.1


@dataclass(frozen=True)
class LinearFit:
    """A fitted linear model and how the solver got there."""

    problem: WhitenedObjective
    result: SolverResult

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


@dataclass(frozen=True)
class LinearProblem:
    """Rows with a whitening, ready for any loss: X is looked at once for several fits.

    Attributes
    ----------
    X : ndarray or CSR matrix
    weight : ndarray or None
    design : Design
        What the first linear predictor sees.
    ridge : float
        The penalty on the scale of the mean loss.
    whitening : Whitening
    """

    X: Any
    weight: Array | None
    design: Design
    ridge: float
    whitening: Whitening

    @classmethod
    def of(
        cls, X: Any, weight: Array | None, C: float = np.inf, fit_intercept: bool = True
    ) -> LinearProblem:
        """Whiten the rows; `C` is scikit-learn's inverse strength of the ridge."""
        total = float(X.shape[0] if weight is None else weight.sum())
        ridge = 0.0 if np.isinf(C) else 1.0 / (C * total)
        design = FEATURES if fit_intercept else FEATURES_WITHOUT_INTERCEPT
        whitening = Whitening.of(X, weight, fit_intercept, ridge)
        return cls(X, weight, design, ridge, whitening)

    def objective(
        self, loss: RowLoss, target: Array, *further_designs: Design
    ) -> WhitenedObjective:
        """Put `loss` on these rows."""
        designs = (self.design, *further_designs)
        objective = Objective(loss, designs, self.X, target, self.weight, self.ridge)
        return WhitenedObjective(objective, self.whitening)

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
        constant, curvature = self._constant_start(target)
        if start is not None:
            result = minimise(problem, start, tol, max_iter, curvature, unbounded_below)
            return LinearFit(problem, result)
        stride = part_stride(problem)
        guess: float | Array = curvature
        if stride > 1:
            # Most of the way on a part of the rows, which also shows the curvature there.
            part = problem.every(stride)
            constant = minimise(
                part, constant, _PART_TOL * curvature, max_iter, curvature, unbounded_below
            ).z
            guess = rough_hessian(problem, constant, stride)
        result = minimise(problem, constant, tol, max_iter, guess, unbounded_below)
        return LinearFit(problem, result)

    def _constant_start(self, target: Array) -> tuple[Array, float]:
        """The best constant model, and the curvature of the loss there."""
        mean = _mean_inside(target, self.weight)
        start = np.zeros(len(self.whitening.basis.T) + self.design.intercept)
        if self.design.intercept:
            start[-1] = np.log(mean / (1 - mean))
        return start, mean * (1 - mean)


def scaled_tol(tol: float, target: Array, weight: Array | None) -> float:
    """Tolerance for the gradient norm: `tol` times twice the standard deviation of the labels.

    A gradient is a mean of residuals, which are as large as the labels vary.
    With few labelled rows an absolute tolerance would stop far from the optimum.
    """
    mean = _mean_inside(target, weight)
    return tol * 2 * float(np.sqrt(mean * (1 - mean)))


def _mean_inside(target: Array, weight: Array | None) -> float:
    mean = float(np.average(target, weights=weight))
    return min(max(mean, 1e-6), 1 - 1e-6)

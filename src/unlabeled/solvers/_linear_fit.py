"""A fitted linear model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..blocks import Array, plus
from ..losses import LogisticLoss
from ..objective import Objective, WhitenedObjective, Whitening, feature_design, linear_score
from ._mean_scale import mean_one, ridge_strength
from ._result import SolverResult
from ._watch import SeenPoint


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

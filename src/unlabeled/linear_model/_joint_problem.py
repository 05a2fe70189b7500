"""The label likelihood on given rows, and what a fit of it is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from ..blocks import weighted_mean
from ..losses import KnownFrequencyLoss, ProductLoss, softplus_and_sigmoid
from ..objective import CONSTANT, WhitenedObjective
from ..solvers import LinearProblem, SeenPoint, SolverResult, best_label_frequency


@dataclass(frozen=True)
class JointFit:
    """Coefficients (intercept last, where there is one), label frequency, and how they came."""

    theta: np.ndarray
    label_frequency: float
    value: float
    gradient_norm: float
    n_iter: int
    n_inner_iter: int
    converged: bool
    at_boundary: bool
    message: str
    distance: float = 0.0
    interrupted: bool = False


@dataclass(frozen=True)
class JointProblem:
    """The label likelihood on given rows; `known` is the label frequency if it is known."""

    rows: LinearProblem
    s: np.ndarray
    known: float | None = None

    @property
    def labelled_share(self) -> float:
        """Weighted share of labelled rows."""
        return weighted_mean(self.s, self.rows.weight)

    def at_frequency(self, c: float) -> WhitenedObjective:
        """Build the problem in the coefficients for label frequency c."""
        return self.rows.objective(KnownFrequencyLoss(c), self.s)

    def in_both(self) -> WhitenedObjective:
        """Build the problem in the coefficients and the logit of c."""
        return self.rows.objective(ProductLoss(), self.s, CONSTANT)

    def expected_rows(self) -> LinearProblem:
        """Return the rows for logistic fits to expected classes, whose values are others."""
        stage = self.rows.stage
        return self.rows.watched(None if stage is None else stage.other("EM's logistic step"))

    def posterior_logit(self, z: np.ndarray) -> np.ndarray:
        """Linear predictor of each row at whitened coefficients."""
        problem = self.at_frequency(1.0)
        design = self.rows.design
        return design.predictor(self.rows.X, problem.theta(z).astype(self.rows.X.dtype))

    def best_frequency(self, z: np.ndarray, upper: float = 1.0) -> float:
        """Find the best c for whitened coefficients, or return the known one."""
        if self.known is not None:
            return self.known
        _, posterior = softplus_and_sigmoid(self.posterior_logit(z))
        return best_label_frequency(posterior, self.s, self.rows.weight, upper)

    def finish(self, z: np.ndarray, c: float, result: SolverResult) -> JointFit:
        """Describe a solution in coefficients whose label frequency is c."""
        return JointFit(
            theta=self.at_frequency(1.0).theta(z),
            label_frequency=c,
            value=result.value,
            gradient_norm=result.gradient_norm,
            n_iter=result.n_iter,
            n_inner_iter=0,
            converged=result.converged,
            at_boundary=self._is_boundary(c),
            message=result.message,
            distance=result.distance,
        )

    def kept(self, point: SeenPoint) -> JointFit:
        """Describe the best point of a fit that was interrupted."""
        loss, theta = point.problem.objective.loss, point.theta
        if isinstance(loss, KnownFrequencyLoss):
            c = loss.label_frequency
        else:
            theta, c = theta[:-1], float(expit(theta[-1]))
        return JointFit(
            theta=theta,
            label_frequency=c,
            value=point.value,
            gradient_norm=point.gradient_norm,
            n_iter=point.n_evaluations,
            n_inner_iter=0,
            converged=False,
            at_boundary=self._is_boundary(c),
            message="interrupted",
            interrupted=True,
        )

    def _is_boundary(self, c: float) -> bool:
        return self.known is None and c > 1 - 1e-6

"""The optimisers as the papers' authors ran them, for comparison; not recommended."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import optimize
from scipy.special import logit

from ..engine.linear_fits import SeenPoint, watched_as_given
from ..engine.losses import LogisticLoss, RowDerivatives
from ..engine.rows import Array
from ..engine.solvers import CURVATURE_BOUND, AtFrequency, Problem, minimise
from ._joint_fit import JointFit, JointProblem, maximise_expected

# The optimisers as the papers' authors ran them, for comparison; not recommended.
# Settings are those of the laboratory's public code: parameters on the scale of
# X as given, started at zero, SciPy's defaults except where said.

UPPER_FREQUENCY = 0.99999
OUTER_TOL = 1e-4
INNER_TOL = 1e-10
MOST_OUTER = 100
MOST_INNER = 1000
_PROBABILITY_FLOOR = 1e-15


@dataclass(frozen=True)
class PublishedResult:
    """Where a published optimiser stopped."""

    theta: Array
    label_frequency: float | None
    n_iter: int
    n_inner_iter: int
    success: bool
    message: str

    @classmethod
    def kept(cls, point: SeenPoint) -> PublishedResult:
        """Return the best point of a run in coefficients alone that was interrupted."""
        return cls(point.theta, None, point.n_evaluations, 0, False, "interrupted")


class ClippedLogisticLoss(LogisticLoss):
    """Logistic loss whose probabilities are clipped in the value, not in the gradient."""

    def derivatives(
        self, predictors: tuple[Array, ...], target: Array, second: bool
    ) -> RowDerivatives:
        """Value and derivatives at each row."""
        rows = super().derivatives(predictors, target, second)
        bound = -np.log(_PROBABILITY_FLOOR)
        as_negative = np.clip(rows.value + target * predictors[0], 0, bound)
        as_positive = np.clip(as_negative - predictors[0], 0, bound)
        return rows._replace(value=target * as_positive + (1 - target) * as_negative)


def published_weighted_risk(objective: Problem) -> PublishedResult:
    """BFGS from zero on the weighted risk; `objective` has the clipped loss.

    Where the risk has no minimiser this stops at a point that depends on the
    clipping, with `success` false: the published classifier.
    """
    start = np.zeros(objective.n_parameters)
    outcome = optimize.minimize(objective.value_gradient, start, jac=True, method="BFGS")
    return PublishedResult(
        outcome.x, None, int(outcome.nit), 0, bool(outcome.success), str(outcome.message)
    )


def published_joint(objective: Problem, labelled_share: float) -> PublishedResult:
    """L-BFGS-B on (coefficients, c) with c between the labelled share and 0.99999."""

    def in_frequency(parameters: Array) -> tuple[float, Array]:
        c = parameters[-1]
        value, gradient = objective.value_gradient(np.append(parameters[:-1], logit(c)))
        gradient[-1] /= c * (1 - c)
        return value, gradient

    start = np.append(np.zeros(objective.n_parameters - 1), (1 + labelled_share) / 2)
    bounds = [(None, None)] * (len(start) - 1) + [(labelled_share, UPPER_FREQUENCY)]
    outcome = optimize.minimize(
        in_frequency,
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=bounds,
        options={"gtol": 1e-4, "maxiter": 1000},
    )
    return PublishedResult(
        outcome.x[:-1],
        float(outcome.x[-1]),
        int(outcome.nit),
        0,
        bool(outcome.success),
        str(outcome.message),
    )


def published_cycle(
    solve_coefficients: Callable[[float, Array], tuple[Array, int]],
    best_frequency: Callable[[Array], float],
    start: Array,
    max_outer: int = MOST_OUTER,
) -> PublishedResult:
    """Alternate the best c and the coefficients for it, until c moves by less than 1e-4.

    `solve_coefficients` gets c and the last coefficients, from which an exact
    solver may start; the published loops start at zero each time.
    """
    z, frequency, inner = start, np.nan, 0
    for outer in range(1, max_outer + 1):
        new_frequency = best_frequency(z)
        if outer > 1 and abs(new_frequency - frequency) < OUTER_TOL:
            break
        frequency = new_frequency
        z, n_inner = solve_coefficients(frequency, z)
        inner += n_inner
    stopped = outer < max_outer or abs(best_frequency(z) - frequency) < OUTER_TOL
    message = "c moved less than the tolerance" if stopped else "outer iterations used up"
    return PublishedResult(z, frequency, outer, inner, stopped, message)


def literal_mm_loop(
    at_frequency: AtFrequency,
    change: Callable[[Array], Array],
    start: Array,
    c: float,
    bound: float = CURVATURE_BOUND,
) -> tuple[Array, int]:
    """Plain MM steps from zero, stopped when no parameter on the scale of X moves by 1e-10.

    `change` turns a step in whitened coordinates into one on the scale of X.
    """
    problem, z = at_frequency(c), start
    for iteration in range(1, MOST_INNER + 1):
        _, gradient = problem.value_gradient(z)
        step = -gradient / bound
        if iteration > 1 and np.max(np.abs(change(step))) < INNER_TOL:
            break
        z = z + step
    return z, iteration


# JOINT, MM and CCCP with the settings of the laboratory's own programs.

_EXACT_INNER_TOL = 1e-6
_MOST_EXACT_INNER = 10_000
_LITERAL_FIT_TOL = 1e-12
# A c above this is 1: the programs keep it below .99999.
_AT_BOUNDARY = 1 - 1e-4


def fit_published_gradient(problem: JointProblem) -> JointFit:
    """Run the laboratory's JOINT: L-BFGS-B with c in a box, from zero, on the scale of X."""
    whole = problem.in_both()
    watched = watched_as_given(whole.objective, problem.rows.stage)
    result = published_joint(watched, problem.labelled_share)
    return _finish_published(problem, result, in_theta=True)


def fit_published_cycle(problem: JointProblem, solver: str, inner: str) -> JointFit:
    """Run the laboratory's outer loop, with its inner loop run literally or solved exactly."""
    start = np.zeros(problem.at_frequency(1.0).n_parameters)
    inner_loops: dict[str, Callable[[float, np.ndarray], tuple[np.ndarray, int]]] = {
        "exact": lambda c, z: _exact_inner(problem, c, z),
        "mm": lambda c, z: _literal_mm(problem, c, start),
        "em": lambda c, z: _literal_em(problem, c, start),
    }
    solve = inner_loops["exact" if inner == "exact" else solver]
    result = published_cycle(
        solve, lambda z: problem.best_frequency(z, upper=UPPER_FREQUENCY), start
    )
    return _finish_published(problem, result, in_theta=False)


def _exact_inner(problem: JointProblem, c: float, z: np.ndarray) -> tuple[np.ndarray, int]:
    result = minimise(problem.at_frequency(c), z, _EXACT_INNER_TOL, _MOST_EXACT_INNER)
    return result.z, result.n_iter


def _literal_mm(problem: JointProblem, c: float, start: np.ndarray) -> tuple[np.ndarray, int]:
    theta = problem.at_frequency(1.0).theta
    bound = problem.rows.curvature_bound()
    return literal_mm_loop(problem.at_frequency, theta, start, c, bound)


def _literal_em(problem: JointProblem, c: float, start: np.ndarray) -> tuple[np.ndarray, int]:
    theta, z, n_iter = problem.at_frequency(1.0).theta, start, 0
    while n_iter < MOST_INNER:
        n_iter += 1
        new, _ = maximise_expected(problem, z, c, _LITERAL_FIT_TOL)
        if np.sum(np.abs(theta(new - z))) < INNER_TOL:
            break
        z = new
    return z, n_iter


def _finish_published(problem: JointProblem, result: PublishedResult, in_theta: bool) -> JointFit:
    assert result.label_frequency is not None
    at_c = problem.at_frequency(result.label_frequency)
    theta = result.theta if in_theta else at_c.theta(result.theta)
    value, gradient = at_c.objective.value_gradient(theta)
    return JointFit(
        theta=theta,
        label_frequency=result.label_frequency,
        value=value,
        gradient_norm=float(np.linalg.norm(at_c.gradient_in_z(gradient))),
        n_iter=result.n_iter,
        n_inner_iter=result.n_inner_iter,
        converged=result.success,
        at_boundary=result.label_frequency > _AT_BOUNDARY,
        message=result.message,
    )

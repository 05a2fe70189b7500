"""The optimisers as the papers' authors ran them, for comparison; not recommended.

Settings are those of the laboratory's public code: parameters on the scale of
X as given, started at zero, SciPy's defaults except where said.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import optimize
from scipy.special import logit

from ..blocks import Array
from ..losses import LogisticLoss, RowDerivatives
from ._mm import CURVATURE_BOUND, AtFrequency
from ._result import Problem
from ._watch import SeenPoint

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

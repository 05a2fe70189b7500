"""JOINT, MM and CCCP with the settings of the laboratory's own programs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..solvers import (
    INNER_TOL,
    MOST_INNER,
    UPPER_FREQUENCY,
    PublishedResult,
    literal_mm_loop,
    minimise,
    published_cycle,
    published_joint,
    watched_as_given,
)
from ._joint_fits import maximise_expected
from ._joint_problem import JointFit, JointProblem

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

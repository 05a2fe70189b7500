"""Damped Newton steps."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from ..blocks import Array
from ._result import Problem, SolverResult

# Of more parameters the Hessian is not formed: it would be too large, and slow to factor.
MOST_PARAMETERS = 500
_MOST_HALVINGS = 30
# Relative error of a value, where the problem does not tell its own.
_ROUNDING = 1e-14

Evaluation = tuple[float, Array, Array]


def newton(
    problem: Problem, start: Array, tol: float, max_iter: int, promise: float = 0.0
) -> SolverResult:
    """Minimise `problem` by Newton steps, halved until the value does not rise.

    Where the Hessian is not positive definite the absolute values of its
    eigenvalues are used, so that every step goes downhill. Meant for the last
    digits: it stops as soon as no step improves the value or the gradient, and
    where the value is all that is wanted, as soon as a step promises to lower
    it by less than `promise`.
    """
    z = np.array(start, dtype=np.float64)
    here = problem.value_gradient_hessian(z)
    n_iter, message = 0, "max_iter reached"
    while n_iter < max_iter and np.linalg.norm(here[1]) > tol:
        step = downhill_step(here[2], here[1])
        if -0.5 * float(here[1] @ step) < promise:
            message = "no step promises to lower the value any more"
            break
        length = _step_length(problem, z, step, here)
        if length is None:
            message = "no step improves the value: rounding level reached"
            break
        z, here, n_iter = z + length[0] * step, length[1], n_iter + 1
    norm = float(np.linalg.norm(here[1]))
    if norm <= tol:
        message = "gradient norm below tol"
    return SolverResult(
        z, here[0], norm, n_iter, norm <= tol, message, hessian=here[2], gradient=here[1]
    )


def downhill_step(hessian: Array, gradient: Array) -> Array:
    """Newton's step, with negative curvature turned positive."""
    try:
        return -linalg.cho_solve(linalg.cho_factor(hessian), gradient)
    except linalg.LinAlgError:
        values, vectors = linalg.eigh(hessian)
        floor = 1e-10 * max(1e-300, float(np.max(np.abs(values))))
        return -(vectors / np.maximum(np.abs(values), floor)) @ (vectors.T @ gradient)


def _step_length(
    problem: Problem, z: Array, step: Array, here: Evaluation
) -> tuple[float, Evaluation] | None:
    """Longest of the halved steps that lowers the value, or the gradient at equal value."""
    value, gradient, _ = here
    slope = float(gradient @ step)
    rounding = getattr(problem, "rounding", _ROUNDING) * max(1.0, abs(value))
    for halvings in range(_MOST_HALVINGS):
        length = 0.5**halvings
        there = problem.value_gradient_hessian(z + length * step)
        flat = there[0] <= value + rounding
        smaller = np.linalg.norm(there[1]) < 0.9 * np.linalg.norm(gradient)
        if there[0] <= value + 1e-4 * length * slope or (flat and smaller):
            return length, there
    return None

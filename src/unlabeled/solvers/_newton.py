"""Damped Newton steps."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from ._result import Array, Problem, SolverResult

_MOST_HALVINGS = 30


def newton(problem: Problem, start: Array, tol: float, max_iter: int) -> SolverResult:
    """Minimise `problem` by Newton steps, halved until the value does not rise.

    Where the Hessian is not positive definite the absolute values of its
    eigenvalues are used, so that every step goes downhill. Meant for the last
    digits: it stops as soon as no step improves the value or the gradient.
    """
    z = np.array(start, dtype=np.float64)
    value, gradient, hessian = problem.value_gradient_hessian(z)
    n_iter, message = 0, "max_iter reached"
    while n_iter < max_iter and np.linalg.norm(gradient) > tol:
        step = downhill_step(hessian, gradient)
        accepted = _line_search(problem, z, step, value, gradient)
        if accepted is None:
            message = "no step improves the value: rounding level reached"
            break
        z, n_iter = accepted, n_iter + 1
        value, gradient, hessian = problem.value_gradient_hessian(z)
    norm = float(np.linalg.norm(gradient))
    if norm <= tol:
        message = "gradient norm below tol"
    return SolverResult(z, value, norm, n_iter, norm <= tol, message)


def downhill_step(hessian: Array, gradient: Array) -> Array:
    """Newton's step, with negative curvature turned positive."""
    try:
        return -linalg.cho_solve(linalg.cho_factor(hessian), gradient)
    except linalg.LinAlgError:
        values, vectors = linalg.eigh(hessian)
        floor = 1e-10 * max(1e-300, float(np.max(np.abs(values))))
        return -(vectors / np.maximum(np.abs(values), floor)) @ (vectors.T @ gradient)


def _line_search(
    problem: Problem, z: Array, step: Array, value: float, gradient: Array
) -> Array | None:
    """First point along the halved step that lowers the value, or the gradient at equal value."""
    slope = float(gradient @ step)
    rounding = 1e-14 * max(1.0, abs(value))
    for halvings in range(_MOST_HALVINGS):
        length = 0.5**halvings
        candidate = z + length * step
        new_value, new_gradient = problem.value_gradient(candidate)
        if new_value <= value + 1e-4 * length * slope:
            return candidate
        flat = new_value <= value + rounding
        if flat and np.linalg.norm(new_gradient) < 0.9 * np.linalg.norm(gradient):
            return candidate
    return None

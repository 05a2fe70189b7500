"""The default way down: L-BFGS, then Newton for the last digits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..blocks import Array
from ._lbfgs import lbfgs
from ._newton import MOST_PARAMETERS, newton
from ._result import Problem, SolverResult

# Below this gradient norm, or after this many iterations, L-BFGS crawls and Newton
# steps take over, if the Hessian is small enough to be formed.
_NEWTON_FROM = 1e-6
_MOST_FIRST_STEPS = 60
_MOST_NEWTON_STEPS = 50
_MOST_POLISH_STEPS = 10


def minimise(
    problem: Problem,
    start: Array,
    tol: float,
    max_iter: int,
    curvature: float | Array = 0.25,
    unbounded_below: float = -np.inf,
    polish_tol: float | None = None,
) -> SolverResult:
    """Minimise `problem` until the gradient norm is at most `tol`; see `lbfgs`.

    With `polish_tol` Newton steps go on to that norm where the Hessian can be
    formed, for objectives so flat that a small gradient is not enough.
    """
    use_newton = problem.n_parameters <= MOST_PARAMETERS
    last_tol = tol if polish_tol is None else min(tol, polish_tol)
    first_tol = max(tol, _NEWTON_FROM) if use_newton else tol
    first_iter = min(max_iter, _MOST_FIRST_STEPS) if use_newton else max_iter
    first = lbfgs(problem, start, first_tol, first_iter, curvature, unbounded_below)
    unbounded = first.value <= unbounded_below
    stopped = unbounded or first.n_iter >= max_iter
    if not use_newton or stopped or first.gradient_norm <= last_tol:
        return replace(first, converged=first.gradient_norm <= tol and not unbounded)
    most = _MOST_POLISH_STEPS if first.gradient_norm <= tol else _MOST_NEWTON_STEPS
    last = newton(problem, first.z, last_tol, min(most, max_iter - first.n_iter))
    n_iter = first.n_iter + last.n_iter
    if last.gradient_norm > tol and n_iter < max_iter:
        last = lbfgs(problem, last.z, tol, max_iter - n_iter, curvature, unbounded_below)
        n_iter += last.n_iter
    return replace(last, n_iter=n_iter, converged=last.gradient_norm <= tol)

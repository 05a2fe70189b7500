"""L-BFGS, by SciPy, stopped by the Euclidean norm of the gradient."""

from __future__ import annotations

import numpy as np
from scipy import optimize

from ._result import Array, Problem, SolverResult


def lbfgs(
    problem: Problem,
    start: Array,
    tol: float,
    max_iter: int,
    curvature: float = 1.0,
    unbounded_below: float = -np.inf,
) -> SolverResult:
    """Minimise `problem` from `start` until the gradient norm is at most `tol`.

    A value of at most `unbounded_below` proves that there is no minimum, and
    ends the run.

    `curvature` is a guess of the Hessian's size: SciPy's first step is as
    long as the gradient, which is right when the Hessian is near the
    identity, so the coordinates are stretched by its square root.
    """
    run = _Run(problem, tol, float(np.sqrt(curvature)), unbounded_below)
    value, gradient = run.evaluate(start * run.stretch)
    if run.gradient_norm(gradient) <= tol:
        return SolverResult(start, value, run.gradient_norm(gradient), 0, True, "start is optimal")
    outcome = optimize.minimize(
        run.evaluate,
        start * run.stretch,
        jac=True,
        method="L-BFGS-B",
        callback=run.stop_when_flat,
        options={"maxiter": max_iter, "maxfun": 20 * max_iter, "maxls": 50, "gtol": 0.0, "ftol": 0},
    )
    norm = run.gradient_norm(np.asarray(outcome.jac))
    unbounded = float(outcome.fun) <= unbounded_below
    converged = norm <= tol and not unbounded
    message = "gradient norm below tol" if converged else str(outcome.message)
    message = "no minimum exists" if unbounded else message
    return SolverResult(
        outcome.x / run.stretch, float(outcome.fun), norm, int(outcome.nit), converged, message
    )


class _Run:
    def __init__(self, problem: Problem, tol: float, stretch: float, unbounded: float) -> None:
        self.problem, self.tol, self.stretch = problem, tol, stretch
        self.unbounded_below = unbounded
        self.last: tuple[Array, Array] | None = None

    def evaluate(self, stretched: Array) -> tuple[float, Array]:
        value, gradient = self.problem.value_gradient(stretched / self.stretch)
        gradient = gradient / self.stretch
        self.last = stretched.copy(), gradient
        return value, gradient

    def gradient_norm(self, stretched_gradient: Array) -> float:
        return float(np.linalg.norm(stretched_gradient)) * self.stretch

    def stop_when_flat(self, intermediate_result: optimize.OptimizeResult) -> None:
        # The accepted point is as a rule the last one evaluated.
        assert self.last is not None
        point, gradient = self.last
        if not np.array_equal(point, intermediate_result.x):
            _, gradient = self.evaluate(np.array(intermediate_result.x))
        flat = self.gradient_norm(gradient) <= self.tol
        if flat or intermediate_result.fun <= self.unbounded_below:
            raise StopIteration

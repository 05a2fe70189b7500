"""L-BFGS, by SciPy, stopped by the Euclidean norm of the gradient."""

from __future__ import annotations

import numpy as np
from scipy import linalg, optimize

from ._result import Array, Problem, SolverResult

# Steps remembered, two arrays of parameters each: with very many parameters they are as
# large as the rows and take most of the time.
_MEMORY, _SHORT_MEMORY = 10, 5
_MANY_PARAMETERS = 100_000


def lbfgs(
    problem: Problem,
    start: Array,
    tol: float,
    max_iter: int,
    curvature: float | Array = 1.0,
    unbounded_below: float = -np.inf,
) -> SolverResult:
    """Minimise `problem` from `start` until the gradient norm is at most `tol`.

    `curvature` is a guess of the Hessian, a number or a positive definite
    matrix: the coordinates are stretched by its square root, in which the
    Hessian is near the identity and few iterations are needed. A value of at
    most `unbounded_below` proves that there is no minimum, and ends the run.
    """
    run = _Run(problem, tol, _Stretch(curvature, problem.n_parameters), unbounded_below)
    begin = run.stretch.apply(start)
    value, gradient = run.evaluate(begin)
    if run.gradient_norm(gradient) <= tol:
        return SolverResult(start, value, run.gradient_norm(gradient), 0, True, "start is optimal")
    outcome = optimize.minimize(
        run.evaluate,
        begin,
        jac=True,
        method="L-BFGS-B",
        callback=run.stop_when_flat,
        options={
            "maxiter": max_iter,
            "maxfun": 20 * max_iter,
            "maxls": 50,
            "gtol": 0.0,
            "ftol": 0,
            "maxcor": _MEMORY if problem.n_parameters <= _MANY_PARAMETERS else _SHORT_MEMORY,
        },
    )
    return run.result(outcome)


class _Stretch:
    """Coordinates in which a guessed Hessian is the identity."""

    def __init__(self, curvature: float | Array, size: int) -> None:
        if isinstance(curvature, np.ndarray):
            self.root: float | Array = linalg.cholesky(curvature)
            self.inverse: float | Array = linalg.solve_triangular(self.root, np.eye(size))
        else:
            self.root = float(np.sqrt(curvature))
            self.inverse = 1 / self.root

    def apply(self, z: Array) -> Array:
        return np.asarray(self.root @ z if isinstance(self.root, np.ndarray) else self.root * z)

    def undo(self, stretched: Array) -> Array:
        inverse = self.inverse
        return np.asarray(
            inverse @ stretched if isinstance(inverse, np.ndarray) else inverse * stretched
        )

    def pull_back(self, gradient: Array) -> Array:
        inverse = self.inverse
        return np.asarray(
            gradient @ inverse if isinstance(inverse, np.ndarray) else inverse * gradient
        )


class _Run:
    def __init__(
        self, problem: Problem, tol: float, stretch: _Stretch, unbounded_below: float
    ) -> None:
        self.problem, self.tol, self.stretch = problem, tol, stretch
        self.unbounded_below = unbounded_below
        self.last: tuple[Array, Array] | None = None

    def evaluate(self, stretched: Array) -> tuple[float, Array]:
        value, gradient = self.problem.value_gradient(self.stretch.undo(stretched))
        gradient = self.stretch.pull_back(gradient)
        self.last = stretched.copy(), gradient
        return value, gradient

    def gradient_norm(self, stretched_gradient: Array) -> float:
        root = self.stretch.root
        plain = (
            root.T @ stretched_gradient
            if isinstance(root, np.ndarray)
            else root * stretched_gradient
        )
        return float(np.linalg.norm(plain))

    def stop_when_flat(self, intermediate_result: optimize.OptimizeResult) -> None:
        # The accepted point is as a rule the last one evaluated.
        assert self.last is not None
        point, gradient = self.last
        if not np.array_equal(point, intermediate_result.x):
            _, gradient = self.evaluate(np.array(intermediate_result.x))
        flat = self.gradient_norm(gradient) <= self.tol
        if flat or intermediate_result.fun <= self.unbounded_below:
            raise StopIteration

    def result(self, outcome: optimize.OptimizeResult) -> SolverResult:
        norm = self.gradient_norm(np.asarray(outcome.jac))
        unbounded = float(outcome.fun) <= self.unbounded_below
        converged = norm <= self.tol and not unbounded
        message = "gradient norm below tol" if converged else str(outcome.message)
        return SolverResult(
            z=self.stretch.undo(outcome.x),
            value=float(outcome.fun),
            gradient_norm=norm,
            n_iter=int(outcome.nit),
            converged=converged,
            message="no minimum exists" if unbounded else message,
        )

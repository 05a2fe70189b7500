"""L-BFGS, by SciPy, stopped by the Euclidean norm of the gradient."""

from __future__ import annotations

from copy import copy

import numpy as np
from scipy import linalg, optimize

from ..blocks import Array
from ._result import Problem, SolverResult

# A gradient is not taken for shorter than this: SciPy lengthens no step more than 1e10 times.
_SHORTEST = 1e-5
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
    stretch = _Stretch(curvature, problem.n_parameters)
    value, gradient = problem.value_gradient(start)
    norm = float(np.linalg.norm(gradient))
    if norm <= tol:
        return SolverResult(start, value, norm, 0, True, "start is optimal", gradient=gradient)
    # SciPy's first step has length 1. Where the gradient is shorter, the step that the guessed
    # Hessian asks for is as long as the gradient: that is made the unit.
    first_step = float(np.linalg.norm(stretch.pull_back(gradient)))
    stretch = stretch.times(1 / min(1.0, max(_SHORTEST, first_step)))
    run = _Run(problem, tol, stretch, unbounded_below)
    outcome = optimize.minimize(
        run.evaluate,
        run.begin(start, value, gradient),
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

    def times(self, factor: float) -> _Stretch:
        """Return coordinates that are so many times longer."""
        other = copy(self)
        other.root, other.inverse = self.root * factor, self.inverse / factor
        return other

    def apply(self, z: Array) -> Array:
        """Stretch a point."""
        return _product(self.root, z)

    def undo(self, stretched: Array) -> Array:
        """Return the point that was stretched."""
        return _product(self.inverse, stretched)

    def pull_back(self, gradient: Array) -> Array:
        """Chain rule: the gradient in the stretched coordinates."""
        return _product(_transposed(self.inverse), gradient)

    def plain(self, stretched_gradient: Array) -> Array:
        """Chain rule: the gradient in the coordinates that were stretched."""
        return _product(_transposed(self.root), stretched_gradient)


def _product(operator: float | Array, vector: Array) -> Array:
    is_matrix = isinstance(operator, np.ndarray)
    return np.asarray(operator @ vector if is_matrix else operator * vector)


def _transposed(operator: float | Array) -> float | Array:
    return operator.T if isinstance(operator, np.ndarray) else operator


class _Run:
    def __init__(
        self, problem: Problem, tol: float, stretch: _Stretch, unbounded_below: float
    ) -> None:
        self.problem, self.tol, self.stretch = problem, tol, stretch
        self.unbounded_below = unbounded_below
        self.last: tuple[Array, float, Array] | None = None

    def begin(self, start: Array, value: float, gradient: Array) -> Array:
        """Return the stretched start, at which value and gradient are known."""
        stretched = self.stretch.apply(start)
        self.last = stretched.copy(), value, self.stretch.pull_back(gradient)
        return stretched

    def evaluate(self, stretched: Array) -> tuple[float, Array]:
        if self.last is None or not np.array_equal(self.last[0], stretched):
            value, gradient = self.problem.value_gradient(self.stretch.undo(stretched))
            self.last = stretched.copy(), value, self.stretch.pull_back(gradient)
        return self.last[1], self.last[2].copy()

    def stop_when_flat(self, intermediate_result: optimize.OptimizeResult) -> None:
        # The accepted point is as a rule the last one evaluated.
        _, gradient = self.evaluate(np.array(intermediate_result.x))
        flat = np.linalg.norm(self.stretch.plain(gradient)) <= self.tol
        if flat or intermediate_result.fun <= self.unbounded_below:
            raise StopIteration

    def result(self, outcome: optimize.OptimizeResult) -> SolverResult:
        gradient = self.stretch.plain(np.asarray(outcome.jac))
        norm = float(np.linalg.norm(gradient))
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
            gradient=gradient,
        )

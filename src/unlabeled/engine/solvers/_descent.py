"""L-BFGS and Newton steps, and `minimize`, the default, which takes one after the other."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

import numpy as np
from scipy import linalg, optimize

from ..arrays import Array


class Problem(Protocol):
    """A smooth function of a vector."""

    @property
    def n_parameters(self) -> int:
        """Length of the vector."""
        ...

    def value_gradient(self, z: Array) -> tuple[float, Array]:
        """Value and gradient at z."""
        ...

    def value_gradient_hessian(self, z: Array) -> tuple[float, Array, Array]:
        """Value, gradient and Hessian at z."""
        ...


@dataclass(frozen=True)
class SolverResult:
    """Where a solver stopped.

    `converged` is true when the Euclidean norm of the gradient is at most the
    tolerance. `message` says why the solver stopped. `distance` is the length
    of the next Newton step; `hessian` and `gradient` are those at `z`; all
    three are filled in only if they are known.
    """

    z: Array
    value: float
    gradient_norm: float
    n_iter: int
    converged: bool
    message: str
    distance: float = 0.0
    hessian: Array | None = None
    gradient: Array | None = None


# With more parameters the Hessian is not formed: it is too large, and slow to factor.
MOST_PARAMETERS = 500
# Below this gradient norm, or after this many iterations, L-BFGS is slow. Newton steps take
# over if the Hessian is small enough to be formed.
_NEWTON_FROM = 1e-6
_MOST_FIRST_STEPS = 60
_MOST_NEWTON_STEPS = 50
_MOST_POLISH_STEPS = 10


def minimize(
    problem: Problem,
    start: Array,
    tol: float,
    max_iter: int,
    curvature: float | Array = 0.25,
    unbounded_below: float = -np.inf,
    polish_tol: float | None = None,
) -> SolverResult:
    """Minimize `problem` until the gradient norm is at most `tol`: L-BFGS, then Newton.

    `curvature` and `unbounded_below` are those of `lbfgs`. `polish_tol`: continue
    with Newton steps to this gradient norm, for objectives with a flat optimum
    (if the Hessian is small enough to be formed).
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


# Minimum length of the first step, because SciPy limits the growth of a step to 1e10.
_SHORTEST = 1e-5
# Steps to remember. Each is two arrays of parameters: with very many parameters they are as
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
    """Minimize `problem` from `start` until the gradient norm is at most `tol`.

    `curvature` is a guess of the Hessian, a number or a positive definite
    matrix. The run uses coordinates stretched by its square root, in which the
    Hessian is near the identity, so that few iterations are needed. A value of
    at most `unbounded_below` proves that there is no minimum, and ends the run.
    """
    value, gradient = problem.value_gradient(start)
    norm = float(np.linalg.norm(gradient))
    if norm <= tol:
        return SolverResult(start, value, norm, 0, True, "start is optimal", gradient=gradient)
    root, inverse = _square_root(curvature, problem.n_parameters)
    # SciPy's first step has length 1. In stretched coordinates the guessed Hessian is the identity,
    # so the right step is as long as the gradient. If that is shorter than 1, make it the unit.
    first_step = float(np.linalg.norm(np.dot(inverse.T, gradient)))
    unit = 1 / min(1.0, max(_SHORTEST, first_step))
    run = _StretchedRun(problem, tol, unbounded_below, root * unit, inverse / unit)
    stretched = np.dot(run.root, start)
    run.last = stretched.copy(), value, np.dot(run.inverse.T, gradient)
    outcome = optimize.minimize(
        run.evaluate,
        stretched,
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


def _square_root(curvature: float | Array, size: int) -> tuple[Array, Array]:
    """Return R with R.T R = `curvature`, and its inverse; for a number both are 0-d arrays."""
    if isinstance(curvature, np.ndarray):
        root = np.asarray(linalg.cholesky(curvature))
        return root, np.asarray(linalg.solve_triangular(root, np.eye(size)))
    root = np.asarray(np.sqrt(curvature))
    return root, 1 / root


class _StretchedRun:
    """One run of SciPy's L-BFGS in the coordinates ``root @ z``.

    `root` and `inverse` are matrices or 0-d arrays; `np.dot` multiplies by both.
    """

    def __init__(
        self, problem: Problem, tol: float, unbounded_below: float, root: Array, inverse: Array
    ) -> None:
        self.problem, self.tol, self.unbounded_below = problem, tol, unbounded_below
        self.root, self.inverse = root, inverse
        # The last point with its value and gradient, all in the stretched coordinates.
        self.last: tuple[Array, float, Array] | None = None

    def evaluate(self, stretched: Array) -> tuple[float, Array]:
        """Compute value and gradient in the stretched coordinates; the last point is cached."""
        if self.last is None or not np.array_equal(self.last[0], stretched):
            value, gradient = self.problem.value_gradient(np.dot(self.inverse, stretched))
            self.last = stretched.copy(), value, np.dot(self.inverse.T, gradient)
        return self.last[1], self.last[2].copy()

    def stop_when_flat(self, intermediate_result: optimize.OptimizeResult) -> None:
        """Stop by the norm of the gradient in z, or at a value that proves there is no minimum."""
        # The accepted point is usually the last one evaluated.
        _, gradient = self.evaluate(np.array(intermediate_result.x))
        flat = np.linalg.norm(np.dot(self.root.T, gradient)) <= self.tol
        if flat or intermediate_result.fun <= self.unbounded_below:
            raise StopIteration

    def result(self, outcome: optimize.OptimizeResult) -> SolverResult:
        """Describe in z where SciPy stopped."""
        gradient = np.dot(self.root.T, np.asarray(outcome.jac))
        norm = float(np.linalg.norm(gradient))
        unbounded = float(outcome.fun) <= self.unbounded_below
        converged = norm <= self.tol and not unbounded
        message = "gradient norm below tol" if converged else str(outcome.message)
        return SolverResult(
            z=np.dot(self.inverse, outcome.x),
            value=float(outcome.fun),
            gradient_norm=norm,
            n_iter=int(outcome.nit),
            converged=converged,
            message="no minimum exists" if unbounded else message,
            gradient=gradient,
        )


_MOST_HALVINGS = 30
# Relative error of a value, for problems without an attribute `rounding`.
_ROUNDING = 1e-14

# With so many parameters the Hessian costs much more than the gradient. It is then kept for the
# next step if the last one has made the gradient at most this large, as a fraction.
_MANY_PARAMETERS_OF_A_HESSIAN, _KEPT_BELOW = 16, 0.1


def newton(
    problem: Problem, start: Array, tol: float, max_iter: int, promise: float = 0.0
) -> SolverResult:
    """Minimize `problem` by Newton steps, halved until the value does not rise.

    If the Hessian is not positive definite, the absolute values of its
    eigenvalues are used: every step goes downhill. Meant for the last digits:
    it stops when no step improves the value or the gradient, or when the next
    step promises to lower the value by less than `promise`. A Hessian of many parameters is
    computed again only if steps become slow.
    """
    here = _Point.of(problem, np.array(start, dtype=np.float64))
    n_iter, message = 0, "max_iter reached"
    while n_iter < max_iter and here.norm > tol:
        step = downhill_step(here.hessian, here.gradient)
        if -0.5 * float(here.gradient @ step) < promise:
            message = "no further progress"
            break
        there = _next_point(problem, here, step)
        if there is None and here.is_fresh:
            message = "no further progress: rounding error"
            break
        if there is None:
            here = _Point.of(problem, here.z)
            continue
        is_slow = there.norm > max(tol, _KEPT_BELOW * here.norm)
        here = _Point.of(problem, there.z) if is_slow and not there.is_fresh else there
        n_iter += 1
    if here.norm <= tol:
        message = "gradient norm below tol"
    return SolverResult(
        here.z,
        here.value,
        here.norm,
        n_iter,
        here.norm <= tol,
        message,
        hessian=here.hessian if here.is_fresh else None,
        gradient=here.gradient,
    )


class _Point(NamedTuple):
    """Value and derivatives at z; a Hessian that is not fresh is that of an earlier point."""

    z: Array
    value: float
    gradient: Array
    hessian: Array
    is_fresh: bool = True

    @classmethod
    def of(cls, problem: Problem, z: Array) -> _Point:
        return cls(z, *problem.value_gradient_hessian(z))

    @property
    def norm(self) -> float:
        return float(np.linalg.norm(self.gradient))

    def at(self, problem: Problem, z: Array) -> _Point:
        """Return another point, with the same Hessian if that is expensive."""
        if problem.n_parameters < _MANY_PARAMETERS_OF_A_HESSIAN:
            return self.of(problem, z)
        return _Point(z, *problem.value_gradient(z), self.hessian, is_fresh=False)


def downhill_step(hessian: Array, gradient: Array) -> Array:
    """Newton's step, with negative curvature turned positive."""
    try:
        return -linalg.cho_solve(linalg.cho_factor(hessian), gradient)
    except linalg.LinAlgError:
        values, vectors = linalg.eigh(hessian)
        floor = 1e-10 * max(1e-300, float(np.max(np.abs(values))))
        return -(vectors / np.maximum(np.abs(values), floor)) @ (vectors.T @ gradient)


def _next_point(problem: Problem, here: _Point, step: Array) -> _Point | None:
    """Go the longest of the halved steps that lowers the value, or the gradient at equal value."""
    slope = float(here.gradient @ step)
    rounding = getattr(problem, "rounding", _ROUNDING) * max(1.0, abs(here.value))
    for halvings in range(_MOST_HALVINGS):
        length = 0.5**halvings
        there = here.at(problem, here.z + length * step)
        flat = there.value <= here.value + rounding
        smaller = there.norm < 0.9 * here.norm
        if there.value <= here.value + 1e-4 * length * slope or (flat and smaller):
            return there
        if -length * slope < rounding:  # a shorter step would show even less
            break
    return None

"""MM and EM for the label likelihood, with Anderson acceleration."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit, logit

from ..objective import Whitening, linear_score
from ..rows import Array
from ._descent import Problem, SolverResult

# Anderson acceleration of a fixed-point map that never lets the value rise.

_MEMORY = 10
_ROUNDING = 4 * np.finfo(np.float64).eps


class MapStep(NamedTuple):
    """The objective at a point, its gradient norm there, and the map's next point."""

    value: float
    gradient_norm: float
    next: Array


def iterate_map(
    step: Callable[[Array], MapStep], start: Array, tol: float, max_iter: int, accelerate: bool
) -> SolverResult:
    """Iterate a descending map until the gradient norm is at most `tol`.

    `step` must not raise the value, as MM and EM steps do not. With
    `accelerate` the next point is extrapolated from the last few (Anderson);
    where that raises the value it is thrown away, the plain step is taken and
    the memory emptied, so the value falls at every iteration.
    """
    memory = _AndersonMemory()
    point, here = start, step(start)
    n_iter = 0
    while here.gradient_norm > tol and n_iter < max_iter:
        n_iter += 1
        candidate = memory.extrapolate(point, here.next) if accelerate else here.next
        there = step(candidate)
        slack = _ROUNDING * max(1.0, abs(here.value))
        if accelerate and not there.value <= here.value + slack:
            memory = _AndersonMemory()
            candidate = here.next
            there = step(candidate)
        point, here = candidate, there
    converged = here.gradient_norm <= tol
    message = "gradient norm below tol" if converged else "max_iter reached"
    return SolverResult(point, here.value, here.gradient_norm, n_iter, converged, message)


class _AndersonMemory:
    """The last few points and residuals of a fixed-point map."""

    def __init__(self) -> None:
        self.points: deque[Array] = deque(maxlen=_MEMORY + 1)
        self.residuals: deque[Array] = deque(maxlen=_MEMORY + 1)

    def extrapolate(self, point: Array, mapped: Array) -> Array:
        """Next point: the combination of past steps with the smallest residual."""
        self.points.append(mapped)
        self.residuals.append(mapped - point)
        if len(self.points) == 1:
            return mapped
        residual_changes = np.diff(np.array(self.residuals), axis=0).T
        mapped_changes = np.diff(np.array(self.points), axis=0).T
        mixing = np.linalg.lstsq(residual_changes, self.residuals[-1], rcond=1e-10)[0]
        return np.asarray(mapped - mapped_changes @ mixing)


# Minorise-maximise and expectation-maximisation for the label likelihood.
# A joint problem is handed over as two functions: `at_frequency(c)` gives the
# problem in the coefficients when the label frequency is c, and
# `best_frequency(z)` the best label frequency for given coefficients.

AtFrequency = Callable[[float], Problem]
BestFrequency = Callable[[Array], float]

# The Hessian in fully whitened coordinates is at most this times the identity.
CURVATURE_BOUND = 0.25


def mm(
    at_frequency: AtFrequency,
    best_frequency: BestFrequency,
    start: Array,
    tol: float,
    max_iter: int,
    accelerate: bool,
    bound: float = CURVATURE_BOUND,
) -> SolverResult:
    """Cyclic MM: the best label frequency, then one step on the quadratic bound.

    In whitened coordinates the bound's matrix is `bound` times the identity,
    so the maximiser of the bound is a gradient step of length 1 / bound.
    """

    def step(z: Array) -> MapStep:
        value, gradient = at_frequency(best_frequency(z)).value_gradient(z)
        norm = float(np.linalg.norm(gradient))
        return MapStep(value, norm, z - gradient / bound)

    return iterate_map(step, start, tol, max_iter, accelerate)


@dataclass(frozen=True)
class ExpectationStep:
    """What EM needs: value and gradient at (z, c), and the best (z, c) for expected classes."""

    value_gradient: Callable[[Array, float], tuple[float, Array]]
    maximise: Callable[[Array, float], tuple[Array, float]]


def em(
    steps: ExpectationStep,
    start: Array,
    start_frequency: float,
    tol: float,
    max_iter: int,
    accelerate: bool,
) -> tuple[SolverResult, float]:
    """EM: expected classes, then a logistic fit to them and their labelled share.

    With the label frequency held fixed this is CCCP. The last entry of the
    iterated vector is the logit of c.
    """

    def step(point: Array) -> MapStep:
        z, c = point[:-1], float(expit(point[-1]))
        value, gradient = steps.value_gradient(z, c)
        next_z, next_c = steps.maximise(z, c)
        return MapStep(
            value, float(np.linalg.norm(gradient)), np.append(next_z, _logit_below_one(next_c))
        )

    first = np.append(start, _logit_below_one(start_frequency))
    result = iterate_map(step, first, tol, max_iter, accelerate)
    return result, float(expit(result.z[-1]))


def _logit_below_one(c: float) -> float:
    return float(logit(min(c, 1 - 1e-12)))


# The best label frequency for given posteriors.


def best_label_frequency(
    posterior: Array, s: Array, weight: Array | None, upper: float = 1.0
) -> float:
    r"""Maximise the label likelihood over c in [P(S=1), upper], posteriors held fixed.

    The derivative, :math:`\sum s_i / c - \sum (1-s_i)\,y_i / (1 - c\,y_i)`, falls
    in c, so Newton steps kept inside a shrinking bracket find its root.
    """
    unlabelled = s == 0
    missed = posterior[unlabelled]
    mass = np.ones_like(missed) if weight is None else weight[unlabelled]
    labelled = float(s.sum() if weight is None else (s * weight).sum())
    total = float(len(s) if weight is None else weight.sum())
    low, high = labelled / total, upper

    def slope_and_curvature(c: float) -> tuple[float, float]:
        odds = missed / np.maximum(1 - c * missed, np.finfo(missed.dtype).tiny)
        with np.errstate(over="ignore"):  # posterior 1 and c = 1: the slope is minus infinity
            pull = mass * odds
            curvature = float((pull * odds).sum())
            return labelled / c - float(pull.sum()), -labelled / c**2 - curvature

    if slope_and_curvature(high)[0] >= 0:
        return high
    if slope_and_curvature(low)[0] <= 0:
        return low
    c = 0.5 * (low + high)
    for _ in range(100):
        slope, curvature = slope_and_curvature(c)
        low, high = (c, high) if slope > 0 else (low, c)
        step = c - slope / curvature
        new = step if low < step < high else 0.5 * (low + high)
        if abs(new - c) <= 1e-14:
            break
        c = new
    return c


# How large the curvature of the label likelihood can be.

_POWER_ITERATIONS = 30
_POWER_MARGIN = 1.2


def curvature_bound(X: Any, weight: Array | None, whitening: Whitening, ridge: float) -> float:
    """Number that the Hessian of the likelihood, in whitened coordinates, stays below.

    A quarter where the features are fully whitened. Where only scales are
    used, a quarter of the largest eigenvalue of their correlation matrix,
    by power iteration, with a margin.
    """
    if whitening.basis.ndim == 2:
        return CURVATURE_BOUND
    scale, center = whitening.basis, whitening.center
    weight = np.ones(X.shape[0]) if weight is None else weight
    direction, largest = np.ones(len(scale)) / np.sqrt(len(scale)), 1.0
    for _ in range(_POWER_ITERATIONS):
        score = linear_score(X, scale * direction) - center @ (scale * direction)
        pulled = X.T @ (weight * score).astype(X.dtype) - center * (weight @ score)
        direction = scale * pulled / len(weight) + 4 * ridge * scale**2 * direction
        largest = float(np.linalg.norm(direction))
        direction = direction / largest
    return CURVATURE_BOUND * max(1.0, _POWER_MARGIN * largest)

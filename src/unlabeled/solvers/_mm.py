"""Minorise-maximise and expectation-maximisation for the label likelihood.

A joint problem is handed over as two functions: `at_frequency(c)` gives the
problem in the coefficients when the label frequency is c, and
`best_frequency(z)` the best label frequency for given coefficients.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit

from ..blocks import Array
from ._acceleration import MapStep, iterate_map
from ._result import Problem, SolverResult

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

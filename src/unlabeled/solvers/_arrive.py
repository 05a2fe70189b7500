"""Making sure that a small gradient means a near optimum."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..objective import WhitenedObjective
from ._newton import MOST_PARAMETERS, downhill_step, newton
from ._result import SolverResult
from ._rough import look_stride

# A Newton step shorter than this, in standard deviations of the score, is arrival.
NEAR = 0.5
# Newton steps that do not get short within this many go to infinity.
_MOST_STEPS = 8


def arrive(problem: WhitenedObjective, result: SolverResult, max_iter: int) -> SolverResult:
    """Go on by Newton steps where the step left to go is long although the gradient is small.

    Gradients are small, far from an optimum, where one value out of scale
    makes a feature's spread huge, and where an optimum lies at infinity. The
    distance is first judged by the Hessian of a part of the rows.
    """
    if not result.converged or problem.n_parameters > MOST_PARAMETERS:
        return result
    distance = _distance(problem, result)
    if distance <= NEAR:
        return replace(result, distance=distance)
    for _ in range(min(_MOST_STEPS, max_iter)):
        step = newton(problem, result.z, 0.0, 1)
        moved = float(np.linalg.norm(step.z - result.z))
        n_iter = result.n_iter + step.n_iter
        result = replace(
            result,
            z=step.z,
            value=step.value,
            gradient_norm=step.gradient_norm,
            n_iter=n_iter,
            distance=moved,
            hessian=step.hessian,
            gradient=step.gradient,
        )
        if moved <= NEAR or step.n_iter == 0:
            break
    return result


def _distance(problem: WhitenedObjective, result: SolverResult) -> float:
    """Length of the Newton step at `z`; by a part of the rows if that says it is short."""
    stride, gradient = look_stride(problem), result.gradient
    if stride > 1:
        if gradient is None:
            _, gradient = problem.value_gradient(result.z)
        part_hessian = problem.every(stride).value_gradient_hessian(result.z)[2]
        distance = _step_length(part_hessian, gradient)
        if distance <= NEAR:
            return distance
    _, gradient, hessian = problem.value_gradient_hessian(result.z)
    return _step_length(hessian, gradient)


def _step_length(hessian: np.ndarray, gradient: np.ndarray) -> float:
    if not np.any(gradient):
        return 0.0
    return float(np.linalg.norm(downhill_step(hessian, gradient)))

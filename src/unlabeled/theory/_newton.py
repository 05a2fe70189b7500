"""Damped Newton iterations for the logistic projection."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from ._quadrature import Vector

_MAX_ITER = 200
_TOL = 1e-13


def minimise_projection(design: Vector, weights: Vector, moments: Vector) -> Vector:
    r"""Minimise :math:`\sum_k w_k\,\mathrm{softplus}(d_k^T\theta) - m^T\theta` from zero.

    Its gradient vanishes where the model's moments are m. The problem is
    convex; steps are halved until they descend.
    """
    theta = np.zeros(design.shape[1])
    for _ in range(_MAX_ITER):
        index = design @ theta
        probability = expit(index)
        gradient = design.T @ (weights * probability) - moments
        curvature = weights * probability * expit(-index)
        hessian = design.T @ (curvature[:, np.newaxis] * design)
        step = -np.asarray(np.linalg.lstsq(hessian, gradient, rcond=None)[0], dtype=np.float64)
        size = float(np.max(np.abs(step)) / (1 + np.max(np.abs(theta))))
        if size > 1e-6:  # closer in, rounding hides the descent and full steps are safe
            step = _descending(design, weights, moments, theta, step, float(gradient @ step))
        theta = theta + step
        if size <= _TOL:
            return theta
    if size <= 1e-9:  # rounding keeps the last digits moving
        return theta
    raise ValueError(
        "The index, `beta0` and the propensity must leave both labels possible; got a label "
        "probability that is 0 or 1 to machine precision. Move `beta0` towards -`mean`."
    )


def _descending(
    design: Vector, weights: Vector, moments: Vector, theta: Vector, step: Vector, slope: float
) -> Vector:
    start = _value(design, weights, moments, theta)
    for _ in range(60):
        if _value(design, weights, moments, theta + step) <= start + 1e-4 * slope:
            break
        step, slope = step / 2, slope / 2
    return step


def _value(design: Vector, weights: Vector, moments: Vector, theta: Vector) -> float:
    return float(weights @ np.logaddexp(0, design @ theta) - moments @ theta)

"""Scores as if each row had been left out of the fit, in closed form."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from ..objective import Design, Objective
from ._linear_fit import LinearFit
from ._result import Array

# A row whose leverage nearly exhausts its curvature decides its own score; the correction
# is then held at this multiple of the uncorrected one.
_LARGEST_FACTOR = 50.0
_BLOCK_ROWS = 20_000


def leave_one_out_predictor(fit: LinearFit) -> Array:
    r"""Linear predictor of every row by the fit without that row, to first order.

    One Newton step away from the fit to all rows:

    .. math:: t_{(-i)} \approx t_i + h_i \frac{\partial_i}{1 - h_i\,\partial^2_i},
              \qquad h_i = w_i\,\tilde x_i^T A^{-1} \tilde x_i,

    with :math:`\partial_i, \partial^2_i` the derivatives of the row's loss and A
    the Hessian of the whole objective. No refit; exact for least squares.
    """
    whole = fit.problem.objective
    theta = fit.theta
    hessian = whole.total_weight * whole.value_gradient_hessian(theta)[2]
    inverse = _inverse(hessian)
    predictor = np.empty(whole.X.shape[0])
    for start in range(0, len(predictor), _BLOCK_ROWS):
        rows = slice(start, start + _BLOCK_ROWS)
        predictor[rows] = _left_out(whole, theta, inverse, rows)
    return predictor


def _left_out(whole: Objective, theta: Array, inverse: Array, rows: slice) -> Array:
    X, target = whole.X[rows], whole.target[rows]
    t = np.asarray(whole.designs[0].predictor(X, theta.astype(X.dtype)), dtype=np.float64)
    loss = whole.loss.derivatives((t,), target, second=True)
    leverage = _leverage(X, inverse, whole.designs[0])
    if whole.weight is not None:
        leverage = leverage * whole.weight[rows]
    room = np.maximum(1 - leverage * loss.hessian[0], 1 / _LARGEST_FACTOR)
    return np.asarray(t + leverage * loss.gradient[0] / room)


def _leverage(X: Array, inverse: Array, design: Design) -> Array:
    """Quadratic form of A^-1 at every row, the intercept's column included."""
    p = X.shape[1]
    quadratic = np.asarray(X @ inverse[:p, :p])
    if hasattr(X, "multiply"):
        squares = np.asarray(X.multiply(quadratic).sum(axis=1)).ravel()
    else:
        squares = np.einsum("ij,ij->i", X, quadratic)
    if not design.intercept:
        return np.asarray(squares)
    return np.asarray(squares + 2 * (X @ inverse[:p, p]) + inverse[p, p])


def _inverse(hessian: Array) -> Array:
    try:
        return np.asarray(linalg.cho_solve(linalg.cho_factor(hessian), np.eye(len(hessian))))
    except linalg.LinAlgError:
        return np.asarray(linalg.pinvh(hessian))

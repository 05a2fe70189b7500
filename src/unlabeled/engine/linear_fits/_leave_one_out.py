"""Scores as if each row had been left out of the fit, in closed form."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from ..objective import Design, Objective
from ..parameters import check_square_matrix
from ..rows import Array, consecutive_slices
from ._fit import LinearFit

# A row of very high leverage decides its own score. Its correction is at most this multiple of
# the plain one.
_LARGEST_FACTOR = 50.0
_BLOCK_ROWS = 4096


def leave_one_out_predictor(
    fit: LinearFit, left_out: Array | None = None, hold_intercept: bool = False
) -> Array:
    r"""Compute the linear predictor of every row by the fit without that row, to first order.

    One Newton step away from the fit to all rows:

    .. math:: t_{(-i)} \approx t_i + h_i \frac{\partial_i}{1 - h_i\,\partial^2_i},
              \qquad h_i = w_i\,\tilde x_i^T A^{-1} \tilde x_i,

    with :math:`\partial_i, \partial^2_i` the derivatives of the row's loss and A
    the Hessian of the whole objective. No refit; exact for least squares.

    Parameters
    ----------
    fit : LinearFit
    left_out : ndarray of shape (n_rows,), optional
        How much of each row's weight :math:`w_i` is left out, on the scale of the
        objective's weights; all of it by default.
    hold_intercept : bool, default=False
        Whether to keep the intercept fixed when a row is left out. Leaving out
        a labelled row lowers the intercept, leaving out an unlabelled row raises
        it. With a weak score, this shift alone would rank all labelled rows last.
        The quantity kept fixed is the prediction at the curvature-weighted mean
        of the rows; the leverage then decreases by :math:`w_i/A_{00}`.
    """
    whole = fit.problem.objective
    check_square_matrix(whole.X.shape[1], "cv='loo'", "Use a number of folds, such as cv=5.")
    theta = fit.theta
    inverse, intercept_variance = _inverse(fit)
    weight = whole.weight if left_out is None else left_out
    held = intercept_variance if hold_intercept and whole.designs[0].intercept else 0.0
    predictor = np.empty(whole.X.shape[0])
    for rows in consecutive_slices(len(predictor), _BLOCK_ROWS):
        predictor[rows] = _left_out(
            whole, theta, inverse, rows, weight if weight is None else weight[rows], held
        )
    return predictor


def _left_out(
    whole: Objective, theta: Array, inverse: Array, rows: slice, weight: Array | None, held: float
) -> Array:
    X, target = whole.X[rows], whole.target[rows]
    t = np.asarray(whole.designs[0].predictor(X, theta.astype(X.dtype)), dtype=np.float64)
    loss = whole.loss.derivatives((t,), target, second=True)
    leverage = _leverage(X, inverse, whole.designs[0])
    weight = np.ones(len(t)) if weight is None else weight
    room = np.maximum(1 - weight * leverage * loss.hessian[0], 1 / _LARGEST_FACTOR)
    return np.asarray(t + weight * (leverage - held) * loss.gradient[0] / room)


def _leverage(X: Array, inverse: Array, design: Design) -> Array:
    """Compute the quadratic form of A^-1 at every row, including the intercept's column."""
    p = X.shape[1]
    quadratic = np.asarray(X @ inverse[:p, :p])
    if hasattr(X, "multiply"):
        squares = np.asarray(X.multiply(quadratic).sum(axis=1)).ravel()
    else:
        squares = np.einsum("ij,ij->i", X, quadratic)
    if not design.intercept:
        return np.asarray(squares)
    return np.asarray(squares + 2 * (X @ inverse[:p, p]) + inverse[p, p])


def _inverse(fit: LinearFit) -> tuple[Array, float]:
    """Invert the Hessian of all rows on the scale of X, and its entry for the intercept.

    The inverse is computed in whitened coordinates, where it is well conditioned.
    """
    problem, total = fit.problem, fit.problem.objective.total_weight
    hessian = fit.result.hessian
    if hessian is None:
        hessian = problem.value_gradient_hessian(fit.result.z)[2]
    try:
        in_z = linalg.cho_solve(linalg.cho_factor(hessian), np.eye(len(hessian)))
    except linalg.LinAlgError:
        in_z = linalg.pinvh(hessian)
    half = np.array([problem.theta(column) for column in in_z])
    inverse = np.array([problem.theta(row) for row in half.T])
    # The last whitened coordinate is the shifted intercept, which has the same variance.
    curvature = max(float(hessian[-1, -1]), np.finfo(np.float64).tiny)
    return inverse / total, 1 / (total * curvature)

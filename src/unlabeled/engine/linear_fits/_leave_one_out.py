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


def leave_one_out_predictors(
    fit: LinearFit, left_out: Array | None = None, hold_intercept: bool = False
) -> tuple[Array, ...]:
    r"""Compute the linear predictors of every row by the fit without that row, to first order.

    One Newton step away from the fit to all rows. With K predictors, the derivatives of the row's
    loss are a vector :math:`g_i` and a matrix :math:`H_i`. With the K columns :math:`D_i` of the
    row's designs and the Hessian A of the whole objective:

    .. math:: t_{(-i)} \approx t_i + M_i\,(I - H_i M_i)^{-1} g_i,
              \qquad M_i = w_i\,D_i^T A^{-1} D_i.

    For one predictor it is :math:`t_i + h_i\,\partial_i/(1 - h_i\,\partial^2_i)` with the leverage
    :math:`h_i = M_i`. No refit; exact for least squares.

    Parameters
    ----------
    fit : LinearFit
        With one linear predictor, or two.
    left_out : ndarray of shape (n_rows,), optional
        How much of each row's weight :math:`w_i` is left out, on the scale of the
        objective's weights; all of it by default.
    hold_intercept : bool, default=False
        Whether to keep the intercepts fixed when a row is left out. Leaving out
        a labelled row lowers the intercept, leaving out an unlabelled row raises
        it. With a weak score, this shift alone would rank all labelled rows last.
        The quantities kept fixed are the predictions at the curvature-weighted means
        of the rows; the first factor :math:`M_i` then decreases by :math:`w_i` times the inverse
        of A's block of the intercepts.

    Returns
    -------
    predictors : tuple of ndarray of shape (n_rows,)
    """
    whole = fit.problem.objective
    check_square_matrix(whole.X.shape[1], "cv='loo'", "Use a number of folds, such as cv=5.")
    theta = fit.theta
    inverse, of_intercepts = _inverse(fit)
    weight = whole.weight if left_out is None else left_out
    held = of_intercepts if hold_intercept else np.zeros_like(of_intercepts)
    predictors = np.empty((len(whole.designs), whole.X.shape[0]))
    for rows in consecutive_slices(whole.X.shape[0], _BLOCK_ROWS):
        predictors[:, rows] = _left_out(
            whole, theta, inverse, rows, weight if weight is None else weight[rows], held
        )
    return tuple(predictors)


def _left_out(
    whole: Objective, theta: Array, inverse: Array, rows: slice, weight: Array | None, held: Array
) -> Array:
    X, target = whole.X[rows], whole.target[rows]
    parameters = theta.astype(X.dtype)
    t = tuple(
        np.asarray(design.predictor(X, parameters[part]) + np.zeros(X.shape[0]), dtype=np.float64)
        for design, part in zip(whole.designs, whole.parts, strict=True)
    )
    loss = whole.loss.derivatives(t, target, second=True)
    weight = np.ones(len(t[0])) if weight is None else weight
    leverage = {
        (j, k): weight * _leverage(X, inverse[whole.parts[j], whole.parts[k]], left, right)
        for j, left in enumerate(whole.designs)
        for k, right in enumerate(whole.designs)
        if j <= k
    }
    if len(t) == 1:
        room = np.maximum(1 - leverage[0, 0] * loss.hessian[0], 1 / _LARGEST_FACTOR)
        return np.asarray([t[0] + (leverage[0, 0] - weight * held[0, 0]) * loss.gradient[0] / room])
    pulled = _solved(leverage, loss.gradient, loss.hessian)
    first = (leverage[0, 0] - weight * held[0, 0], leverage[0, 1] - weight * held[0, 1])
    second = (first[1], leverage[1, 1] - weight * held[1, 1])
    moved = [factors[0] * pulled[0] + factors[1] * pulled[1] for factors in (first, second)]
    return np.asarray([t[0] + moved[0], t[1] + moved[1]])


def _solved(
    leverage: dict[tuple[int, int], Array], gradient: tuple[Array, ...], hessian: tuple[Array, ...]
) -> tuple[Array, Array]:
    """Return (I - H M)^-1 g of every row, for two predictors."""
    (h11, h12, h22), (m11, m12, m22) = hessian, leverage.values()
    a11, a12 = 1 - h11 * m11 - h12 * m12, -h11 * m12 - h12 * m22
    a21, a22 = -h12 * m11 - h22 * m12, 1 - h12 * m12 - h22 * m22
    room = np.maximum(a11 * a22 - a12 * a21, 1 / _LARGEST_FACTOR)
    first, second = gradient
    return (a22 * first - a12 * second) / room, (a11 * second - a21 * first) / room


def _leverage(X: Array, inverse: Array, left: Design, right: Design) -> Array:
    """Compute the bilinear form of a block of A^-1 at every row, with the intercepts' columns."""
    p, q = (design.n_parameters(X.shape[1]) - design.intercept for design in (left, right))
    form = np.zeros(X.shape[0])
    if p:
        of_left = left.of(X)
        if q:
            product = np.asarray(of_left @ inverse[:p, :q])
            of_right = right.of(X)
            if hasattr(of_right, "multiply"):
                form += np.asarray(of_right.multiply(product).sum(axis=1)).ravel()
            else:
                form += np.einsum("ij,ij->i", of_right, product)
        if right.intercept:
            form += np.asarray(of_left @ inverse[:p, q])
    if left.intercept:
        if q:
            form += np.asarray(right.of(X) @ inverse[p, :q])
        if right.intercept:
            form += inverse[p, q]
    return form


def _inverse(fit: LinearFit) -> tuple[Array, Array]:
    """Invert the Hessian of all rows on the scale of X, and its block of the intercepts.

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
    # Whitened intercepts are shifted ones, which have the same variance.
    designs = problem.objective.designs
    has = np.array([design.intercept for design in designs])
    block = np.zeros((len(designs), len(designs)))
    if has.any():
        last = [part.stop - 1 for part, one in zip(problem.parts, has, strict=True) if one]
        curvature = hessian[np.ix_(last, last)]
        smallest = np.finfo(np.float64).tiny
        block[np.ix_(has, has)] = (
            linalg.pinvh(curvature) if len(last) > 1 else 1 / np.maximum(curvature, smallest)
        )
    return inverse / total, block / total

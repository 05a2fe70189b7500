"""Scores as if each row had been left out of the fit, in closed form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg

from ..arrays import (
    Array,
    Matrix,
    in_double,
    is_sparse,
    namespace_of,
    on_device_of,
    on_host,
    to_host,
    zeros_beside,
)
from ..losses import RowLoss
from ..objective import Design, parameter_slices
from ..parameters import check_square_matrix
from ..rows import consecutive_slices
from ._problem import LinearFit

# A row of very high leverage decides its own score. Its correction is at most this multiple of
# the plain one.
_LARGEST_FACTOR = 50.0
BLOCK_ROWS = 4096
"""Rows in memory that are corrected at a time."""


def leave_one_out_predictors(
    fit: LinearFit, left_out: Array | None = None, hold_intercept: bool = False
) -> tuple[Array, ...]:
    """Compute the linear predictors of every row by the fit without that row: see `LeftOut`.

    Parameters
    ----------
    fit : LinearFit
        To rows in memory, or to few rows on a device.
    left_out : ndarray of shape (n_rows,), optional
        How much of each row's weight is left out, on the scale of the objective's weights; all
        of it by default.
    hold_intercept : bool, default=False
        See `LeftOut`.

    Returns
    -------
    predictors : tuple of ndarray of shape (n_rows,)
    """
    whole = fit.problem.objective
    correct = LeftOut.of(fit, hold_intercept)
    weight = whole.weight if left_out is None else left_out
    if not on_host(whole.X):
        left_out = None if weight is None else on_device_of(whole.X, weight)
        return tuple(to_host(one) for one in correct(whole.X, whole.target, left_out))
    predictors = np.empty((len(whole.designs), whole.X.shape[0]))
    for rows in consecutive_slices(whole.X.shape[0], BLOCK_ROWS):
        part = None if weight is None else weight[rows]
        predictors[:, rows] = correct(whole.X[rows], whole.target[rows], part)
    return tuple(predictors)


@dataclass(frozen=True)
class LeftOut:
    r"""Computes linear predictors of rows by the fit without each of them, to first order.

    One Newton step away from the fit to all rows. With K predictors, the derivatives of the row's
    loss are a vector :math:`g_i` and a matrix :math:`H_i`. With the K columns :math:`D_i` of the
    row's designs and the Hessian A of the whole objective:

    .. math:: t_{(-i)} \approx t_i + M_i\,(I - H_i M_i)^{-1} g_i,
              \qquad M_i = w_i\,D_i^T A^{-1} D_i.

    For one predictor it is :math:`t_i + h_i\,\partial_i/(1 - h_i\,\partial^2_i)` with the leverage
    :math:`h_i = M_i`. No refit; exact for least squares.

    It holds no rows, so it can be pickled and sent to a worker.

    Attributes
    ----------
    loss : RowLoss
    designs : tuple of Design
        One or two.
    theta : ndarray of shape (n_parameters,)
    inverse : ndarray of shape (n_parameters, n_parameters)
        The inverse of A, on the scale of X.
    held : ndarray of shape (n_designs, n_designs)
        By which the first factor :math:`M_i` decreases, per weight, if intercepts are kept fixed
        when a row is left out; else 0. Leaving out a labeled row lowers the intercept, leaving
        out an unlabeled row raises it. With a weak score, this shift alone would rank all
        labeled rows last. The quantities kept fixed are the predictions at the curvature-weighted
        means of the rows, and this is the inverse of A's block of the intercepts.
    """

    loss: RowLoss
    designs: tuple[Design, ...]
    theta: Array
    inverse: Array
    held: Array

    @classmethod
    def of(cls, fit: LinearFit, hold_intercept: bool = False) -> LeftOut:
        """Invert the Hessian of a fit with one linear predictor, or two, wherever its rows are."""
        whole = fit.problem.objective
        check_square_matrix(whole.X.shape[1], "cv='loo'", "Use a number of folds, such as cv=5.")
        inverse, of_intercepts = _inverse(fit)
        held = of_intercepts if hold_intercept else np.zeros_like(of_intercepts)
        return cls(whole.loss, whole.designs, fit.theta, inverse, held)

    def __call__(self, X: Matrix, target: Any, weight: Any) -> tuple[Any, ...]:
        """Return the predictors of a block of rows.

        `weight` is how much of each row's weight is left out, on the scale of the weights in the
        mean loss; None for 1.
        """
        xp, theta = namespace_of(X), on_device_of(X, self.theta)
        parts = parameter_slices(self.designs, X.shape[1])
        t = tuple(
            in_double(design.predictor(X, theta[part])) + zeros_beside(target, (X.shape[0],))
            for design, part in zip(self.designs, parts, strict=True)
        )
        loss = self.loss.derivatives(t, target, second=True)
        weight = xp.ones_like(t[0]) if weight is None else weight
        leverage = {
            (j, k): weight * _leverage(X, self.inverse[parts[j], parts[k]], left, right)
            for j, left in enumerate(self.designs)
            for k, right in enumerate(self.designs)
            if j <= k
        }
        held = self.held
        if len(t) == 1:
            room = xp.clip(1 - leverage[0, 0] * loss.hessian[0], 1 / _LARGEST_FACTOR, None)
            moved = (leverage[0, 0] - weight * float(held[0, 0])) * loss.gradient[0] / room
            return (t[0] + moved,)
        pulled = _solved(leverage, loss.gradient, loss.hessian)
        first = (leverage[0, 0] - weight * held[0, 0], leverage[0, 1] - weight * held[0, 1])
        second = (first[1], leverage[1, 1] - weight * held[1, 1])
        both = [factors[0] * pulled[0] + factors[1] * pulled[1] for factors in (first, second)]
        return t[0] + both[0], t[1] + both[1]


def _solved(
    leverage: dict[tuple[int, int], Array], gradient: tuple[Array, ...], hessian: tuple[Array, ...]
) -> tuple[Array, Array]:
    """Return (I - H M)^-1 g of every row, for two predictors."""
    (h11, h12, h22), (m11, m12, m22) = hessian, leverage.values()
    a11, a12 = 1 - h11 * m11 - h12 * m12, -h11 * m12 - h12 * m22
    a21, a22 = -h12 * m11 - h22 * m12, 1 - h12 * m12 - h22 * m22
    determinant = a11 * a22 - a12 * a21
    room = namespace_of(determinant).clip(determinant, 1 / _LARGEST_FACTOR, None)
    first, second = gradient
    return (a22 * first - a12 * second) / room, (a11 * second - a21 * first) / room


def _leverage(X: Matrix, inverse: Array, left: Design, right: Design) -> Any:
    """Compute the bilinear form of a block of A^-1 at every row, with the intercepts' columns."""
    p, q = (design.n_parameters(X.shape[1]) - design.intercept for design in (left, right))
    if not on_host(X):  # in memory the product is in double precision too
        X = in_double(X)
        inverse = on_device_of(X, inverse)
    form: Any = 0.0
    if p:
        of_left = left.of(X)
        if q:
            form = form + _row_products(right.of(X), of_left @ inverse[:p, :q])
        if right.intercept:
            form = form + in_double(of_left @ inverse[:p, q])
    if left.intercept:
        if q:
            form = form + in_double(right.of(X) @ inverse[p, :q])
        if right.intercept:
            form = form + inverse[p, q]
    return form


def _row_products(first: Matrix, second: Matrix) -> Any:
    """Return the inner product of each row of one matrix with that of another."""
    if is_sparse(first):
        return np.asarray(first.multiply(np.asarray(second)).sum(axis=1)).ravel()
    if on_host(first):
        return np.einsum("ij,ij->i", first, second)
    return in_double(namespace_of(first).vecdot(first, second))


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
    inverse = problem.theta(problem.theta(in_z).T)
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

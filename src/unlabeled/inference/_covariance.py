"""Covariance of parameters that minimise an objective."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from scipy import linalg

from ..blocks import namespace_of
from ..losses import RowLoss
from ..objective import Objective
from ..parameters import check_square_matrix

Array = np.ndarray[Any, np.dtype[Any]]
Entries = Callable[[tuple[Array, ...], Array], tuple[Array, ...]]

COVARIANCES = ("sandwich", "observed", "expected")
"""White's sandwich, and the inverse of the observed or of the expected information."""

# An eigenvalue of the scaled information under this is taken for 0.
_FLAT = 1e-10


def covariance(objective: Objective, theta: Array, kind: str = "sandwich") -> Array:
    r"""Covariance of the parameters at the optimum `theta` of a sum of losses.

    With :math:`\ell_i` minus the log-likelihood of row i, A the sum of its
    second derivatives and B that of :math:`\partial\ell_i\,\partial\ell_i^T`:
    "sandwich" is :math:`A^{-1}BA^{-1}`, right for the parameters the fit aims
    at even where the model is wrong, as the naive one is; "observed"
    is :math:`A^{-1}`; "expected" replaces A by its mean under the model. A ridge
    adds its curvature to A; weights are numbers of rows.

    Returns
    -------
    covariance : ndarray of shape (n_parameters, n_parameters)
        NaN in the rows and columns of parameters that the rows do not
        determine, as with linearly dependent features.
    """
    instead = "Fit fewer columns, or use the bootstrap for what predictions are worth."
    check_square_matrix(objective.X.shape[1], "a covariance", instead)
    bread = objective.cross_products(theta, _second(objective.loss, kind == "expected"))
    inverse, determined = _inverse(bread + objective.penalty_curvature())
    if kind == "sandwich":
        inverse = inverse @ objective.cross_products(theta, _outer(objective.loss)) @ inverse
    inverse[~determined, :] = inverse[:, ~determined] = np.nan
    return inverse


def _second(loss: RowLoss, expected: bool) -> Entries:
    def observed(predictors: tuple[Array, ...], target: Array) -> tuple[Array, ...]:
        return loss.derivatives(predictors, target, second=True).hessian

    def mean(predictors: tuple[Array, ...], target: Array) -> tuple[Array, ...]:
        xp = namespace_of(target)
        labelled = loss.derivatives(predictors, xp.ones_like(target), second=True)
        other = loss.derivatives(predictors, xp.zeros_like(target), second=True)
        probability = xp.exp(-labelled.value)
        pairs = zip(labelled.hessian, other.hessian, strict=True)
        return tuple(probability * one + (1 - probability) * zero for one, zero in pairs)

    return mean if expected else observed


def _outer(loss: RowLoss) -> Entries:
    def outer(predictors: tuple[Array, ...], target: Array) -> tuple[Array, ...]:
        gradient = loss.derivatives(predictors, target, second=False).gradient
        return tuple(a * b for a, b in combinations_with_replacement(gradient, 2))

    return outer


def _inverse(information: Array) -> tuple[Array, Array]:
    """Generalised inverse, and which parameters are determined."""
    scale = np.sqrt(np.abs(np.diag(information)))
    scale[scale == 0] = 1.0
    values, vectors = linalg.eigh(information / np.outer(scale, scale))
    flat = np.abs(values) <= _FLAT * np.max(np.abs(values))
    determined = np.sum(vectors[:, flat] ** 2, axis=1) < _FLAT
    kept = vectors[:, ~flat]
    inverse = (kept / values[~flat]) @ kept.T
    return inverse / np.outer(scale, scale), determined

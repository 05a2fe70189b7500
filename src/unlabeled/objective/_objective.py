"""The penalised mean loss of a linear model, as a sum over blocks of rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from ..blocks import Array, Matrix, as_type, every_row, reduce_rows, weighted_mean
from ..losses import RowLoss
from ._block import BlockOfRows
from ._design import Design

RowEntries = Callable[[tuple[Array, ...], Array], tuple[Array, ...]]


class Objective:
    r"""Mean loss of a linear model plus a ridge penalty, and its derivatives.

    Row i has K linear predictors :math:`\eta_{ik} = D_k(x_i)^T \theta_k`,
    where the design :math:`D_k` says which columns predictor k sees. With
    weights :math:`w_i` and :math:`W = \sum_i w_i`,

    .. math::

       Q(\theta) = \frac{1}{W} \sum_i w_i\, \ell(\eta_{i1}, \dots, \eta_{iK}; d_i)
                   + \frac{\lambda}{2} \lVert \text{coefficients} \rVert^2,

    the intercepts being left out of the penalty. Scikit-learn's ``C`` is
    :math:`1 / (\lambda W)`.

    Parameters
    ----------
    loss : RowLoss
        The loss of one row.
    designs : sequence of Design
        One for each linear predictor; :math:`\theta` holds their parameters
        one after the other.
    X : matrix of shape (n_rows, n_features)
        Dense or CSR, in memory or memory-mapped, on a device, or in chunks.
    target : column of shape (n_rows,)
        :math:`d_i`: the labels s, or what takes their place; living where X lives.
    weight : column of shape (n_rows,), optional
    ridge : float
        :math:`\lambda`.
    """

    def __init__(
        self,
        loss: RowLoss,
        designs: Sequence[Design],
        X: Matrix,
        target: Array,
        weight: Array | None = None,
        ridge: float = 0.0,
    ) -> None:
        self.block = BlockOfRows.of(loss, designs, X.shape[1])
        self.X = X
        self.target = as_type(target, X.dtype)
        self.weight = None if weight is None else as_type(weight, X.dtype)
        self.ridge = ridge
        total = X.shape[0] if weight is None else weighted_mean(weight) * X.shape[0]
        self.total_weight = float(total)

    @property
    def loss(self) -> RowLoss:
        """The loss of one row."""
        return self.block.loss

    @property
    def designs(self) -> tuple[Design, ...]:
        """One for each linear predictor."""
        return self.block.designs

    @property
    def parts(self) -> tuple[slice, ...]:
        """Where each predictor's parameters are."""
        return self.block.parts

    @property
    def n_parameters(self) -> int:
        """Of all predictors."""
        return self.block.n_parameters

    def value_gradient(self, theta: Array) -> tuple[float, Array]:
        """Value and gradient at `theta`."""
        return self._mean_with_penalty(theta, *self._reduce(self.block.value_gradient, theta))

    def value_gradient_hessian(self, theta: Array) -> tuple[float, Array, Array]:
        """Value, gradient and Hessian at `theta`."""
        value, gradient, hessian = self._reduce(self.block.value_gradient_hessian, theta)
        hessian = (hessian + self.penalty_curvature()) / self.total_weight
        return *self._mean_with_penalty(theta, value, gradient), hessian

    def cross_products(self, theta: Array, entries: RowEntries) -> Array:
        """Sum over rows of a matrix in the parameters, made of one number a pair of predictors.

        Parameters
        ----------
        theta : ndarray
        entries : callable
            From the linear predictors and the target of rows to arrays, one for each pair of
            predictors in the order of `RowDerivatives.hessian`.
        """
        (total,) = self._reduce(partial(self.block.cross_products, entries), theta)
        return np.asarray(total)

    def penalty_curvature(self) -> Array:
        """Second derivative of the penalty, on the scale of the sum over rows."""
        ones = self._penalised(np.ones(self.n_parameters))
        return self.total_weight * self.ridge * np.diag(ones)

    def every(self, stride: int) -> Objective:
        """Return the same objective on one row of every `stride`: a cheap stand-in."""
        X, target, weight = every_row(stride, self.X, self.target, self.weight)
        return Objective(self.loss, self.designs, X, target, weight, self.ridge)

    def _reduce(self, of_block: Callable[..., tuple[Any, ...]], theta: Array) -> tuple[Any, ...]:
        return reduce_rows(partial(of_block, theta), self.X, self.target, self.weight)

    def _mean_with_penalty(self, theta: Array, value: Any, gradient: Array) -> tuple[float, Array]:
        """From sums over rows to the value and gradient of the penalised mean."""
        penalised = self.ridge * self._penalised(theta)
        value = float(value) / self.total_weight + 0.5 * float(penalised @ theta)
        return value, gradient / self.total_weight + penalised

    def _penalised(self, theta: Array) -> Array:
        """`theta` with its intercepts set to zero."""
        kept = theta.astype(np.float64)
        for design, part in zip(self.designs, self.parts, strict=True):
            if design.intercept:
                kept[part.stop - 1] = 0.0
        return kept

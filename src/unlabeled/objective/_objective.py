"""The penalised mean loss of a linear model, as a sum over blocks of rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ..losses import RowLoss
from ._blocks import row_blocks
from ._design import Array, Design, Matrix, weighted_cross_product

RowEntries = Callable[[tuple[Array, ...], Array], tuple[Array, ...]]


class BlockSums(NamedTuple):
    """What a block of rows returns: small host arrays, whatever X was."""

    value: float
    gradient: Array
    hessian: Array | None


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
    X : ndarray or CSR matrix of shape (n_rows, n_features)
    target : ndarray of shape (n_rows,)
    weight : ndarray of shape (n_rows,), optional
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
        self.loss = loss
        self.designs = tuple(designs)
        self.X = X
        self.target = target.astype(X.dtype, copy=False)
        self.weight = None if weight is None else weight.astype(X.dtype, copy=False)
        self.ridge = ridge
        self.total_weight = float(X.shape[0] if weight is None else weight.sum(dtype=np.float64))
        sizes = [design.n_parameters(X.shape[1]) for design in self.designs]
        ends = np.cumsum(sizes)
        self.parts = tuple(slice(int(b - a), int(b)) for a, b in zip(sizes, ends, strict=True))
        self.n_parameters = int(ends[-1])

    def value_gradient(self, theta: Array) -> tuple[float, Array]:
        """Value and gradient at `theta`."""
        sums = self._sum_blocks(theta, second=False)
        return sums.value, sums.gradient

    def value_gradient_hessian(self, theta: Array) -> tuple[float, Array, Array]:
        """Value, gradient and Hessian at `theta`."""
        sums = self._sum_blocks(theta, second=True)
        assert sums.hessian is not None
        return sums.value, sums.gradient, sums.hessian

    def cross_products(self, theta: Array, entries: RowEntries) -> Array:
        """Sum over rows of a matrix in the parameters, made of one number a pair of predictors.

        Parameters
        ----------
        theta : ndarray
        entries : callable
            From the linear predictors and the target of rows to arrays, one for each pair of
            predictors in the order of `RowDerivatives.hessian`.
        """
        total = np.zeros((self.n_parameters, self.n_parameters))
        for X, target, weight in row_blocks(self.X, self.target, self.weight):
            of_rows = entries(self._predictors(X, theta), target)
            if weight is not None:
                of_rows = tuple(entry * weight for entry in of_rows)
            total += self._block_hessian(X, of_rows)
        return total

    def penalty_curvature(self) -> Array:
        """Second derivative of the penalty, on the scale of the sum over rows."""
        ones = self._penalised(np.ones(self.n_parameters))
        return self.total_weight * self.ridge * np.diag(ones)

    def every(self, stride: int) -> Objective:
        """Return the same objective on every `stride`-th row: a cheap stand-in."""
        weight = None if self.weight is None else self.weight[::stride]
        return Objective(
            self.loss,
            self.designs,
            self.X[::stride],
            self.target[::stride],
            weight,
            self.ridge,
        )

    def _sum_blocks(self, theta: Array, second: bool) -> BlockSums:
        value, gradient = 0.0, np.zeros(self.n_parameters)
        hessian = np.zeros((self.n_parameters, self.n_parameters)) if second else None
        for X, target, weight in row_blocks(self.X, self.target, self.weight):
            block = self._block_sums(X, target, weight, theta, second)
            value += block.value
            gradient += block.gradient
            if hessian is not None and block.hessian is not None:
                hessian += block.hessian
        return self._normalised(BlockSums(value, gradient, hessian), theta)

    def _block_sums(
        self, X: Matrix, target: Array, weight: Array | None, theta: Array, second: bool
    ) -> BlockSums:
        rows = self.loss.derivatives(self._predictors(X, theta), target, second)
        if weight is not None:
            rows = type(rows)(
                rows.value * weight,
                tuple(g * weight for g in rows.gradient),
                tuple(h * weight for h in rows.hessian),
            )
        gradient = np.concatenate(
            [d.pull_back(X, g) for d, g in zip(self.designs, rows.gradient, strict=True)]
        )
        hessian = self._block_hessian(X, rows.hessian) if second else None
        return BlockSums(float(rows.value.sum(dtype=np.float64)), gradient, hessian)

    def _predictors(self, X: Matrix, theta: Array) -> tuple[Array, ...]:
        # Coefficients take the type of X, or a float32 block would be computed in float64.
        parameters = theta.astype(X.dtype, copy=False)
        return tuple(
            design.predictor(X, parameters[part])
            for design, part in zip(self.designs, self.parts, strict=True)
        )

    def _block_hessian(self, X: Matrix, row_hessian: tuple[Array, ...]) -> Array:
        hessian = np.empty((self.n_parameters, self.n_parameters))
        entries = iter(row_hessian)
        for j, left in enumerate(self.designs):
            for k in range(j, len(self.designs)):
                cross = weighted_cross_product(X, next(entries), left, self.designs[k])
                hessian[self.parts[j], self.parts[k]] = cross
                hessian[self.parts[k], self.parts[j]] = cross.T
        return hessian

    def _normalised(self, sums: BlockSums, theta: Array) -> BlockSums:
        value = sums.value / self.total_weight
        gradient = sums.gradient / self.total_weight
        hessian = None if sums.hessian is None else sums.hessian / self.total_weight
        if self.ridge:
            penalised = self._penalised(theta)
            value += 0.5 * self.ridge * float(penalised @ penalised)
            gradient += self.ridge * penalised
            if hessian is not None:
                hessian += self.ridge * np.diag(self._penalised(np.ones_like(theta)))
        return BlockSums(value, gradient, hessian)

    def _penalised(self, theta: Array) -> Array:
        """`theta` with its intercepts set to zero."""
        kept = theta.astype(np.float64)
        for design, part in zip(self.designs, self.parts, strict=True):
            if design.intercept:
                kept[part.stop - 1] = 0.0
        return kept

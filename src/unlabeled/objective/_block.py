"""What a block of rows adds to an objective: small sums, whatever the block is made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..blocks import Array, Matrix, joined, namespace_of, on_device_of, zeros_beside
from ..losses import RowDerivatives, RowLoss
from ._design import Design, parameter_slices, weighted_cross_product


@dataclass(frozen=True)
class BlockOfRows:
    """The sums over one block, as functions of parameters and block: it holds no rows.

    So it can be sent to where the rows are.

    Attributes
    ----------
    loss : RowLoss
    designs : tuple of Design
        One for each linear predictor.
    parts : tuple of slice
        Where each predictor's parameters are.
    """

    loss: RowLoss
    designs: tuple[Design, ...]
    parts: tuple[slice, ...]

    @classmethod
    def of(cls, loss: RowLoss, designs: Sequence[Design], n_features: int) -> BlockOfRows:
        """Lay out the parameters, one predictor after the other."""
        return cls(loss, tuple(designs), parameter_slices(designs, n_features))

    @property
    def n_parameters(self) -> int:
        """Of all predictors."""
        return self.parts[-1].stop

    def value_gradient(
        self, theta: Array, X: Matrix, target: Array, weight: Array | None
    ) -> tuple[Any, Array]:
        """Sum of the loss and of its gradient."""
        rows = self._rows(theta, X, target, weight, second=False)
        return self._value(rows), self._gradient(X, rows)

    def value_gradient_hessian(
        self, theta: Array, X: Matrix, target: Array, weight: Array | None
    ) -> tuple[Any, Array, Array]:
        """Sum of the loss, of its gradient and of its Hessian."""
        rows = self._rows(theta, X, target, weight, second=True)
        return self._value(rows), self._gradient(X, rows), self._matrix(X, rows.hessian)

    def cross_products(
        self,
        entries: Callable[[tuple[Array, ...], Array], tuple[Array, ...]],
        theta: Array,
        X: Matrix,
        target: Array,
        weight: Array | None,
    ) -> tuple[Array]:
        """Sum of a matrix made of one number a pair of predictors."""
        of_rows = entries(self._predictors(X, theta), target)
        if weight is not None:
            of_rows = tuple(entry * weight for entry in of_rows)
        return (self._matrix(X, of_rows),)

    def _rows(
        self, theta: Array, X: Matrix, target: Array, weight: Array | None, second: bool
    ) -> RowDerivatives:
        rows = self.loss.derivatives(self._predictors(X, theta), target, second)
        if weight is None:
            return rows
        return RowDerivatives(
            rows.value * weight,
            tuple(g * weight for g in rows.gradient),
            tuple(h * weight for h in rows.hessian),
        )

    def _predictors(self, X: Matrix, theta: Array) -> tuple[Array, ...]:
        # Coefficients take the type of X, or a float32 block would be computed in float64.
        parameters = on_device_of(X, theta)
        return tuple(
            design.predictor(X, parameters[part])
            for design, part in zip(self.designs, self.parts, strict=True)
        )

    def _value(self, rows: RowDerivatives) -> Any:
        xp = namespace_of(rows.value)
        return xp.sum(rows.value, dtype=xp.float64)

    def _gradient(self, X: Matrix, rows: RowDerivatives) -> Array:
        pairs = zip(self.designs, rows.gradient, strict=True)
        return joined([design.pull_back(X, of_rows) for design, of_rows in pairs])

    def _matrix(self, X: Matrix, of_rows: tuple[Array, ...]) -> Array:
        matrix = zeros_beside(of_rows[0], (self.n_parameters, self.n_parameters))
        entries = iter(of_rows)
        for j, left in enumerate(self.designs):
            for k in range(j, len(self.designs)):
                cross = weighted_cross_product(X, next(entries), left, self.designs[k])
                matrix[self.parts[j], self.parts[k]] = cross
                matrix[self.parts[k], self.parts[j]] = cross.T
        return matrix

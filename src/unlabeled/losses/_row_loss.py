"""What the objective asks of a loss."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from ..blocks import Array


class RowDerivatives(NamedTuple):
    """A loss and its derivatives in the K linear predictors, row by row.

    `gradient` has one entry for each predictor; `hessian` one for each pair
    (j, k) with j <= k, in the order (0, 0), (0, 1), ..., (1, 1), ..., or is
    empty when second derivatives were not asked for.
    """

    value: Array
    gradient: tuple[Array, ...]
    hessian: tuple[Array, ...] = ()


class RowLoss(Protocol):
    """A function of K linear predictors and a target."""

    @property
    def n_predictors(self) -> int:
        """K."""
        ...

    def derivatives(
        self, predictors: tuple[Array, ...], target: Array, second: bool
    ) -> RowDerivatives:
        """Evaluate the loss at `predictors`, arrays that broadcast against `target`."""
        ...

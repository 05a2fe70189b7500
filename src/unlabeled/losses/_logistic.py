"""The logistic loss with a real-valued target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..blocks import Array
from ._row_loss import RowDerivatives
from ._sigmoid import softplus_and_sigmoid


@dataclass(frozen=True)
class LogisticLoss:
    r"""Logistic loss :math:`\log(1 + e^\eta) - d\,\eta` with any real target d.

    d = s gives the naive fit, d = y the oracle, a posterior in [0, 1] the
    step of EM, and d = s / c the weighted empirical risk. Convex in
    :math:`\eta` for every d:

    .. math:: \partial_\eta = \sigma(\eta) - d, \qquad
              \partial^2_\eta = \sigma(\eta)(1 - \sigma(\eta)).

    For d outside [0, 1] the sum over rows may be unbounded below.
    """

    n_predictors: ClassVar[int] = 1

    def derivatives(
        self, predictors: tuple[Array, ...], target: Array, second: bool
    ) -> RowDerivatives:
        """Value and derivatives at each row."""
        (eta,) = predictors
        softplus, sigmoid = softplus_and_sigmoid(eta)
        hessian = (sigmoid * (1 - sigmoid),) if second else ()
        return RowDerivatives(softplus - target * eta, (sigmoid - target,), hessian)

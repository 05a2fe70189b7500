"""Minus log-likelihood of the labels when the label frequency is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..blocks import Array
from ._row_loss import RowDerivatives
from ._sigmoid import softplus_and_sigmoid


@dataclass(frozen=True)
class KnownFrequencyLoss:
    r"""Minus log-likelihood of s when :math:`P(S=1|x) = c\,\sigma(\eta)` and c is known.

    With :math:`u(\eta) = P(Y=1|S=0,x) = \sigma(\eta + \log(1-c))` and the
    expected class :math:`\hat y = s + (1-s)u`:

    .. math::

       -s \log(c\,\sigma) - (1-s)\log(1 - c\,\sigma)
         = \mathrm{sp}(\eta) - s(\eta + \log c) - (1-s)\,\mathrm{sp}(\eta + \log(1-c)),

       \partial_\eta = \sigma - \hat y, \qquad
       \partial^2_\eta = \sigma(1-\sigma) - (1-s)\,u(1-u),

    where sp is softplus. At c = 1 this is the logistic loss; below 1 it is
    not convex.
    """

    label_frequency: float
    n_predictors: ClassVar[int] = 1

    def derivatives(
        self, predictors: tuple[Array, ...], target: Array, second: bool
    ) -> RowDerivatives:
        """Value and derivatives at each row."""
        (eta,) = predictors
        with np.errstate(divide="ignore"):
            log_missed = float(np.log1p(-self.label_frequency))  # -inf at c = 1
        log_frequency = float(np.log(self.label_frequency))
        unlabelled = 1 - target
        softplus, sigmoid = softplus_and_sigmoid(eta)
        softplus_missed, missed = softplus_and_sigmoid(eta + log_missed)
        value = softplus - target * (eta + log_frequency) - unlabelled * softplus_missed
        gradient = sigmoid - target - unlabelled * missed
        hessian: tuple[Array, ...] = ()
        if second:
            hessian = (sigmoid * (1 - sigmoid) - unlabelled * (missed * (1 - missed)),)
        return RowDerivatives(value, (gradient,), hessian)

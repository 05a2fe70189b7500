"""Minus log-likelihood of the labels when class and labelling are both logistic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..blocks import Array
from ._row_loss import RowDerivatives
from ._sigmoid import softplus_and_sigmoid


@dataclass(frozen=True)
class ProductLoss:
    r"""Minus log-likelihood of s when :math:`P(S=1|x) = \sigma(\eta_1)\,\sigma(\eta_2)`.

    :math:`\sigma(\eta_1)` is the posterior of the class and
    :math:`\sigma(\eta_2)` the propensity of being labelled: the logit of the
    label frequency in JOINT, a linear predictor in the double logistic model.
    With :math:`u_1 = \sigma(\eta_1 - \mathrm{sp}(\eta_2))` and
    :math:`u_2 = \sigma(\eta_2 - \mathrm{sp}(\eta_1))`:

    .. math::

       -s\log(\sigma_1\sigma_2) - (1-s)\log(1 - \sigma_1\sigma_2)
         &= s\,[\mathrm{sp}(-\eta_1) + \mathrm{sp}(-\eta_2)]
          + (1-s)\,[\mathrm{sp}(\eta_1) - \mathrm{sp}(\eta_1 - \mathrm{sp}(\eta_2))],

       \partial_k &= \sigma_k - s - (1-s)u_k,

       \partial^2_{kk} &= \sigma_k(1-\sigma_k) - (1-s)u_k(1-u_k),
       \qquad \partial^2_{12} = (1-s)\,u_1 u_2.

    The Hessian is indefinite, and in the order of matrices at most a quarter
    of the identity, which is the bound the MM iterations use.
    """

    n_predictors: ClassVar[int] = 2

    def derivatives(
        self, predictors: tuple[Array, ...], target: Array, second: bool
    ) -> RowDerivatives:
        """Value and derivatives at each row."""
        first, other = predictors
        unlabelled = 1 - target
        softplus1, sigmoid1 = softplus_and_sigmoid(first)
        softplus2, sigmoid2 = softplus_and_sigmoid(other)
        softplus_missed, missed1 = softplus_and_sigmoid(first - softplus2)
        # u2 = sigma(eta2 - sp(eta1)) without a further exponential: the three odds
        # 1, exp(eta1), exp(eta2) are normalised by one sum, so u2 / (1 - u1) = sigma2.
        missed2 = sigmoid2 * (1 - missed1)
        value = target * (softplus1 - first + softplus2 - other) + unlabelled * (
            softplus1 - softplus_missed
        )
        gradient = (
            sigmoid1 - target - unlabelled * missed1,
            sigmoid2 - target - unlabelled * missed2,
        )
        hessian: tuple[Array, ...] = ()
        if second:
            hessian = (
                sigmoid1 * (1 - sigmoid1) - unlabelled * (missed1 * (1 - missed1)),
                unlabelled * (missed1 * missed2),
                sigmoid2 * (1 - sigmoid2) - unlabelled * (missed2 * (1 - missed2)),
            )
        return RowDerivatives(value, gradient, hessian)

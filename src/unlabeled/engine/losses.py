"""The loss of one row: value, first and second derivatives in its linear predictors.

Nothing here knows X or coefficients.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Protocol

import numpy as np

from .rows import Array, namespace_of


def softplus_and_sigmoid(t: Array) -> tuple[Array, Array]:
    r"""Return :math:`\log(1 + e^t)` and :math:`1 / (1 + e^{-t})`, sharing one exponential.

    Both are accurate for every t and finite for every finite t; at infinity they are the limits.

    Examples
    --------
    >>> import numpy as np
    >>> softplus, sigmoid = softplus_and_sigmoid(np.array([-1000.0, 0.0, 1000.0]))
    >>> softplus.tolist(), sigmoid.tolist()
    ([0.0, 0.6931471805599453, 1000.0], [0.0, 0.5, 1.0])
    """
    xp = namespace_of(t)
    decay = xp.exp(-xp.abs(t))
    one = decay.dtype.type(1) if xp is np else 1.0
    positive = np.maximum(t, 0) if xp is np else xp.clip(t, 0, None)
    softplus = positive + xp.log1p(decay)
    sigmoid = xp.where(t >= 0, one, decay) / (1 + decay)
    return softplus, sigmoid


class RowDerivatives(NamedTuple):
    """A loss and its derivatives in the K linear predictors, row by row.

    `gradient` has one entry for each predictor; `hessian` one for each pair
    (j, k) with j <= k, in the order (0, 0), (0, 1), ..., (1, 1), ..., or is
    empty without second derivatives.
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
        """Return value and derivatives at each row."""
        (eta,) = predictors
        softplus, sigmoid = softplus_and_sigmoid(eta)
        hessian = (sigmoid * (1 - sigmoid),) if second else ()
        return RowDerivatives(softplus - target * eta, (sigmoid - target,), hessian)


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
        """Return value and derivatives at each row."""
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

    The Hessian is indefinite, and bounded above by I/4 (Loewner order), which
    is the bound that the MM iterations use.
    """

    n_predictors: ClassVar[int] = 2

    def derivatives(
        self, predictors: tuple[Array, ...], target: Array, second: bool
    ) -> RowDerivatives:
        """Return value and derivatives at each row."""
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

"""The loss of one row: value, first and second derivatives in its linear predictors.

Nothing here knows X or coefficients.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Protocol

import numpy as np
from scipy.optimize import brentq

from .arrays import Array, namespace_of


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


def sigmoid(t: Array) -> Array:
    r"""Return :math:`1 / (1 + e^{-t})` alone, to the last digit as `softplus_and_sigmoid` does.

    Examples
    --------
    >>> import numpy as np
    >>> sigmoid(np.array([-1000.0, 0.0, 1000.0])).tolist()
    [0.0, 0.5, 1.0]
    """
    xp = namespace_of(t)
    decay = xp.exp(-xp.abs(t))
    one = decay.dtype.type(1) if xp is np else 1.0
    return xp.where(t >= 0, one, decay) / (1 + decay)


def shift_to_mean(logits: np.ndarray, mean: float, weight: np.ndarray | None = None) -> float:
    r"""Return the number that, added to all logits, gives their sigmoids this weighted mean.

    It is infinite for a mean of at most 0, or of at least 1.

    Examples
    --------
    >>> import numpy as np
    >>> round(shift_to_mean(np.zeros(2), 0.75), 3)
    1.099
    """
    if not 0 < mean < 1:
        return np.inf if mean >= 1 else -np.inf

    def excess(shift: float) -> float:
        return float(np.average(sigmoid(logits + shift), weights=weight)) - mean

    # At these shifts every sigmoid is at most, or at least, the mean.
    middle = float(np.log(mean) - np.log1p(-mean))
    low, high = middle - float(np.max(logits)), middle - float(np.min(logits))
    # Rounding can turn the sign at an end that is itself the answer.
    if excess(low) >= 0:
        return low
    return high if excess(high) <= 0 else float(brentq(excess, low, high, xtol=1e-12))


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
    """A function of K linear predictors and a target.

    The target is one number per row: the label s, or what the loss says. The losses of a label
    frequency also take three numbers per row, see `outcomes`.
    """

    @property
    def n_predictors(self) -> int:
        """K."""
        ...

    def derivatives(
        self, predictors: tuple[Array, ...], target: Array, second: bool
    ) -> RowDerivatives:
        """Evaluate the loss at `predictors`, arrays that broadcast against `target`."""
        ...


def outcomes(target: Array) -> tuple[Array, Array | None, Array]:
    """Return which rows are labeled, which were checked and found positive, and which are unknown.

    A target of one column is s: nothing was checked, and the second answer is None. A target of
    three columns has these three numbers. A row for which they sum to 0 was checked and found
    negative. Fractions stand for several rows, of which so many had each outcome.
    """
    if target.ndim == 1:
        return target, None, 1 - target
    return target[:, 0], target[:, 1], target[:, 2]


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

    An unlabeled row that was checked has the probability :math:`(1-c)\,\sigma` if it was found
    positive, and :math:`1-\sigma` if not. Its :math:`\hat y` is the answer, and the loss is
    :math:`\mathrm{sp}(\eta) - \hat y(\eta + \log(1-c))`: the logistic loss and a constant.
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
        labeled, found, unknown = outcomes(target)
        softplus, sigmoid = softplus_and_sigmoid(eta)
        softplus_missed, missed = softplus_and_sigmoid(eta + log_missed)
        value = softplus - labeled * (eta + log_frequency) - unknown * softplus_missed
        gradient = sigmoid - labeled - unknown * missed
        if found is not None:
            where = namespace_of(eta).where  # at c = 1 a row found positive is impossible
            value = value - found * where(found > 0, eta + log_missed, 0 * eta)
            gradient = gradient - found
        hessian: tuple[Array, ...] = ()
        if second:
            hessian = (sigmoid * (1 - sigmoid) - unknown * (missed * (1 - missed)),)
        return RowDerivatives(value, (gradient,), hessian)


@dataclass(frozen=True)
class ProductLoss:
    r"""Minus log-likelihood of s when :math:`P(S=1|x) = \sigma(\eta_1)\,\sigma(\eta_2)`.

    :math:`\sigma(\eta_1)` is the posterior of the class and
    :math:`\sigma(\eta_2)` the propensity of being labeled: the logit of the
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

    An unlabeled row that was checked has the probability :math:`\sigma_1(1-\sigma_2)` if it was
    found positive, and :math:`1-\sigma_1`, whatever :math:`\eta_2`, if not:

    .. math::

       -\log(\sigma_1(1-\sigma_2)) = \mathrm{sp}(-\eta_1) + \mathrm{sp}(\eta_2), \qquad
       -\log(1-\sigma_1) = \mathrm{sp}(\eta_1).
    """

    n_predictors: ClassVar[int] = 2

    def derivatives(
        self, predictors: tuple[Array, ...], target: Array, second: bool
    ) -> RowDerivatives:
        """Return value and derivatives at each row."""
        first, other = predictors
        labeled, found, unknown = outcomes(target)
        softplus1, sigmoid1 = softplus_and_sigmoid(first)
        softplus2, sigmoid2 = softplus_and_sigmoid(other)
        softplus_missed, missed1 = softplus_and_sigmoid(first - softplus2)
        # u2 = sigma(eta2 - sp(eta1)) without a further exponential: the three odds
        # 1, exp(eta1), exp(eta2) are normalized by one sum, so u2 / (1 - u1) = sigma2.
        missed2 = sigmoid2 * (1 - missed1)
        value = labeled * (softplus1 - first + softplus2 - other) + unknown * (
            softplus1 - softplus_missed
        )
        gradient1 = sigmoid1 - labeled - unknown * missed1
        gradient2 = sigmoid2 - labeled - unknown * missed2
        if found is not None:
            negative = 1 - labeled - found - unknown  # says nothing about the propensity
            value = value + found * (softplus1 - first + softplus2) + negative * softplus1
            gradient1, gradient2 = gradient1 - found, gradient2 - negative * sigmoid2
        hessian: tuple[Array, ...] = ()
        if second:
            curvature2 = sigmoid2 * (1 - sigmoid2)
            hessian = (
                sigmoid1 * (1 - sigmoid1) - unknown * (missed1 * (1 - missed1)),
                unknown * (missed1 * missed2),
                (curvature2 if found is None else (1 - negative) * curvature2)
                - unknown * (missed2 * (1 - missed2)),
            )
        return RowDerivatives(value, (gradient1, gradient2), hessian)


@dataclass(frozen=True)
class KnownPropensityLoss:
    r"""Minus log-likelihood of s when :math:`P(S=1|x) = e(x)\,\sigma(\eta)` and e is known.

    It is `ProductLoss` as a function of its first predictor. The second one, the logit of e, is
    the fourth column of the target; the first three are the `outcomes`. With a constant e it is
    `KnownFrequencyLoss`.
    """

    n_predictors: ClassVar[int] = 1

    def derivatives(
        self, predictors: tuple[Array, ...], target: Array, second: bool
    ) -> RowDerivatives:
        """Return value and derivatives at each row."""
        both = (*predictors, target[:, 3])
        value, gradient, hessian = ProductLoss().derivatives(both, target[:, :3], second)
        return RowDerivatives(value, gradient[:1], hessian[:1])

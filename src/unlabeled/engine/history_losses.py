"""Losses of how labels came about: the delay of a label, and the sources that gave it.

Both condition on the row being labeled. There the class cancels: no model of it is needed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import expit, log_ndtr

from .arrays import Array
from .losses import RowDerivatives, softplus_and_sigmoid

Family = Literal["exponential", "Weibull", "lognormal", "log-logistic"]

_LOG_ROOT_TWO_PI = 0.5 * np.log(2 * np.pi)
# The exponential of more than this is as good as infinite here.
_LARGEST = 300.0


class _Curve(NamedTuple):
    """A logarithm and its two derivatives."""

    value: Array
    first: Array
    second: Array


class _Standard(NamedTuple):
    """A distribution of standardized log-delays: log-density and log-distribution function."""

    log_density: Callable[[Array], _Curve]
    log_cumulative: Callable[[Array], _Curve]


def _log_density_of_smallest(z: Array) -> _Curve:
    rate = np.exp(np.minimum(z, _LARGEST))
    return _Curve(z - rate, 1 - rate, -rate)


def _log_cumulative_of_smallest(z: Array) -> _Curve:
    # With a = exp(z) the distribution function is 1 - exp(-a).
    rate = np.exp(np.minimum(z, _LARGEST))
    fraction = -np.expm1(-rate)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = np.where(rate > 0, np.log(fraction), z)
        first = np.where(rate > 0, rate * np.exp(-rate) / fraction, 1.0)
    return _Curve(value, first, first * (1 - rate - first))


def _log_density_of_normal(z: Array) -> _Curve:
    return _Curve(-0.5 * z**2 - _LOG_ROOT_TWO_PI, -z, -np.ones_like(z))


def _log_cumulative_of_normal(z: Array) -> _Curve:
    value = log_ndtr(z)
    with np.errstate(invalid="ignore", over="ignore"):
        first = np.exp(-0.5 * z**2 - _LOG_ROOT_TWO_PI - value)
    first = np.where(z == -np.inf, np.inf, first)
    with np.errstate(invalid="ignore"):
        return _Curve(value, first, -first * (z + first))


def _log_density_of_logistic(z: Array) -> _Curve:
    softplus, sigmoid = softplus_and_sigmoid(z)
    return _Curve(z - 2 * softplus, 1 - 2 * sigmoid, -2 * sigmoid * (1 - sigmoid))


def _log_cumulative_of_logistic(z: Array) -> _Curve:
    sigmoid = expit(z)
    return _Curve(-softplus_and_sigmoid(-z)[0], 1 - sigmoid, -sigmoid * (1 - sigmoid))


_SMALLEST = _Standard(_log_density_of_smallest, _log_cumulative_of_smallest)
_STANDARD: dict[Family, _Standard] = {
    "exponential": _SMALLEST,
    "Weibull": _SMALLEST,
    "lognormal": _Standard(_log_density_of_normal, _log_cumulative_of_normal),
    "log-logistic": _Standard(_log_density_of_logistic, _log_cumulative_of_logistic),
}
FAMILIES: tuple[Family, ...] = tuple(_STANDARD)
"""Families of delays. The logarithm of a delay is a location and a scale times a standard
variable: the smallest extreme value, the normal or the logistic."""


@dataclass(frozen=True)
class DelayLoss:
    r"""Minus log-likelihood of the delay t of a label, given that it came within v.

    With location :math:`\mu` and logarithm :math:`\tau` of the scale, and the standardized
    :math:`z = (\log t - \mu)e^{-\tau}`, :math:`w = (\log v - \mu)e^{-\tau}`, it is

    .. math:: -\log f(t) + \log F(v) = \tau + \log t - g(z) + G(w),

    where g is the logarithm of the standard density and G that of its distribution function.
    The target has the columns :math:`\log t` and :math:`\log v`. An exponential delay has the
    scale 1, and only a location: the logarithm of its mean.
    """

    family: Family

    @property
    def n_predictors(self) -> int:
        """1 for exponential delays, otherwise 2."""
        return 1 if self.family == "exponential" else 2

    def derivatives(
        self, predictors: tuple[Array, ...], target: Array, second: bool
    ) -> RowDerivatives:
        """Return value and derivatives at each row."""
        location, log_scale = self._both(predictors)
        shrink, standard = np.exp(-log_scale), _STANDARD[self.family]
        z, w = ((target[..., k] - location) * shrink for k in (0, 1))
        density, within = standard.log_density(z), standard.log_cumulative(w)
        value = log_scale + target[..., 0] - density.value + within.value
        # z and w fall with the location by 1/scale, and with the log-scale by themselves.
        of_location = shrink * (density.first - within.first)
        if self.n_predictors == 1:
            bend = (shrink**2 * (within.second - density.second),) if second else ()
            return RowDerivatives(value, (of_location,), bend)
        of_scale = 1 + density.first * z - within.first * w
        hessian: tuple[Array, ...] = ()
        if second:
            hessian = (
                shrink**2 * (within.second - density.second),
                shrink * (within.second * w + within.first - density.second * z - density.first),
                within.second * w**2 + within.first * w - density.second * z**2 - density.first * z,
            )
        return RowDerivatives(value, (of_location, of_scale), hessian)

    def log_cumulative(self, predictors: tuple[Array, ...], log_time: Array) -> Array:
        """Return the logarithm of the chance of a delay of at most that; -inf at a time of 0."""
        location, log_scale = self._both(predictors)
        standardized = (log_time - location) * np.exp(-log_scale)
        return _STANDARD[self.family].log_cumulative(standardized).value

    def _both(self, predictors: tuple[Array, ...]) -> tuple[Array, Array]:
        return (*predictors, np.zeros_like(predictors[0]))[:2]  # type: ignore[return-value]


@dataclass(frozen=True)
class CaptureLoss:
    r"""Minus log-likelihood of which of J sources have a row, given that one of them has.

    Source j has a positive row with chance :math:`e_j = \sigma(\eta_j)`, independently. With
    :math:`L = \sum_j \mathrm{sp}(\eta_j)`, :math:`e = 1 - \prod_j(1-e_j) = 1 - e^{-L}` and
    :math:`m_j = e_j/e`:

    .. math::

       -\log\frac{\prod_j e_j^{s_j}(1-e_j)^{1-s_j}}{e} &= L + \log(1-e^{-L}) - \sum_j s_j\eta_j,

       \partial_j = m_j - s_j, \qquad
       \partial^2_{jj} &= m_j(1-m_j), \qquad \partial^2_{jk} = e_je_k/e - m_jm_k.

    The Hessian is the covariance of the :math:`s_j`: the loss is convex. The target has a column
    for each source.

    References
    ----------
    R. M. Huggins (1989). On the statistical analysis of capture experiments. Biometrika 76.

    J. M. Alho (1990). Logistic regression in capture-recapture models. Biometrics 46.
    """

    n_sources: int

    @property
    def n_predictors(self) -> int:
        """J."""
        return self.n_sources

    def derivatives(
        self, predictors: tuple[Array, ...], target: Array, second: bool
    ) -> RowDerivatives:
        """Return value and derivatives at each row."""
        both = [softplus_and_sigmoid(eta) for eta in predictors]
        total = sum(softplus for softplus, _ in both)
        chances = [sigmoid for _, sigmoid in both]
        any_of_them = -np.expm1(-total)
        value = total + np.log(any_of_them)
        value = value - sum(target[:, j] * eta for j, eta in enumerate(predictors))
        expected = [chance / any_of_them for chance in chances]
        gradient = tuple(one - target[:, j] for j, one in enumerate(expected))
        hessian: tuple[Array, ...] = ()
        if second:
            hessian = tuple(
                expected[j] * ((1 if j == k else chances[k]) - expected[k])
                for j in range(self.n_sources)
                for k in range(j, self.n_sources)
            )
        return RowDerivatives(value, gradient, hessian)

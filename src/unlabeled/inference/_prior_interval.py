"""An interval for the class prior from that of the label frequency."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import stats

from ..blocks import namespace_of, weighted_mean
from ..losses import softplus_and_sigmoid
from ..objective import Objective
from ._frequency_interval import FrequencyInterval
from ._interval import Interval

Array = np.ndarray[Any, np.dtype[Any]]

METHOD = "profile likelihood"
_AT_THE_EDGE = 1e-6


def prior_interval(
    frequency: FrequencyInterval, labelled_share: float, total: float, correlation: float
) -> Interval:
    r"""Interval for :math:`\alpha = P(S=1)/c`.

    :math:`\log\hat\alpha = \log\hat p_s - \log\hat c`, each with an interval of its own. With
    :math:`l_1, u_1` the distances from the estimate to the ends for :math:`\log p_s` (normal) and
    :math:`l_2, u_2` those for :math:`\log c` (profile likelihood), the ends are

    .. math:: \log\hat\alpha - \sqrt{l_1^2 + u_2^2 - 2\rho\, l_1 u_2}, \qquad
              \log\hat\alpha + \sqrt{u_1^2 + l_2^2 - 2\rho\, u_1 l_2},

    :math:`\rho` being the correlation of :math:`\hat p_s` and :math:`\hat c`: the method of
    variance estimates recovery, which keeps the asymmetry of the profile. The upper end is at
    most 1, and 1 where the interval of c goes down to the labelled share. Where the interval of c
    goes up to 1, which cuts :math:`u_2` short, the lower end is at most that of :math:`p_s`, the
    class prior if every positive is labelled.

    Parameters
    ----------
    frequency : FrequencyInterval
    labelled_share, total : float
        Share of labelled rows, and how many rows there are.
    correlation : float
        Of the labelled share and the estimate of c.

    Returns
    -------
    interval : Interval
        Of P(Y=1) in the whole sample.

    References
    ----------
    G. Y. Zou, A. Donner (2008). Construction of confidence limits about effect measures: a general
    approach. Statistics in Medicine 27, 1693-1702. https://doi.org/10.1002/sim.3095
    """
    level = frequency.level
    half = float(stats.norm.ppf(0.5 + level / 2))
    share = half * np.sqrt((1 - labelled_share) / (labelled_share * total))
    c = frequency.estimate
    above, below = np.log(frequency.upper / c), np.log(c / max(frequency.lower, labelled_share))
    down = np.sqrt(share**2 + above**2 - 2 * correlation * share * above)
    up = np.sqrt(share**2 + below**2 - 2 * correlation * share * below)
    prior = labelled_share / c
    # Where c may be as small as the labelled share, every row may be positive.
    all_positive = frequency.lower <= labelled_share * (1 + _AT_THE_EDGE)
    upper = 1.0 if all_positive else min(1.0, float(prior * np.exp(up)))
    lower = float(prior * np.exp(-down))
    if frequency.upper == 1:
        lower = min(lower, float(labelled_share * np.exp(-share)))
    return Interval(prior, lower, upper, level, METHOD)


def share_correlation(objective: Objective, theta: Array) -> float:
    r"""Correlation of the labelled share and JOINT's estimate of c.

    With :math:`\pi = c\,\sigma(t)`, D its derivative in the coefficients and c, and
    :math:`I = \sum DD^T/(\pi(1-\pi))`, the covariance is the entry for c of
    :math:`I^{-1}\sum D/n`. It exists at c = 1 too.

    Parameters
    ----------
    objective : Objective
        Of the product loss: features in the first predictor, a constant in the second.
    theta : ndarray
        Coefficients and the logit of c, which may be infinite.
    """

    def derivatives(predictors: tuple[Array, ...]) -> tuple[Array, Array, Array]:
        _, posterior = softplus_and_sigmoid(predictors[0])
        _, c = softplus_and_sigmoid(predictors[1])
        probability = c * posterior
        xp = namespace_of(probability)
        least = float(xp.finfo(probability.dtype).smallest_normal)
        noise = xp.clip(probability * (1 - probability), least, None)
        return probability * (1 - posterior), posterior, noise

    def information(predictors: tuple[Array, ...], target: Array) -> tuple[Array, ...]:
        slope, in_c, noise = derivatives(predictors)
        return slope**2 / noise, slope * in_c / noise, in_c**2 / noise

    def total(predictors: tuple[Array, ...], target: Array) -> tuple[Array, ...]:
        slope, in_c, _ = derivatives(predictors)
        return 0 * slope, slope, in_c

    matrix = objective.cross_products(theta, information) + objective.penalty_curvature()
    # The second predictor is a constant: its column sums the derivatives.
    sums = objective.cross_products(theta, total)[:, -1]
    inverse = np.linalg.pinv(matrix, hermitian=True)
    weight = objective.total_weight
    share = weighted_mean(objective.target, objective.weight)
    variance = inverse[-1, -1] * share * (1 - share) / weight
    if not variance > 0:
        return 0.0
    return float(np.clip(inverse[-1] @ sums / weight / np.sqrt(variance), -1, 1))

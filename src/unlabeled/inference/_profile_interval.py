"""Profile-likelihood intervals of the label frequency c and the class prior P(Y=1) = P(S=1)/c.

`frequency_interval` takes any profile likelihood of c; `prior_interval` makes the interval of the
class prior from that of c.
"""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from scipy import stats
from scipy.optimize import brentq

from ..engine.arrays import namespace_of
from ..engine.intervals import Interval
from ..engine.losses import RowLoss, softplus_and_sigmoid
from ..engine.objective import Objective
from ..engine.parameters import check_fraction, check_level, check_positive
from ..engine.rows import effects_on_share, weighted_mean
from ..engine.sampling import ONE_SAMPLE, Sampling, SamplingWord, unlabeled_prior

Array = np.ndarray[Any, np.dtype[Any]]

_BY_PROFILE = "profile likelihood"

# Ends of the interval of c are searched on a logit scale: c = share + (1 - share) * sigmoid(place).
_FARTHEST_PLACE = 12.0
_TOL = 1e-6
_MOST_DOUBLINGS = 40
_FIRST_STEP = 0.25
# Relative distance from the labeled share at which c counts as equal to it.
_AT_THE_EDGE = 1e-6


def frequency_interval(
    log_likelihood: Callable[[float], float],
    estimate: float,
    labeled_share: float,
    confidence_level: float = 0.95,
) -> Interval:
    r"""Interval of the c with :math:`2(\ell(\hat c) - \ell(c)) \le \chi^2_{1,level}`.

    Parameters
    ----------
    log_likelihood : callable
        Maps c to the largest log-likelihood of the labels given c.
    estimate : float
        The c where it is largest, in (labeled_share, 1].
    labeled_share : float
        The smallest possible c: below it there would be more positives than rows.
    confidence_level : float, default=0.95
        Confidence level.

    Returns
    -------
    interval : Interval
        `upper` can be 1 although ``1.0 in interval`` is False.

    Notes
    -----
    At c = 1 the reference is :math:`\tfrac12\chi^2_0 + \tfrac12\chi^2_1`: c = 1 is in
    the interval if twice the difference is at most
    :math:`\chi^2_{1, 2\,level - 1}`, 2.71 at 95 %. This reference assumes that the
    derivative of the log-likelihood with respect to c has finite variance at c = 1:
    :math:`E\,e^t < \infty` for the predictor t.
    """
    check_level(confidence_level)
    check_fraction("estimate", estimate)
    check_fraction("labeled_share", labeled_share)
    best = log_likelihood(estimate)
    allowed = float(stats.chi2.ppf(confidence_level, 1))

    def excess(place: float) -> float:
        return 2 * (best - log_likelihood(_frequency(place, labeled_share))) - allowed

    here = _place(estimate, labeled_share)
    lower = _frequency(_end(excess, here, -1.0), labeled_share)
    at_one = 2 * (best - log_likelihood(1.0))
    contains_one = bool(at_one <= stats.chi2.ppf(max(2 * confidence_level - 1, 0.0), 1))
    upper = 1.0
    if at_one > allowed:
        upper = _frequency(_end(excess, here, 1.0), labeled_share)
    without_one = upper == 1 and not contains_one
    return Interval.around(estimate, (lower, upper), confidence_level, _BY_PROFILE, without_one)


def _end(excess: Callable[[float], float], here: float, direction: float) -> float:
    """Find where `excess` crosses 0 on one side; infinite if it does not."""
    if excess(here) > 0:  # with very many rows the end is nearer than the search resolves
        return here
    step, inside = _FIRST_STEP, here
    for _ in range(_MOST_DOUBLINGS):
        outside = here + direction * step
        if abs(outside) > _FARTHEST_PLACE and excess(direction * _FARTHEST_PLACE) <= 0:
            return direction * np.inf
        outside = float(np.clip(outside, -_FARTHEST_PLACE, _FARTHEST_PLACE))
        if excess(outside) > 0:
            low, high = min(inside, outside), max(inside, outside)
            return float(brentq(excess, low, high, xtol=_TOL))
        inside, step = outside, 2 * step
    return inside


def _place(c: float, labeled_share: float) -> float:
    way = (c - labeled_share) / (1 - labeled_share)
    way = min(max(way, 1e-5), 1 - 1e-5)
    return float(np.log(way / (1 - way)))


def _frequency(place: float, labeled_share: float) -> float:
    way = 1 / (1 + np.exp(-place)) if np.isfinite(place) else float(place > 0)
    return float(labeled_share + (1 - labeled_share) * way)


def prior_interval(
    frequency: Interval,
    labeled_share: float,
    total: float,
    correlation: float,
    *,
    sampling: SamplingWord = ONE_SAMPLE,
) -> Interval:
    r"""Interval for :math:`\alpha = P(S=1)/c`.

    :math:`\log\hat\alpha = \log\hat p_s - \log\hat c`, and both terms have an interval. Let
    :math:`l_1, u_1` be the distances from the estimate to the ends for :math:`\log p_s` (normal)
    and :math:`l_2, u_2` those for :math:`\log c` (profile likelihood). The ends are

    .. math:: \log\hat\alpha - \sqrt{l_1^2 + u_2^2 - 2\rho\, l_1 u_2}, \qquad
              \log\hat\alpha + \sqrt{u_1^2 + l_2^2 - 2\rho\, u_1 l_2},

    where :math:`\rho` is the correlation of :math:`\hat p_s` and :math:`\hat c`. This is the
    method of variance estimates recovery; it keeps the asymmetry of the profile.

    The upper end is at most 1, and exactly 1 if the interval of c reaches down to the labeled
    share. If the interval of c ends at 1, :math:`u_2` is truncated. The lower end is then at
    most the lower end of the interval of :math:`p_s`, which is the class prior for c = 1.

    In two samples the class prior is that of the unlabeled rows,
    :math:`\alpha = (p_s/c - p_s)/(1 - p_s)`, and :math:`p_s` is fixed by the sizes of the samples.
    Given :math:`p_s` the variance of :math:`\hat c` is smaller by the factor :math:`1 - \rho^2`.
    So the ends of c are drawn toward the estimate by :math:`\sqrt{1 - \rho^2}`, on the scale of
    the logit of :math:`(c - p_s)/(1 - p_s)`.

    Parameters
    ----------
    frequency : Interval
        Interval of c.
    labeled_share, total : float
        Fraction of labeled rows, and number of rows.
    correlation : float
        Correlation of the labeled share and the estimate of c, in one sample.
    sampling : {"one-sample", "two-sample"}, default="one-sample"
        "two-sample" if the unlabeled rows alone are a sample of the population.

    Returns
    -------
    interval : Interval
        Interval of P(Y=1) in the population.

    References
    ----------
    G. Y. Zou, A. Donner (2008). Construction of confidence limits about effect measures: a general
    approach. Statistics in Medicine 27, 1693-1702. https://doi.org/10.1002/sim.3095
    """
    check_fraction("labeled_share", labeled_share)
    check_positive("total", total, Real, "a positive number")
    if not -1 <= correlation <= 1:
        raise ValueError(f"`correlation` must be between -1 and 1; got {correlation!r}.")
    if Sampling.of(sampling).is_two:
        return _of_unlabeled(frequency, labeled_share, correlation)
    level = frequency.confidence_level
    half = float(stats.norm.ppf(0.5 + level / 2))
    share = half * np.sqrt((1 - labeled_share) / (labeled_share * total))
    c = frequency.estimate
    above, below = np.log(frequency.upper / c), np.log(c / max(frequency.lower, labeled_share))
    down = np.sqrt(share**2 + above**2 - 2 * correlation * share * above)
    up = np.sqrt(share**2 + below**2 - 2 * correlation * share * below)
    prior = labeled_share / c
    # If c may be as small as the labeled share, every row may be positive.
    all_positive = frequency.lower <= labeled_share * (1 + _AT_THE_EDGE)
    upper = 1.0 if all_positive else min(1.0, float(prior * np.exp(up)))
    lower = float(prior * np.exp(-down))
    if frequency.upper == 1:
        lower = min(lower, float(labeled_share * np.exp(-share)))
    return Interval(prior, lower, upper, level, _BY_PROFILE)


def _of_unlabeled(frequency: Interval, labeled_share: float, correlation: float) -> Interval:
    """Return the interval of the class prior of the unlabeled rows; see `prior_interval`."""
    here = _place(frequency.estimate, labeled_share)
    shorter = float(np.sqrt(max(0.0, 1 - correlation**2)))
    ends = []
    for end in (frequency.upper, frequency.lower):
        at_edge = end >= 1 or end <= labeled_share * (1 + _AT_THE_EDGE)
        moved = here + shorter * (_place(end, labeled_share) - here)
        c = end if at_edge else _frequency(moved, labeled_share)
        ends.append(_prior_at(max(c, labeled_share), labeled_share))
    estimate = _prior_at(frequency.estimate, labeled_share)
    return Interval.around(estimate, ends, frequency.confidence_level, _BY_PROFILE)


def _prior_at(c: float, labeled_share: float) -> float:
    return float(unlabeled_prior(labeled_share / c, labeled_share))


class FrequencyFacts(NamedTuple):
    """What an interval of the class prior needs beside the profile likelihood of c.

    Attributes
    ----------
    correlation : float
        Of the labeled share and JOINT's estimate of c.
    effect : float
        Design effect of weights on the estimate of c.
    """

    correlation: float
    effect: float = 1.0


def frequency_facts(objective: Objective, theta: Array, unit: Any = None) -> FrequencyFacts:
    r"""Correlation of the labeled share and JOINT's estimate of c, and its design effect.

    Let :math:`\pi = c\,\sigma(t)`, D its derivative with respect to the coefficients and c, and
    :math:`I = \sum DD^T/(\pi(1-\pi))`. The covariance is the entry for c of
    :math:`I^{-1}\sum D/n`. It also exists at c = 1.

    With weights w, of which one independent row has u, the sum of D has the factor w u. The
    variance of c is that of the sandwich :math:`I^{-1}BI^{-1}` with
    :math:`B = \sum wu\,(s-\pi)^2DD^T/(\pi(1-\pi))^2`, and the design effect is its ratio to that
    of :math:`I^{-1}`.

    With checked rows, I is the observed information of the labels and the answers. D stays:
    the expectation of the label times any score is the derivative of its probability.

    Parameters
    ----------
    objective : Objective
        With the product loss: features in the first predictor, a constant in the second.
    theta : ndarray
        Coefficients and the logit of c, which may be infinite.
    unit : column of shape (n_rows,), optional
        The weight of one independent row; 1 if None.
    """

    def derivatives(predictors: tuple[Array, ...]) -> tuple[Array, ...]:
        _, posterior = softplus_and_sigmoid(predictors[0])
        _, c = softplus_and_sigmoid(predictors[1])
        probability = c * posterior
        xp = namespace_of(probability)
        least = float(xp.finfo(probability.dtype).smallest_normal)
        noise = xp.clip(probability * (1 - probability), least, None)
        return probability * (1 - posterior), posterior, noise, probability

    def information(predictors: tuple[Array, ...], target: Array) -> tuple[Array, ...]:
        if target.ndim == 2:
            return _in_frequency(objective.loss, predictors, target)
        slope, in_c, noise, _ = derivatives(predictors)
        return slope**2 / noise, slope * in_c / noise, in_c**2 / noise

    def outer(predictors: tuple[Array, ...], target: Array) -> tuple[Array, ...]:
        if target.ndim == 2:
            return _outer_in_frequency(objective.loss, predictors, target)
        slope, in_c, noise, probability = derivatives(predictors)
        weight = ((target - probability) / noise) ** 2
        return weight * slope**2, weight * slope * in_c, weight * in_c**2

    def total(predictors: tuple[Array, ...], target: Array) -> tuple[Array, ...]:
        slope, in_c, *_ = derivatives(predictors)
        return 0 * slope, slope, in_c

    matrix = objective.cross_products(theta, information) + objective.penalty_curvature()
    # The second predictor is a constant: its column sums the derivatives.
    sums = objective.cross_products(theta, total, unit)[:, -1]
    inverse = np.linalg.pinv(matrix, hermitian=True)
    weight = objective.total_weight
    target = objective.target
    labels = target if target.ndim == 1 else target[:, 0]
    share = weighted_mean(labels, objective.weight)
    of_c = inverse[-1, -1]
    of_share = share * (1 - share) / weight
    of_share *= effects_on_share(labels, objective.weight, unit).label
    effect = 1.0
    if unit is not None and of_c > 0:
        of_c = (inverse @ objective.cross_products(theta, outer, unit) @ inverse)[-1, -1]
        effect = float(of_c / inverse[-1, -1])
    variance = of_c * of_share
    if not variance > 0:
        return FrequencyFacts(0.0)
    correlation = float(np.clip(inverse[-1] @ sums / weight / np.sqrt(variance), -1, 1))
    return FrequencyFacts(correlation, effect)


def _outer_in_frequency(
    loss: RowLoss, predictors: tuple[Array, ...], target: Array
) -> tuple[Array, ...]:
    """Products of first derivatives of a product loss, in c instead of its logit."""
    first, second = loss.derivatives(predictors, target, second=False).gradient
    _, c = softplus_and_sigmoid(predictors[1])
    second = second / (c * (1 - c))
    return first**2, first * second, second**2


def _in_frequency(loss: RowLoss, predictors: tuple[Array, ...], target: Array) -> tuple[Array, ...]:
    """Second derivatives of a product loss, in c instead of its logit, at a stationary point."""
    first, cross, second = loss.derivatives(predictors, target, second=True).hessian
    _, c = softplus_and_sigmoid(predictors[1])
    steepness = c * (1 - c)
    return first, cross / steepness, second / steepness**2

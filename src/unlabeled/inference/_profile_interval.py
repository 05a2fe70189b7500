"""Profile-likelihood intervals of the label frequency and the class prior."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy import stats
from scipy.optimize import brentq, minimize_scalar
from scipy.special import logit

from ..engine.losses import ProductLoss, softplus_and_sigmoid
from ..engine.objective import CONSTANT, FEATURES, Objective
from ..engine.parameters import check_level
from ..engine.rows import namespace_of, weighted_mean
from ..label_frequency import Line, ScoreProfile
from ..thresholds import Cuts
from ._interval import Interval

# An interval for the label frequency from its profile likelihood.

# The way from the labelled share to 1 is looked at in the logit of how far one has come.
_NEAREST = 12.0
_TOL = 1e-6
_MOST_DOUBLINGS = 40
_FIRST_STEP = 0.25


@dataclass(frozen=True)
class FrequencyInterval:
    """Label frequencies that the labels do not rule out.

    Attributes
    ----------
    lower, upper : float
        Ends of the interval; at the least the share of labelled rows, at the most 1.
    contains_one : bool
        Whether c = 1, every positive row labelled, is not ruled out. On that
        edge of the parameters the likelihood ratio is 0 half of the time, so
        the test of c = 1 is sharper than that of any c below it: with `upper` 1
        and this False, every c below 1 is left open, and 1 itself is not.
    estimate : float
        Where the likelihood is largest.
    level : float
    """

    lower: float
    upper: float
    contains_one: bool
    estimate: float
    level: float


def frequency_interval(
    log_likelihood: Callable[[float], float],
    estimate: float,
    labelled_share: float,
    level: float = 0.95,
) -> FrequencyInterval:
    r"""Interval of the c with :math:`2(\ell(\hat c) - \ell(c)) \le \chi^2_{1,level}`.

    Parameters
    ----------
    log_likelihood : callable
        The largest log-likelihood of the labels at a given c.
    estimate : float
        Where it is largest, in (labelled_share, 1].
    labelled_share : float
        c cannot be below it: there would be more positives than rows.
    level : float, default=0.95

    Returns
    -------
    interval : FrequencyInterval

    Notes
    -----
    At c = 1 the reference is :math:`\tfrac12\chi^2_0 + \tfrac12\chi^2_1`: c = 1 is in
    the interval if twice the difference is at most
    :math:`\chi^2_{1, 2\,level - 1}`, 2.71 at 95 %. The reference needs the score in c to have a
    variance there, :math:`E\,e^t < \infty` for the predictor t.
    """
    check_level(level)
    best = log_likelihood(estimate)
    allowed = float(stats.chi2.ppf(level, 1))

    def excess(place: float) -> float:
        return 2 * (best - log_likelihood(_frequency(place, labelled_share))) - allowed

    here = _place(estimate, labelled_share)
    lower = _frequency(_end(excess, here, -1.0), labelled_share)
    at_one = 2 * (best - log_likelihood(1.0))
    contains_one = bool(at_one <= stats.chi2.ppf(max(2 * level - 1, 0.0), 1))
    upper = 1.0
    if at_one > allowed:
        upper = _frequency(_end(excess, here, 1.0), labelled_share)
    return FrequencyInterval(lower, upper, contains_one, estimate, level)


def _end(excess: Callable[[float], float], here: float, direction: float) -> float:
    """Where `excess` crosses 0 on one side; the last place looked at where it does not."""
    if excess(here) > 0:  # with so many rows, nearer to the estimate than is looked
        return here
    step, inside = _FIRST_STEP, here
    for _ in range(_MOST_DOUBLINGS):
        outside = here + direction * step
        if abs(outside) > _NEAREST and excess(direction * _NEAREST) <= 0:
            return direction * np.inf
        outside = float(np.clip(outside, -_NEAREST, _NEAREST))
        if excess(outside) > 0:
            low, high = min(inside, outside), max(inside, outside)
            return float(brentq(excess, low, high, xtol=_TOL))
        inside, step = outside, 2 * step
    return inside


def _place(c: float, labelled_share: float) -> float:
    way = (c - labelled_share) / (1 - labelled_share)
    way = min(max(way, 1e-5), 1 - 1e-5)
    return float(np.log(way / (1 - way)))


def _frequency(place: float, labelled_share: float) -> float:
    way = 1 / (1 + np.exp(-place)) if np.isfinite(place) else float(place > 0)
    return float(labelled_share + (1 - labelled_share) * way)


# An interval for the class prior from that of the label frequency.

Array = np.ndarray[Any, np.dtype[Any]]

_BY_PROFILE = "profile likelihood"
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
    return Interval(prior, lower, upper, level, _BY_PROFILE)


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


# Intervals of the label frequency and the class prior from honest scores alone.


_ALONG_SCORES = "profile likelihood along the left-out scores"
_POINTS = 40
_NEAR, _FINE = 1e-9, 1e-4
# A posterior that is a step has logits of this deviation.
_WIDEST_LOGITS = 50.0


class ScoreIntervals(NamedTuple):
    """Intervals of the label frequency and of the class prior."""

    label_frequency: FrequencyInterval
    class_prior: Interval


def intervals_of_scores(cuts: Cuts, level: float = 0.95) -> ScoreIntervals:
    r"""Intervals of c and of P(Y=1) where rows are known by their left-out score t alone.

    The model is :math:`P(S=1|t) = c\,\sigma(a + bt)`; a and b are maximised over, and the class
    prior is the labelled share over c, see `prior_interval`. The direction of the score is
    taken as known: that scores are those of left-out rows makes up for most of it, as the
    documentation measures ("How sure, measured").

    Parameters
    ----------
    cuts : Cuts
        Labelled and all rows above every score.
    level : float, default=0.95

    Returns
    -------
    intervals : ScoreIntervals
        Of c and of P(Y=1).
    """
    score, s, weight = _rows(cuts)
    profile = ScoreProfile.of(score, s, weight)
    share, swept = profile.labelled_share, ProfileGrid.of(profile)
    prior = swept.likeliest()
    frequency = min(1.0, share / prior)
    of_frequency = frequency_interval(
        lambda c: swept.log_likelihood(share / c), frequency, share, level
    )
    line = profile.line(prior, _WIDEST_LOGITS)
    objective = Objective(ProductLoss(), (FEATURES, CONSTANT), score[:, None], s, weight, 0.0)
    with np.errstate(divide="ignore"):
        theta = np.array([line.slope, line.intercept, logit(frequency)])
    correlation = share_correlation(objective, theta)
    found = prior_interval(of_frequency, share, float(weight.sum()), correlation)
    return ScoreIntervals(
        of_frequency, Interval(found.estimate, found.lower, found.upper, level, _ALONG_SCORES)
    )


def _rows(cuts: Cuts) -> tuple[Array, Array, Array]:
    """A row for the labelled and one for the unlabelled rows of every score, with their weight."""
    labelled = np.diff(cuts.labelled, prepend=0).astype(np.float64)
    unlabelled = np.diff(cuts.total, prepend=0) - labelled
    score = np.concatenate([cuts.score, cuts.score])
    s = np.repeat([1.0, 0.0], len(labelled))
    weight = np.concatenate([labelled, unlabelled])
    there = weight > 0
    return score[there], s[there], weight[there]


@dataclass(frozen=True)
class ProfileGrid:
    """The likelihood of the class prior, each value from more than one start.

    With few rows it has local maxima. So a grid is swept upwards and downwards, every fit
    starting from its neighbour's, and a value in between starts from the nearest ones.
    """

    profile: ScoreProfile
    prior: np.ndarray
    lines: list[Line]
    value: np.ndarray

    @classmethod
    def of(cls, profile: ScoreProfile) -> ProfileGrid:
        """Sweep a grid, even in the class prior and in its logarithm."""
        share = profile.labelled_share
        way = (np.arange(_POINTS) + 0.5) / _POINTS
        prior = np.unique([*(share + (1 - share) * way), *(share ** (1 - way)), 1.0])
        prior = prior[prior > share * (1 + _NEAR)]
        cold = profile.lines(prior)
        lines = [Line(float(a), float(b)) for a, b in zip(cold.intercept, cold.slope, strict=True)]
        swept = cls(profile, prior, lines, cold.log_likelihood.copy())
        order = list(range(len(prior)))
        for way_there in (order, order[::-1]):
            for before, k in pairwise(way_there):
                swept._improve(k, lines[before])
        return swept

    def _improve(self, k: int, start: Line) -> None:
        found = self.profile.lines(self.prior[k : k + 1], start)
        if found.log_likelihood[0] > self.value[k]:
            self.value[k] = found.log_likelihood[0]
            self.lines[k] = Line(float(found.intercept[0]), float(found.slope[0]))

    def log_likelihood(self, prior: float) -> float:
        """The largest of the fit from the start and those from the neighbours."""
        at = int(np.searchsorted(self.prior, prior))
        near = {max(at - 1, 0), min(at, len(self.prior) - 1)}
        starts = [None, *(self.lines[k] for k in near)]
        fits = [self.profile.lines(np.array([prior]), start) for start in starts]
        return max(float(one.log_likelihood[0]) for one in fits)

    def likeliest(self) -> float:
        """Where the likelihood is largest, in (labelled share, 1]."""
        best = int(np.argmax(self.value))
        share = self.profile.labelled_share
        low = self.prior[best - 1] if best else share * (1 + _NEAR)
        high = self.prior[min(best + 1, len(self.prior) - 1)]
        found = minimize_scalar(
            lambda prior: -self.log_likelihood(prior),
            bounds=(low, high),
            method="bounded",
            options={"xatol": _FINE * (high - low)},
        )
        better = -found.fun > self.value[best]
        return float(found.x) if better else float(self.prior[best])

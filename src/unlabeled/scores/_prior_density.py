"""The share of positives, averaged over what labels cannot tell: the link, the count, the score.

The likelihood of a class prior depends on the curve that P(Y=1|t) follows along a score t. The
labels hardly tell curves apart, so a mean over several of them replaces the choice of one.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from scipy.special import betaincinv, logit, logsumexp, ndtr, ndtri

from ..engine.intervals import Interval
from ..engine.parameters import check_choice, check_level
from ..engine.rows import (
    NO_EFFECTS,
    SAMPLING,
    Effects,
    RowWeights,
    WeightsWord,
    labeled_scores,
    validate_groups,
)
from ..engine.sampling import ONE_SAMPLE, Sampling, SamplingWord, unlabeled_prior
from ..thresholds import Cuts, count_above
from ._if_unlabeled import given_unlabeled
from ._label_logit import bounded_logit, label_effects
from ._score_model import ScoreProfile

IntervalOf = Literal["table", "population"]

# Links sigmoid^nu and 1 - (1 - sigmoid)^nu, with log(nu) normal around 0.
_POWERS = (0.4, 0.65, 1.7, 2.8)
_SPREAD_OF_LOG_POWER = 0.7
_POINTS, _FIRST_POINTS = 24, 24
# The links that show which class priors count: the sigmoid and the two ends of both families.
_FIRST_LINKS = np.array([0, 1, 4, 5, 8])
# Class priors whose log-likelihood is further below the best than this are ignored.
_NEGLIGIBLE = 12.0
# The range of class priors is narrowed until this many of its points count.
_ENOUGH = 8
_MOST_REFINEMENTS = 4
_MOST_STEPS = 60
# A line rests when a step gains less log-likelihood than this.
_ARRIVED = 1e-5
# So far below the best line, a line rests when a step gains less than this.
_HOPELESS, _SLOW = 30.0, 1.0
# Once the best line rests, one so far below rests when it would need this many more such steps.
_LOST, _STEPS_TO_HOPE = 100.0, 10.0
_LARGEST_STEP = 3.0
# Beyond this a logit counts as infinite.
_LARGEST_LOGIT = 40.0
_SMALLEST = 1e-14
# Added to the information about a line, which a step function does not have.
_INFORMATION = 1e-3
# Points of a density, how many standard deviations it reaches, and what its tails may lack.
_CELLS, _REACH, _TAIL = 96, 6.0, 1e-4
# Probability that the bound of the labels fails, and the fractions of the labeled rows above the
# cuts that it looks at.
_BOUND_ERROR, _PARTS = 0.05, 2.0 ** (-np.arange(9) / 2)

AVERAGED = "averaged over curves along held-out scores"
"""The method of intervals of the class prior."""

WELL, ROUGHLY, NOT_AT_ALL = "well", "roughly", "not at all"
# The 95 % interval of a share that is known well is at most this long: absolutely, and as a
# fraction of the estimate. Beyond the second pair the share is not known at all.
_WELL, _WELL_RELATIVE = 0.12, 0.4
_NOT_AT_ALL, _NOT_AT_ALL_RELATIVE = 0.4, 2.0


@dataclass(frozen=True, eq=False)
class PriorDensity:
    """What labels say about the share of positive rows of a table, as a discrete distribution.

    Attributes
    ----------
    class_prior, probability : ndarray of shape (n_points,)
        Shares of positives in rising order, and their probabilities.
    n_rows : float
        Number of rows of the table; with groups or weights, the number of independent rows that
        would tell as much of the population.
    said : dict of str to (float, float)
        Of each score, if several were averaged: the probability that it is the best model of the
        labels, and the share of positives that it alone says.
    profile : ndarray of shape (2, n_profile)
        Shares in rising order, and how far the best log-likelihood of each lies below the largest.
        Empty if there is none.

    Notes
    -----
    The distribution averages over a uniform prior of the share. If positives are rare and the
    score tells little, all shares from the smallest possible one upwards are about equally likely.
    The lower quantile then lies above a rare truth, because of the prior alone. So the lower end
    of `interval` is never above the smallest share that a likelihood ratio test does not reject.
    """

    class_prior: np.ndarray
    probability: np.ndarray
    n_rows: float
    said: dict[str, tuple[float, float]] = field(default_factory=dict)
    profile: np.ndarray = field(default_factory=lambda: np.empty((2, 0)))

    @property
    def mean(self) -> float:
        """The mean, which is the estimate."""
        return float(self.class_prior @ self.probability)

    def interval(self, confidence_level: float = 0.95, of: IntervalOf = "table") -> Interval:
        """Return the central interval, lowered to the smallest share that the labels allow.

        Parameters
        ----------
        confidence_level : float, default=0.95
            Its probability.
        of : {"table", "population"}, default="table"
            Whether it is about the rows of the table, or about the population that they were
            drawn from at random.

        Returns
        -------
        interval : Interval
            Around the mean.
        """
        check_level(confidence_level)
        check_choice("of", of, get_args(IntervalOf))
        density = self if of == "table" else self._of_population()
        lower, upper = density._quantiles(
            np.array([0.5 - confidence_level / 2, 0.5 + confidence_level / 2])
        )
        far = float(ndtri(0.5 + confidence_level / 2))
        likely = self._smallest_likely(0.5 * far**2)
        if of == "population" and likely < lower:
            error = float(np.sqrt(likely * (1 - likely) / self.n_rows))
            likely = max(0.0, likely - far * error)
        return Interval.around(self.mean, (min(lower, likely), upper), confidence_level, AVERAGED)

    def _smallest_likely(self, depth: float) -> float:
        """Return the smallest share whose log-likelihood is at most `depth` below the largest."""
        share, below = self.profile
        if not len(share):
            return float(np.inf)
        first = int(np.argmax(below <= depth))
        if first == 0:
            return float(share[0])
        return float(np.interp(-depth, -below[first - 1 : first + 1], share[first - 1 : first + 1]))

    def points(self, number: int) -> np.ndarray:
        """Return class priors that stand for equally probable parts of the distribution.

        Parameters
        ----------
        number : int
            How many.

        Returns
        -------
        class_prior : ndarray of shape (number,)
            The median of each part.
        """
        return self._quantiles((np.arange(number) + 0.5) / number)

    def _quantiles(self, probability: np.ndarray) -> np.ndarray:
        reached = np.cumsum(self.probability)
        # The distribution function is a line between points, half of whose mass lies below.
        halves = reached - 0.5 * self.probability
        return np.asarray(np.interp(probability * reached[-1], halves, self.class_prior))

    def _of_population(self) -> PriorDensity:
        """Add the error of drawing the rows."""
        error = np.sqrt(self.class_prior * (1 - self.class_prior) / self.n_rows)
        return discrete_density(self.class_prior, error, self.probability, 0.0, 1.0, self.n_rows)

    def scaled(self, factor: float) -> PriorDensity:
        """Return the distribution of the share of the same positives among more or fewer rows.

        Parameters
        ----------
        factor : float
            What the share is multiplied by: the number of these rows over that of the others.
        """
        if factor == 1:
            return self
        return replace(
            self,
            class_prior=self.class_prior * factor,
            n_rows=self.n_rows / factor,
            said={name: (weight, share * factor) for name, (weight, share) in self.said.items()},
            profile=self.profile * np.array([[factor], [1.0]]),
        )

    @property
    def identified(self) -> str:
        """How far the labels identify the share: "well", "roughly" or "not at all".

        "well" if the 95 % interval is at most .12 long and at most .4 of the estimate, and
        several scores were averaged: one score cannot tell whether another one would say
        something else. "not at all" if the interval is longer than .4, or than twice the estimate.
        """
        lower, upper = self.interval()
        length, estimate = upper - lower, self.mean
        if length > _NOT_AT_ALL or length > _NOT_AT_ALL_RELATIVE * estimate:
            return NOT_AT_ALL
        is_short = length <= _WELL and length <= _WELL_RELATIVE * estimate
        return WELL if is_short and len(self.said) > 1 else ROUGHLY


class DoubtedDensity(PriorDensity):
    """A share of which more is unknown than its distribution shows."""

    @property
    def identified(self) -> str:
        """Always "not at all"."""
        return NOT_AT_ALL


def class_prior_density(
    s: Any,
    score: Any,
    sample_weight: Any = None,
    *,
    of_label: bool = False,
    by_frequency: float = 0.5,
    sampling: SamplingWord = ONE_SAMPLE,
    groups: Any = None,
    weights: WeightsWord = SAMPLING,
) -> PriorDensity:
    r"""Compute what the labels along one held-out score say about the share of positive rows.

    Parameters
    ----------
    s : array-like of shape (n_rows,)
        Labels, 1 or 0.
    score : array-like of shape (n_rows,)
        Held-out scores.
    sample_weight : array-like of shape (n_rows,), optional
        Row weights.
    of_label : bool, default=False
        Whether the score is the logit of P(S=1|x). It is then bounded by the logit of c, and
        t is `bounded_logit` of it, for each c. Otherwise t is the score, as for a linear one.
    by_frequency : float, default=0.5
        Weight of the second of two ways to count, between 0 and 1; see Notes.
    sampling : {"one-sample", "two-sample"}, default="one-sample"
        "two-sample" if the unlabeled rows alone are a sample of the population. The share is
        then that of the unlabeled rows.
    groups : array-like of shape (n_rows,), optional
        Which rows belong together, such as those of one person; see Notes.
    weights : {"sampling", "frequency"}, default="sampling"
        "sampling" if a weight is how many rows of the population a row stands for: only ratios
        matter. "frequency" if a row of weight 2 is two rows.

    Returns
    -------
    density : PriorDensity

    Notes
    -----
    *Curves.* The model is :math:`P(S=1|t) = c\,h(a + bt)` with the best a and b. h is one of
    nine links: the sigmoid and its generalized forms :math:`\sigma^\nu` and
    :math:`1-(1-\sigma)^\nu`. Their prior is normal in :math:`\log\nu`, with standard deviation .7.
    The prior of :math:`\alpha = p_s/c` is uniform on :math:`(p_s, 1)`.

    *Counts.* Given c and the link, positives can be counted in two ways, which have
    equal weights. One adds the probabilities of the unlabeled rows,

    .. math:: n_1 + \sum_{s_i=0} \frac{(1-c)\,h_i}{1 - c\,h_i},

    whose error is that of the line and that of drawing the classes. The other divides the
    :math:`n_1` labeled rows by c, with the error :math:`\sqrt{n_1(1-c)}/c` of drawing the
    labels. They agree if the curve fits everywhere. If it does not fit far from the labeled
    rows, the second one is right if c is. In two samples the labeled rows are not drawn from the
    positives of the table. The second count is then about the population, and the error is
    that of drawing the table from it. An interval of the population adds that error once more,
    which makes it a little too long.

    *Lower end.* The interval of the density is central, but its lower end is never above the
    smallest :math:`\alpha` whose log-likelihood, with the best link and its prior, is within
    :math:`\chi^2_1/2` of the largest. Where positives are rare and the score is weak, the
    likelihood is nearly flat, the uniform prior decides, and the mean lies far above the truth.
    With ``of_label=True`` there is no such end, because a curve that may bend in any way explains
    every :math:`\alpha`.

    *Bound.* Shares above the largest one that the labels allow whatever the curve
    (`PriorBound`, 95 %) are left out.

    *Groups.* Rows of one group are not independent, so the log-likelihood and the counts are
    divided by a design effect. With residuals :math:`r_i` of the labels from a logistic line along
    the score it is :math:`\sum_g(\sum_{i\in g} r_i)^2/\sum_i r_i^2`, or 1 if that is smaller:
    m if each group has m rows with the same score and the same label.

    *Weights.* Sampling weights are divided by their mean, and have the design effect
    :math:`\sum_g(\sum_{i\in g} w_i r_i)^2/\sum_i w_i r_i^2`; without groups each row is its own.
    Counts of labeled and of unlabeled rows have design effects of their own,
    :math:`\sum w_i^2/\sum w_i` over the rows of each kind.

    **What breaks it:** labeling that depends on the features; a posterior that is not monotone
    in the score. With ``of_label=True``, also a score that is exact: every class prior up to
    the largest possible one then explains the labels equally well, and the mean lies in the middle
    of them, whatever the number of rows.
    """
    score, s, weight = labeled_scores(score, s, sample_weight)
    how, groups = Sampling.of(sampling), validate_groups(groups, len(s))
    if not 0 <= by_frequency <= 1:
        raise ValueError(f"`by_frequency` must be between 0 and 1; got {by_frequency!r}.")
    read = RowWeights.of(weight, s, weights, how)
    effects = label_effects(score, s, read.weight, groups, read.unit)
    return density_of_scores(
        s,
        score,
        read.weight,
        effects,
        of_label=of_label,
        by_frequency=by_frequency,
        sampling=how,
    )


def density_of_scores(
    s: np.ndarray,
    score: np.ndarray,
    weight: np.ndarray | None,
    effects: Effects,
    *,
    of_label: bool,
    by_frequency: float = 0.5,
    sampling: Sampling = Sampling.ONE,
) -> PriorDensity:
    """Compute `class_prior_density` of validated columns, given their design effects."""
    how, independent = sampling, weight
    if effects != NO_EFFECTS:
        independent = (np.ones(len(s)) if weight is None else weight) / effects.label
    # Counts of each kind, where the likelihood has one independent row.
    labeled, unlabeled = effects.labeled / effects.label, effects.unlabeled / effects.label
    bins = ScoreProfile.of_both_kinds(score, s, independent)
    share, total = bins.labeled_share, bins.total_weight
    points, step, fits = _likely_fits(bins, of_label, unlabeled)
    evidence = fits.log_likelihood + _LOG_PRIOR
    part = np.exp(evidence - evidence.max())
    of_frequency = np.broadcast_to(points[:, None], part.shape)
    drawn_error = np.sqrt(labeled * share * (1 - share / points) / total) * points / share
    if how.is_two:
        of_unlabeled = unlabeled_prior(points, share)
        drawn_error = np.sqrt(unlabeled * of_unlabeled * (1 - of_unlabeled) * (1 - share) / total)
    counts = [
        (fits.positives, fits.error),
        (
            of_frequency,
            np.broadcast_to(np.hypot(drawn_error, step / 12**0.5)[:, None], part.shape),
        ),
    ]
    mean, error = (np.concatenate([one[k].ravel() for one in counts]) for k in (0, 1))
    cuts = count_above(score, s, independent, how)
    bound = largest_class_prior(cuts, _BOUND_ERROR, Effects(1.0, labeled, unlabeled))
    weights = np.concatenate([(1 - by_frequency) * part.ravel(), by_frequency * part.ravel()])
    profile = np.empty((2, 0)) if of_label else _profile_of(points, step, evidence)
    if not how.is_two:
        density = discrete_density(mean, error, weights, share, max(bound, share), total)
        drawn = effects.population(density.mean, share) / effects.label
        return replace(density, profile=profile, n_rows=total / drawn)
    mean, error = unlabeled_prior(mean, share), error / (1 - share)
    profile[0] = unlabeled_prior(profile[0], share)
    density = discrete_density(mean, error, weights, 0.0, bound, total * (1 - share))
    return replace(density, profile=profile, n_rows=density.n_rows / unlabeled)


def _profile_of(points: np.ndarray, step: float, evidence: np.ndarray) -> np.ndarray:
    """Return the profile over links; it begins where the first part of the range does."""
    best = evidence.max(axis=1)
    below = best.max() - best
    return np.stack([np.append(points[0] - step / 2, points), np.append(below[0], below)])


def largest_class_prior(cuts: Cuts, delta: float, effects: Effects = NO_EFFECTS) -> float:
    """Bound of P(Y=1) in the population that fails with a probability of at most `delta`."""
    bound = binomial_bound(cuts, delta, effects)
    if cuts.sampling.is_two:
        return bound
    share = cuts.labeled_share
    return share + (1 - share) * bound


def binomial_bound(cuts: Cuts, delta: float, effects: Effects = NO_EFFECTS) -> float:
    """Bound of P(Y=1|S=0) from exact intervals at a geometric sequence of labeled ranks.

    Counts are divided by the design effect of their kind.
    """
    labeled, unlabeled = cuts.labeled, cuts.unlabeled
    if effects != NO_EFFECTS:
        labeled, unlabeled = labeled / effects.labeled, unlabeled / effects.unlabeled
    n, m = float(labeled[-1]), float(unlabeled[-1])
    rank = np.unique(np.floor(n * _PARTS + 1e-9))
    rank = rank[rank >= 1]
    at = np.searchsorted(labeled, rank * (1 - 1e-12))
    above = np.clip(unlabeled[at], 0, m)
    error = delta / (2 * max(len(rank), 1))
    recall = betaincinv(rank, n - rank + 1, error)
    share = np.ones_like(recall)
    inside = above < m
    share[inside] = betaincinv(above[inside] + 1, m - above[inside], 1 - error)
    return float(np.min(share / recall, initial=1.0))


def mixed_density(densities: Mapping[str, PriorDensity], weights: np.ndarray) -> PriorDensity:
    """Mix what several scores say about the share of positives.

    Parameters
    ----------
    densities : dict of str to PriorDensity
        One per score, of the same rows.
    weights : ndarray of shape (n_scores,)
        Weights that sum to 1.

    Returns
    -------
    density : PriorDensity
        All points of all scores, in rising order.
    """
    parts = list(densities.values())
    points = np.concatenate([one.class_prior for one in parts])
    probability = np.concatenate(
        [share * one.probability for share, one in zip(weights, parts, strict=True)]
    )
    order = np.argsort(points, kind="stable")
    said = {
        name: (float(share), one.mean)
        for share, (name, one) in zip(weights, densities.items(), strict=True)
    }
    profile = _mixed_profile([one.profile for one in parts], weights)
    return PriorDensity(points[order], probability[order], parts[0].n_rows, said, profile)


def _mixed_profile(profiles: list[np.ndarray], weights: np.ndarray) -> np.ndarray:
    """Return the profile over scores that have one: each lies below the best as its weight says."""
    known = [
        (one, weight)
        for one, weight in zip(profiles, weights, strict=True)
        if weight > 0 and one.shape[1]
    ]
    if not known:
        return np.empty((2, 0))
    share = np.unique(np.concatenate([one[0] for one, _ in known]))
    # Below its first share and above its last one a profile is not known to be likely.
    below = [
        np.interp(share, one[0], one[1], left=np.inf, right=np.inf) + np.log(weights.max() / weight)
        for one, weight in known
    ]
    return np.stack([share, np.min(below, axis=0)])


def discrete_density(
    mean: np.ndarray,
    error: np.ndarray,
    weight: np.ndarray,
    lowest: float,
    largest: float,
    n_rows: float,
) -> PriorDensity:
    """Turn a mixture of normal distributions, cut off at both ends, into points."""
    weight = weight / weight.sum()
    counts = weight > 1e-8
    mean, error, weight = mean[counts], np.maximum(error[counts], 1e-9), weight[counts]
    low = max(lowest, float((mean - _REACH * error).min()))
    high = min(largest, float((mean + _REACH * error).max()))
    if high <= low:  # all of it lies beyond an end
        at = largest if high == largest else lowest
        return PriorDensity(np.array([at]), np.array([1.0]), n_rows)

    def below(share: np.ndarray) -> np.ndarray:
        return np.asarray(ndtr((share[:, None] - mean) / error) @ weight)

    is_above = bool(mean @ weight > high)
    low, high = _where_it_is(below, low, high, is_above)
    edges = np.linspace(low, high, _CELLS + 1)
    inside = np.maximum(np.diff(below(edges)), 0.0)
    if inside.sum() < _SMALLEST:
        inside[-1 if is_above else 0] = 1.0
    return PriorDensity(0.5 * (edges[1:] + edges[:-1]), inside / inside.sum(), n_rows)


def _where_it_is(
    below: Callable[[np.ndarray], np.ndarray], low: float, high: float, is_above: bool
) -> tuple[float, float]:
    """Return where nearly all of a distribution is between two ends, to one of many cells."""
    edges = np.linspace(low, high, 4 * _CELLS + 1)
    before, whole = below(edges[:1])[0], float(np.ptp(below(edges[[0, -1]])))
    if whole < _SMALLEST:
        return (float(edges[-2]), high) if is_above else (low, float(edges[1]))

    def reached(cell: int) -> float:
        return float(below(edges[cell + 1 : cell + 2])[0] - before) / whole

    cells = range(4 * _CELLS)
    first, last = (bisect_left(cells, share, key=reached) for share in (_TAIL, 1 - _TAIL))
    return float(edges[first]), float(edges[min(last + 1, 4 * _CELLS)])


# The powers nu of the links: first those of sigmoid^nu, then those of 1 - (1 - sigmoid)^nu.
_NU = np.array([1.0, *_POWERS, *_POWERS])
_FIRST_COMPLEMENT = 1 + len(_POWERS)
_LOG_PRIOR = -0.5 * (np.log(_NU) / _SPREAD_OF_LOG_POWER) ** 2
_LINKS = np.arange(len(_NU))


def _links(predictor: np.ndarray, link: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Logarithm of the posterior and its derivative; each row has a link, in rising order."""
    nu, n_powers = _NU[link, None], int(np.searchsorted(link, _FIRST_COMPLEMENT))
    t = np.clip(predictor, -_LARGEST_LOGIT, _LARGEST_LOGIT)
    np.negative(t[:n_powers], out=t[:n_powers])
    odds = np.exp(t)
    log_posterior, rise = -nu * np.log1p(odds), nu * (odds / (1 + odds))
    if n_powers < len(link):  # so far it is the logarithm of the complement, which falls
        log_rest = log_posterior[n_powers:]
        posterior = -np.expm1(log_rest)
        rise[n_powers:] *= 1 / posterior - 1
        np.log(posterior, out=log_rest)
    return log_posterior, rise


class _Fits(NamedTuple):
    """The best line for each class prior (rows) and link (columns).

    `positives` is the share of positive rows that its probabilities add up to, and `error` the
    standard error of that share.
    """

    log_likelihood: np.ndarray
    positives: np.ndarray
    error: np.ndarray


def _likely_fits(
    bins: ScoreProfile, of_label: bool, unlabeled: float
) -> tuple[np.ndarray, float, _Fits]:
    """Fit all links to class priors that count; return the priors, their distance and the fits."""
    share = bins.labeled_share
    low, high = share, 1.0
    for n_points, links in (
        (_FIRST_POINTS, _FIRST_LINKS),
        *[(_POINTS, _LINKS)] * _MOST_REFINEMENTS,
    ):
        step = (high - low) / n_points
        points = low + step * (np.arange(n_points) + 0.5)
        fits = _fits(bins, points, links, of_label, unlabeled)
        evidence = logsumexp(fits.log_likelihood + _LOG_PRIOR[links], axis=1)
        likely = np.flatnonzero(evidence > evidence.max() - _NEGLIGIBLE)
        if len(links) == len(_LINKS) and len(likely) >= _ENOUGH:
            break
        low, high = max(share, points[likely[0]] - step), min(1.0, points[likely[-1]] + step)
    return points, step, fits


def _fits(
    bins: ScoreProfile,
    class_prior: np.ndarray,
    links: np.ndarray,
    of_label: bool,
    unlabeled: float = 1.0,
    arrived: float = _ARRIVED,
) -> _Fits:
    """Fit the best line for each class prior (rows) and link (columns).

    `unlabeled` is the design effect on counts of unlabeled rows.
    """
    share, total = bins.labeled_share, bins.labeled + bins.unlabeled
    frequency, place = share / class_prior, bins.score[None, :]
    if of_label:
        place = bounded_logit(place, frequency[:, None])
    part = total / total.sum()
    place = place - (place @ part)[:, None]
    deviation = np.sqrt(place**2 @ part)
    place /= np.where(deviation == 0, 1.0, deviation)[:, None]
    model = _LinkedLines(place, bins.labeled, bins.unlabeled, frequency, links)
    line, here = model.maximize(_start(class_prior, links), arrived)
    positives, error = model.positives(line, here, unlabeled)
    # A line that does not rise tells nothing: the labels are given at random.
    flat = line[:, 1] <= 0
    of_prior = np.tile(class_prior, len(links))
    found = (
        np.where(flat, bins.flat_log_likelihood, here[0]),
        np.where(flat, of_prior, positives),
        np.where(flat, np.sqrt(unlabeled * of_prior * (1 - of_prior) / bins.total_weight), error),
    )
    return _Fits(*(one.reshape(len(links), len(class_prior)).T for one in found))


def _start(class_prior: np.ndarray, links: np.ndarray) -> np.ndarray:
    """Lines to start from: the posterior at the mean score is the class prior."""
    prior, root = np.minimum(class_prior, 1 - 1e-6), 1 / _NU[links, None]
    is_power = links[:, None] < _FIRST_COMPLEMENT
    sigmoid = np.where(is_power, prior**root, 1 - (1 - prior) ** root)
    intercept = logit(np.clip(sigmoid, 1e-9, 1 - 1e-9)).ravel()
    return np.column_stack([intercept, np.full(len(intercept), 0.5)])


@dataclass(frozen=True)
class _LinkedLines:
    """Log-likelihoods of P(S=1|t) = c h(a + b t), one per class prior and link.

    Lines are numbered prior by prior within each link. `place` has a row per class prior, or one
    for all.
    """

    place: np.ndarray
    labeled: np.ndarray
    unlabeled: np.ndarray
    frequency: np.ndarray
    links: np.ndarray

    def maximize(self, line: np.ndarray, arrived: float) -> tuple[np.ndarray, np.ndarray]:
        """Maximize over a and b by damped Fisher scoring; return the lines and derivatives there.

        Each line rests once it arrived, or is far below the best one and gains little.
        """
        moving = np.arange(len(line))
        here = self._derivatives(line, moving)
        damping = np.full(len(line), 1e-3)
        for _ in range(_MOST_STEPS):
            old = here[:, moving]
            trial = line[moving] + _scoring_step(old, damping[moving])
            there = self._derivatives(trial, moving)
            gain = there[0] - old[0]
            better = gain >= 0
            line[moving[better]], here[:, moving[better]] = trial[better], there[:, better]
            damping[moving] *= np.where(better, 0.2, 6.0)
            best = int(np.argmax(here[0]))
            below = here[0, best] - old[0]
            hopeless = below > _HOPELESS
            rests = (better & (gain < np.where(hopeless, _SLOW, arrived))) | (damping[moving] > 1e6)
            if not np.any(moving == best):  # once the best line rests
                rests |= (below > _LOST) & (gain < below / _STEPS_TO_HOPE)
            moving = moving[~rests]
            if not len(moving):
                break
        return line, here

    def positives(
        self, line: np.ndarray, here: np.ndarray, unlabeled: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """Share of positives by adding up probabilities, and its standard error, for each line."""
        log_posterior, rise, place, c = self._curve(line, np.arange(len(line)))
        posterior = np.exp(log_posterior)
        rest = np.maximum(1 - c * posterior, _SMALLEST)
        hidden = given_unlabeled(posterior, c)
        moves = hidden * rise / rest * self.unlabeled
        first, second = moves.sum(axis=1), _along(moves, place)
        a, b, d = here[3] + _INFORMATION, here[4], here[5] + _INFORMATION
        determinant = np.maximum(a * d - b**2, np.finfo(np.float64).tiny)
        of_line = (d * first**2 - 2 * b * first * second + a * second**2) / determinant
        of_classes = unlabeled * ((hidden * (1 - hidden)) @ self.unlabeled)
        n_rows = self.labeled.sum() + self.unlabeled.sum()
        share = (self.labeled.sum() + hidden @ self.unlabeled) / n_rows
        return share, np.sqrt(of_line + of_classes) / n_rows

    def _curve(
        self, line: np.ndarray, number: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Logarithm of the posterior, its derivative, place and c, of numbered lines."""
        of_link, of_prior = np.divmod(number, len(self.frequency))
        place = self.place if len(self.place) == 1 else self.place[of_prior]
        posterior = _links(line[:, :1] + line[:, 1:] * place, self.links[of_link])
        return *posterior, place, self.frequency[of_prior, None]

    def _derivatives(self, line: np.ndarray, number: np.ndarray) -> np.ndarray:
        """Log-likelihood, its gradient (2) and its expected information (3), in one array."""
        log_posterior, rise, place, c = self._curve(line, number)
        log_p = log_posterior + np.log(c)
        p = np.exp(log_p)
        rest = np.maximum(1 - p, _SMALLEST)
        value = log_p @ self.labeled + np.log(rest) @ self.unlabeled
        fall = rise * (p / rest)  # minus the derivative of log(1 - p)
        push = rise * self.labeled - fall * self.unlabeled
        weight = rise * fall * (self.labeled + self.unlabeled)
        spread = weight * place
        gradient = (push.sum(axis=1), _along(push, place))
        information = (weight.sum(axis=1), spread.sum(axis=1), _along(spread, place))
        return np.stack([value, *gradient, *information])


def _along(values: np.ndarray, place: np.ndarray) -> np.ndarray:
    """Sum of each row times its places."""
    return values @ place[0] if len(place) == 1 else np.einsum("ij,ij->i", values, place)


def _scoring_step(here: np.ndarray, damping: np.ndarray) -> np.ndarray:
    """Step in a and b; at most `_LARGEST_STEP` in each."""
    _, first, second, a, b, d = here
    a, d = a * (1 + damping) + 1e-9, d * (1 + damping) + 1e-9
    determinant = np.maximum(a * d - b**2, np.finfo(np.float64).tiny)
    step = np.stack([d * first - b * second, a * second - b * first]) / determinant
    longest = np.maximum(np.abs(step).max(axis=0), _SMALLEST)
    return np.moveaxis(step * np.minimum(1.0, _LARGEST_STEP / longest), 0, -1)

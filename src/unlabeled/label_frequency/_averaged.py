"""The class prior averaged over what labels cannot tell: the link of the posterior, and the score.

The likelihood of a class prior depends on the curve that P(Y=1|t) follows along a score t. The
labels hardly tell curves apart, so a mean over several of them replaces the choice of one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import logit, logsumexp

from ..engine.losses import softplus_and_sigmoid

# Links sigmoid^nu and 1 - (1 - sigmoid)^nu, with log(nu) normal around 0.
_POWERS = (0.4, 0.65, 1.7, 2.8)
_SPREAD_OF_LOG_POWER = 0.7
_BINS = 150
_POINTS = 48
# Class priors whose log-likelihood is further below the best than this are ignored.
_NEGLIGIBLE = 12.0
# The range of class priors is narrowed until this many of its points count.
_ENOUGH = 12
_MOST_REFINEMENTS = 4
_MOST_STEPS = 60
# A line rests when a step gains less log-likelihood than this.
_ARRIVED = 1e-6
_LARGEST_STEP = 3.0
# Beyond this a logit counts as infinite.
_LARGEST_LOGIT = 40.0
_SMALLEST = 1e-14
# tau: the width of the bend at p = c, as a fraction of c.
_BEND = 0.02


def bounded_logit(label_logit: np.ndarray, label_frequency: np.ndarray | float) -> np.ndarray:
    r"""Turn the logit of P(S=1|x) into a logit of the posterior, P(S=1|x)/c.

    Under SCAR :math:`p = P(S=1|x) = c\,P(Y=1|x)` is at most c, so its own logit is bounded and no
    logit of a posterior. Below c the posterior is :math:`r = p/c`, but an estimate of p may
    exceed c. So its logit is computed as :math:`\log r - \log h(1-r)`, where the hyperbola
    :math:`h(d) = (d + \sqrt{d^2 + 4\tau^2})/2` is nearly d for positive d, and positive for all.
    The result increases with p, slowly beyond c. Near c it is a little too small:
    at r = .99 the posterior is .975.

    Parameters
    ----------
    label_logit : ndarray
        Logits of P(S=1|x).
    label_frequency : float or ndarray
        c, of a shape that goes with the logits.

    Returns
    -------
    logit : ndarray
        Logits of the posterior.
    """
    softplus = softplus_and_sigmoid(-np.asarray(label_logit, dtype=np.float64))[0]
    log_ratio = -softplus - np.log(label_frequency)
    rest = 1 - np.exp(log_ratio)
    root = np.sqrt(rest**2 + 4 * _BEND**2)
    # Two forms of the same number: the sum loses digits where the rest is negative.
    above = 2 * _BEND**2 / np.where(rest > 0, 1.0, root - rest)
    return np.asarray(log_ratio - np.log(np.where(rest > 0, 0.5 * (rest + root), above)))


@dataclass(frozen=True)
class PriorDensity:
    """What one score says about the class prior, as a discrete distribution.

    Attributes
    ----------
    class_prior, probability : ndarray of shape (n_points,)
        Class priors in rising order, and their probabilities.
    """

    class_prior: np.ndarray
    probability: np.ndarray

    @property
    def mean(self) -> float:
        """The posterior mean of the class prior."""
        return float(self.class_prior @ self.probability)


def class_prior_density(
    score: np.ndarray, s: np.ndarray, weight: np.ndarray | None = None, *, of_label: bool = False
) -> PriorDensity:
    r"""Compute the distribution of the class prior given the labels along one held-out score.

    The model is :math:`P(S=1|t) = (p_s/\alpha)\,h(a + bt)` with the best a and b. h is one of
    nine links: the sigmoid and its generalised forms :math:`\sigma^\nu` and
    :math:`1-(1-\sigma)^\nu`. Their prior is normal in :math:`\log\nu`, with standard deviation .7.
    The prior of :math:`\alpha` is uniform on (P(S=1), 1).

    Parameters
    ----------
    score : ndarray of shape (n_rows,)
        Held-out scores.
    s : ndarray of shape (n_rows,)
        Labels, 1 or 0.
    weight : ndarray of shape (n_rows,), optional
        Row weights.
    of_label : bool, default=False
        Whether the score is the logit of P(S=1|x). It is then bounded by the logit of c, and
        t is `bounded_logit` of it, for each c. Otherwise t is the score, as for a linear one.

    Returns
    -------
    density : PriorDensity

    Notes
    -----
    **What breaks it:** a posterior that is not monotone in the score. With ``of_label=True``, also
    a score that is exact: every class prior up to the largest possible one then explains the
    labels equally well, and the mean lies in the middle of them, whatever the number of rows.
    """
    bins = _Bins.of(score, s, weight)
    share = bins.labelled_share
    low, high = share, 1.0
    for _ in range(_MOST_REFINEMENTS):
        step = (high - low) / _POINTS
        points = low + step * (np.arange(_POINTS) + 0.5)
        evidence = logsumexp(bins.log_likelihood(points, of_label) + _LOG_PRIOR, axis=1)
        likely = np.flatnonzero(evidence > evidence.max() - _NEGLIGIBLE)
        if len(likely) >= _ENOUGH:
            break
        low, high = max(share, points[likely[0]] - step), min(1.0, points[likely[-1]] + step)
    probability = np.exp(evidence - evidence.max())
    return PriorDensity(points, probability / probability.sum())


def mixed_density(densities: Sequence[PriorDensity], weights: np.ndarray) -> PriorDensity:
    """Mix what several scores say about the class prior.

    Parameters
    ----------
    densities : sequence of PriorDensity
        One per score.
    weights : ndarray of shape (n_scores,)
        Weights that sum to 1.

    Returns
    -------
    density : PriorDensity
        All points of all scores, in rising order.
    """
    points = np.concatenate([one.class_prior for one in densities])
    parts = zip(weights, densities, strict=True)
    probability = np.concatenate([share * one.probability for share, one in parts])
    order = np.argsort(points, kind="stable")
    return PriorDensity(points[order], probability[order])


# Whether a link is sigmoid^nu, not 1 - (1 - sigmoid)^nu; nu; the logarithm of its prior density.
_IS_POWER = np.array([True] * (1 + len(_POWERS)) + [False] * len(_POWERS))
_NU = np.array([1.0, *_POWERS, *_POWERS])
_LOG_PRIOR = -0.5 * (np.log(_NU) / _SPREAD_OF_LOG_POWER) ** 2


def _links(predictor: np.ndarray, number: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Posterior and its derivative; each row has the link of its number."""
    is_power, nu = _IS_POWER[number, None], _NU[number, None]
    predictor = np.clip(predictor, -_LARGEST_LOGIT, _LARGEST_LOGIT)
    softplus, sigmoid = softplus_and_sigmoid(predictor)
    # The logarithm of sigmoid^nu, or of (1 - sigmoid)^nu.
    log_power = -nu * np.where(is_power, softplus - predictor, softplus)
    power = np.exp(log_power)
    posterior = np.where(is_power, power, -np.expm1(log_power))
    slope = nu * power * np.where(is_power, 1 - sigmoid, sigmoid)
    return posterior, slope


@dataclass(frozen=True)
class _Bins:
    """Labelled and unlabelled rows in bins of a score, narrow where labelled rows are."""

    place: np.ndarray
    labelled: np.ndarray
    unlabelled: np.ndarray

    @classmethod
    def of(cls, score: np.ndarray, s: np.ndarray, weight: np.ndarray | None) -> _Bins:
        """Count rows in bins that hold equal parts of both kinds, labelled rows weighing half."""
        weight = np.ones(len(s)) if weight is None else weight
        labelled_weight = weight * s
        share = float(labelled_weight.sum() / weight.sum())
        part = np.where(s == 1, weight / share, weight / (1 - share))
        order = np.argsort(score, kind="stable")
        ordered = score[order]
        reached = np.cumsum(part[order])
        # Tied scores share the bin of the first of them.
        first = np.searchsorted(ordered, ordered, side="left")
        before = np.concatenate([[0.0], reached])[first]
        cell = np.minimum((before / reached[-1] * _BINS).astype(np.int64), _BINS - 1)
        total = np.bincount(cell, weight[order], minlength=_BINS)
        labelled = np.bincount(cell, labelled_weight[order], minlength=_BINS)
        sums = np.bincount(cell, weight[order] * ordered, minlength=_BINS)
        kept = total > 0
        unlabelled = np.maximum(total - labelled, 0.0)[kept]
        return cls(sums[kept] / total[kept], labelled[kept], unlabelled)

    @property
    def labelled_share(self) -> float:
        """P(S=1)."""
        labelled = float(self.labelled.sum())
        return labelled / (labelled + float(self.unlabelled.sum()))

    def log_likelihood(self, class_prior: np.ndarray, of_label: bool) -> np.ndarray:
        """Largest log-likelihood over lines, for each class prior (rows) and link (columns)."""
        share, total = self.labelled_share, self.labelled + self.unlabelled
        frequency = share / class_prior
        place = np.broadcast_to(self.place, (len(class_prior), len(self.place)))
        if of_label:
            place = bounded_logit(self.place[None, :], frequency[:, None])
        part = total / total.sum()
        mean = place @ part
        deviation = np.sqrt((place - mean[:, None]) ** 2 @ part)
        deviation[deviation == 0] = 1.0
        standard = (place - mean[:, None]) / deviation[:, None]
        start = _start(class_prior)
        model = _LinkedLines(standard, self.labelled, self.unlabelled, frequency)
        value, slope = (one.reshape(start.shape[:2]) for one in model.maximise(start))
        flat = float(self.labelled.sum() * np.log(share) + self.unlabelled.sum() * np.log1p(-share))
        return np.where(slope > 0, value, flat)


def _start(class_prior: np.ndarray) -> np.ndarray:
    """Lines to start from: the posterior at the mean score is the class prior."""
    prior = np.minimum(class_prior, 1 - 1e-6)[:, None]
    sigmoid = np.where(_IS_POWER, prior ** (1 / _NU), 1 - (1 - prior) ** (1 / _NU))
    intercept = logit(np.clip(sigmoid, 1e-9, 1 - 1e-9))
    return np.stack([intercept, np.full_like(intercept, 0.5)], axis=-1)


@dataclass(frozen=True)
class _LinkedLines:
    """Log-likelihoods of P(S=1|t) = c h(a + b t), one per class prior and link."""

    place: np.ndarray
    labelled: np.ndarray
    unlabelled: np.ndarray
    frequency: np.ndarray

    def maximise(self, start: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Maximise over a and b by damped Fisher scoring; return the values and the slopes b.

        Lines are numbered link by link within each class prior. Each rests once it arrived.
        """
        line = start.reshape(-1, 2)
        moving = np.arange(len(line))
        here = self._derivatives(line, moving)
        damping = np.full(len(line), 1e-3)
        for _ in range(_MOST_STEPS):
            old = here[:, moving]
            trial = line[moving] + _scoring_step(old, damping[moving])
            there = self._derivatives(trial, moving)
            better = there[0] >= old[0]
            line[moving[better]], here[:, moving[better]] = trial[better], there[:, better]
            damping[moving] *= np.where(better, 0.2, 6.0)
            arrived = (better & (there[0] - old[0] < _ARRIVED)) | (damping[moving] > 1e6)
            moving = moving[~arrived]
            if not len(moving):
                break
        return here[0], line[:, 1]

    def _derivatives(self, line: np.ndarray, number: np.ndarray) -> np.ndarray:
        """Log-likelihood, its gradient (2) and its expected information (3), in one array."""
        of_prior, of_link = np.divmod(number, len(_NU))
        place, c = self.place[of_prior], self.frequency[of_prior, None]
        posterior, slope = _links(line[:, :1] + line[:, 1:] * place, of_link)
        p = np.clip(c * posterior, _SMALLEST, 1 - _SMALLEST)
        value = np.log(p) @ self.labelled + np.log1p(-p) @ self.unlabelled
        slope = c * slope
        push = (self.labelled / p - self.unlabelled / (1 - p)) * slope
        weight = (self.labelled + self.unlabelled) * slope**2 / (p * (1 - p))
        pushed = (push * place).sum(axis=-1)
        spread = weight * place
        gradient = (push.sum(axis=-1), pushed)
        information = (weight.sum(axis=-1), spread.sum(axis=-1), (spread * place).sum(axis=-1))
        return np.stack([value, *gradient, *information])


def _scoring_step(here: np.ndarray, damping: np.ndarray) -> np.ndarray:
    """Step in a and b; at most `_LARGEST_STEP` in each."""
    _, first, second, a, b, d = here
    a, d = a * (1 + damping) + 1e-9, d * (1 + damping) + 1e-9
    determinant = np.maximum(a * d - b**2, np.finfo(np.float64).tiny)
    step = np.stack([d * first - b * second, a * second - b * first]) / determinant
    longest = np.maximum(np.abs(step).max(axis=0), _SMALLEST)
    return np.moveaxis(step * np.minimum(1.0, _LARGEST_STEP / longest), 0, -1)

"""The class prior averaged over what labels cannot tell: the link of the posterior, and the score.

The likelihood of a class prior depends on the curve that P(Y=1|t) follows along a score t. The
labels hardly tell curves apart, so a mean over several of them replaces the choice of one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import logit

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
# Steps end when they gain less log-likelihood than this.
_ARRIVED = 1e-4
_LARGEST_STEP = 3.0
# Beyond this a logit counts as infinite.
_LARGEST_LOGIT = 40.0
_SMALLEST = 1e-14
# Width of the bend at p = c, as a fraction of c.
_BEND = 0.02


def bounded_logit(label_logit: np.ndarray, label_frequency: np.ndarray | float) -> np.ndarray:
    r"""Turn the logit of P(S=1|x) into a logit of the posterior, P(S=1|x)/c.

    Under SCAR :math:`P(S=1|x) = c\,P(Y=1|x)` is at most c, so its own logit is bounded and no
    logit of a posterior. With :math:`r = p/c` the posterior is r below 1. An estimate of p may
    exceed c. So 1 - r is replaced by
    :math:`\log(1 + e^{(1-r)/\tau})/\log(1 + e^{1/\tau})`, which is nearly
    1 - r below 1 and falls to 0 above: the result increases strictly with p.

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
    log_p = -softplus_and_sigmoid(-np.asarray(label_logit, dtype=np.float64))[0]
    place = (1 - np.exp(log_p) / label_frequency) / _BEND
    height = softplus_and_sigmoid(place)[0]
    # Far above the bend softplus(x) is exp(x), which underflows.
    log_height = np.where(place < -30, place, np.log(np.maximum(height, np.finfo(float).tiny)))
    log_whole = np.log(softplus_and_sigmoid(np.array(1 / _BEND))[0])
    log_rest = log_height - log_whole
    # Far below c, 1 - rest loses digits; there it is the ratio p/c itself.
    ratio = np.exp(log_p) / label_frequency
    posterior = np.where(ratio < 1e-3, ratio, -np.expm1(np.minimum(log_rest, 0.0)))
    log_posterior = np.where(
        ratio < 1e-3, log_p - np.log(label_frequency), np.log(np.maximum(posterior, 1e-300))
    )
    return np.asarray(log_posterior - log_rest)


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
    """
    bins = _Bins.of(score, s, weight)
    share = bins.labelled_share
    low, high = share, 1.0
    for _ in range(_MOST_REFINEMENTS):
        step = (high - low) / _POINTS
        points = low + step * (np.arange(_POINTS) + 0.5)
        evidence = _log_sum(bins.log_likelihood(points, of_label) + _LOG_PRIOR)
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


def _log_sum(values: np.ndarray) -> np.ndarray:
    largest = values.max()
    return np.asarray(largest + np.log(np.exp(values - largest).sum(axis=1)))


# Whether a link is sigmoid^nu, not 1 - (1 - sigmoid)^nu; nu; the logarithm of its prior density.
_IS_POWER = np.array([True] * (1 + len(_POWERS)) + [False] * len(_POWERS))[:, None]
_NU = np.array([1.0, *_POWERS, *_POWERS])[:, None]
_LOG_PRIOR = -0.5 * (np.log(_NU[:, 0]) / _SPREAD_OF_LOG_POWER) ** 2


def _links(predictor: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Posterior and its derivative; the axis before the last runs over the links."""
    predictor = np.clip(predictor, -_LARGEST_LOGIT, _LARGEST_LOGIT)
    softplus, sigmoid = softplus_and_sigmoid(predictor)
    power = np.exp(-_NU * (softplus - predictor))
    rest = np.exp(-_NU * softplus)
    posterior = np.where(_IS_POWER, power, -np.expm1(-_NU * softplus))
    slope = _NU * np.where(_IS_POWER, power * (1 - sigmoid), rest * sigmoid)
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
        standard = ((place - mean[:, None]) / deviation[:, None])[:, None, :]
        model = _LinkedLines(standard, self.labelled, self.unlabelled, frequency)
        value, slope = model.maximise(_start(class_prior))
        flat = float(self.labelled.sum() * np.log(share) + self.unlabelled.sum() * np.log1p(-share))
        return np.where(slope > 0, value, flat)


def _start(class_prior: np.ndarray) -> np.ndarray:
    """Lines to start from: the posterior at the mean score is the class prior."""
    prior = np.minimum(class_prior, 1 - 1e-6)[:, None]
    nu, is_power = _NU[:, 0], _IS_POWER[:, 0]
    sigmoid = np.where(is_power, prior ** (1 / nu), 1 - (1 - prior) ** (1 / nu))
    intercept = logit(np.clip(sigmoid, 1e-9, 1 - 1e-9))
    return np.stack([intercept, np.full_like(intercept, 0.5)], axis=-1)


@dataclass(frozen=True)
class _LinkedLines:
    """Log-likelihoods of P(S=1|t) = c h(a + b t), one per class prior and link."""

    place: np.ndarray
    labelled: np.ndarray
    unlabelled: np.ndarray
    frequency: np.ndarray

    def maximise(self, line: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Maximise over a and b by damped Fisher scoring; return the values and the slopes b."""
        here = self._derivatives(line)
        damping = np.full(line.shape[:2], 1e-3)
        for _ in range(_MOST_STEPS):
            step = _scoring_step(here, damping)
            there = self._derivatives(line + step)
            better = there[0] >= here[0]
            gain = np.where(better, there[0] - here[0], np.inf)
            line = np.where(better[..., None], line + step, line)
            here = np.where(better, there, here)
            damping = np.where(better, 0.2 * damping, 6 * damping)
            if np.all((gain < _ARRIVED) | (damping > 1e6)):
                break
        return here[0], line[..., 1]

    def _derivatives(self, line: np.ndarray) -> np.ndarray:
        """Log-likelihood, its gradient (2) and its expected information (3), in one array."""
        posterior, slope = _links(line[..., :1] + line[..., 1:] * self.place)
        c = self.frequency[:, None, None]
        p = np.clip(c * posterior, _SMALLEST, 1 - _SMALLEST)
        value = np.log(p) @ self.labelled + np.log1p(-p) @ self.unlabelled
        slope = c * slope
        push = (self.labelled / p - self.unlabelled / (1 - p)) * slope
        weight = (self.labelled + self.unlabelled) * slope**2 / (p * (1 - p))
        pushed = (push * self.place).sum(axis=-1)
        spread = weight * self.place
        gradient = (push.sum(axis=-1), pushed)
        information = (weight.sum(axis=-1), spread.sum(axis=-1), (spread * self.place).sum(axis=-1))
        return np.stack([value, *gradient, *information])


def _scoring_step(here: np.ndarray, damping: np.ndarray) -> np.ndarray:
    """Step in a and b; at most `_LARGEST_STEP` in each."""
    _, first, second, a, b, d = here
    a, d = a * (1 + damping) + 1e-9, d * (1 + damping) + 1e-9
    determinant = np.maximum(a * d - b**2, np.finfo(np.float64).tiny)
    step = np.stack([d * first - b * second, a * second - b * first]) / determinant
    longest = np.maximum(np.abs(step).max(axis=0), _SMALLEST)
    return np.moveaxis(step * np.minimum(1.0, _LARGEST_STEP / longest), 0, -1)

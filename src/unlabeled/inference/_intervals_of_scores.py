"""Intervals of the label frequency and the class prior from honest scores alone."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import logit

from ..label_frequency._profile import ScoreProfile
from ..losses import ProductLoss
from ..objective import CONSTANT, FEATURES, Objective
from ..thresholds import Cuts
from ._frequency_interval import FrequencyInterval, frequency_interval
from ._interval import Interval
from ._prior_interval import prior_interval, share_correlation

Array = np.ndarray[Any, np.dtype[Any]]

METHOD = "profile likelihood along the left-out scores"
_POINTS = 200
_REFINED = 30
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
    """
    score, s, weight = _rows(cuts)
    profile = ScoreProfile.of(score, s, weight)
    share = profile.labelled_share
    prior = _likeliest_prior(profile)
    frequency = min(1.0, share / prior)

    def log_likelihood(c: float) -> float:
        return float(profile.lines(np.array([share / c])).log_likelihood[0])

    of_frequency = frequency_interval(log_likelihood, frequency, share, level)
    line = profile.line(prior, _WIDEST_LOGITS)
    objective = Objective(ProductLoss(), (FEATURES, CONSTANT), score[:, None], s, weight, 0.0)
    with np.errstate(divide="ignore"):
        theta = np.array([line.slope, line.intercept, logit(frequency)])
    correlation = share_correlation(objective, theta)
    found = prior_interval(of_frequency, share, float(weight.sum()), correlation)
    return ScoreIntervals(
        of_frequency, Interval(found.estimate, found.lower, found.upper, level, METHOD)
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


def _likeliest_prior(profile: ScoreProfile) -> float:
    """Where the likelihood of the class prior is largest, in (labelled share, 1]."""
    share = profile.labelled_share
    step = (1 - share) / _POINTS
    prior = share + step * (np.arange(_POINTS) + 0.5)
    best = prior[np.argmax(profile.lines(prior).log_likelihood)]
    low, high = max(share * (1 + 1e-9), best - step), min(1.0, best + step)
    prior = np.linspace(low, high, 2 * _REFINED + 1)
    return float(prior[np.argmax(profile.lines(prior).log_likelihood)])

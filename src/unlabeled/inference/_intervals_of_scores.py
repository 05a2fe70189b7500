"""Intervals of the label frequency and the class prior from honest scores alone."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import logit

from ..label_frequency import Line, ScoreProfile
from ..losses import ProductLoss
from ..objective import CONSTANT, FEATURES, Objective
from ..thresholds import Cuts
from ._frequency_interval import FrequencyInterval, frequency_interval
from ._interval import Interval
from ._prior_interval import prior_interval, share_correlation

Array = np.ndarray[Any, np.dtype[Any]]

METHOD = "profile likelihood along the left-out scores"
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
    share, swept = profile.labelled_share, Swept.of(profile)
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


@dataclass(frozen=True)
class Swept:
    """The likelihood of the class prior, each value from more than one start.

    With few rows it has local maxima. So a grid is swept upwards and downwards, every fit
    starting from its neighbour's, and a value in between starts from the nearest ones.
    """

    profile: ScoreProfile
    prior: np.ndarray
    lines: list[Line]
    value: np.ndarray

    @classmethod
    def of(cls, profile: ScoreProfile) -> Swept:
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

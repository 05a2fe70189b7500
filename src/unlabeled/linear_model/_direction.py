"""Which way positives lie: the naive direction, or JOINT's where labels say it is better."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..label_frequency._profile import ScoreProfile
from ..losses import KnownFrequencyLoss, LogisticLoss
from ..solvers import RidgePath, RidgePoint, RowsToScore

# From this label frequency on, JOINT and naive are the same model.
_NEARLY_ALL_LABELLED = 0.99

WIDEST_SPREAD = 10.0
"""Standard deviation of the posterior's logits: a step, where labels ask for one, is this steep."""


@dataclass(frozen=True)
class Direction:
    """A direction with the honest scores of the rows along it.

    Attributes
    ----------
    name : {"naive", "joint"}
    point : RidgePoint
        The chosen fit.
    path : RidgePath
        The fits it was chosen from.
    profile : ScoreProfile
        Of the honest scores.
    """

    name: str
    point: RidgePoint
    path: RidgePath
    profile: ScoreProfile

    @classmethod
    def of(cls, name: str, point: RidgePoint, path: RidgePath) -> Direction:
        """Look at the honest scores of a fit."""
        profile = ScoreProfile.of(point.score, path.rows.s, path.rows.weight)
        return cls(name, point, path, profile)

    def label_frequency(self, class_prior: float) -> float:
        """The label frequency that goes with a class prior."""
        return min(1.0, self.profile.labelled_share / class_prior)


@dataclass(frozen=True)
class DirectionSearch:
    """How a direction is found.

    Attributes
    ----------
    C : float or None
        Inverse strength of the ridge; None chooses it.
    splits : list of (train, test) or None
        Folds to score rows out of; None leaves one row out at a time.
    tol, max_iter : float, int
        Of each fit.
    """

    C: float | None
    splits: list[tuple[np.ndarray, np.ndarray]] | None
    tol: float
    max_iter: int

    def naive(self, rows: RowsToScore) -> Direction:
        """The logistic fit to the labels."""
        path = RidgePath(rows, LogisticLoss(), self.splits, self.tol, self.max_iter)
        point = path.best() if self.C is None else path.at(self.C)
        return Direction.of("naive", point, path)

    def joint(self, naive: Direction, class_prior: float) -> Direction | None:
        """JOINT with the label frequency of a class prior; None where that is the naive model.

        Its likelihood is not convex: the way starts at the naive direction with its best line.
        """
        frequency = naive.label_frequency(class_prior)
        line = naive.profile.line(class_prior, WIDEST_SPREAD)
        if frequency > _NEARLY_ALL_LABELLED or line.slope == 0:
            return None
        theta = line.slope * naive.point.fit.theta
        theta[-1] += line.intercept
        loss = KnownFrequencyLoss(frequency)
        path = RidgePath(naive.path.rows, loss, self.splits, self.tol, self.max_iter, theta)
        point = path.best(naive.point.C * line.slope**2) if self.C is None else path.at(self.C)
        if not np.isfinite(point.mean_log_likelihood):
            return None
        return Direction.of("joint", point, path)


def better_direction(naive: Direction, joint: Direction, class_prior: float) -> Direction:
    """JOINT, if it foretells left-out labels better by more than a standard error.

    Both have the label frequency of `class_prior` and their best line; what
    differs is the direction. Where Ruud's condition holds the naive one is as
    good and rests on less.
    """
    rows = naive.path.rows
    line = naive.profile.line(class_prior, WIDEST_SPREAD)
    loss = KnownFrequencyLoss(naive.label_frequency(class_prior))
    by_naive = loss.derivatives((line.logit(naive.point.score),), rows.s, second=False).value
    gain, weight = joint.point.log_likelihood + by_naive, rows.weight
    count = float(len(gain) if weight is None else weight.sum())
    mean = float(np.average(gain, weights=weight))
    variance = float(np.average((gain - mean) ** 2, weights=weight))
    better = joint.point.fit.result.converged and mean > np.sqrt(variance / count)
    return joint if better else naive

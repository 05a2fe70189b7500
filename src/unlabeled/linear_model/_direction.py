"""Which way positives lie: the naive direction, or JOINT's where labels say it is better."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..label_frequency import fit_score_joint
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
    """

    name: str
    point: RidgePoint
    path: RidgePath


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
        return Direction("naive", point, path)

    def joint(self, naive: Direction, class_prior: float) -> Direction | None:
        """JOINT with the label frequency of a class prior; None where that is the naive model.

        Its likelihood is not convex: the way starts at the naive direction with its best line.
        """
        line = _Line.of(naive, class_prior)
        if line.label_frequency > _NEARLY_ALL_LABELLED or line.slope == 0:
            return None
        theta = line.slope * naive.point.fit.theta
        theta[-1] += line.intercept
        loss = KnownFrequencyLoss(line.label_frequency)
        path = RidgePath(naive.path.rows, loss, self.splits, self.tol, self.max_iter, theta)
        point = path.best(naive.point.C * line.slope**2) if self.C is None else path.at(self.C)
        if not np.isfinite(point.mean_log_likelihood):
            return None
        return Direction("joint", point, path)


def better_direction(naive: Direction, joint: Direction, class_prior: float) -> Direction:
    """JOINT, if it foretells left-out labels better by more than a standard error.

    Both have the label frequency of `class_prior` and their best line; what
    differs is the direction. Where Ruud's condition holds the naive one is as
    good and rests on less.
    """
    weight = naive.path.rows.weight
    gain = joint.point.log_likelihood - _Line.of(naive, class_prior).log_likelihood(naive)
    count = float(len(gain) if weight is None else weight.sum())
    mean = float(np.average(gain, weights=weight))
    variance = float(np.average((gain - mean) ** 2, weights=weight))
    better = joint.point.fit.result.converged and mean > np.sqrt(variance / count)
    return joint if better else naive


@dataclass(frozen=True)
class _Line:
    """The naive score as a posterior: P(S=1|t) = c sigmoid(a + b t)."""

    label_frequency: float
    intercept: float
    slope: float

    @classmethod
    def of(cls, naive: Direction, class_prior: float) -> _Line:
        rows, score = naive.path.rows, naive.point.score
        share = float(np.average(rows.s, weights=rows.weight))
        frequency = min(1.0, share / class_prior)
        fit = fit_score_joint(score, rows.s, rows.weight, frequency)
        fit = fit.with_spread_at_most(WIDEST_SPREAD, score, rows.weight)
        return cls(frequency, fit.intercept, fit.slope)

    def log_likelihood(self, naive: Direction) -> np.ndarray:
        """Of each row's label."""
        t = self.intercept + self.slope * naive.point.score
        loss = KnownFrequencyLoss(self.label_frequency)
        return -loss.derivatives((t,), naive.path.rows.s, second=False).value

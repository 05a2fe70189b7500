"""Which way positives lie: by the logistic fit to the labels, or by JOINT."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..label_frequency._profile import ScoreProfile
from ..losses import KnownFrequencyLoss, LogisticLoss
from ..solvers import RidgePath, RidgePoint, RowsToScore

# From this label frequency on, JOINT and naive are the same model.
_NEARLY_ALL_LABELLED = 0.99


@dataclass(frozen=True)
class Direction:
    """A direction with the honest scores of the rows along it.

    Attributes
    ----------
    name : {"naive", "joint"}
    point : RidgePoint
        The chosen fit.
    path : RidgePath
        What is left of the fits it was chosen from.
    profile : ScoreProfile
        Of the honest scores.
    frequency : float
        The label frequency its loss was told; 1 for the naive one.
    """

    name: str
    point: RidgePoint
    path: RidgePath
    profile: ScoreProfile
    frequency: float

    @classmethod
    def of(cls, name: str, point: RidgePoint, path: RidgePath, frequency: float) -> Direction:
        """Look at the honest scores of a fit."""
        profile = ScoreProfile.of(point.score, path.rows.s, path.rows.weight)
        return cls(name, point, path, profile, frequency)

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

    def naive(self, rows: RowsToScore, fine: bool = True) -> Direction:
        """The logistic fit to the labels; its ridge only roughly unless `fine`."""
        path = RidgePath(rows, LogisticLoss(), self.splits, self.tol, self.max_iter)
        point = path.best(fine=fine) if self.C is None else path.at(self.C)
        return Direction.of("naive", point, path, 1.0)

    def joint(self, naive: Direction, class_prior: float) -> Direction | None:
        """JOINT with the label frequency of a class prior; None where that is the naive model.

        Its likelihood is not convex: the way starts at the naive fit.
        """
        frequency = naive.label_frequency(class_prior)
        if frequency > _NEARLY_ALL_LABELLED:
            return None
        # Where positives are rare, c sigmoid(t) is nearly exp(t + log c).
        theta = naive.point.fit.theta.copy()
        theta[-1] -= np.log(frequency)
        path = naive.path.with_loss(KnownFrequencyLoss(frequency), theta)
        point = path.best(naive.point.C) if self.C is None else path.at(self.C)
        if not np.isfinite(point.mean_log_likelihood):
            return None
        return Direction.of("joint", point, path, frequency)

"""Which way positives lie: by the logistic fit to the labels, or by JOINT."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..label_frequency import ScoreProfile
from ..losses import KnownFrequencyLoss, LogisticLoss
from ..solvers import NOBODY, RidgePath, RidgePoint, RowsToScore, Watch

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
    watch : Watch
        Sees every fit; where it keeps at Ctrl-C, the best strength that is complete is kept.
    """

    C: float | None
    splits: list[tuple[np.ndarray, np.ndarray]] | None
    tol: float
    max_iter: int
    watch: Watch = NOBODY

    def naive(self, rows: RowsToScore, fine: bool = True) -> Direction:
        """The logistic fit to the labels; its ridge only roughly unless `fine`."""
        settings = (self.splits, self.tol, self.max_iter, None, self.watch, "naive")
        path = RidgePath(rows, LogisticLoss(), *settings)
        point = self._walk(path, lambda: path.best(fine=fine))
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
        loss = KnownFrequencyLoss(frequency)
        path = naive.path.with_loss(loss, "JOINT", theta)
        point = self._walk(path, lambda: path.best(naive.point.C), naive.point)
        if point is naive.point or not np.isfinite(point.mean_log_likelihood):
            return None
        return Direction.of("joint", point, path, frequency)

    def _walk(
        self,
        path: RidgePath,
        search: Callable[[], RidgePoint],
        before: RidgePoint | None = None,
    ) -> RidgePoint:
        """Go along a path; where Ctrl-C ends that, keep the best complete point, or `before`."""
        try:
            return search() if self.C is None else path.at(self.C)
        except KeyboardInterrupt:
            if not self.watch.keeps or not (path.has_points or before):
                raise
        point = path.best_so_far() if path.has_points else before
        kept = f"the best of the strengths that were complete, C={point.C:.3g},"
        self.watch.interrupt(point.fit.result.gradient_norm, kept)
        return point

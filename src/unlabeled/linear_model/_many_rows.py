"""Fits to many rows: choices are made on a subset, then all rows are fitted by passes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..engine.arrays import namespace_of
from ..engine.linear_fits import (
    BLOCK_ROWS,
    LeftOut,
    LinearFit,
    LinearProblem,
    Watch,
)
from ..engine.objective import Moments
from ..engine.rows import Rows, map_rows, times, weighted_mean
from ._direction import ComparableFeatures, Direction, Scaling

# At least this share of the subset is labeled, if there are so many labeled rows.
_LABELED_SHARE = 1 / 8

MOST_FEATURES = 1000
"""With more features there is no closed form of leave-one-out."""


def subset_of(rows: Rows, n_subset: int, random_state: Any) -> tuple[Rows, ComparableFeatures]:
    """Draw the rows to choose on; return them as they are, and scaled as all rows are."""
    subset = rows.sample(n_subset, random_state, int(_LABELED_SHARE * n_subset)).weighted
    return subset, ComparableFeatures.of(subset, Scaling.of(rows))


def fit_all(
    rows: Rows,
    features: ComparableFeatures,
    direction: Direction,
    tol: float,
    max_iter: int,
    watch: Watch,
) -> LinearFit:
    """Fit all rows as the subset was, starting at the fit to the subset.

    X stays as it is: the ridge is that of the scaled features. The subset, `features.rows`, also
    gives the coordinates in which the solver works.
    """
    chosen = direction.point
    coef, intercept = features.original(chosen.fit.coef, chosen.fit.intercept)
    stage = watch.stage(f"{direction.path.name}, C={chosen.C:.3g}, all rows")
    moments = _of_original(direction.path.moments, features)
    problem = LinearProblem.of(rows.X, rows.weight, chosen.C, moments=moments, scale=features.scale)
    theta = np.append(coef, intercept)
    return problem.fit_near(direction.path.loss, rows.s, tol, max_iter, theta, stage)


def _of_original(moments: Moments, features: ComparableFeatures) -> Moments:
    """Return the moments of the features before they were scaled."""
    scale = features.scale
    center = moments.center * scale + features.center
    return Moments(center, moments.second * np.outer(scale, scale), moments.constant)


@dataclass(frozen=True)
class LeftOutScore:
    """Scores rows of a fit as if each had been left out; it holds no rows.

    Attributes
    ----------
    correct : LeftOut
        Computes the linear predictor.
    intercept : float
        Subtracted from it.
    mean_weight : float
        The mean weight of the rows of the fit, as they were given.
    are_copies : bool
        Whether a row is left out with all of its weight. Else a row of weight 2 stands for two
        rows, of which one is left out.
    """

    correct: LeftOut
    intercept: float
    mean_weight: float
    are_copies: bool

    @classmethod
    def of(cls, fit: LinearFit, rows: Rows) -> LeftOutScore:
        """Prepare the scores of the rows of a fit with one linear predictor."""
        mean = 1.0 if rows.weight is None else weighted_mean(rows.weight)
        correct = LeftOut.of(fit, hold_intercept=True)
        whole = rows.are_copies or rows.weight is None or rows.unit is not None
        return cls(correct, fit.intercept, mean * rows.mean_weight, whole)

    def of_rows(self, rows: Rows) -> Any:
        """Return the score of every row, as a column where the rows are."""
        given = None if rows.weight is None else times(rows.weight, rows.mean_weight)
        return map_rows(self, BLOCK_ROWS, rows.X, rows.s, given)

    def __call__(self, X: Any, s: Any, weight: Any) -> Any:
        """Return the scores of a block of rows."""
        if weight is None:
            weight = 0 * s + self.mean_weight
        whole = weight if self.are_copies else namespace_of(weight).clip(weight, None, 1.0)
        weight = whole / self.mean_weight
        return self.correct(X, s, weight)[0] - self.intercept

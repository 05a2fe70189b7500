"""Data and a classifier as the checks see them; what several checks need is computed once."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from ..blocks import with_distinct_entries
from ..codes import PUWarning
from ..labels import LabelEncoding, LabelledRows, label_folds
from ..linear_model import (
    ComparableFeatures,
    Direction,
    DirectionSearch,
    JointLogistic,
    PULogistic,
    WeightedLogistic,
)
from ..solvers import NEAR, LinearFit, LinearProblem, is_separated, separating_columns
from ..thresholds import Cuts, count_above
from ._features import Seen

_TOL, _MOST_ITERATIONS = 1e-4, 1000
# More features than this, and closed-form leave-one-out costs more than folds.
_MOST_FEATURES_TO_LEAVE_ONE_OUT = 1000
_FOLDS = 5


class NotApplicable(Exception):  # noqa: N818  (it is no error)
    """Raised where a check cannot be made; the message completes "because"."""


@dataclass(frozen=True, eq=False)
class Case:
    """A fitted classifier and the rows to judge it by.

    Attributes
    ----------
    seen : Seen
        The classifier, the model inside, the features that reach it.
    X : object
        The features as the user gave them.
    s : ndarray of shape (n_rows,)
        1.0 for labelled rows, 0.0 for the others.
    caught : tuple of Warning or None
        What the fit warned of; None where the classifier came fitted.
    random_state : object
        Draws folds and resamples, where a check needs any.
    """

    seen: Seen
    X: Any
    s: np.ndarray
    caught: tuple[Warning, ...] | None
    random_state: Any = None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the features that reach the model."""
        return self.seen.names

    @property
    def n_labelled(self) -> int:
        """How many rows are labelled."""
        return int(self.s.sum())

    @cached_property
    def rows(self) -> LabelledRows:
        """The features that reach the model, as finite numbers, with their labels."""
        X = self.seen.X
        is_sparse = bool(sparse.issparse(X))
        if not is_sparse:
            if X.ndim != 2 or X.dtype.kind not in "biuf":
                raise NotApplicable("the features that reach the model are not a table of numbers")
            X = np.ascontiguousarray(X, dtype=np.float64)
        else:
            X = with_distinct_entries(X.tocsr().astype(np.float64, copy=False))
        if not np.all(np.isfinite(X.data if is_sparse else X)):
            raise NotApplicable("some features are missing")
        return LabelledRows(X, self.s, None, LabelEncoding(np.array([0, 1])))

    @property
    def dense(self) -> np.ndarray:
        """The features as an array."""
        if sparse.issparse(self.rows.X):
            raise NotApplicable("the features are a sparse matrix")
        return np.asarray(self.rows.X)

    @property
    def is_linear(self) -> bool:
        """Whether the model's score is linear in the features."""
        return hasattr(self.seen.model, "coef_")

    @property
    def is_penalised(self) -> bool:
        """Whether something, such as a ridge, keeps the model from memorising rows."""
        if not self.is_linear:
            return True
        C = getattr(self.seen.model, "C", np.inf)
        return getattr(self.seen.model, "penalty", "") is not None and C != np.inf

    @property
    def uses_naive_direction(self) -> bool:
        """Whether the model's direction is that of a logistic fit to the labels."""
        model = self.seen.model
        if isinstance(model, PULogistic):
            return model.direction_ == "naive"
        return self.is_linear and not isinstance(model, JointLogistic | WeightedLogistic)

    @cached_property
    def separating(self) -> np.ndarray:
        """Columns with all labelled rows on one side of all others, touching allowed."""
        return separating_columns(self.rows.X, self.s)

    @cached_property
    def linear(self) -> LinearProblem:
        """The features that do not separate, ready for unpenalised fits."""
        kept = np.setdiff1d(np.arange(self.rows.X.shape[1]), self.separating)
        if len(kept) == 0:
            raise NotApplicable("every feature separates labelled from unlabelled rows")
        X = self.rows.X if len(self.separating) == 0 else self.rows.X[:, kept]
        return LinearProblem.of(X, None)

    @cached_property
    def naive(self) -> LinearFit:
        """The unpenalised logistic fit to the labels, by the features that do not separate."""
        return self.linear.fit_logistic(self.s, _TOL, _MOST_ITERATIONS)

    @cached_property
    def is_separated(self) -> bool:
        """Whether that fit has no finite optimum."""
        apart = is_separated(self.naive.predictor(), self.s)
        return apart or self.naive.result.distance > NEAR or not self.naive.result.converged

    @property
    def finite_naive(self) -> LinearFit:
        """That fit, where there are labelled rows enough for it and it has a finite optimum."""
        if self.n_labelled <= self.linear.X.shape[1]:
            raise NotApplicable("there are no more labelled rows than features")
        if self.is_separated:
            raise NotApplicable("the naive fit has no finite optimum on these rows")
        return self.naive

    @cached_property
    def _joint(self) -> JointLogistic:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PUWarning)
            return JointLogistic(tol=_TOL).fit(self.linear.X, self.s)

    @property
    def joint(self) -> JointLogistic:
        """JOINT without a penalty, by the features that do not separate."""
        if self.n_labelled <= self.linear.X.shape[1]:
            raise NotApplicable("there are no more labelled rows than features")
        if self.is_separated or not self._joint.converged_:
            raise NotApplicable("JOINT has no finite unpenalised optimum on these rows")
        return self._joint

    @cached_property
    def honest(self) -> Direction:
        """The naive direction with a ridge, and the score of every row by a fit without it."""
        return honest_direction(self.rows, self.random_state)

    @cached_property
    def cuts(self) -> Cuts:
        """Labelled and all rows above every honest score."""
        return count_above(self.honest.point.score, self.s)


def honest_direction(rows: LabelledRows, random_state: Any) -> Direction:
    """The naive direction with the best ridge, its rows scored by fits that left them out."""
    features = ComparableFeatures.of(rows)
    wide = features.rows.X.shape[1] > _MOST_FEATURES_TO_LEAVE_ONE_OUT
    folds = min(_FOLDS, rows.n_labelled, len(rows.s) - rows.n_labelled)
    if folds < 2:
        raise NotApplicable("only one row is labelled, or unlabelled")
    splits = label_folds(rows, folds, random_state) if wide else None
    return DirectionSearch(None, splits, _TOL, _MOST_ITERATIONS).naive(features.rows)

"""Estimators of the label frequency from out-of-fold scores."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..engine.linear_fits import LinearProblem, report_fit
from ..engine.parameters import check_ridge, check_stopping
from ..engine.rows import (
    SAMPLING,
    Rows,
    WeightsWord,
    join_folds,
    label_folds,
    reject_one_kind,
)
from ..engine.sampling import ONE_SAMPLE, SamplingWord
from ._base import FoldsFrequencyEstimator, scale_rows

_MOST_FOLDS = 10


class ScoreFrequencyEstimator(FoldsFrequencyEstimator):
    """Base class: c from the out-of-fold scores of a ridge fit to the labels.

    A subclass writes `_estimate_from_scores(score, rows)`, which returns c.
    """

    def __init__(
        self,
        *,
        cv: Any = "auto",
        C: float = 0.1,
        tol: float = 1e-4,
        max_iter: int = 1000,
        pos_label: Any = None,
        sampling: SamplingWord = ONE_SAMPLE,
        weights: WeightsWord = SAMPLING,
        random_state: Any = None,
    ) -> None:
        self.cv = cv
        self.C = C
        self.tol = tol
        self.max_iter = max_iter
        self.pos_label = pos_label
        self.sampling = sampling
        self.weights = weights
        self.random_state = random_state

    def _estimate(self, rows: Rows) -> float:
        self._check_parameters()
        names = getattr(self, "feature_names_in_", None)
        fit = NaiveFit(self.C, True, self.tol, self.max_iter, names)
        folds = self._folds(rows)
        scores = naive_scores(
            scale_rows(rows), fit, folds, self.random_state, also="'auto' or None"
        )
        self.converged_ = scores.converged
        return self._estimate_from_scores(scores.values, rows)

    def _folds(self, rows: Rows) -> Any:
        if not (isinstance(self.cv, str) and self.cv == "auto"):
            return self.cv
        n_labeled, n_unlabeled = rows.fold_units_by_label
        rarer, unit = min(n_labeled, n_unlabeled), rows.fold_unit
        if rarer < 2:
            raise ValueError(
                f"{type(self).__name__} needs at least 2 labeled and 2 unlabeled {unit} to score "
                f"them out of fold; got {n_labeled} labeled of {rows.n_groups or len(rows.s)} "
                f"{unit}."
            )
        return min(_MOST_FOLDS, rarer)

    def _check_parameters(self) -> None:
        check_ridge(self.C)
        check_stopping(self.tol, self.max_iter)

    @abstractmethod
    def _estimate_from_scores(self, score: np.ndarray, rows: Rows) -> float:
        """Return the estimate of c."""


@dataclass(frozen=True)
class NaiveScores:
    """Linear predictors, and whether all fits behind them reached a finite optimum."""

    values: np.ndarray
    converged: bool


@dataclass(frozen=True)
class NaiveFit:
    """How to fit the logistic model of the labels.

    `names` are the feature names for warnings.
    """

    C: float
    fit_intercept: bool
    tol: float
    max_iter: int
    names: Any = None

    def score(self, seen: Rows, new: Rows) -> NaiveScores:
        """Fit to the rows `seen`; return the linear predictor of the rows `new`."""
        reject_one_kind(seen.s)
        problem = LinearProblem.of(seen.X, seen.weight, self.C, self.fit_intercept)
        fit = problem.fit_logistic(seen.s, self.tol, self.max_iter)
        converged = report_fit(seen, fit, self.names)
        return NaiveScores(np.asarray(new.X @ fit.coef + fit.intercept), converged)


def naive_scores(
    rows: Rows, fit: NaiveFit, cv: Any, random_state: Any, also: str = "None"
) -> NaiveScores:
    """Score every row out of fold, or by one fit to all rows if `cv` is None.

    A row in the test part of several splits gets the mean of its scores. `also` lists the other
    values of `cv` that the caller accepts, for the error message.
    """
    if cv is None:
        return fit.score(rows, rows)
    splits = label_folds(rows, cv, random_state, also=also)
    parts, converged = [], True
    for train, test in splits:
        scores = fit.score(rows.take(train), rows.take(test))
        parts.append((test, scores.values))
        converged &= scores.converged
    return NaiveScores(join_folds(len(rows.s), parts), converged)

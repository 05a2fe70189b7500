"""Scores of a logistic fit to the labels, each row scored by a fit that did not see it."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.preprocessing import StandardScaler

from ..labels import LabelledRows, label_folds
from ..parameters import check_positive
from ..solvers import NOBODY, LinearProblem, Watch, report_fit
from ._base import LabelFrequencyEstimator

_MOST_FOLDS = 10


@dataclass(frozen=True)
class NaiveFit:
    """How the logistic model of the labels is fitted, names for warnings, and who watches."""

    C: float
    fit_intercept: bool
    tol: float
    max_iter: int
    names: Any = None
    watch: Watch = NOBODY

    def score(
        self,
        rows: LabelledRows,
        train: np.ndarray | None,
        test: np.ndarray | None,
        fold: str = "",
    ) -> NaiveScores:
        """Fit to the rows `train`; return the linear predictor of the rows `test`; None is all."""
        seen, new = _part(rows, train), _part(rows, test)
        if not 0 < seen.n_labelled < len(seen.s):
            raise ValueError("`cv` must leave labelled and unlabelled rows to fit in every split.")
        problem = LinearProblem.of(seen.X, seen.weight, self.C, self.fit_intercept)
        stage = self.watch.stage(f"label frequency, naive{fold}")
        fit = problem.watched(stage).fit_logistic(seen.s, self.tol, self.max_iter)
        converged = report_fit(seen, fit, self.names)
        return NaiveScores(np.asarray(new.X @ fit.coef + fit.intercept), converged)


@dataclass(frozen=True)
class NaiveScores:
    """Linear predictors, and whether all fits behind them reached a finite optimum."""

    values: np.ndarray
    converged: bool


def naive_scores(rows: LabelledRows, fit: NaiveFit, cv: Any, random_state: Any) -> NaiveScores:
    """Score every row out of fold, or with `cv` None by one fit to all rows.

    A row in the test part of several splits gets the mean of its scores.
    """
    if cv is None:
        return fit.score(rows, None, None)
    total, times, converged = np.zeros(len(rows.s)), np.zeros(len(rows.s)), True
    splits = label_folds(rows, cv, random_state)
    for k, (train, test) in enumerate(splits, start=1):
        scores = fit.score(rows, train, test, f", fold {k} of {len(splits)}")
        total[test] += scores.values
        times[test] += 1
        converged &= scores.converged
    if not np.all(times > 0):
        raise ValueError("`cv` must put every row into the test part of a split.")
    return NaiveScores(total / times, converged)


def _part(rows: LabelledRows, numbers: np.ndarray | None) -> LabelledRows:
    if numbers is None:
        return rows
    weight = None if rows.weight is None else rows.weight[numbers]
    return replace(rows, X=rows.X[numbers], s=rows.s[numbers], weight=weight, kept=None)


def scaled_rows(rows: LabelledRows) -> LabelledRows:
    """Rows whose features have unit variance, so that a ridge treats them alike."""
    scaler = StandardScaler(with_mean=not sparse.issparse(rows.X))
    return replace(rows, X=scaler.fit_transform(rows.X, sample_weight=rows.weight))


class ScoreFrequencyEstimator(LabelFrequencyEstimator):
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
        positive_label: Any = None,
        random_state: Any = None,
    ) -> None:
        self.cv = cv
        self.C = C
        self.tol = tol
        self.max_iter = max_iter
        self.positive_label = positive_label
        self.random_state = random_state

    def _estimate(self, rows: LabelledRows) -> float:
        self._check_parameters()
        names = getattr(self, "feature_names_in_", None)
        fit = NaiveFit(self.C, True, self.tol, self.max_iter, names, self._watch)
        scores = naive_scores(scaled_rows(rows), fit, self._folds(rows), self.random_state)
        self.converged_ = scores.converged
        return self._estimate_from_scores(scores.values, rows)

    def _folds(self, rows: LabelledRows) -> Any:
        if not (isinstance(self.cv, str) and self.cv == "auto"):
            return self.cv
        rarer = min(rows.n_labelled, len(rows.s) - rows.n_labelled)
        if rarer < 2:
            raise ValueError(
                f"{type(self).__name__} needs at least 2 labelled and 2 unlabelled rows to score "
                f"them out of fold; got {rows.n_labelled} labelled of {len(rows.s)} rows."
            )
        return min(_MOST_FOLDS, rarer)

    def _check_parameters(self) -> None:
        check_positive("C", self.C, Real, "a positive number, inf for no penalty")
        check_positive("tol", self.tol, Real, "a positive number")
        check_positive("max_iter", self.max_iter, Integral, "a whole number of at least 1")

    @abstractmethod
    def _estimate_from_scores(self, score: np.ndarray, rows: LabelledRows) -> float:
        """Return the estimate of c."""

"""Scores of a logistic fit to the labels, each row scored by a fit that did not see it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..labels import LabelledRows, join_folds, label_folds, refuse_one_kind
from ..solvers import NOBODY, LinearProblem, Watch, report_fit
from ._derived_rows import part_of


@dataclass(frozen=True)
class NaiveFit:
    """How the logistic model of the labels is fitted, names for warnings, and who watches."""

    C: float
    fit_intercept: bool
    tol: float
    max_iter: int
    names: Any = None
    watch: Watch = NOBODY

    def score(self, seen: LabelledRows, new: LabelledRows, fold: str = "") -> NaiveScores:
        """Fit to some rows; return the linear predictor of others."""
        refuse_one_kind(seen.s)
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


def naive_scores(
    rows: LabelledRows, fit: NaiveFit, cv: Any, random_state: Any, also: str = "None"
) -> NaiveScores:
    """Score every row out of fold, or with `cv` None by one fit to all rows.

    A row in the test part of several splits gets the mean of its scores.
    """
    if cv is None:
        return fit.score(rows, rows)
    splits = label_folds(rows, cv, random_state, also=also)
    parts, converged = [], True
    for k, (train, test) in enumerate(splits, start=1):
        seen, new = part_of(rows, train), part_of(rows, test)
        scores = fit.score(seen, new, f", fold {k} of {len(splits)}")
        parts.append((test, scores.values))
        converged &= scores.converged
    return NaiveScores(join_folds(len(rows.s), parts), converged)

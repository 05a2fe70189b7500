"""Ridge fits of one loss, each scored on rows that it has not seen."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..blocks import Array
from ..losses import RowLoss
from ..objective import FEATURES, Moments, WhitenedObjective, Whitening
from ._leave_one_out import leave_one_out_predictor
from ._linear_fit import LinearFit
from ._linear_problem import LinearProblem
from ._watch import NOBODY, Watch


@dataclass(frozen=True)
class RowsToScore:
    """Features of comparable scales with labels.

    Attributes
    ----------
    X : ndarray or CSR matrix of shape (n_rows, n_features)
    s : ndarray of shape (n_rows,)
    weight : ndarray of shape (n_rows,) or None
        Numbers of rows.
    spread : float
        Sum of the variances of the features.
    are_copies : bool
        Whether a row is left out with all its weight, and not one of so many rows.
    """

    X: Any
    s: Array
    weight: Array | None
    spread: float
    are_copies: bool = False


@dataclass(frozen=True)
class RidgePoint:
    """A ridge fit and what it says about rows it has not seen.

    Attributes
    ----------
    C : float
        Inverse strength of the ridge, as in scikit-learn.
    fit : LinearFit
        To all rows.
    score : ndarray of shape (n_rows,)
        Linear predictor of every row by a fit without it.
    mean_log_likelihood : float
        Of the labels, by `score`.
    """

    C: float
    fit: LinearFit
    score: Array
    mean_log_likelihood: float

    @property
    def log_likelihood(self) -> Array:
        """Of every row's label, by `score`; computed, for it is as long as the rows."""
        objective = self.fit.problem.objective
        return _log_likelihood(objective.loss, self.score, objective.target)


Splits = list[tuple[Array, Array]]


class _Part:
    """All rows or the training rows of a split, taken out of the rows each time they are fitted.

    A copy of the rows for every split would be several times as large as the rows.
    """

    def __init__(self, rows: RowsToScore, numbers: Any, name: str) -> None:
        self.rows, self.numbers, self.name = rows, numbers, name
        self._moments: Moments | None = None
        if not 0 < self.s.sum() < len(self.s):
            raise ValueError("`cv` must leave labelled and unlabelled rows to fit in every split.")

    @property
    def s(self) -> Array:
        return np.asarray(self.rows.s[self.numbers])

    def problem(self, C: float) -> LinearProblem:
        """Whiten these rows for a ridge of inverse strength `C`."""
        X = self.rows.X if isinstance(self.numbers, slice) else self.rows.X[self.numbers]
        weight, total = self.rows.weight, float(X.shape[0])
        if weight is not None:
            weight = weight[self.numbers]
            weight, total = weight / weight.mean(), float(weight.sum())
        moments = self._moments or Moments.of(X, weight, intercept=True)
        if moments.second.ndim == 2:
            self._moments = moments  # takes long, and is small beside the rows
        plain = Whitening.none(X.shape[1])
        return LinearProblem(X, weight, FEATURES, 0.0, moments, plain).with_ridge(C, total)


class RidgeFits:
    """Fits of one loss with any strength of the ridge, scored honestly.

    Parameters
    ----------
    rows : RowsToScore
    loss : RowLoss
        Of one linear predictor; its value is minus the log-likelihood.
    splits : list of (train, test) or None
        Folds to score rows out of; None leaves out one row at a time, in
        closed form.
    tol, max_iter : float, int
        As in `LinearProblem.fit_logistic`.
    watch : Watch
        Sees every evaluation, under `name` and the strength.
    name : str
    """

    def __init__(
        self,
        rows: RowsToScore,
        loss: RowLoss,
        splits: Splits | None,
        tol: float,
        max_iter: int,
        watch: Watch = NOBODY,
        name: str = "ridge",
    ) -> None:
        self.rows, self.loss, self.splits = rows, loss, splits
        self.tol, self.max_iter = tol, max_iter
        self.watch, self.name = watch, name
        self._parts = [_Part(rows, slice(None), "")]
        for k, (train, _) in enumerate(splits or [], start=1):
            self._parts.append(_Part(rows, train, f", fold {k} of {len(splits or [])}"))
        self._plain = Whitening.none(rows.X.shape[1])

    def with_loss(self, loss: RowLoss, name: str) -> RidgeFits:
        """Return fits of another loss to the same rows, whose moments are known by now."""
        other = copy(self)
        other.loss, other.name = loss, name
        return other

    def at(self, C: float, theta: Array | None) -> RidgePoint:
        """Fit and score with one strength; None starts at the best constant."""
        rows = self.rows
        fit = self._fit(self._parts[0], C, theta)
        score = self._left_out(fit) if self.splits is None else None
        fit = _in_plain_coordinates(fit, self._plain)
        if score is None:
            score = self._out_of_fold(C, fit.theta)
        value = _log_likelihood(self.loss, score, rows.s)
        return RidgePoint(C, fit, score, float(np.average(value, weights=rows.weight)))

    def _fit(self, part: _Part, C: float, theta: Array | None) -> LinearFit:
        stage = self.watch.stage(f"{self.name}, C={C:.3g}{part.name}")
        problem, s = part.problem(C).watched(stage), part.s
        if theta is None:
            theta = problem.fit_logistic(s, self.tol, self.max_iter).theta
        return problem.fit_near(self.loss, s, self.tol, self.max_iter, theta)

    def _left_out(self, fit: LinearFit) -> Array:
        weight = self.rows.weight
        if weight is None or self.rows.are_copies:
            return leave_one_out_predictor(fit, hold_intercept=True)
        one_row = np.minimum(weight, 1.0) / weight.mean()
        return leave_one_out_predictor(fit, one_row, hold_intercept=True)

    def _out_of_fold(self, C: float, theta: Array) -> Array:
        n_rows = len(self.rows.s)
        total, times = np.zeros(n_rows), np.zeros(n_rows)
        for (_, test), part in zip(self.splits or [], self._parts[1:], strict=True):
            total[test] += self._scored(test, part, C, theta)
            times[test] += 1
        if not np.all(times > 0):
            raise ValueError("`cv` must put every row into the test part of a split.")
        return np.asarray(total / times)

    def _scored(self, test: Array, part: _Part, C: float, theta: Array) -> Array:
        """Linear predictor of some rows by a fit to a part, which is let go of at once."""
        fit = self._fit(part, C, theta)
        return np.asarray(self.rows.X[test] @ fit.coef + fit.intercept)


def _in_plain_coordinates(fit: LinearFit, plain: Whitening) -> LinearFit:
    """Return the same fit without its own whitening, to keep beside others."""
    problem = WhitenedObjective(fit.problem.objective, plain)
    return LinearFit(problem, replace(fit.result, z=fit.theta, hessian=None))


def _log_likelihood(loss: RowLoss, score: Array, s: Array) -> Array:
    return -loss.derivatives((score,), s, second=False).value

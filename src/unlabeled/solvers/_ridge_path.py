"""Honest scores along the strengths of a ridge, and the strength they say is best."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..losses import RowLoss
from ._leave_one_out import leave_one_out_predictor
from ._linear_fit import LinearFit, LinearProblem
from ._result import Array
from ._watch import NOBODY, Watch

# The ridge is walked in half decades of the variance it expects of the linear predictor,
# from a predictor that hardly varies to one that is nearly free.
_STEPS_A_DECADE = 2
_FIRST_STEP, _LAST_STEP = -6, 8
# A ridge whose left-out labels are less likely by fewer standard errors is as good as the best.
_AS_GOOD = 0.5


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
    log_likelihood : ndarray of shape (n_rows,)
        Of every row's label, by `score`.
    mean_log_likelihood : float
    """

    C: float
    fit: LinearFit
    score: Array
    log_likelihood: Array
    mean_log_likelihood: float


Splits = list[tuple[Array, Array]]


class RidgePath:
    r"""Ridge fits of one loss, scored honestly, each computed once.

    A ridge of inverse strength C expects coefficients of variance C, so a
    linear predictor of variance :math:`v = C \sum_j \mathrm{var}(x_j)`. The
    path is a grid of v, half a decade apart: it does not depend on how many
    features there are.

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
    theta : ndarray or None
        Where the first fit starts; None starts at the best constant.
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
        theta: Array | None = None,
        watch: Watch = NOBODY,
        name: str = "ridge",
    ) -> None:
        self.rows, self.loss, self.splits = rows, loss, splits
        self.tol, self.max_iter, self.theta = tol, max_iter, theta
        self.watch, self.name = watch, name
        self.points: dict[float, RidgePoint] = {}
        trains = [slice(None), *(train for train, _ in splits or [])]
        self._problems = [_problem(rows, train) for train in trains]

    def at(self, C: float) -> RidgePoint:
        """Fit and score with one strength, starting from the nearest one fitted before."""
        if C not in self.points:
            self.points[C] = self._point(C)
        return self.points[C]

    def best(self, C: float | None = None, fine: bool = True) -> RidgePoint:
        """Walk to where the honest log-likelihood is largest, and on to the strongest as good.

        The way starts at `C`, or in the middle of the grid, and goes in decades; half decades are
        looked at if `fine`. As good is what falls short of the largest by less than half the
        standard error of the difference.
        """
        first = 0 if C is None else self._step_of(C)
        best = _climb(self._value, first, _STEPS_A_DECADE)
        if not fine:
            return self._at_step(self._strongest_as_good(best, _STEPS_A_DECADE))
        # The optimum of a smooth curve lies on the side of the better neighbour.
        upwards = self._value(best + _STEPS_A_DECADE) >= self._value(best - _STEPS_A_DECADE)
        best = max((best, best + (1 if upwards else -1)), key=self._value)
        return self._at_step(self._strongest_as_good(best, 1))

    def best_so_far(self) -> RidgePoint:
        """Return the strength of largest honest log-likelihood among those that are complete."""
        points = self.points.values()
        return max(points, key=lambda point: np.nan_to_num(point.mean_log_likelihood, nan=-np.inf))

    def _strongest_as_good(self, best: int, stride: int) -> int:
        """Go to stronger ridges while left-out labels hardly tell that they are worse."""
        step = best
        while step - stride >= _FIRST_STEP:
            loss = self._at_step(best).log_likelihood - self._at_step(step - stride).log_likelihood
            mean, error = _mean_and_error(loss, self.rows.weight)
            if not mean <= _AS_GOOD * error:
                break
            step -= stride
        return step

    def _at_step(self, step: int) -> RidgePoint:
        return self.at(10 ** (step / _STEPS_A_DECADE) / self.rows.spread)

    def _value(self, step: int) -> float:
        if not _FIRST_STEP <= step <= _LAST_STEP:
            return -np.inf
        value = self._at_step(step).mean_log_likelihood
        return value if np.isfinite(value) else -np.inf

    def _step_of(self, C: float) -> int:
        step = round(_STEPS_A_DECADE * np.log10(C * self.rows.spread))
        return int(np.clip(step, _FIRST_STEP, _LAST_STEP))

    def _point(self, C: float) -> RidgePoint:
        rows = self.rows
        fit = self._fit(self._problems[0], rows.s, C, self._start(C))
        score = self._left_out(fit) if self.splits is None else self._out_of_fold(C, fit.theta)
        value = -self.loss.derivatives((score,), rows.s, second=False).value
        return RidgePoint(C, fit, score, value, float(np.average(value, weights=rows.weight)))

    def _start(self, C: float) -> Array | None:
        """Parameters on the line through those of the two nearest strengths, in log C."""
        near = sorted(self.points, key=lambda other: abs(np.log(other / C)))[:2]
        if not near:
            return self.theta
        first = self.points[near[0]].fit.theta
        if len(near) == 1:
            return first
        way = np.log(C / near[0]) / np.log(near[1] / near[0])
        return np.asarray(first + way * (self.points[near[1]].fit.theta - first))

    def _fit(
        self,
        rows: tuple[LinearProblem, float],
        s: Array,
        C: float,
        theta: Array | None,
        fold: str = "",
    ) -> LinearFit:
        stage = self.watch.stage(f"{self.name}, C={C:.3g}{fold}")
        problem = rows[0].with_ridge(C, rows[1]).watched(stage)
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
        X, s = self.rows.X, self.rows.s
        total, times = np.zeros(len(s)), np.zeros(len(s))
        splits = self.splits or []
        for k, (train, test) in enumerate(splits, start=1):
            fold = f", fold {k} of {len(splits)}"
            fit = self._fit(self._problems[k], s[train], C, theta, fold)
            total[test] += X[test] @ fit.coef + fit.intercept
            times[test] += 1
        if not np.all(times > 0):
            raise ValueError("`cv` must put every row into the test part of a split.")
        return np.asarray(total / times)


def _mean_and_error(values: Array, weight: Array | None) -> tuple[float, float]:
    """Mean over rows and its standard error; weights are numbers of rows."""
    count = float(len(values) if weight is None else weight.sum())
    mean = float(np.average(values, weights=weight))
    variance = float(np.average((values - mean) ** 2, weights=weight))
    return mean, float(np.sqrt(variance / count))


def _problem(rows: RowsToScore, numbers: Any) -> tuple[LinearProblem, float]:
    """Some of the rows, ready for any ridge, and their weight in all."""
    if not 0 < rows.s[numbers].sum() < len(rows.s[numbers]):
        raise ValueError("`cv` must leave labelled and unlabelled rows to fit in every split.")
    X = rows.X if isinstance(numbers, slice) else rows.X[numbers]
    weight = None if rows.weight is None else rows.weight[numbers]
    total = float(X.shape[0] if weight is None else weight.sum())
    return LinearProblem.of(X, weight), total


def _climb(value: Callable[[int], float], start: int, stride: int) -> int:
    """Go uphill in strides to a point better than both neighbours."""
    best = start
    for direction in (stride, -stride):
        while value(best + direction) > value(best):
            best += direction
        if best != start:
            break
    return best

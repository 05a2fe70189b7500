"""Ridge fits scored on held-out rows, and the strength those scores choose."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..losses import RowLoss
from ..objective import FEATURES, Moments, WhitenedObjective, Whitening
from ..rows import Array
from ._leave_one_out import leave_one_out_predictor
from ._problem import LinearFit, LinearProblem
from ._watch import NOBODY, Watch

# Ridge fits of one loss, each scored on rows that it has not seen.


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


# The strength of a ridge that honest scores say is best.

# The ridge is walked in half decades of the variance it expects of the linear predictor,
# from a predictor that hardly varies to one that is nearly free.
_STEPS_A_DECADE = 2
_FIRST_STEP, _LAST_STEP = -6, 8


class RidgePath:
    r"""Ridge fits along the strengths, each computed once, and the walk to the best.

    A ridge of inverse strength C expects coefficients of variance C, so a
    linear predictor of variance :math:`v = C \sum_j \mathrm{var}(x_j)`. The
    path is a grid of v, half a decade apart: it does not depend on how many
    features there are. Of strengths that cannot be chosen any more only the
    mean log-likelihood is kept, and the parameters as a start for others.

    Parameters
    ----------
    rows, loss, splits, tol, max_iter
        As in `RidgeFits`.
    theta : ndarray or None
        Where the first fit starts; None starts at the best constant.
    watch, name
        As in `RidgeFits`.

    Attributes
    ----------
    mean_log_likelihoods : dict
        Of every strength that was tried, the mean honest log-likelihood.
    as_good : float
        A stronger ridge is as good as the best if its held-out labels are less likely by at
        most this many standard errors.
    """

    as_good = 0.5

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
        self.fits = RidgeFits(rows, loss, splits, tol, max_iter, watch, name)
        self._start_at(theta)

    def _start_at(self, theta: Array | None) -> None:
        self.theta = theta
        self.mean_log_likelihoods: dict[float, float] = {}
        self._points: dict[float, RidgePoint] = {}
        self._thetas: dict[float, Array] = {}

    @property
    def rows(self) -> RowsToScore:
        """What is fitted."""
        return self.fits.rows

    def with_loss(self, loss: RowLoss, name: str, theta: Array) -> RidgePath:
        """Return a path of another loss on the same rows."""
        other = copy(self)
        other.fits = self.fits.with_loss(loss, name)
        other._start_at(theta)
        return other

    def at(self, C: float) -> RidgePoint:
        """Fit and score with one strength, starting from the nearest one fitted before."""
        if C not in self._points:
            self._points[C] = point = self.fits.at(C, self._start(C))
            self.mean_log_likelihoods[C] = point.mean_log_likelihood
        return self._points[C]

    def best(self, C: float | None = None, fine: bool = True) -> RidgePoint:
        """Walk to where the honest log-likelihood is largest, and on to the strongest as good.

        The way starts at `C`, or in the middle of the grid, and goes in decades; half decades are
        looked at if `fine`. As good is what falls short of the largest by less than half the
        standard error of the difference.
        """
        first = 0 if C is None else self._step_of(C)
        best = _climb(self._value, first, _STEPS_A_DECADE)
        if not fine:
            return self._only(self._strongest_as_good(best, _STEPS_A_DECADE))
        # The optimum of a smooth curve lies on the side of the better neighbour.
        upwards = self._value(best + _STEPS_A_DECADE) >= self._value(best - _STEPS_A_DECADE)
        best = max((best, best + (1 if upwards else -1)), key=self._value)
        return self._only(self._strongest_as_good(best, 1))

    def _only(self, step: int) -> RidgePoint:
        """Choose a point, and forget all others."""
        chosen = self._at_step(step)
        self._points, self._thetas = {chosen.C: chosen}, {}
        return chosen

    @property
    def has_points(self) -> bool:
        """Whether some strength is complete."""
        return bool(self._points)

    def best_so_far(self) -> RidgePoint:
        """Return the strength of largest honest log-likelihood among those that are complete."""
        return max(self._points.values(), key=lambda point: _or_worst(point.mean_log_likelihood))

    def _strongest_as_good(self, best: int, stride: int) -> int:
        """Go to stronger ridges while left-out labels hardly tell that they are worse."""
        step = best
        while step - stride >= _FIRST_STEP:
            loss = self._at_step(best).log_likelihood - self._at_step(step - stride).log_likelihood
            mean, error = _mean_and_error(loss, self.rows.weight)
            if not mean <= self.as_good * error:
                break
            step -= stride
        return step

    def _at_step(self, step: int) -> RidgePoint:
        return self.at(self._strength(step))

    def _strength(self, step: int) -> float:
        return float(10 ** (step / _STEPS_A_DECADE) / self.rows.spread)

    def _value(self, step: int) -> float:
        if not _FIRST_STEP <= step <= _LAST_STEP:
            return -np.inf
        C = self._strength(step)
        if C not in self.mean_log_likelihoods:
            self.at(C)
            self._forget_weaker_than_best()
        return _or_worst(self.mean_log_likelihoods[C])

    def _forget_weaker_than_best(self) -> None:
        """Keep scores of the best ridge and of stronger ones, which may be as good."""
        best = max(map(_or_worst, self.mean_log_likelihoods.values()))
        weakest = max(C for C, v in self.mean_log_likelihoods.items() if _or_worst(v) == best)
        for C in [C for C in self._points if C > weakest]:
            self._thetas[C] = self._points.pop(C).fit.theta

    def _step_of(self, C: float) -> int:
        step = round(_STEPS_A_DECADE * np.log10(C * self.rows.spread))
        return int(np.clip(step, _FIRST_STEP, _LAST_STEP))

    def _start(self, C: float) -> Array | None:
        """Parameters on the line through those of the two nearest strengths, in log C."""
        known = [C for C in self.mean_log_likelihoods if C in self._points or C in self._thetas]
        near = sorted(known, key=lambda other: abs(np.log(other / C)))[:2]
        if not near:
            return self.theta
        first = self._theta(near[0])
        if len(near) == 1 or near[0] == C:
            return first
        way = np.log(C / near[0]) / np.log(near[1] / near[0])
        return np.asarray(first + way * (self._theta(near[1]) - first))

    def _theta(self, C: float) -> Array:
        return self._points[C].fit.theta if C in self._points else self._thetas[C]


def _mean_and_error(values: Array, weight: Array | None) -> tuple[float, float]:
    """Mean over rows and its standard error; weights are numbers of rows."""
    count = float(len(values) if weight is None else weight.sum())
    mean = float(np.average(values, weights=weight))
    variance = float(np.average((values - mean) ** 2, weights=weight))
    return mean, float(np.sqrt(variance / count))


def _or_worst(value: float) -> float:
    return value if np.isfinite(value) else -np.inf


def _climb(value: Callable[[int], float], start: int, stride: int) -> int:
    """Go uphill in strides to a point better than both neighbours."""
    best = start
    for direction in (stride, -stride):
        while value(best + direction) > value(best):
            best += direction
        if best != start:
            break
    return best

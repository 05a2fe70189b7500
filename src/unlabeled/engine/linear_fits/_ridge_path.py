"""Ridge fits scored on held-out rows, and the choice of C by those scores."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..arrays import Array, Matrix, on_device_of, on_host, to_host
from ..losses import LogisticLoss, RowLoss
from ..objective import Moments, WhitenedObjective, Whitening
from ..rows import Rows, design_effect, join_folds, reject_one_kind
from ._leave_one_out import leave_one_out_predictors
from ._problem import LinearFit, LinearProblem
from ._report import NOBODY, Watch

# Grid of prior variances of the linear predictor, in half decades, from almost no signal to almost
# no penalty.
_STEPS_PER_DECADE = 2
_FIRST_STEP, _LAST_STEP = -6, 8


@dataclass(frozen=True)
class RidgePoint:
    """A ridge fit, and the held-out scores of the rows.

    Attributes
    ----------
    C : float
        Inverse strength of the ridge, as in scikit-learn.
    fit : LinearFit
        The fit to all rows.
    score : ndarray of shape (n_rows,)
        Linear predictor of every row by a fit without it.
    mean_log_likelihood : float
        Mean log-likelihood of the labels given `score`.
    """

    C: float
    fit: LinearFit
    score: Array
    mean_log_likelihood: float

    @property
    def log_likelihood(self) -> Array:
        """Log-likelihood of each label given `score`; computed on demand to save memory."""
        objective = self.fit.problem.objective
        return _log_likelihood(objective.loss, self.score, to_host(objective.target))


class RidgePath:
    r"""A lazily computed path of ridge fits, and the search for the best one.

    As a Gaussian prior, a ridge with inverse strength C has coefficients of
    variance C, and so a linear predictor of variance
    :math:`v = C \sum_j \mathrm{var}(x_j)`. The path is a grid of v, half a decade
    apart: it does not depend on the number of features. For values of C that
    can no longer be chosen, only the mean log-likelihood is kept, and the
    parameters as a start for other fits.

    A new path has the logistic loss; `with_loss` returns a path of another loss.

    Parameters
    ----------
    rows : Rows
        In memory, with features of comparable scales; without `splits` X may be on a device.
    spread : float
        Sum of the variances of the features.
    splits : list of (train, test) or None
        Splits for held-out scores; None means closed-form leave-one-out.
    tol, max_iter : float, int
        Tolerance and maximum number of iterations, as in `LinearProblem.fit_logistic`.
    watch : Watch
        Prints the progress.

    Attributes
    ----------
    mean_log_likelihoods : dict
        Mean log-likelihood of the held-out labels, for each C that was tried.
    as_good : float
        A smaller C counts as equally good if its held-out log-likelihood is lower than the best
        by at most this many standard errors of the difference.
    near : float
        Comparisons that are closer than this many standard errors count in part, so that C moves
        little if the log-likelihoods do.
    """

    as_good, near = 0.5, 0.005

    def __init__(
        self,
        rows: Rows,
        spread: float,
        splits: list[tuple[Array, Array]] | None,
        tol: float,
        max_iter: int,
        watch: Watch = NOBODY,
    ) -> None:
        self.rows, self.spread, self.splits = rows, spread, splits
        self.tol, self.max_iter, self.watch = tol, max_iter, watch
        # All rows, then the training rows of each split.
        self._parts: list[Any] = [slice(None), *(train for train, _ in splits or [])]
        for train in self._parts[1:]:
            reject_one_kind(rows.s[train])
        self._moments: dict[int, Moments] = {}
        self._start_with(LogisticLoss(), rows.s, "naive", None)

    def with_loss(
        self, loss: RowLoss, name: str, theta: Array, target: Array | None = None
    ) -> RidgePath:
        """Return a path of another loss on the same rows, whose first fit starts at `theta`.

        `loss` is a function of one linear predictor; its value is minus the log-likelihood of the
        labels, or of another `target`.
        """
        other = copy(self)
        other._start_with(loss, self.rows.s if target is None else target, name, theta)
        return other

    def _start_with(self, loss: RowLoss, target: Array, name: str, theta: Array | None) -> None:
        self.loss, self.target, self.name, self.theta = loss, target, name, theta
        self.mean_log_likelihoods: dict[float, float] = {}
        self._columns: tuple[Any, Any] | None = None
        self._points: dict[float, RidgePoint] = {}
        self._thetas: dict[float, Array] = {}

    @property
    def moments(self) -> Moments:
        """Moments of all rows, as the fits have computed them."""
        return self._moments[0]

    def best(self, C: float | None = None, fine: bool = True) -> RidgePoint:
        """Find the largest held-out log-likelihood, then the smallest C that is as good.

        The search starts in the middle of the grid, or at `C` if it is smaller, in steps of a
        decade; half decades are tried if `fine`. A likelihood that is not concave has local optima
        where C is large: fits there start at those of a smaller C. A smaller C is as good if its
        held-out log-likelihood is within half a standard error of the largest. C lies between two
        points of the grid if that, or which is the largest, is nearly a tie.
        """
        first = 0 if C is None else min(0, self._step_of(C))
        best, stride = _climb(self._value, first, _STEPS_PER_DECADE), _STEPS_PER_DECADE
        if fine:
            # The optimum of a smooth curve lies on the side of the better neighbor.
            upwards = self._value(best + stride) >= self._value(best - stride)
            best, stride = max((best, best + (1 if upwards else -1)), key=self._value), 1
        chosen = self.at(self._strength(self._strongest_as_good(best, stride)))
        self._points, self._thetas = {chosen.C: chosen}, {}
        return chosen

    def at(self, C: float) -> RidgePoint:
        """Fit and score with one C, starting from the fits at the nearest C."""
        if C in self._points:
            return self._points[C]
        fit = self._fit(0, C, self._start(C))
        score = None
        if self.splits is None:
            one_row = weight_of_one_row(self.rows)
            (score,) = leave_one_out_predictors(fit, one_row, hold_intercept=True)
        # Without its whitening, a fit is small enough to keep many.
        plain = WhitenedObjective(fit.problem.objective, Whitening.none(self.rows.X.shape[1]))
        fit = LinearFit(plain, replace(fit.result, z=fit.theta, hessian=None))
        if score is None:
            score = self._out_of_fold(C, fit.theta)
        value = _log_likelihood(self.loss, score, self.target)
        mean = float(np.average(value, weights=self.rows.weight))
        self._points[C], self.mean_log_likelihoods[C] = RidgePoint(C, fit, score, mean), mean
        return self._points[C]

    def _fit(self, part: int, C: float, theta: Array | None) -> LinearFit:
        """Fit all rows (part 0) or one training fold.

        The fold is copied for each fit, because copies of all folds would need too much memory.
        """
        fold = f", fold {part} of {len(self._parts) - 1}" if part else ""
        stage = self.watch.stage(f"{self.name}, C={C:.3g}{fold}")
        numbers, weight = self._parts[part], self.rows.weight
        X = self.rows.X[numbers] if part else self.rows.X
        target, weight = self.target[numbers], None if weight is None else weight[numbers]
        if not on_host(X):
            target, weight = self._on_device_of(X)
        problem = LinearProblem.of(X, weight, C, exact=True, moments=self._moments.get(part))
        if problem.moments.second.ndim == 2:
            self._moments[part] = problem.moments  # slow to compute, small to store
        if theta is None:
            theta = problem.fit_logistic(target, self.tol, self.max_iter, stage=stage).theta
        return problem.fit_near(self.loss, target, self.tol, self.max_iter, theta, stage)

    def _on_device_of(self, X: Matrix) -> tuple[Any, Any]:
        """Return target and weight of all rows where X is; they are copied there once."""
        if self._columns is None:
            weight = self.rows.weight
            there = None if weight is None else on_device_of(X, weight)
            self._columns = on_device_of(X, self.target), there
        return self._columns

    def _out_of_fold(self, C: float, theta: Array) -> Array:
        splits = enumerate(self.splits or [], start=1)
        parts = ((test, self._scored(test, part, C, theta)) for part, (_, test) in splits)
        return join_folds(len(self.rows.s), parts)

    def _scored(self, test: Array, part: int, C: float, theta: Array) -> Array:
        """Linear predictor of test rows; the fit and its copy of the rows are freed at once."""
        fit = self._fit(part, C, theta)
        return np.asarray(self.rows.X[test] @ fit.coef + fit.intercept)

    def _start(self, C: float) -> Array | None:
        """Predict the parameters from those at the two nearest C, linearly in log C."""
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

    def _strength(self, step: float) -> float:
        return float(10 ** (step / _STEPS_PER_DECADE) / self.spread)

    def _step_of(self, C: float) -> int:
        step = round(_STEPS_PER_DECADE * np.log10(C * self.spread))
        return int(np.clip(step, _FIRST_STEP, _LAST_STEP))

    def _value(self, step: int) -> float:
        if not _FIRST_STEP <= step <= _LAST_STEP:
            return -np.inf
        C = self._strength(step)
        if C not in self.mean_log_likelihoods:
            self.at(C)
            self._forget_weaker_than_best()
        return _or_worst(self.mean_log_likelihoods[C])

    def _forget_weaker_than_best(self) -> None:
        """Keep the scores of the best C, of smaller ones and the next, which may be as good."""
        best = max(map(_or_worst, self.mean_log_likelihoods.values()))
        weakest = max(C for C, v in self.mean_log_likelihoods.items() if _or_worst(v) == best)
        for C in sorted(C for C in self._points if C > weakest)[1:]:
            self._thetas[C] = self._points.pop(C).fit.theta

    def _strongest_as_good(self, best: int, stride: int) -> float:
        """Decrease C while the held-out log-likelihood stays within the tolerance of the best.

        Where the best is nearly a tie with a neighbor, this is the mean of where both lead.
        """
        tied = {step: self._share_of_tie(best, step) for step in (best - stride, best + stride)}
        shares = {best: 1.0} | {step: share for step, share in tied.items() if share > 0}
        ends = [step - self._way_to_smaller(step, stride) for step in shares]
        return float(np.average(ends, weights=list(shares.values())))

    def _share_of_tie(self, best: int, step: int) -> float:
        """Return 1 if a step is as good as the best, falling to 0 if it is worse by `near`."""
        if self._strength(step) not in self.mean_log_likelihoods:  # the other side was better
            return 0.0
        return float(np.clip(1 - self._errors_worse(best, step) / self.near, 0, 1))

    def _way_to_smaller(self, best: int, stride: int) -> float:
        """Return how many steps C may decrease and be as good as at `best`.

        A step that is nearly too large is taken in part, with all that follows it.
        """
        step, way, share = best, 0.0, 1.0
        while share > 0 and step - stride >= _FIRST_STEP:
            step -= stride
            left = self.as_good + self.near - self._errors_worse(best, step)
            share *= float(np.clip(left / (2 * self.near), 0, 1))
            way += share * stride
        return way

    def _errors_worse(self, best: int, step: int) -> float:
        """Return how many standard errors of the difference a step is worse than the best."""
        here, there = (self.at(self._strength(one)).log_likelihood for one in (best, step))
        rows = self.rows
        mean, error = mean_and_error(here - there, rows.weight, rows.groups, rows.unit)
        if np.isfinite(mean) and error > 0:
            return mean / error
        return 0.0 if mean <= 0 else np.inf


def _log_likelihood(loss: RowLoss, score: Array, target: Array) -> Array:
    return -loss.derivatives((score,), target, second=False).value


def weight_of_one_row(rows: Rows) -> Array | None:
    """Return how much of its weight is left out with a row; None for all of it.

    A row that stands for several independent ones leaves out one of them, unless weights are
    copies.
    """
    if rows.weight is None or rows.are_copies:
        return None
    unit = 1.0 if rows.unit is None else rows.unit
    return np.asarray(np.minimum(rows.weight, unit) / rows.weight.mean())


def mean_and_error(
    values: Array,
    weight: Array | None,
    groups: Array | None = None,
    unit: Array | None = None,
) -> tuple[float, float]:
    """Return the mean over rows and its standard error.

    Rows of one group are not independent. One independent row has the weight `unit`, or 1.
    """
    count = float(len(values) if weight is None else weight.sum())
    mean = float(np.average(values, weights=weight))
    variance = float(np.average((values - mean) ** 2, weights=weight))
    variance *= design_effect(values - mean, groups, weight, unit)
    return mean, float(np.sqrt(variance / count))


def _or_worst(value: float) -> float:
    return value if np.isfinite(value) else -np.inf


def _climb(value: Callable[[int], float], start: int, stride: int) -> int:
    """Go uphill in steps of `stride` to a point that is better than both neighbors."""
    best = start
    for direction in (stride, -stride):
        while value(best + direction) > value(best):
            best += direction
        if best != start:
            break
    return best

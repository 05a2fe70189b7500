"""Maximizing the label likelihood over a posterior and a propensity, both logistic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from scipy.special import logit

from ..engine.arrays import is_sparse
from ..engine.linear_fits import (
    LinearFit,
    LinearProblem,
    Stage,
    leave_one_out_predictors,
    mean_and_error,
    scaled_tol,
    weight_of_one_row,
)
from ..engine.losses import LogisticLoss, ProductLoss, shift_to_mean, softplus_and_sigmoid
from ..engine.objective import Design, Moments, Objective, WhitenedObjective
from ..engine.rows import Rows, weighted_mean
from ..engine.solvers import MapStep, SolverResult, iterate_map, minimize
from ..scores import ScoredRows
from ..thresholds import Cuts, count_above
from ._direction import ComparableFeatures, divided

# The ridge on the intercept of the propensity: a standard deviation of 2 of the logit.
_LEVEL_VARIANCE = 4.0
# Starting slopes of each named feature, per standard deviation; with more features only 0.
_START_SLOPE, _MOST_STARTED = 1.5, 5
# At a start, the label frequency is at most this.
_HIGHEST_START = 0.98
_EM_TOL = 0.01
_MOST_EM_INNER = 1000
# Fits whose total log-likelihoods differ by less than this cannot be told apart: half of the
# 95 % quantile of chi-squared with one degree of freedom.
AS_LIKELY = 1.92
# Predictors whose standard deviation of the difference is below this are the same fit.
_SAME_FIT = 0.2
# Left-out log-likelihood: a smaller strength is as good within this many standard errors.
_AS_GOOD = 1.0
# Inverse strengths of the ridge on the propensity that are tried; 0 is SCAR.
STRENGTHS = (0.0, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
_SCAR_STRENGTH = 1e-6


@dataclass(frozen=True, eq=False)
class DoubleFit:
    """A posterior and a propensity, on comparable features.

    Attributes
    ----------
    fit : LinearFit
        With two predictors.
    C, propensity_C : float
        Inverse strengths of the ridges.
    total_weight : float
        Number of rows, or the sum of their weights.
    """

    fit: LinearFit
    C: float
    propensity_C: float  # noqa: N815  # as the parameter of PropensityLogistic
    total_weight: float

    @property
    def parts(self) -> tuple[np.ndarray, np.ndarray]:
        """Parameters of the posterior and of the propensity, the intercept last."""
        theta, parts = self.fit.theta, self.fit.problem.objective.parts
        return theta[parts[0]], theta[parts[1]]

    @property
    def predictors(self) -> tuple[np.ndarray, np.ndarray]:
        """Logits of the posterior and of the propensity of every row."""
        objective = self.fit.problem.objective
        first, second = (
            np.asarray(design.predictor(objective.X, part.astype(objective.X.dtype)))
            for design, part in zip(objective.designs, self.parts, strict=True)
        )
        return first.astype(np.float64), second.astype(np.float64)

    def log_likelihood(self) -> float:
        """Total log-likelihood of labels and answers, without penalties."""
        objective = self.fit.problem.objective
        value = ProductLoss().derivatives(self.predictors, objective.target, False).value
        weight = 1.0 if objective.weight is None else objective.weight
        # The weights of an objective have the mean 1.
        return -float(np.sum(weight * value)) * self.total_weight / len(value)


@dataclass(frozen=True, eq=False)
class DoubleProblem:
    r"""The likelihood of :math:`P(S=1|x) = \sigma(x^Tb + b_0)\,\sigma(x_e^Tg + g_0)`.

    Attributes
    ----------
    rows : Rows
        With comparable features; columns of the propensity are appended if the features were
        rotated.
    posterior, propensity : Design
        The columns of each.
    mean : ndarray of shape (n_features,)
        The means of the columns of `rows`; 0 where they were centered, which sparse ones are not.
        The ridge on the level of the propensity is there, so a shift of a column changes nothing.
    tol : float
    max_iter : int
    solver : {"lbfgs", "em"}
    stage : Stage or None
    """

    rows: Rows
    posterior: Design
    propensity: Design
    mean: np.ndarray
    tol: float
    max_iter: int
    solver: str
    stage: Stage | None

    @classmethod
    def of(
        cls,
        rows: Rows,
        features: ComparableFeatures,
        columns: tuple[int, ...],
        tol: float,
        max_iter: int,
        solver: str,
        stage: Stage | None,
    ) -> DoubleProblem:
        """Put the propensity on these columns of the user's features."""
        comparable, every = features.rows, len(columns) == rows.X.shape[1]
        mean, n_rotated = (features.mean - features.center) / features.scale, comparable.X.shape[1]
        if features.rotation is None or every:
            posterior, own = Design(True, True), Design(True, True, None if every else columns)
            mean = mean if features.rotation is None else np.zeros(n_rotated)
            return cls(comparable, posterior, own, mean, tol, max_iter, solver, stage)
        chosen = list(columns)
        part: Any = divided(rows.X[:, chosen], features.scale[chosen], features.center[chosen])
        part = part.toarray() if is_sparse(part) else part
        both = replace(comparable, X=np.column_stack([comparable.X, part]))
        places = tuple(range(n_rotated, n_rotated + len(chosen)))
        posterior, own = Design(True, True, tuple(range(n_rotated))), Design(True, True, places)
        mean = np.append(np.zeros(n_rotated), mean[chosen])
        return cls(both, posterior, own, mean, tol, max_iter, solver, stage)

    @property
    def n_propensity(self) -> int:
        """Number of features of the propensity."""
        return self.propensity.n_parameters(self.rows.X.shape[1]) - 1

    def starts(self, theta: np.ndarray, label_frequency: float) -> list[np.ndarray]:
        """Return starting values: a posterior, with labels at random or by one of few features."""
        level = float(logit(min(label_frequency, _HIGHEST_START)))
        slopes = [np.zeros(self.n_propensity)]
        if self.n_propensity <= _MOST_STARTED:
            unit = _START_SLOPE * np.eye(self.n_propensity)
            slopes += [*unit, *-unit]
        mean = self.propensity.of(self.mean[None, :])[0]
        return [np.concatenate([theta, one, [level - mean @ one]]) for one in slopes]

    def swapped(self, fit: DoubleFit) -> np.ndarray | None:
        """Return the start with posterior and propensity swapped, where both have the features.

        None if rows were rotated and some features named: the propensity then has no place for
        the posterior's coefficients.
        """
        if self.posterior.columns is not None:
            return None
        first, second = fit.parts
        columns = slice(None) if self.propensity.columns is None else list(self.propensity.columns)
        posterior = np.zeros_like(first)
        posterior[:-1][columns], posterior[-1] = second[:-1], second[-1]
        others = first[:-1].copy()
        others[columns] = 0.0
        level = first[-1] + self.mean @ others  # the propensity lacks them: they are at their means
        return np.concatenate([posterior, first[:-1][columns], [level]])

    def correlation_with(self, score: np.ndarray) -> float:
        """Return the multiple correlation of a score with the features of the propensity."""
        moments = Moments.of(self.propensity.of(self.rows.X), self.rows.weight, True)
        if moments.second.ndim == 1:
            return 0.0  # too many features to tell
        weight = np.ones(len(score)) if self.rows.weight is None else self.rows.weight
        part = weight / weight.sum()
        centered = score - part @ score
        along = np.asarray(self.propensity.of(self.rows.X).T @ (part * centered))
        explained = along @ np.linalg.lstsq(moments.second, along, rcond=1e-10)[0]
        return float(np.sqrt(max(explained, 0.0) / max(part @ centered**2, 1e-300)))

    def fit(self, C: float, propensity_C: float, starts: Sequence[np.ndarray]) -> DoubleFit:
        """Fit from every start, and return the best."""
        problem = self._problem(self.rows, C, propensity_C)
        fits = [self._solved(problem, start) for start in starts]
        best = min(fits, key=lambda one: one.value)
        return DoubleFit(LinearFit(problem, best), C, propensity_C, self.rows.total_weight)

    def at(self, fit: DoubleFit, theta: np.ndarray) -> DoubleFit:
        """Return the parameters `theta` as if they had been fitted."""
        problem = fit.fit.problem
        result = replace(fit.fit.result, z=problem.coordinates(theta))
        return replace(fit, fit=LinearFit(problem, result))

    def _problem(self, rows: Rows, C: float, propensity_C: float) -> WhitenedObjective:
        designs = (self.posterior, self.propensity)
        sizes = [design.n_parameters(rows.X.shape[1]) for design in designs]
        ridge = ridge_of_both(sizes, C, propensity_C, rows.total_weight)
        linear = LinearProblem.of(rows.X, rows.weight, C, exact=True)
        linear = replace(linear, design=self.posterior, ridge=ridge, ridge_at=self.mean)
        return linear.objective(ProductLoss(), rows.outcomes, self.propensity, stage=self.stage)

    def _solved(self, problem: WhitenedObjective, start: np.ndarray) -> SolverResult:
        objective = problem.objective
        tol = scaled_tol(self.tol, objective.target, objective.weight)
        z = problem.coordinates(start)
        if self.solver == "em":
            return iterate_map(_EmStep(problem, tol), z, tol, self.max_iter, True)
        # The likelihood is flat between posterior and propensity: a small gradient is not enough.
        return minimize(problem, z, tol, self.max_iter, 0.1, polish_tol=0.01 * tol)

    def strongest_as_good(
        self, C: float, start: np.ndarray, splits: Any
    ) -> tuple[DoubleFit, dict[float, float]]:
        """Choose the ridge on the propensity by the left-out likelihood of labels and answers.

        It is the strongest ridge within a standard error of the best: SCAR if nothing speaks
        against it. Return also the mean left-out log-likelihood of each strength.
        """
        fits, left_out = [], []
        for strength in STRENGTHS:
            fits.append(self.fit(C, strength, [start]))
            start = fits[-1].fit.theta
            left_out.append(self._left_out(fits[-1], splits))
        weight = self.rows.weight
        means = [float(np.average(one, weights=weight)) for one in left_out]
        best = int(np.argmax(means))
        tried = dict(zip(STRENGTHS, means, strict=True))
        for k in range(best):
            gap, error = mean_and_error(left_out[best] - left_out[k], weight, self.rows.groups)
            if gap <= _AS_GOOD * error:
                return fits[k], tried
        return fits[best], tried

    def _left_out(self, fit: DoubleFit, splits: Any) -> np.ndarray:
        """Log-likelihood of every row by a fit without it."""
        objective = fit.fit.problem.objective
        if splits is None:
            one_row = weight_of_one_row(self.rows)
            predictors = leave_one_out_predictors(fit.fit, one_row, hold_intercept=True)
            return -ProductLoss().derivatives(predictors, objective.target, False).value
        value = np.full(len(self.rows.s), np.nan)
        for train, test in splits:
            part = self._problem(self.rows.take(train), fit.C, fit.propensity_C)
            theta = part.theta(self._solved(part, fit.fit.theta).z)
            X = self.rows.X[test]
            predictors = tuple(
                np.asarray(design.predictor(X, theta[one].astype(X.dtype)), dtype=np.float64)
                for design, one in zip(objective.designs, objective.parts, strict=True)
            )
            loss = ProductLoss().derivatives(predictors, objective.target[test], False)
            value[test] = -loss.value
        return value


def ridge_of_both(
    sizes: Sequence[int],
    C: float,
    propensity_C: float,
    total_weight: float,
    level_variance: float = _LEVEL_VARIANCE,
) -> np.ndarray:
    """Return the ridge on every parameter of posterior and propensity, the intercepts last.

    The intercept of the posterior has none. That of the propensity is the level at the means of
    the features, if the objective has a `ridge_at`.
    """
    variance = np.repeat([C, max(propensity_C, _SCAR_STRENGTH)], sizes).astype(np.float64)
    variance[[sizes[0] - 1, -1]] = np.inf, level_variance
    return np.asarray(1 / (variance * total_weight))


def check_swap(problem: DoubleProblem, fit: DoubleFit) -> tuple[DoubleFit, float | None]:
    """Fit from the swapped start; return the better fit, and how much likelier it is.

    The likelihood of labels is the same if posterior and propensity change places, where both
    have the same features. Of two fits that labels do not tell apart, the one whose posterior
    has the larger slopes (sum of absolute values) is kept. The number is its total log-likelihood
    less that of the most likely swapped fit, without penalties; None if there is none. Below
    `AS_LIKELY` labels do not tell the two apart.
    """
    start = problem.swapped(fit)
    if start is None:
        return fit, None
    kept, swapped = fit, []
    other = problem.fit(fit.C, fit.propensity_C, [start])
    if _differ(fit, other):
        ratio = fit.log_likelihood() - other.log_likelihood()
        if abs(ratio) < AS_LIKELY:
            kept = min((fit, other), key=_excess)
        elif other.fit.result.value < fit.fit.result.value:
            kept = other
        swapped.append(fit if kept is other else other)
    mirror = problem.swapped(kept)
    if problem.propensity.columns is None and mirror is not None:
        # A different ridge on each part can hide that the labels like both as much.
        mirrored = problem.at(kept, mirror)
        swapped += [mirrored] * _differ(kept, mirrored)
    if not swapped:
        return kept, None
    return kept, kept.log_likelihood() - max(one.log_likelihood() for one in swapped)


def _differ(one: DoubleFit, other: DoubleFit) -> bool:
    """Whether the logits of the two posteriors differ by more than a constant."""
    spread = max(float(np.std(one.predictors[0])), 1e-12)
    return float(np.std(one.predictors[0] - other.predictors[0])) > _SAME_FIT * spread


def _excess(fit: DoubleFit) -> float:
    """How much longer the propensity is than the posterior, in absolute slopes."""
    first, second = fit.parts
    return float(np.abs(second[:-1]).sum() - np.abs(first[:-1]).sum())


@dataclass(frozen=True)
class _EmStep:
    """One step of EM: expected classes, then a logistic fit of each part to them."""

    problem: WhitenedObjective
    tol: float

    def __call__(self, z: np.ndarray) -> MapStep:
        objective = self.problem.objective
        value, gradient = self.problem.value_gradient(z)
        theta = self.problem.theta(z)
        labeled, found, unknown = objective.target.T
        first, second = (
            np.asarray(design.predictor(objective.X, theta[part]))
            for design, part in zip(objective.designs, objective.parts, strict=True)
        )
        missed = softplus_and_sigmoid(first - softplus_and_sigmoid(second)[0])[1]
        expected = labeled + found + unknown * missed
        posterior = self._part(0, expected, None, theta)
        # The propensity is a fit of the labels, each row with its chance to be positive.
        propensity = self._part(1, labeled, expected, theta)
        after = self.problem.coordinates(np.concatenate([posterior, propensity]))
        return MapStep(value, float(np.linalg.norm(gradient)), after)

    def _part(
        self, k: int, target: np.ndarray, chance: np.ndarray | None, theta: np.ndarray
    ) -> np.ndarray:
        whole = self.problem.objective
        weight, ridge = whole.weight, np.asarray(whole.ridge)[whole.parts[k]]
        if chance is not None:
            weight = chance if weight is None else weight * chance
            # The mean is over fewer rows, and the penalty stays the same part of their sum.
            ridge = ridge * whole.total_weight / float(weight.sum())
        ridges = ridge, whole.ridge_at
        own = Objective(LogisticLoss(), (whole.designs[k],), whole.X, target, weight, *ridges)
        inside = WhitenedObjective(own, self.problem.whitening)
        start = inside.coordinates(theta[whole.parts[k]])
        found = minimize(inside, start, _EM_TOL * self.tol, _MOST_EM_INNER)
        return inside.theta(found.z)


class AlongPropensity(NamedTuple):
    """Held-out scores beside the logit of each row's propensity, less its level.

    Attributes
    ----------
    scored : ScoredRows
    tilt : ndarray of shape (n_rows,)
    level_before : float
        The level if no finite one is right.
    """

    scored: ScoredRows
    tilt: np.ndarray
    level_before: float

    def level(self, posterior: np.ndarray) -> float:
        """Return the level at which as many labels are expected as there are."""
        s, weight = self.scored.s, self.scored.weight
        mean = weighted_mean(s, weight) / weighted_mean(posterior, weight)
        of_positives = posterior if weight is None else posterior * weight
        level = float(shift_to_mean(self.tilt, mean, of_positives))
        return level if np.isfinite(level) else self.level_before

    def cuts(self, posterior: np.ndarray) -> Cuts:
        """Return the cuts with the recall of positives, for the posterior of every row."""
        scored, labeled = self.scored, self.scored.s == 1
        weight = np.ones(len(labeled)) if scored.weight is None else scored.weight
        # 1/e = 1 + exp(-t) up to a factor, without overflow.
        log_times = softplus_and_sigmoid(-(self.level(posterior) + self.tilt))[0]
        times = np.where(labeled, np.exp(log_times - log_times[labeled].max()), 0.0)
        cuts = count_above(scored.score, times, weight)
        # A row of weight 2 is worth two rows.
        worth = float(np.sum(weight * times) ** 2 / np.sum(weight * times**2))
        return replace(cuts, labeled=worth * cuts.recall)

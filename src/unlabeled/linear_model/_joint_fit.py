"""Maximizing the label likelihood over coefficients and label frequency."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import expit, logit

from ..engine.linear_fits import (
    LinearFit,
    LinearProblem,
    Stage,
    part_stride,
    subsample_hessian,
    verify_optimum,
)
from ..engine.losses import KnownFrequencyLoss, ProductLoss, outcomes, softplus_and_sigmoid
from ..engine.objective import CONSTANT, WhitenedObjective
from ..engine.rows import Rows, weighted_mean
from ..engine.solvers import MapStep, SolverResult, iterate_map, lbfgs, minimize
from ..scores import as_good_at_boundary, fit_score_joint
from ..thresholds import rows_or_stand_ins


@dataclass(frozen=True)
class JointFit:
    """Coefficients (intercept last, if there is one), label frequency, and how a solver found them.

    `result.z` is in the coordinates of the solver. `n_inner_iter` counts the iterations of the
    published inner loops.
    """

    theta: np.ndarray
    label_frequency: float
    result: SolverResult
    at_boundary: bool
    n_inner_iter: int = 0


@dataclass(frozen=True)
class JointProblem:
    """The label likelihood on given rows.

    Attributes
    ----------
    rows : LinearProblem
    s : column of shape (n_rows,)
    known : float or None
        The label frequency if it is known.
    stage : Stage or None
        Records every evaluation of the likelihood.
    target : column or ndarray of shape (n_rows, 3)
        What the likelihood takes: s, or three columns if rows were checked.
    """

    rows: LinearProblem
    s: np.ndarray
    known: float | None
    stage: Stage | None
    target: Any

    @property
    def labeled_share(self) -> float:
        """Weighted fraction of labeled rows."""
        return weighted_mean(self.s, self.rows.weight)

    def at_frequency(self, c: float) -> WhitenedObjective:
        """Build the problem in the coefficients for label frequency c."""
        return self.rows.objective(KnownFrequencyLoss(c), self.target, stage=self.stage)

    def in_both(self) -> WhitenedObjective:
        """Build the problem in the coefficients and the logit of c."""
        return self.rows.objective(ProductLoss(), self.target, CONSTANT, stage=self.stage)

    @property
    def has_found_positive(self) -> bool:
        """Whether a checked row was found positive, so that c = 1 is impossible."""
        return self.target.ndim == 2 and bool(np.any(self.target[:, 1] > 0))

    def mean_expected_class(self, fit: JointFit) -> float:
        """Return the mean of what is known of checked rows, and expected of the others."""
        logit_y = self.rows.design.predictor(self.rows.X, fit.theta.astype(self.rows.X.dtype))
        with np.errstate(divide="ignore"):
            _, missed = softplus_and_sigmoid(logit_y + np.log1p(-fit.label_frequency))
        labeled, found, unknown = outcomes(self.target)
        return weighted_mean(labeled + found + unknown * missed, self.rows.weight)

    def posterior_logit(self, z: np.ndarray) -> np.ndarray:
        """Linear predictor of each row at whitened coefficients."""
        theta = self.at_frequency(1.0).theta(z)
        return self.rows.design.predictor(self.rows.X, theta.astype(self.rows.X.dtype))

    def best_frequency(self, z: np.ndarray, upper: float = 1.0) -> float:
        """Find the best c for whitened coefficients, or return the known one."""
        if self.known is not None:
            return self.known
        _, posterior = softplus_and_sigmoid(self.posterior_logit(z))
        return best_label_frequency(posterior, self.s, self.rows.weight, upper)

    def finish(self, z: np.ndarray, c: float, result: SolverResult) -> JointFit:
        """Describe a solution in whitened coefficients whose label frequency is c."""
        is_boundary = self.known is None and c > 1 - 1e-6
        return JointFit(self.at_frequency(1.0).theta(z), c, result, is_boundary)


def best_label_frequency(
    posterior: np.ndarray, s: np.ndarray, weight: np.ndarray | None, upper: float = 1.0
) -> float:
    r"""Maximize the label likelihood over c in [P(S=1), upper] for fixed posteriors.

    The derivative, :math:`\sum s_i / c - \sum (1-s_i)\,y_i / (1 - c\,y_i)`, falls
    in c, so Newton steps kept inside a shrinking bracket find its root.
    """
    unlabeled = s == 0
    missed = posterior[unlabeled]
    mass = np.ones_like(missed) if weight is None else weight[unlabeled]
    labeled = float(s.sum() if weight is None else (s * weight).sum())
    total = float(len(s) if weight is None else weight.sum())
    low, high = labeled / total, upper

    def slope_and_curvature(c: float) -> tuple[float, float]:
        odds = missed / np.maximum(1 - c * missed, np.finfo(missed.dtype).tiny)
        with np.errstate(over="ignore"):  # posterior 1 and c = 1: the slope is minus infinity
            pull = mass * odds
            curvature = float((pull * odds).sum())
            return labeled / c - float(pull.sum()), -labeled / c**2 - curvature

    if slope_and_curvature(high)[0] >= 0:
        return high
    if slope_and_curvature(low)[0] <= 0:
        return low
    c = 0.5 * (low + high)
    for _ in range(100):
        slope, curvature = slope_and_curvature(c)
        low, high = (c, high) if slope > 0 else (low, c)
        step = c - slope / curvature
        new = step if low < step < high else 0.5 * (low + high)
        if abs(new - c) <= 1e-14:
            break
        c = new
    return c


# The label likelihood has local maxima in small samples: several starts are tried.

# Starts for c, as fractions of the way from the fraction of labeled rows to 1.
_FROM_ZERO = (0.5, 0.05)
_FROM_NAIVE = (0.2,)
# Up to this many cells of X every start gets a long run. In larger samples all starts usually
# lead to the same optimum, so only two of them get a short run; or a long one on a subset that
# stands for very many rows, to this tolerance relative to the curvature. A subset with fewer
# labeled rows per parameter would be separated, and its optimum a bad start.
_FEW_CELLS = 1_200_000
_SHORT_RUN = 6
_LONG_RUN = 200
_PART_TOL = 0.02
_LABELED_PER_PARAMETER = 10
_TIED = 1e-10


def best_start(
    problem: JointProblem, whole: WhitenedObjective, naive: LinearFit, tol: float, max_iter: int
) -> tuple[np.ndarray, int]:
    """Run L-BFGS from every start for a while; return the best end point and all iterations.

    `whole` is the likelihood in the coefficients, and in the logit of c if that is free. Starts
    among very many rows run on a subset of them.
    """
    n_rows, n_features = problem.rows.X.shape
    small = n_rows * n_features <= _FEW_CELLS
    n_iter = min(max_iter, _LONG_RUN if small else _SHORT_RUN)
    curvature = problem.labeled_share * (1 - problem.labeled_share)
    free = problem.known is None
    starts = _free_starts(problem, naive) if free else _known_starts(problem, naive)
    if not small:
        starts = starts[:2]
    elif free:
        starts.append(_cyclic_start(problem, tol, n_iter, curvature))
    stride = part_stride(whole)
    labeled = problem.labeled_share * n_rows / stride
    enough_labeled = labeled >= _LABELED_PER_PARAMETER * whole.n_parameters
    if not small and stride > 1 and enough_labeled:
        whole, n_iter = whole.subsample(stride), min(max_iter, _LONG_RUN)
        tol = max(tol, _PART_TOL * curvature)
    results = [lbfgs(whole, start, tol, n_iter, curvature) for start in starts]
    # Ties go to the first start, so that the result does not depend on rounding.
    enough = min(result.value for result in results) + _TIED
    best = next(result for result in results if result.value <= enough)
    return best.z, sum(result.n_iter for result in results)


def _free_starts(problem: JointProblem, naive: LinearFit) -> list[np.ndarray]:
    line = fit_score_joint(*_scored(problem, naive))
    scaled = _scaled(problem, naive, line.slope, line.intercept)
    starts = [np.append(scaled, logit(min(line.label_frequency, 0.9)))]
    share, zero = problem.labeled_share, np.zeros_like(naive.result.z)
    for coefficients, fractions in ((zero, _FROM_ZERO), (naive.result.z, _FROM_NAIVE)):
        starts += [np.append(coefficients, logit(share + f * (1 - share))) for f in fractions]
    return starts


def _cyclic_start(problem: JointProblem, tol: float, max_iter: int, curvature: float) -> np.ndarray:
    """Fit the coefficients for the c that is best when all of them are 0, as cyclic methods do."""
    c = min(2 * problem.labeled_share, (1 + problem.labeled_share) / 2)
    known = problem.at_frequency(c)
    step = lbfgs(known, np.zeros(known.n_parameters), tol, max_iter, curvature)
    return np.append(step.z, logit(c))


def _known_starts(problem: JointProblem, naive: LinearFit) -> list[np.ndarray]:
    line = fit_score_joint(*_scored(problem, naive), problem.known)
    scaled = _scaled(problem, naive, line.slope, line.intercept)
    return [scaled, naive.result.z, np.zeros_like(naive.result.z)]


def _scored(problem: JointProblem, naive: LinearFit) -> tuple[Any, Any, Any]:
    return rows_or_stand_ins(naive.predictor(), problem.s, problem.rows.weight)


def _scaled(problem: JointProblem, naive: LinearFit, slope: float, intercept: float) -> np.ndarray:
    """Whitened coefficients of the naive direction stretched by `slope`."""
    if slope <= 0:
        return naive.result.z
    theta = slope * naive.coef
    if problem.rows.design.intercept:
        theta = np.append(theta, intercept + slope * naive.intercept)
    return naive.problem.coordinates(theta)


# Above this c the fit is polished, to see whether it runs to the boundary c = 1.
_NEAR_BOUNDARY = 0.95
# A c above this counts as 1.
_AT_BOUNDARY = 1 - 1e-5
_POLISH_TOL = 1e-8
# Newton steps continue to this fraction of the tolerance.
_POLISH = 0.01


def fit_by_gradient(problem: JointProblem, naive: LinearFit, tol: float, max_iter: int) -> JointFit:
    """Try several starts, run L-BFGS from the best, then Newton steps."""
    known = problem.known
    whole = problem.in_both() if known is None else problem.at_frequency(known)
    start, screened = best_start(problem, whole, naive, tol, max_iter)
    stride = part_stride(whole)
    hessian = subsample_hessian(whole.subsample(stride), start) if stride > 1 else None
    result = minimize(
        whole,
        start,
        tol,
        max_iter,
        curvature=0.1 if hessian is None else hessian,
        # The likelihood is nearly flat along (intercept, c): a small gradient is not enough.
        polish_tol=tol * _POLISH,
    )
    result = verify_optimum(whole, result, max_iter)
    result = replace(result, n_iter=result.n_iter + screened)
    if known is not None:
        return problem.finish(result.z, known, result)
    return problem.finish(result.z[:-1], float(expit(result.z[-1])), result)


def prefer_boundary(
    problem: JointProblem, naive: LinearFit, fit: JointFit, tol: float, max_iter: int
) -> JointFit:
    """Return `fit`, or the naive fit with c = 1 if that is as likely."""
    if problem.known is not None or problem.has_found_positive:
        return fit
    if fit.label_frequency > _NEAR_BOUNDARY:
        # The two are nearly equal, so polish both fits before comparing them.
        fit, naive = _polished(problem, naive, fit, tol, max_iter)
    if fit.label_frequency < _AT_BOUNDARY and not as_good_at_boundary(fit.result.value, naive):
        return fit
    return problem.finish(naive.result.z, 1.0, replace(naive.result, n_iter=fit.result.n_iter))


def _polished(
    problem: JointProblem, naive: LinearFit, fit: JointFit, tol: float, max_iter: int
) -> tuple[JointFit, LinearFit]:
    whole = problem.in_both()
    start = whole.coordinates(np.append(fit.theta, logit(min(fit.label_frequency, _AT_BOUNDARY))))
    both = minimize(whole, start, _POLISH_TOL, max_iter)
    alone = minimize(naive.problem, naive.result.z, _POLISH_TOL, max_iter)
    n_iter = fit.result.n_iter + both.n_iter
    both = replace(both, converged=both.gradient_norm <= tol, n_iter=n_iter)
    alone = replace(alone, converged=alone.gradient_norm <= tol)
    joint = problem.finish(both.z[:-1], float(expit(both.z[-1])), both)
    return joint, LinearFit(naive.problem, alone)


def fit_by_mm(problem: JointProblem, tol: float, max_iter: int, accelerate: bool) -> JointFit:
    """Run cyclic MM from zero: the best label frequency, then one step on the quadratic bound.

    In whitened coordinates the matrix of the bound is b times the identity, so
    the maximizer of the bound is a gradient step of length 1 / b.
    """
    bound = problem.rows.curvature_bound()

    def step(z: np.ndarray) -> MapStep:
        value, gradient = problem.at_frequency(problem.best_frequency(z)).value_gradient(z)
        return MapStep(value, float(np.linalg.norm(gradient)), z - gradient / bound)

    start = np.zeros(problem.at_frequency(1.0).n_parameters)
    result = iterate_map(step, start, tol, max_iter, accelerate)
    return problem.finish(result.z, problem.best_frequency(result.z), result)


def fit_by_em(problem: JointProblem, tol: float, max_iter: int, accelerate: bool) -> JointFit:
    """Run EM from zero and the middle of the range of c; with a known c this is CCCP.

    One step fits a logistic model to the expected classes; the new c is the fraction of expected
    positives that are labeled.
    The last entry of the iterated vector is the logit of c.
    """
    known = problem.known

    def step(point: np.ndarray) -> MapStep:
        z, c = point[:-1], float(expit(point[-1]))
        if known is None:
            value, gradient = problem.in_both().value_gradient(np.append(z, logit(c)))
        else:
            value, gradient = problem.at_frequency(known).value_gradient(z)
        next_z, next_c = maximize_expected(problem, z, c, tol / 10)
        next_point = np.append(next_z, _logit_below_one(next_c))
        return MapStep(value, float(np.linalg.norm(gradient)), next_point)

    frequency = (1 + problem.labeled_share) / 2 if known is None else known
    zero = np.zeros(problem.at_frequency(1.0).n_parameters)
    start = np.append(zero, _logit_below_one(frequency))
    result = iterate_map(step, start, tol, max_iter, accelerate)
    return problem.finish(result.z[:-1], known or float(expit(result.z[-1])), result)


def _logit_below_one(c: float) -> float:
    return float(logit(min(c, 1 - 1e-12)))


def maximize_expected(
    problem: JointProblem, z: np.ndarray, c: float, tol: float
) -> tuple[np.ndarray, float]:
    """Fit the classes expected at (z, c); return the coefficients and the new label frequency."""
    s = problem.s
    with np.errstate(divide="ignore"):
        _, missed = softplus_and_sigmoid(problem.posterior_logit(z) + np.log1p(-c))
    expected = s + (1 - s) * missed
    # A separate stage: values of this fit cannot be compared with the likelihood.
    stage = None if problem.stage is None else problem.stage.watch.stage("EM's logistic step")
    fit = problem.rows.fit_logistic(expected, tol, 1000, start=z, stage=stage)
    weight = problem.rows.weight
    labeled_share = np.average(s, weights=weight) / np.average(expected, weights=weight)
    return fit.result.z, c if problem.known is not None else float(labeled_share)


# Values of log c that differ by more than this are far from each other.
_FAR = 0.1


class FrequencyProfile:
    """Profile log-likelihood of the label frequency; earlier fits serve as starts for later ones.

    The likelihood has local maxima. So each fit starts from the fit at the nearest c computed so
    far. If that c is far away, it also starts from the nearest c on the other side. The naive fit
    serves as the fit at c = 1. A distant start is also tried with its intercept shifted by
    log(other c / c), which hardly changes c sigmoid(t) for very negative t.

    Parameters
    ----------
    linear : LinearProblem
        The rows, ready for fits.
    rows : Rows
    tol, max_iter : float, int
        Tolerance and maximum number of iterations of each fit.
    estimate : tuple of float and ndarray
        The label frequency where the likelihood is largest, and the coefficients there.
    """

    def __init__(
        self,
        linear: LinearProblem,
        rows: Rows,
        tol: float,
        max_iter: int,
        estimate: tuple[float, np.ndarray],
    ) -> None:
        self._linear, self._rows = linear, rows
        self._tol, self._max_iter = tol, max_iter
        naive = linear.fit_logistic(rows.s, tol, max_iter)
        self._theta_at = {1.0: naive.theta, estimate[0]: estimate[1]}
        self._value_at: dict[float, float] = {}
        self._found_positive = rows.checked is not None and bool(np.any(rows.checked == 1))

    def __call__(self, c: float) -> float:
        """Return the maximum of the log-likelihood at the label frequency c."""
        if c == 1 and self._found_positive:
            return -np.inf
        if c not in self._value_at:
            self._value_at[c] = self._maximized(c)
        return self._value_at[c]

    def theta(self, c: float) -> np.ndarray:
        """Return the parameters where the log-likelihood at the label frequency c is largest."""
        self(c)
        return self._theta_at[c]

    def _maximized(self, c: float) -> float:
        loss = KnownFrequencyLoss(c)
        fits = [
            self._linear.fit_near(loss, self._rows.target, self._tol, self._max_iter, start)
            for start in self._starts(c)
        ]
        enough = min(fit.result.value for fit in fits) + _TIED
        best = next(fit for fit in fits if fit.result.value <= enough)
        self._theta_at[c] = best.theta
        return -best.result.value * self._rows.total_weight

    def _starts(self, c: float) -> Iterator[np.ndarray]:
        for other in self._neighbors(c):
            theta, shift = self._theta_at[other], np.log(other / c)
            yield theta
            if self._linear.design.intercept and abs(shift) > _FAR:
                yield np.append(theta[:-1], theta[-1] + shift)

    def _neighbors(self, c: float) -> list[float]:
        """Return the nearest c computed so far; if it is far, also the nearest beyond `c`."""
        by_distance = sorted(self._theta_at, key=lambda other: abs(np.log(other / c)))
        nearest = by_distance[0]
        if abs(np.log(nearest / c)) <= _FAR:
            return [nearest]
        across = [other for other in by_distance if (other > c) != (nearest > c)]
        return [nearest, *across[:1]]

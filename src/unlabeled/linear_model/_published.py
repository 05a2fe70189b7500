"""The optimizers as the papers' authors ran them, for comparison; not recommended.

Settings are those of the authors' public code: parameters on the scale of X as given, started at
zero, SciPy's defaults unless stated.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import optimize, sparse
from scipy.special import logit
from sklearn.linear_model import LogisticRegression

from ..engine.arrays import Array, is_sparse
from ..engine.linear_fits import LinearProblem, watched_as_given
from ..engine.losses import LogisticLoss, RowDerivatives
from ..engine.objective import FEATURES, Objective, WhitenedObjective
from ..engine.rows import Rows, weighted_mean
from ..engine.solvers import Problem, SolverResult, minimize
from ._joint_fit import JointFit, JointProblem, maximize_expected

_UPPER_FREQUENCY = 0.99999
_OUTER_TOL = 1e-4
_INNER_TOL = 1e-10
_MOST_OUTER = 100
_MOST_INNER = 1000
_PROBABILITY_FLOOR = 1e-15
_EXACT_INNER_TOL = 1e-6
_MOST_EXACT_INNER = 10_000
_LITERAL_FIT_TOL = 1e-12
# A c above this counts as 1: the published programs keep it below .99999.
_AT_BOUNDARY = 1 - 1e-4


class ClippedLogisticLoss(LogisticLoss):
    """Logistic loss whose probabilities are clipped in the value, not in the gradient."""

    def derivatives(
        self, predictors: tuple[Array, ...], target: Array, second: bool
    ) -> RowDerivatives:
        """Value and derivatives at each row."""
        rows = super().derivatives(predictors, target, second)
        bound = -np.log(_PROBABILITY_FLOOR)
        as_negative = np.clip(rows.value + target * predictors[0], 0, bound)
        as_positive = np.clip(as_negative - predictors[0], 0, bound)
        return rows._replace(value=target * as_positive + (1 - target) * as_negative)


def published_weighted_risk(objective: Problem) -> SolverResult:
    """Run BFGS from zero on the weighted risk; `objective` has the clipped loss.

    If the risk has no minimizer, BFGS does not converge. It stops at a point
    that depends on the clipping, which is the published classifier.
    """
    start = np.zeros(objective.n_parameters)
    outcome = optimize.minimize(objective.value_gradient, start, jac=True, method="BFGS")
    norm = float(np.linalg.norm(outcome.jac))
    return SolverResult(
        outcome.x,
        float(outcome.fun),
        norm,
        int(outcome.nit),
        bool(outcome.success),
        str(outcome.message),
    )


def fit_published_gradient(problem: JointProblem) -> JointFit:
    """Run the authors' JOINT: L-BFGS-B from zero, c between the labeled fraction and 0.99999."""
    objective = watched_as_given(problem.in_both().objective, problem.stage)

    def in_frequency(parameters: Array) -> tuple[float, Array]:
        c = parameters[-1]
        value, gradient = objective.value_gradient(np.append(parameters[:-1], logit(c)))
        gradient[-1] /= c * (1 - c)
        return value, gradient

    share = problem.labeled_share
    start = np.append(np.zeros(objective.n_parameters - 1), (1 + share) / 2)
    bounds = [(None, None)] * (len(start) - 1) + [(share, _UPPER_FREQUENCY)]
    outcome = optimize.minimize(
        in_frequency,
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=bounds,
        options={"gtol": 1e-4, "maxiter": 1000},
    )
    theta, c = outcome.x[:-1], float(outcome.x[-1])
    return _finish(problem, theta, c, int(outcome.nit), bool(outcome.success), str(outcome.message))


def fit_published_cycle(problem: JointProblem, solver: str, inner: str) -> JointFit:
    """Alternate the best c and the coefficients for it, until c moves by less than 1e-4.

    This is the outer loop of the authors' code. The inner loop is either theirs, step by step, or
    an exact solution. The exact one starts at the last coefficients; theirs starts at zero each
    time.
    """
    start = np.zeros(problem.at_frequency(1.0).n_parameters)
    z, frequency, n_inner = start, np.nan, 0
    for outer in range(1, _MOST_OUTER + 1):
        new_frequency = problem.best_frequency(z, upper=_UPPER_FREQUENCY)
        if outer > 1 and abs(new_frequency - frequency) < _OUTER_TOL:
            break
        frequency = new_frequency
        if inner == "exact":
            z, taken = _exact_inner(problem, frequency, z)
        elif solver == "mm":
            z, taken = _literal_mm(problem, frequency, start)
        else:
            z, taken = _literal_em(problem, frequency, start)
        n_inner += taken
    stopped = outer < _MOST_OUTER or (
        abs(problem.best_frequency(z, upper=_UPPER_FREQUENCY) - frequency) < _OUTER_TOL
    )
    message = "c moved less than the tolerance" if stopped else "outer iterations used up"
    theta = problem.at_frequency(frequency).theta(z)
    return _finish(problem, theta, frequency, outer, stopped, message, n_inner)


def _exact_inner(problem: JointProblem, c: float, z: Array) -> tuple[Array, int]:
    result = minimize(problem.at_frequency(c), z, _EXACT_INNER_TOL, _MOST_EXACT_INNER)
    return result.z, result.n_iter


def _literal_mm(problem: JointProblem, c: float, start: Array) -> tuple[Array, int]:
    """Plain MM steps from zero, until no parameter on the scale of X moves by 1e-10."""
    bound, at_c, z = problem.rows.curvature_bound(), problem.at_frequency(c), start
    for iteration in range(1, _MOST_INNER + 1):
        _, gradient = at_c.value_gradient(z)
        step = -gradient / bound
        if iteration > 1 and np.max(np.abs(at_c.theta(step))) < _INNER_TOL:
            break
        z = z + step
    return z, iteration


def _literal_em(problem: JointProblem, c: float, start: Array) -> tuple[Array, int]:
    """EM steps from zero, until the parameters on the scale of X move by 1e-10 in sum."""
    theta, z, n_iter = problem.at_frequency(1.0).theta, start, 0
    while n_iter < _MOST_INNER:
        n_iter += 1
        new, _ = maximize_expected(problem, z, c, _LITERAL_FIT_TOL)
        if np.sum(np.abs(theta(new - z))) < _INNER_TOL:
            break
        z = new
    return z, n_iter


def _finish(
    problem: JointProblem,
    theta: Array,
    c: float,
    n_iter: int,
    converged: bool,
    message: str,
    n_inner_iter: int = 0,
) -> JointFit:
    """Describe where a published optimizer stopped, with the value and gradient norm there."""
    at_c = problem.at_frequency(c)
    value, gradient = at_c.objective.value_gradient(theta)
    norm = float(np.linalg.norm(at_c.gradient_in_z(gradient)))
    result = SolverResult(theta, value, norm, n_iter, converged, message)
    return JointFit(theta, c, result, c > _AT_BOUNDARY, n_inner_iter)


# SAR-EM stops when, over a window of this many iterations, neither the propensities of the
# unlabeled rows nor the likelihood change by more than these.
_SAR_EM_WINDOW, _SAR_EM_MOST = 10, 500
_SAR_EM_SLOPE, _SAR_EM_GAIN = 1e-4, 1e-4
_SAR_EM_C = 1.0


@dataclass(frozen=True)
class SarEmFit:
    """Posterior and propensity where SAR-EM stopped."""

    coef: np.ndarray
    intercept: float
    propensity_coef: np.ndarray
    propensity_intercept: float
    n_iter: int
    converged: bool


def fit_sar_em(rows: Rows, columns: np.ndarray) -> SarEmFit:
    r"""Run SAR-EM with the start, the stopping rule and the last fit of its authors.

    Both models are scikit-learn's logistic regression with C = 1 and liblinear, which penalizes
    the intercept too. The last fit of the posterior is weighted by 1/e, with negative weights for
    labeled rows as negatives; liblinear, which the authors use, leaves those out. Here its loss,
    :math:`\sum_i \log(1+e^{f_i}) - (s_i/e_i) f_i`, is convex, and the ridge keeps it finite.
    """
    X, s = rows.X, rows.s.astype(np.float64)
    weight = np.ones(len(s)) if rows.weight is None else rows.weight
    own = X[:, columns]
    share = weighted_mean(s, rows.weight)
    posterior = _liblinear(X, s, weight * (s * (1 - share) + (1 - s) * share))
    y = posterior.predict_proba(X)[:, 1]
    propensity = _liblinear(own, s, weight * (s + (1 - s) * y))
    e = propensity.predict_proba(own)[:, 1]
    unlabeled, values = s == 0, []
    history: list[np.ndarray] = []
    doubled: Any = sparse.vstack([X, X]).tocsr() if is_sparse(X) else np.concatenate([X, X])
    classes = np.repeat([1.0, 0.0], len(s))
    converged = False
    for n_iter in range(1, _SAR_EM_MOST + 1):
        missed = y * (1 - e) / np.maximum(1 - y * e, _PROBABILITY_FLOOR)
        expected = s + (1 - s) * missed
        propensity = _liblinear(own, s, weight * expected)
        e = propensity.predict_proba(own)[:, 1]
        posterior = _liblinear(
            doubled, classes, np.concatenate([weight * expected, weight * (1 - expected)])
        )
        y = posterior.predict_proba(X)[:, 1]
        values.append(_expected_log_likelihood(y, e, s, weight))
        history = [*history[1 - _SAR_EM_WINDOW :], e[unlabeled]]
        if n_iter > _SAR_EM_WINDOW + 1 and _has_settled(history, values):
            converged = True
            break
    theta = _weighted_by_propensity(X, s, np.maximum(e, _PROBABILITY_FLOOR), weight)
    return SarEmFit(
        theta[:-1],
        float(theta[-1]),
        propensity.coef_[0],
        float(propensity.intercept_[0]),
        n_iter,
        converged,
    )


def _liblinear(X: Any, y: np.ndarray, weight: np.ndarray) -> LogisticRegression:
    model = LogisticRegression(C=_SAR_EM_C, solver="liblinear", random_state=0)
    return model.fit(X, y, sample_weight=weight)


def _expected_log_likelihood(
    y: np.ndarray, e: np.ndarray, s: np.ndarray, weight: np.ndarray
) -> float:
    """Mean log-likelihood of labels and classes, expected at the classes' own chances."""
    y, e = (np.clip(one, _PROBABILITY_FLOOR, 1 - _PROBABILITY_FLOOR) for one in (y, e))
    missed = y * (1 - e) / (y * (1 - e) + 1 - y)
    hidden = missed * np.log(y * (1 - e)) + (1 - missed) * np.log1p(-y)
    return float(np.average(s * np.log(y * e) + (1 - s) * hidden, weights=weight))


def _has_settled(history: list[np.ndarray], values: list[float]) -> bool:
    """Whether propensities and likelihood hardly moved over the window."""
    place = np.arange(len(history)) - (len(history) - 1) / 2
    slopes = place @ np.array(history) / float(place @ place)
    window = values[-_SAR_EM_WINDOW:]
    gain = max(window) - window[0]
    return float(np.mean(np.abs(slopes))) < _SAR_EM_SLOPE and gain < _SAR_EM_GAIN


def _weighted_by_propensity(X: Any, s: np.ndarray, e: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Fit the posterior to labels weighted by 1/e, with the ridge of liblinear."""
    total = float(weight.sum())
    ridge = np.full(X.shape[1] + 1, 1 / (_SAR_EM_C * total))
    objective = Objective(LogisticLoss(), (FEATURES,), X, s / e, weight, ridge)
    problem = WhitenedObjective(objective, LinearProblem.of(X, weight).whitening)
    return problem.theta(minimize(problem, np.zeros(problem.n_parameters), 1e-8, 1000).z)

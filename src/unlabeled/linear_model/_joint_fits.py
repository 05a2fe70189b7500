"""The ways to maximise the label likelihood over coefficients and label frequency."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.special import expit, logit

from ..label_frequency import as_good_at_boundary
from ..losses import softplus_and_sigmoid
from ..solvers import (
    ExpectationStep,
    LinearFit,
    arrive,
    em,
    minimise,
    mm,
    part_stride,
    rough_hessian,
)
from ._joint_problem import JointFit, JointProblem
from ._joint_starts import best_start

# Above this c the fit is polished, to see whether it runs to the boundary c = 1.
_NEAR_BOUNDARY = 0.95
# A c above this is 1.
_AT_BOUNDARY = 1 - 1e-5
_POLISH_TOL = 1e-8
# Newton steps go on to this fraction of the tolerance.
_POLISH = 0.01


def fit_by_gradient(problem: JointProblem, naive: LinearFit, tol: float, max_iter: int) -> JointFit:
    """Screen several starts, then L-BFGS from the best and Newton for the last digits."""
    known = problem.known
    whole = problem.in_both() if known is None else problem.at_frequency(known)
    start, screened = best_start(problem, whole, naive, tol, max_iter)
    stride = part_stride(whole)
    hessian = rough_hessian(whole.every(stride), start) if stride > 1 else None
    result = minimise(
        whole,
        start,
        tol,
        max_iter,
        curvature=0.1 if hessian is None else hessian,
        # The likelihood is nearly flat along (intercept, c): a small gradient is not enough.
        polish_tol=tol * _POLISH,
    )
    result = arrive(whole, result, max_iter)
    result = replace(result, n_iter=result.n_iter + screened)
    if known is not None:
        return problem.finish(result.z, known, result)
    return problem.finish(result.z[:-1], float(expit(result.z[-1])), result)


def boundary_or(
    problem: JointProblem, naive: LinearFit, fit: JointFit, tol: float, max_iter: int
) -> JointFit:
    """Return `fit`, or the naive fit with c = 1 where that is as likely."""
    if problem.known is not None:
        return fit
    if fit.label_frequency > _NEAR_BOUNDARY:
        # Where both are nearly the same the last digits decide.
        fit, naive = _polished(problem, naive, fit, tol, max_iter)
    if fit.label_frequency < _AT_BOUNDARY and not as_good_at_boundary(fit.value, naive):
        return fit
    return replace(problem.finish(naive.result.z, 1.0, naive.result), n_iter=fit.n_iter)


def _polished(
    problem: JointProblem, naive: LinearFit, fit: JointFit, tol: float, max_iter: int
) -> tuple[JointFit, LinearFit]:
    whole = problem.in_both()
    start = whole.coordinates(np.append(fit.theta, logit(min(fit.label_frequency, _AT_BOUNDARY))))
    both = minimise(whole, start, _POLISH_TOL, max_iter)
    alone = minimise(naive.problem, naive.result.z, _POLISH_TOL, max_iter)
    both, alone = (replace(r, converged=r.gradient_norm <= tol) for r in (both, alone))
    joint = problem.finish(both.z[:-1], float(expit(both.z[-1])), both)
    return replace(joint, n_iter=fit.n_iter + both.n_iter), LinearFit(naive.problem, alone)


def fit_by_mm(problem: JointProblem, tol: float, max_iter: int, accelerate: bool) -> JointFit:
    """Run cyclic MM from zero."""
    start = np.zeros(problem.at_frequency(1.0).n_parameters)
    result = mm(
        problem.at_frequency,
        problem.best_frequency,
        start,
        tol,
        max_iter,
        accelerate,
        problem.rows.curvature_bound(),
    )
    return problem.finish(result.z, problem.best_frequency(result.z), result)


def fit_by_em(problem: JointProblem, tol: float, max_iter: int, accelerate: bool) -> JointFit:
    """Run EM from zero and the middle of the range of c."""
    start = np.zeros(problem.at_frequency(1.0).n_parameters)
    frequency = (1 + problem.labelled_share) / 2 if problem.known is None else problem.known
    steps = ExpectationStep(
        value_gradient=lambda z, c: _value_gradient(problem, z, c),
        maximise=lambda z, c: maximise_expected(problem, z, c, tol / 10),
    )
    result, c = em(steps, start, frequency, tol, max_iter, accelerate)
    return problem.finish(result.z[:-1], problem.known or c, result)


def _value_gradient(problem: JointProblem, z: np.ndarray, c: float) -> tuple[float, np.ndarray]:
    if problem.known is not None:
        return problem.at_frequency(problem.known).value_gradient(z)
    return problem.in_both().value_gradient(np.append(z, logit(c)))


def maximise_expected(
    problem: JointProblem, z: np.ndarray, c: float, tol: float
) -> tuple[np.ndarray, float]:
    """Expected classes at (z, c), the logistic fit to them and their labelled share."""
    s = problem.s
    with np.errstate(divide="ignore"):
        _, missed = softplus_and_sigmoid(problem.posterior_logit(z) + np.log1p(-c))
    expected = s + (1 - s) * missed
    fit = problem.expected_rows().fit_logistic(expected, tol, 1000, start=z)
    weight = problem.rows.weight
    labelled_share = np.average(s, weights=weight) / np.average(expected, weights=weight)
    return fit.result.z, c if problem.known is not None else float(labelled_share)

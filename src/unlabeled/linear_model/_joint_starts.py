"""Where to start from: the label likelihood has local maxima in small samples."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import logit

from ..label_frequency import fit_score_joint
from ..objective import WhitenedObjective
from ..solvers import LinearFit, lbfgs
from ..thresholds import rows_or_stand_ins
from ._joint_problem import JointProblem

# Starts for c, as fractions of the way from the share of labelled rows to 1.
_FROM_ZERO = (0.5, 0.05)
_FROM_NAIVE = (0.2,)
# Up to this many cells of X every start is followed for a long run; in larger samples,
# where the starts rarely lead to different places, two for a short one.
_FEW_CELLS = 1_200_000
_SHORT_RUN = 6
_LONG_RUN = 200
_TIED = 1e-10


def best_start(
    problem: JointProblem, whole: WhitenedObjective, naive: LinearFit, tol: float, max_iter: int
) -> tuple[np.ndarray, int]:
    """Follow every start for a while; return where the best of them got to, and iterations.

    `whole` is the likelihood in the coefficients, and in the logit of c where
    that is free.
    """
    n_rows, n_features = problem.rows.X.shape
    small = n_rows * n_features <= _FEW_CELLS
    n_iter = min(max_iter, _LONG_RUN if small else _SHORT_RUN)
    curvature = problem.labelled_share * (1 - problem.labelled_share)
    free = problem.known is None
    starts = _free_starts(problem, naive) if free else _known_starts(problem, naive)
    if not small:
        starts = starts[:2]
    elif free:
        starts.append(_cyclic_start(problem, tol, n_iter, curvature))
    results = [lbfgs(whole, start, tol, n_iter, curvature) for start in starts]
    # Of equally good ones the first, lest rounding decide.
    enough = min(result.value for result in results) + _TIED
    best = next(result for result in results if result.value <= enough)
    return best.z, sum(result.n_iter for result in results)


def _free_starts(problem: JointProblem, naive: LinearFit) -> list[np.ndarray]:
    line = fit_score_joint(*_scored(problem, naive))
    scaled = _scaled(problem, naive, line.slope, line.intercept)
    starts = [np.append(scaled, logit(min(line.label_frequency, 0.9)))]
    share, zero = problem.labelled_share, np.zeros_like(naive.result.z)
    for coefficients, fractions in ((zero, _FROM_ZERO), (naive.result.z, _FROM_NAIVE)):
        starts += [np.append(coefficients, logit(share + f * (1 - share))) for f in fractions]
    return starts


def _cyclic_start(problem: JointProblem, tol: float, max_iter: int, curvature: float) -> np.ndarray:
    """Take the cyclic methods' first step: the best coefficients for the c that is best at zero."""
    c = min(2 * problem.labelled_share, (1 + problem.labelled_share) / 2)
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

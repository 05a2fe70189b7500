"""Where to start from: the label likelihood has local maxima in small samples."""

from __future__ import annotations

import numpy as np

from ..label_frequency import fit_score_joint
from ..objective import WhitenedObjective
from ..solvers import LinearFit, lbfgs

# Starts for c, as fractions of the way from the share of labelled rows to 1.
_FROM_ZERO = (0.5, 0.05)
_FROM_NAIVE = (0.2,)
# In samples of at most this many rows every start is followed to its end; in larger
# ones, where the starts rarely lead to different places, two for this many iterations.
_SMALL_SAMPLE = 2000
_SHORT_RUN = 6


def best_start(
    problem: WhitenedObjective, naive: LinearFit, tol: float, max_iter: int
) -> np.ndarray:
    """Follow every start for a while; return where the best of them got to.

    `problem` is the likelihood in the coefficients, and in the logit of c
    where that is free.
    """
    known = problem.n_parameters == naive.problem.n_parameters
    starts = _known_starts(problem, naive) if known else _free_starts(problem, naive)
    small = problem.objective.X.shape[0] <= _SMALL_SAMPLE
    n_iter = max_iter if small else min(max_iter, _SHORT_RUN)
    starts = starts if small else starts[:2]
    results = [lbfgs(problem, start, tol, n_iter, _curvature(problem)) for start in starts]
    return min(results, key=lambda result: result.value).z


def _free_starts(problem: WhitenedObjective, naive: LinearFit) -> list[np.ndarray]:
    objective = problem.objective
    share = float(np.average(objective.target, weights=objective.weight))
    score = objective.X @ naive.coef
    line = fit_score_joint(score, objective.target, objective.weight)
    scaled = _scaled(problem, naive, line.slope, line.intercept)
    starts = [np.append(scaled, _logit(min(line.label_frequency, 0.9)))]
    zero = np.zeros_like(naive.result.z)
    for coefficients, fractions in ((zero, _FROM_ZERO), (naive.result.z, _FROM_NAIVE)):
        starts += [np.append(coefficients, _logit(share + f * (1 - share))) for f in fractions]
    return starts


def _known_starts(problem: WhitenedObjective, naive: LinearFit) -> list[np.ndarray]:
    objective = problem.objective
    c = getattr(objective.loss, "label_frequency", None)
    score = objective.X @ naive.coef
    line = fit_score_joint(score, objective.target, objective.weight, c)
    scaled = _scaled(problem, naive, line.slope, line.intercept)
    return [scaled, naive.result.z, np.zeros_like(naive.result.z)]


def _scaled(
    problem: WhitenedObjective, naive: LinearFit, slope: float, intercept: float
) -> np.ndarray:
    """Whitened coefficients of the naive direction stretched by `slope`."""
    if slope <= 0:
        return naive.result.z
    theta = slope * naive.coef
    if problem.objective.designs[0].intercept:
        theta = np.append(theta, intercept)
    return naive.problem.coordinates(theta)


def _curvature(problem: WhitenedObjective) -> float:
    share = float(problem.objective.target.mean())
    return share * (1 - share)


def _logit(c: float) -> float:
    return float(np.log(c) - np.log1p(-c))

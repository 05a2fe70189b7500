"""Targets that a label frequency implies, and the risk of them that has no minimum."""

from __future__ import annotations

import numpy as np

from ..codes import warn
from ..losses import softplus_and_sigmoid
from ..objective import Objective
from ..parameters import check_square_matrix
from ..solvers import (
    ClippedLogisticLoss,
    LinearFit,
    LinearProblem,
    PublishedResult,
    Watch,
    fit_or_keep,
    published_weighted_risk,
    watched_as_given,
)


def expected_classes(naive_predictor: np.ndarray, s: np.ndarray, c: float) -> np.ndarray:
    """Elkan and Noto's targets: 1 for labelled rows, for others their odds of being positive."""
    _, g = softplus_and_sigmoid(naive_predictor)
    with np.errstate(divide="ignore"):
        weight = (1 - c) / c * (g / (1 - g))
    above = (weight > 1) & (s == 0)
    if above.any():
        warn(
            "PU109",
            f"{int(above.sum())} unlabelled rows have a fitted P(S=1|x) above the label "
            f"frequency {c:.4g}; their weight as positives, above 1, was set to 1. The label "
            "frequency may be too low.",
        )
    return np.where(s == 1, 1.0, np.minimum(weight, 1.0))


def has_mean_one(target: np.ndarray, weight: np.ndarray | None) -> bool:
    """Whether the targets are 1 on average, which sends an intercept to infinity."""
    return not np.average(target, weights=weight) < 1 - 1e-9


def proves_no_minimum(fit: LinearFit) -> bool:
    """Whether the fitted direction proves that the risk has no finite minimiser.

    It does when sum(max(0, t) - d t) <= 0 over the rows' predictors t: the
    risk along k t then never rises with k.
    """
    objective, t = fit.problem.objective, fit.predictor()
    margin = np.average(np.maximum(t, 0) - objective.target * t, weights=objective.weight)
    return bool(margin <= 1e-12 * np.abs(t).mean())


def fit_published(
    problem: LinearProblem, target: np.ndarray, watch: Watch
) -> tuple[np.ndarray, int]:
    """Coefficients where the published optimiser stops, and its iterations; without a ridge."""
    instead = "Use weighting='posterior', or a smaller `C`."
    check_square_matrix(problem.X.shape[1], "a weighted risk without a minimiser", instead)
    stage = watch.stage("published optimiser")
    risk = Objective(ClippedLogisticLoss(), (problem.design,), problem.X, target, problem.weight)
    watched = watched_as_given(risk, stage)
    result = fit_or_keep(stage, lambda: published_weighted_risk(watched), PublishedResult.kept)
    watch.finished("published optimiser", None if stage is None else stage.best)
    return result.theta, result.n_iter

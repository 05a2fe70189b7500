"""JOINT in one dimension: the label frequency and a posterior from a score."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import logit

from ..losses import (
    KnownFrequencyLoss,
    LogisticLoss,
    ProductLoss,
    RowLoss,
    softplus_and_sigmoid,
)
from ..objective import CONSTANT
from ..solvers import LinearFit, LinearProblem, newton, step_log_likelihood

# A logit of the label frequency above this is the boundary, c = 1.
_BOUNDARY_LOGIT = 12.0
# Total log-likelihood within this of the boundary fit counts as no better than it.
_BOUNDARY_GAIN = 1e-9

# Where an estimated c lies above this, the fit with c = 1 is compared with it.
_NEAR_BOUNDARY = 0.99
# Likewise where the mean log-likelihood, on bins, is better than at c = 1 by less than this.
_CLOSE = 1e-4
# Starts for c, as fractions of the way from the share of labelled rows to 1.
_STARTS = (0.05, 0.5, 0.9)
_BINS = 128
_TOL = 1e-8
_MOST_STEPS = 100
_SCREENING_STEPS = 8


@dataclass(frozen=True)
class ScoreJoint:
    r"""The model :math:`P(S=1|t) = c\,\sigma(a + b t)` of a score t.

    Attributes
    ----------
    intercept, slope : float
        a and b; the slope is positive, or 0 when labelled rows do not score
        higher than the others.
    label_frequency : float
        c.
    class_prior : float
        The mean posterior, which at an interior optimum equals P(S=1) / c.
    at_boundary : bool
        Whether c = 1 is no worse than any smaller c.
    is_step : bool
        Whether a posterior of 0 below some score and 1 above it is as likely
        as this one: then no finite slope is best.
    mean_log_likelihood : float
    """

    intercept: float
    slope: float
    label_frequency: float
    class_prior: float
    at_boundary: bool
    is_step: bool
    mean_log_likelihood: float

    def posterior(self, score: np.ndarray) -> np.ndarray:
        """P(Y=1|t) at each score."""
        return softplus_and_sigmoid(self.intercept + self.slope * score)[1]


def fit_score_joint(
    score: np.ndarray,
    s: np.ndarray,
    weight: np.ndarray | None = None,
    label_frequency: float | None = None,
) -> ScoreJoint:
    r"""Fit :math:`P(S=1|t) = c\,\sigma(a + b t)` by maximum likelihood.

    Under SCAR, a logistic posterior and Ruud's condition this is exact for
    the naive score t (Theorem 1): b is 1 / eta and a the true intercept.
    Several starts are tried on the score cut into bins, which costs next to
    nothing; the best one is refined on all rows.

    Parameters
    ----------
    score, s, weight : ndarray of shape (n_rows,)
        The score, labels in {0, 1} and optional weights.
    label_frequency : float, optional
        Known c; estimated if None.
    """
    score = score.astype(np.float64, copy=False)
    rows = LinearProblem.of(score[:, None], weight)
    labelled_share = float(np.average(s, weights=weight))
    if rows.whitening.rank == 0:
        return _flat(labelled_share)
    bins, bins_s = _binned(score, s, weight)
    logistic = bins.fit_logistic(bins_s, _TOL, _MOST_STEPS)
    if label_frequency is not None:
        fit = _refined(rows, KnownFrequencyLoss(label_frequency), s, logistic.theta)
        return _summary(fit, label_frequency, False, score, s, known=True)
    logistic_on_bins = logistic.result.value
    start = _best_start(bins, bins_s, logistic, labelled_share)
    fit = _refined(rows, ProductLoss(), s, start)
    frequency = float(softplus_and_sigmoid(fit.theta[-1:])[1][0])
    if frequency > _NEAR_BOUNDARY or fit.result.value >= logistic_on_bins - _CLOSE:
        boundary = _refined(rows, LogisticLoss(), s, logistic.theta)
        if fit.theta[-1] > _BOUNDARY_LOGIT or as_good_at_boundary(fit.result.value, boundary):
            return _summary(boundary, 1.0, True, score, s)
    return _summary(fit, frequency, False, score, s)


def as_good_at_boundary(value: float, logistic: LinearFit) -> bool:
    """Whether the fit with c = 1 is as good as one with c free.

    Parameters
    ----------
    value : float
        Minus the mean log-likelihood with c free.
    logistic : LinearFit
        The logistic fit to the labels, which is the fit with c = 1.

    Returns
    -------
    as_good : bool
        Whether the total log-likelihood gains no more than 1e-9, or rounding.
    """
    objective = logistic.problem.objective
    gain = (logistic.result.value - value) * objective.total_weight
    rounding = objective.total_weight * float(np.finfo(objective.X.dtype).eps)
    return gain <= max(_BOUNDARY_GAIN, rounding)


def _binned(
    score: np.ndarray, s: np.ndarray, weight: np.ndarray | None
) -> tuple[LinearProblem, np.ndarray]:
    """Replace rows by bins of the score: one labelled and one unlabelled row a bin, weighted."""
    spread = np.arcsinh((score - np.average(score, weights=weight)) / (score.std() or 1.0))
    low, high = spread.min(), spread.max()
    cell = ((spread - low) * (_BINS / (high - low))).astype(np.intp)
    cell = 2 * np.minimum(cell, _BINS - 1) + s.astype(np.intp)
    mass = np.bincount(cell, weight, minlength=2 * _BINS)
    sums = np.bincount(cell, score if weight is None else score * weight, minlength=2 * _BINS)
    kept = mass > 0
    rows = LinearProblem.of((sums[kept] / mass[kept])[:, None], mass[kept].astype(np.float64))
    return rows, np.tile([0.0, 1.0], _BINS)[kept]


def _best_start(
    bins: LinearProblem, s: np.ndarray, logistic: LinearFit, labelled_share: float
) -> np.ndarray:
    """Parameters (slope, intercept, logit of c) of the best of several fits to the bins."""
    slope, intercept = logistic.theta
    fits = []
    for fraction in _STARTS:
        c = labelled_share + fraction * (1 - labelled_share)
        start = np.array([slope, intercept - np.log(c), logit(c)])
        fits.append(_refined(bins, ProductLoss(), s, start, _SCREENING_STEPS))
    return min(fits, key=lambda fit: fit.result.value).theta


def _refined(
    rows: LinearProblem,
    loss: RowLoss,
    s: np.ndarray,
    start: np.ndarray,
    most_steps: int = _MOST_STEPS,
) -> LinearFit:
    further = (CONSTANT,) if loss.n_predictors == 2 else ()
    problem = rows.objective(loss, s, *further)
    return LinearFit(problem, newton(problem, problem.coordinates(start), _TOL, most_steps))


def _summary(
    fit: LinearFit,
    frequency: float,
    at_boundary: bool,
    score: np.ndarray,
    s: np.ndarray,
    known: bool = False,
) -> ScoreJoint:
    slope, intercept = float(fit.coef[0]), fit.intercept
    weight = fit.problem.objective.weight
    if not slope > 0:
        return _flat(float(np.average(s, weights=weight)))
    t = intercept + slope * score
    step = step_log_likelihood(t, s, weight, frequency if known else None)
    prior = float(np.average(softplus_and_sigmoid(t)[1], weights=weight))
    return ScoreJoint(
        intercept=intercept,
        slope=slope,
        label_frequency=frequency,
        class_prior=prior,
        at_boundary=at_boundary,
        is_step=step >= -fit.result.value - _BOUNDARY_GAIN,
        mean_log_likelihood=-fit.result.value,
    )


def _flat(labelled_share: float) -> ScoreJoint:
    """The posterior when the score tells nothing: everywhere the share of labelled rows."""
    entropy = labelled_share * np.log(labelled_share)
    entropy += (1 - labelled_share) * np.log1p(-labelled_share)
    return ScoreJoint(
        float(logit(labelled_share)), 0.0, 1.0, labelled_share, True, False, float(entropy)
    )

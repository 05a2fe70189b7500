"""JOINT in one dimension: the label frequency and a posterior from a score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import logit

from ..blocks import precision_of
from ..losses import KnownFrequencyLoss, LogisticLoss, ProductLoss, softplus_and_sigmoid
from ..solvers import LinearFit, step_log_likelihood
from ._profile import ScoreProfile
from ._score_rows import BOUNDARY_LOGIT, ScoreFit, ScoreRows
from ._score_starts import ScoreStarts, binned

# Total log-likelihood within this of the boundary fit counts as no better than it.
_BOUNDARY_GAIN = 1e-9
# Where an estimated c lies above this, the fit with c = 1 is compared with it.
_NEAR_BOUNDARY = 0.99
# Likewise where the mean log-likelihood, on bins, is better than at c = 1 by less than this.
_CLOSE = 1e-4


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
        """P(Y=1|t) at each score.

        Parameters
        ----------
        score : ndarray
            Values of t.

        Returns
        -------
        posterior : ndarray
            As many.
        """
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
    The likelihood is profiled over c on the score cut into bins, which costs
    next to nothing; from the best c on, all parameters are refined, on finer
    bins where rows are many, and at last on all rows.

    Parameters
    ----------
    score, s, weight : ndarray of shape (n_rows,)
        The score, labels in {0, 1} and optional weights.
    label_frequency : float, optional
        Known c; estimated if None.

    Returns
    -------
    joint : ScoreJoint
    """
    rows = ScoreRows.of(score.astype(np.float64, copy=False), s, weight)
    if rows.deviation == 0:
        return _flat(rows.labelled_share, label_frequency)
    rows, bins = binned(rows)
    if label_frequency is None:
        return _fit_free(rows, bins)
    start = ScoreStarts.logistic_of(bins, rows).logistic
    fit = rows.fit(KnownFrequencyLoss(label_frequency), start)
    return _summary(rows, fit, label_frequency, False, known=True)


def _fit_free(rows: ScoreRows, bins: ScoreProfile) -> ScoreJoint:
    starts = ScoreStarts.of(bins, rows)
    fits = [
        rows.fit(ProductLoss(), starts.line(k), float(logit(starts.frequencies[k])))
        for k in starts.peaks()
    ]
    fit = min(fits, key=lambda one: one.value)
    frequency = float(softplus_and_sigmoid(np.array([fit.logit_c]))[1][0])
    logistic_on_bins = -starts.logistic_log_likelihood / rows.total_weight
    if frequency > _NEAR_BOUNDARY or fit.value >= logistic_on_bins - _CLOSE:
        boundary = rows.fit(LogisticLoss(), starts.logistic)
        gain = (boundary.value - fit.value) * rows.total_weight
        if fit.logit_c > BOUNDARY_LOGIT or _is_nothing(gain, rows.total_weight, np.float64):
            return _summary(rows, boundary, 1.0, True)
    return _summary(rows, fit, frequency, False)


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
    return _is_nothing(gain, objective.total_weight, precision_of(objective.X))


def _is_nothing(gain: float, total_weight: float, dtype: Any) -> bool:
    """Whether a gain in total log-likelihood is within rounding."""
    return gain <= max(_BOUNDARY_GAIN, total_weight * float(np.finfo(dtype).eps))


def _summary(
    rows: ScoreRows, fit: ScoreFit, frequency: float, at_boundary: bool, known: bool = False
) -> ScoreJoint:
    if not fit.slope > 0:
        return _flat(rows.labelled_share, frequency if known else None)
    t = fit.intercept + fit.slope * rows.score
    step = step_log_likelihood(t, rows.s, rows.part, frequency if known else None)
    return ScoreJoint(
        intercept=fit.intercept,
        slope=fit.slope,
        label_frequency=frequency,
        class_prior=rows.mean_posterior(t),
        at_boundary=at_boundary,
        is_step=step >= -fit.value - _BOUNDARY_GAIN,
        mean_log_likelihood=-fit.value,
    )


def _flat(labelled_share: float, known: float | None) -> ScoreJoint:
    """The posterior when the score tells nothing: the class prior everywhere.

    That is the share of labelled rows over c, c being 1 where it is not known.
    """
    entropy = labelled_share * np.log(labelled_share)
    entropy += (1 - labelled_share) * np.log1p(-labelled_share)
    frequency = 1.0 if known is None else max(known, labelled_share)
    prior = labelled_share / frequency
    intercept = float(logit(min(prior, 1 - 1e-12)))
    boundary = known is None
    return ScoreJoint(intercept, 0.0, frequency, prior, boundary, False, float(entropy))

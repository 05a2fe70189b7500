"""JOINT in one dimension: the label frequency and the posterior from one score, on all rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import logit

from ..engine.arrays import precision_of
from ..engine.linear_fits import LinearFit, step_log_likelihood
from ..engine.losses import softplus_and_sigmoid
from ..engine.parameters import check_fraction
from ..engine.rows import labeled_scores
from ..engine.solvers import downhill_step
from ._score_model import Line, LineFit, Lines, ScoreProblem, ScoreProfile, cells_by_density

# A gain in total log-likelihood below this counts as no gain over the fit with c = 1.
_BOUNDARY_GAIN = 1e-9
# An estimate of c above this is compared with the fit with c = 1.
_NEAR_BOUNDARY = 0.99
# A fit is also compared with c = 1 if its mean log-likelihood is larger, on bins, by less than
# this.
_CLOSE = 1e-4
# With a known c below this, Newton steps from the fit with c = 1 may diverge.
_FAR_FROM_LOGISTIC = 0.5
# A logit of c above this counts as the boundary, c = 1.
_BOUNDARY_LOGIT = 12.0

# Starting values of c, as fractions of the way from the fraction of labeled rows to 1.
_WAYS = (0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.9)
# At a starting value the logits have at most this standard deviation.
_WIDEST_LOGITS = 10.0
_BINS = 128
# Tolerance of a starting value on bins, in twice the log-likelihood.
_ROUGHLY = 1e-3
# All peaks of the log-likelihood on bins that are within this of the highest are tried on the
# rows.
_AS_GOOD_ON_BINS = 1.0

# With many rows the fit first converges on fine bins and then takes steps on all rows. That is
# faster from this many rows per fine bin on.
_FINE_BINS = 16 * _BINS
_ROWS_PER_FINE_BIN = 4
_TOL = 1e-8
# The tolerance on bins is smaller, so that one more step reaches the optimum on rows.
_TOL_ON_BINS = 1e-10
# Newton steps on rows end when one is shorter than this, in standard deviations of the score.
_SHORT_STEP = 5e-4
_MOST_STEPS = 100


@dataclass(frozen=True)
class ScoreJoint:
    r"""The model :math:`P(S=1|t) = c\,\sigma(a + b t)` of a score t.

    Attributes
    ----------
    intercept, slope : float
        a and b; the slope is positive, or 0 when labeled rows do not score
        higher than the others.
    label_frequency : float
        c.
    class_prior : float
        The mean posterior, which at an interior optimum equals P(S=1) / c.
    at_boundary : bool
        Whether c = 1 is no worse than any smaller c.
    is_step : bool
        Whether a step function fits as well as this posterior; the likelihood then has no
        finite maximum.
    mean_log_likelihood : float
        Mean log-likelihood of the labels.
    """

    intercept: float
    slope: float
    label_frequency: float
    class_prior: float
    at_boundary: bool
    is_step: bool
    mean_log_likelihood: float

    def posterior(self, score: Any) -> np.ndarray:
        """Compute P(Y=1|t) at each score.

        Parameters
        ----------
        score : array-like
            Values of t.

        Returns
        -------
        posterior : ndarray of the shape of `score`
            P(Y=1|t).
        """
        return softplus_and_sigmoid(self.intercept + self.slope * np.asarray(score))[1]


def fit_score_joint(
    score: Any,
    s: Any,
    sample_weight: Any = None,
    label_frequency: float | None = None,
) -> ScoreJoint:
    r"""Fit :math:`P(S=1|t) = c\,\sigma(a + b t)` by maximum likelihood.

    Under SCAR, a logistic posterior and Ruud's condition this is exact for
    the naive score t (Theorem 1): :math:`b = 1/\eta` and a is the true intercept. The
    likelihood is first profiled over c on bins of the score, which is cheap. From the best c,
    Newton steps refine all parameters: on finer bins if there are many rows, and finally on all
    rows.

    Parameters
    ----------
    score : array-like of shape (n_rows,)
        The score.
    s : array-like of shape (n_rows,)
        Labels, 1 or 0.
    sample_weight : array-like of shape (n_rows,), optional
        Row weights.
    label_frequency : float, optional
        Known c; estimated if None.

    Returns
    -------
    joint : ScoreJoint
        The fitted model.
    """
    score, s, weight = labeled_scores(score, s, sample_weight)
    check_fraction("label_frequency", label_frequency, none_allowed=True)
    score = score.astype(np.float64, copy=False)
    weight = np.ones(len(s)) if weight is None else weight
    profile = ScoreProfile.of_rows(score, s, weight)
    if profile.is_constant:
        return _flat(profile, label_frequency)
    rows = _Rows.of(score, s, weight, profile)
    if label_frequency is None:
        return _fit_free(rows)
    near = label_frequency if label_frequency < _FAR_FROM_LOGISTIC else 1.0
    start = _start(_rough_lines(rows.bins, np.array([near])), 0, rows.profile.deviation)
    return _summary(rows, rows.fit(label_frequency, start), label_frequency, False, known=True)


def _fit_free(rows: _Rows) -> ScoreJoint:
    """Fit with c free, from every c that is likely on bins; compare with c = 1 if close to it."""
    share, total, deviation = (
        rows.profile.labeled_share,
        rows.profile.total_weight,
        rows.profile.deviation,
    )
    frequencies = np.append(share + np.array(_WAYS) * (1 - share), 1.0)
    lines = _rough_lines(rows.bins, frequencies)
    fits = [
        rows.fit(None, _start(lines, k, deviation), float(logit(frequencies[k])))
        for k in _peaks(lines.log_likelihood[:-1])
    ]
    fit = min(fits, key=lambda one: one.value)
    frequency = float(softplus_and_sigmoid(np.array([fit.logit_c]))[1][0])
    logistic_on_bins = -float(lines.log_likelihood[-1]) / total
    if frequency > _NEAR_BOUNDARY or fit.value >= logistic_on_bins - _CLOSE:
        boundary = rows.fit(1.0, _start(lines, -1, deviation))
        gain = (boundary.value - fit.value) * total
        if fit.logit_c > _BOUNDARY_LOGIT or _is_no_gain(gain, total, np.float64):
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
    return _is_no_gain(gain, objective.total_weight, precision_of(objective.X))


def _is_no_gain(gain: float, total_weight: float, dtype: Any) -> bool:
    """Whether a gain in total log-likelihood is within rounding."""
    return gain <= max(_BOUNDARY_GAIN, total_weight * float(np.finfo(dtype).eps))


def _summary(
    rows: _Rows, fit: LineFit, frequency: float, at_boundary: bool, known: bool = False
) -> ScoreJoint:
    if not fit.line.slope > 0:
        return _flat(rows.profile, frequency if known else None)
    t = fit.line.logit(rows.score)
    step = step_log_likelihood(t, rows.s, rows.weight, frequency if known else None)
    return ScoreJoint(
        intercept=fit.line.intercept,
        slope=fit.line.slope,
        label_frequency=frequency,
        class_prior=rows.profile.mean_posterior(fit.line),
        at_boundary=at_boundary,
        is_step=step >= -fit.value - _BOUNDARY_GAIN,
        mean_log_likelihood=-fit.value,
    )


def _flat(profile: ScoreProfile, known: float | None) -> ScoreJoint:
    """The model of a score without information: the posterior is the class prior everywhere.

    The class prior is the fraction of labeled rows divided by c, and c is 1 if unknown.
    """
    frequency = 1.0 if known is None else max(known, profile.labeled_share)
    prior = profile.labeled_share / frequency
    value = profile.flat_log_likelihood / profile.total_weight
    intercept = float(logit(min(prior, 1 - 1e-12)))
    boundary = known is None
    return ScoreJoint(intercept, 0.0, frequency, prior, boundary, False, value)


@dataclass(frozen=True)
class _Rows:
    """Rows of a score, and bins of it that show where to start.

    Attributes
    ----------
    score, s : ndarray of shape (n_rows,)
    weight : ndarray of shape (n_rows,)
        Each row's fraction of the total weight.
    profile, bins : ScoreProfile
        Every row in a bin of its own, and bins that are narrow where scores are dense.
    fine : ScoreProfile or None
        Finer bins; None with few rows.
    """

    score: np.ndarray
    s: np.ndarray
    weight: np.ndarray
    profile: ScoreProfile
    bins: ScoreProfile
    fine: ScoreProfile | None

    @classmethod
    def of(
        cls, score: np.ndarray, s: np.ndarray, weight: np.ndarray, profile: ScoreProfile
    ) -> _Rows:
        """Count the rows in bins."""
        fine = None
        if len(s) < _ROWS_PER_FINE_BIN * _FINE_BINS:
            bins = ScoreProfile.of_cells(cells_by_density(profile.z, _BINS), score, s, weight)
        else:
            cells = cells_by_density(profile.z, _FINE_BINS)
            fine = ScoreProfile.of_cells(cells, score, s, weight)
            filled = np.flatnonzero(np.bincount(cells[0], weight) > 0)
            bins = fine.merged((filled // (_FINE_BINS // _BINS), _BINS))
        return cls(score, s, weight / weight.sum(), profile, bins, fine)

    def fit(self, c: float | None, start: Line, logit_c: float = np.nan) -> LineFit:
        """Take Newton steps on the fine bins if there are any, and from there one on the rows."""
        if self.fine is not None:
            near = self.fine.fit(start, c, logit_c, tol=_TOL_ON_BINS, most_steps=_MOST_STEPS)
            # The binned likelihood may have no finite optimum although that of the rows has.
            steepness = near.line.slope * self.profile.deviation
            inside = c is not None or near.logit_c < _BOUNDARY_LOGIT
            if near.converged and 0 < steepness <= _WIDEST_LOGITS and inside:
                parameters = self.profile.parameters(near.line, near.logit_c if c is None else None)
                problem = ScoreProblem(self.profile, c)
                value, gradient, hessian = problem.value_gradient_hessian(parameters)
                step = downhill_step(hessian, gradient)
                if np.linalg.norm(step) < _SHORT_STEP:  # the remaining error is its square
                    value += 0.5 * float(gradient @ step)
                    return self.profile.line_fit(parameters + step, value, True)
                start, logit_c = near.line, near.logit_c
        return self.profile.fit(start, c, logit_c, tol=_TOL, most_steps=_MOST_STEPS)


def _rough_lines(bins: ScoreProfile, frequencies: np.ndarray) -> Lines:
    """The best line of the bins for each label frequency, roughly."""
    return bins.lines(bins.labeled_share / frequencies, None, _ROUGHLY)


def _start(lines: Lines, k: int, deviation: float) -> Line:
    """Return line k, made flatter if its logits are too wide to start from."""
    intercept, slope = float(lines.intercept[k]), float(lines.slope[k])
    less = min(1.0, _WIDEST_LOGITS / max(slope * deviation, _WIDEST_LOGITS))
    return Line(less * intercept, less * slope)


def _peaks(log_likelihood: np.ndarray) -> np.ndarray:
    """Which values are at least as large as both neighbors, and close to the largest."""
    beside = np.concatenate([[-np.inf], log_likelihood, [-np.inf]])
    peak = (log_likelihood >= beside[:-2]) & (log_likelihood >= beside[2:])
    return np.flatnonzero(peak & (log_likelihood >= log_likelihood.max() - _AS_GOOD_ON_BINS))

"""JOINT in one dimension: the label frequency and the posterior from one score, on all rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import logit

from ..engine.linear_fits import LinearFit, step_log_likelihood
from ..engine.losses import (
    KnownFrequencyLoss,
    LogisticLoss,
    ProductLoss,
    RowLoss,
    softplus_and_sigmoid,
)
from ..engine.parameters import check_fraction
from ..engine.rows import asinh_cells, consecutive_slices, labelled_scores, precision_of
from ..engine.solvers import downhill_step, newton
from ._profile import Line, Lines, ScoreProfile

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

# Starting values of c, as fractions of the way from the fraction of labelled rows to 1.
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

# Rows per block, so that intermediate results stay in the processor's cache.
_BLOCK = 16384
# A score whose standard deviation is below this fraction of its largest value counts as
# constant.
_CONSTANT = 1e-12


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
    score, s, weight = labelled_scores(score, s, sample_weight)
    check_fraction("label_frequency", label_frequency, none_allowed=True)
    rows = ScoreRows.of(score.astype(np.float64, copy=False), s, weight)
    if rows.deviation == 0:
        return _flat(rows.labelled_share, label_frequency)
    rows, bins = _with_bins(rows)
    if label_frequency is None:
        return _fit_free(rows, bins)
    near = label_frequency if label_frequency < _FAR_FROM_LOGISTIC else 1.0
    start = _start(_rough_lines(bins, np.array([near])), 0, rows.deviation)
    fit = rows.fit(KnownFrequencyLoss(label_frequency), start)
    return _summary(rows, fit, label_frequency, False, known=True)


def _fit_free(rows: ScoreRows, bins: ScoreProfile) -> ScoreJoint:
    """Fit with c free, from every c that is likely on bins; compare with c = 1 if close to it."""
    share = rows.labelled_share
    frequencies = np.append(share + np.array(_WAYS) * (1 - share), 1.0)
    lines = _rough_lines(bins, frequencies)
    fits = [
        rows.fit(ProductLoss(), _start(lines, k, rows.deviation), float(logit(frequencies[k])))
        for k in _peaks(lines.log_likelihood[:-1])
    ]
    fit = min(fits, key=lambda one: one.value)
    frequency = float(softplus_and_sigmoid(np.array([fit.logit_c]))[1][0])
    logistic_on_bins = -float(lines.log_likelihood[-1]) / rows.total_weight
    if frequency > _NEAR_BOUNDARY or fit.value >= logistic_on_bins - _CLOSE:
        boundary = rows.fit(LogisticLoss(), _start(lines, -1, rows.deviation))
        gain = (boundary.value - fit.value) * rows.total_weight
        if fit.logit_c > _BOUNDARY_LOGIT or _is_no_gain(gain, rows.total_weight, np.float64):
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
    """The model of a score without information: the posterior is the class prior everywhere.

    The class prior is the fraction of labelled rows divided by c, and c is 1 if unknown.
    """
    entropy = labelled_share * np.log(labelled_share)
    entropy += (1 - labelled_share) * np.log1p(-labelled_share)
    frequency = 1.0 if known is None else max(known, labelled_share)
    prior = labelled_share / frequency
    intercept = float(logit(min(prior, 1 - 1e-12)))
    boundary = known is None
    return ScoreJoint(intercept, 0.0, frequency, prior, boundary, False, float(entropy))


@dataclass(frozen=True)
class ScoreFit:
    """A line in the score, the logit of c if the loss has one, and the mean loss."""

    intercept: float
    slope: float
    logit_c: float
    value: float


@dataclass(frozen=True)
class ScoreRows:
    """Rows of a standardised score, to which a loss of two or three parameters is fitted.

    Attributes
    ----------
    score : ndarray of shape (n_rows,)
    place : ndarray of shape (n_rows,)
        The standardised score.
    s : ndarray of shape (n_rows,)
    part : ndarray of shape (n_rows,)
        Each row's fraction of the total weight.
    mean, deviation : float
        Mean and standard deviation of the score.
    total_weight : float
    fine : ScoreRows or None
        Fine bins that represent the rows; the label of a bin is its fraction of labelled rows.
        None with few rows.
    """

    score: np.ndarray
    place: np.ndarray
    s: np.ndarray
    part: np.ndarray
    mean: float
    deviation: float
    total_weight: float
    fine: ScoreRows | None = None

    @classmethod
    def of(cls, score: np.ndarray, s: np.ndarray, weight: np.ndarray | None) -> ScoreRows:
        """Standardise; a deviation within rounding is 0."""
        total = float(len(s) if weight is None else weight.sum())
        part = np.full(len(s), 1 / total) if weight is None else weight / total
        mean = float(part @ score)
        deviation = float(np.sqrt(part @ (score - mean) ** 2))
        if deviation <= _CONSTANT * float(np.max(np.abs(score))):
            deviation = 0.0
        place = (score - mean) / (deviation or 1.0)
        return cls(score, place, s, part, mean, deviation, total)

    @property
    def labelled_share(self) -> float:
        """Weighted fraction of labelled rows."""
        return float(self.part @ self.s)

    def fit(self, loss: RowLoss, start: Line, logit_c: float = np.nan) -> ScoreFit:
        """Minimise the mean loss by Newton steps."""
        slope = start.slope * self.deviation
        z = np.array([slope, start.intercept + start.slope * self.mean, logit_c])
        z, value = self._minimum(loss, z[: 1 + loss.n_predictors])
        slope = float(z[0]) / self.deviation
        logit_c = float(z[2]) if len(z) == 3 else np.nan
        return ScoreFit(float(z[1]) - slope * self.mean, slope, logit_c, value)

    def _minimum(self, loss: RowLoss, z: np.ndarray) -> tuple[np.ndarray, float]:
        """Take Newton steps on the fine bins if there are any, and from there one on the rows."""
        on_rows = _ScoreObjective(self, loss)
        if self.fine is not None:
            near = newton(_ScoreObjective(self.fine, loss), z, _TOL_ON_BINS, _MOST_STEPS)
            # The binned likelihood may have no finite optimum although that of the rows has.
            inside = 0 < near.z[0] <= _WIDEST_LOGITS and all(near.z[2:] < _BOUNDARY_LOGIT)
            if near.converged and inside:
                value, gradient, hessian = on_rows.value_gradient_hessian(near.z)
                step = downhill_step(hessian, gradient)
                if np.linalg.norm(step) < _SHORT_STEP:  # the remaining error is its square
                    return near.z + step, value + 0.5 * float(gradient @ step)
                z = near.z
        result = newton(on_rows, z, _TOL, _MOST_STEPS)
        return result.z, result.value

    def mean_posterior(self, logits: np.ndarray) -> float:
        """Weighted mean of the posteriors with these logits, one per row."""
        return float(
            sum(
                self.part[block] @ softplus_and_sigmoid(logits[block])[1]
                for block in consecutive_slices(len(logits), _BLOCK)
            )
        )


class _ScoreObjective:
    """Mean of a loss whose first predictor is a line in the score, and its second a constant."""

    def __init__(self, rows: ScoreRows, loss: RowLoss) -> None:
        self.rows, self.loss = rows, loss
        self.n_parameters = 1 + loss.n_predictors

    def value_gradient(self, z: np.ndarray) -> tuple[float, np.ndarray]:
        return self.value_gradient_hessian(z)[:2]

    def value_gradient_hessian(self, z: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        value, gradient = 0.0, np.zeros(self.n_parameters)
        hessian = np.zeros((self.n_parameters, self.n_parameters))
        for block in consecutive_slices(len(self.rows.place), _BLOCK):
            of_block = self._of_block(z, block)
            value += of_block[0]
            gradient += of_block[1]
            hessian += of_block[2]
        return value, gradient, hessian

    def _of_block(self, z: np.ndarray, block: slice) -> tuple[float, np.ndarray, np.ndarray]:
        place, part = self.rows.place[block], self.rows.part[block]
        predictors = (z[0] * place + z[1], *(z[k : k + 1] for k in range(2, self.n_parameters)))
        of_rows = self.loss.derivatives(predictors, self.rows.s[block], second=True)
        slope, curvature = part * of_rows.gradient[0], part * of_rows.hessian[0]
        gradient = [slope @ place, slope.sum()]
        along = curvature * place
        hessian = np.empty((self.n_parameters, self.n_parameters))
        hessian[:2, :2] = [[along @ place, along.sum()], [along.sum(), curvature.sum()]]
        if self.n_parameters == 3:
            gradient.append(part @ of_rows.gradient[1])
            cross = part * of_rows.hessian[1]
            hessian[2, :2] = hessian[:2, 2] = [cross @ place, cross.sum()]
            hessian[2, 2] = part @ of_rows.hessian[2]
        return float(part @ of_rows.value), np.array(gradient), hessian


def _rough_lines(bins: ScoreProfile, frequencies: np.ndarray) -> Lines:
    """The best line of the bins for each label frequency, roughly."""
    return bins.lines(bins.labelled_share / frequencies, None, _ROUGHLY)


def _start(lines: Lines, k: int, deviation: float) -> Line:
    """Return line k, made flatter if its logits are too wide to start from."""
    intercept, slope = float(lines.intercept[k]), float(lines.slope[k])
    less = min(1.0, _WIDEST_LOGITS / max(slope * deviation, _WIDEST_LOGITS))
    return Line(less * intercept, less * slope)


def _peaks(log_likelihood: np.ndarray) -> np.ndarray:
    """Which values are at least as large as both neighbours, and close to the largest."""
    beside = np.concatenate([[-np.inf], log_likelihood, [-np.inf]])
    peak = (log_likelihood >= beside[:-2]) & (log_likelihood >= beside[2:])
    return np.flatnonzero(peak & (log_likelihood >= log_likelihood.max() - _AS_GOOD_ON_BINS))


def _with_bins(rows: ScoreRows) -> tuple[ScoreRows, ScoreProfile]:
    """Count the rows in bins, narrow where scores are dense; with many rows keep fine ones too."""
    if len(rows.s) < _ROWS_PER_FINE_BIN * _FINE_BINS:
        cell = _cells(rows.place, _BINS)
        weight = rows.part * rows.total_weight
        return rows, ScoreProfile.of_cells(cell, rows.score, rows.s, weight, _BINS)
    fine, cell = _fine_bins(rows)
    cell //= _FINE_BINS // _BINS
    weight = fine.part * rows.total_weight
    profile = ScoreProfile.of_cells(cell, fine.score, fine.s, weight, _BINS)
    return replace(rows, fine=fine), profile


def _fine_bins(rows: ScoreRows) -> tuple[ScoreRows, np.ndarray]:
    """Fine bins as rows, and the number of each."""
    cell = _cells(rows.place, _FINE_BINS)
    of_rows = (rows.part, rows.part * rows.s, rows.part * rows.score)
    sums = [np.bincount(cell, one, _FINE_BINS) for one in of_rows]
    filled = np.flatnonzero(sums[0] > 0)
    part, labelled, total = (of_bins[filled] for of_bins in sums)
    score = total / part
    place = (score - rows.mean) / rows.deviation
    s = np.minimum(labelled / part, 1.0)
    return replace(rows, score=score, place=place, s=s, part=part), filled


def _cells(place: np.ndarray, n_bins: int) -> np.ndarray:
    low, high = np.arcsinh([place.min(), place.max()])
    return np.clip(asinh_cells(place, low, high, n_bins), 0, n_bins - 1)

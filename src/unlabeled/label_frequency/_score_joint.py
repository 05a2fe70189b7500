"""JOINT in one dimension: the label frequency and a posterior from a score."""

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
from ..engine.rows import consecutive_slices, precision_of
from ..engine.solvers import downhill_step, newton
from ._profile import Line, Lines, ScoreProfile

# A loss of one score, minimised over a line and the label frequency by Newton's method.

BOUNDARY_LOGIT = 12.0
"""A logit of the label frequency above this is the boundary, c = 1."""

WIDEST_LOGITS = 10.0
"""Standard deviation that the logits of a start have at most."""

# Rows taken at a time, so that what is computed of them stays in the processor's cache.
_BLOCK = 16384
_TOL = 1e-8
# Bins alone may reach a small gradient on rows; the step from there squares it.
_TOL_ON_BINS = 1e-10
# A last Newton step shorter than this, in standard deviations of the score, needs no next one.
_SHORT_STEP = 5e-4
_MOST_STEPS = 100
# A spread under this fraction of the largest score is taken for none.
_CONSTANT = 1e-12


@dataclass(frozen=True)
class ScoreFit:
    """A line in the score, the logit of c where the loss has one, and the mean loss."""

    intercept: float
    slope: float
    logit_c: float
    value: float


@dataclass(frozen=True)
class ScoreRows:
    """Rows of a score, standardised, ready for a loss: an objective of two or three parameters.

    Attributes
    ----------
    score : ndarray of shape (n_rows,)
    place : ndarray of shape (n_rows,)
        The standardised score.
    s : ndarray of shape (n_rows,)
    part : ndarray of shape (n_rows,)
        Each row's part of the total weight.
    mean, deviation : float
        Of the score.
    total_weight : float
    fine : ScoreRows or None
        Bins in place of rows, their labels being the labelled share; None where rows are few.
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
        """Standardise; a spread within rounding is none."""
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
        """Weighted share of labelled rows."""
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
        """Newton steps on bins where rows are many, and from there one on the rows."""
        on_rows = _OnScore(self, loss)
        if self.fine is not None:
            near = newton(_OnScore(self.fine, loss), z, _TOL_ON_BINS, _MOST_STEPS)
            # Bins may say that there is no finite optimum where rows say that there is one.
            inside = 0 < near.z[0] <= WIDEST_LOGITS and all(near.z[2:] < BOUNDARY_LOGIT)
            if near.converged and inside:
                value, gradient, hessian = on_rows.value_gradient_hessian(near.z)
                step = downhill_step(hessian, gradient)
                if np.linalg.norm(step) < _SHORT_STEP:  # what is left is its square
                    return near.z + step, value + 0.5 * float(gradient @ step)
                z = near.z
        result = newton(on_rows, z, _TOL, _MOST_STEPS)
        return result.z, result.value

    def mean_posterior(self, logits: np.ndarray) -> float:
        """Weighted mean of the posteriors with these logits, one a row."""
        return float(
            sum(
                self.part[block] @ softplus_and_sigmoid(logits[block])[1]
                for block in consecutive_slices(len(logits), _BLOCK)
            )
        )


class _OnScore:
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


# Where a fit to a score starts from: the likelihood of the label frequency on bins of it.

# Values of c to start from, as fractions of the way from the share of labelled rows to 1.
_WAYS = (0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.9)
_BINS = 128
# Finer bins, on which a fit goes nearly all the way before it looks at all rows: where rows
# are so many times more that this saves time.
_FINE_BINS = 16 * _BINS
_ROWS_A_FINE_BIN = 4
# Twice the log-likelihood that a fit to bins may be short of its best.
_ROUGHLY = 1e-3
# Log-likelihood that bins may take for rows.
_AS_GOOD_ON_BINS = 1.0


@dataclass(frozen=True)
class ScoreStarts:
    """The best line of the bins for some label frequencies, c = 1 the last of them.

    Attributes
    ----------
    frequencies : ndarray of shape (n_frequencies,)
    lines : Lines
        One for each of them.
    deviation : float
        Of the score.
    """

    frequencies: np.ndarray
    lines: Lines
    deviation: float

    @classmethod
    def of(cls, bins: ScoreProfile, rows: ScoreRows) -> ScoreStarts:
        """Look at label frequencies between the share of labelled rows and 1."""
        share = rows.labelled_share
        return cls._at(np.append(share + np.array(_WAYS) * (1 - share), 1.0), bins, rows)

    @classmethod
    def logistic_of(cls, bins: ScoreProfile, rows: ScoreRows) -> ScoreStarts:
        """Look at c = 1 only."""
        return cls._at(np.ones(1), bins, rows)

    @classmethod
    def _at(cls, frequencies: np.ndarray, bins: ScoreProfile, rows: ScoreRows) -> ScoreStarts:
        lines = bins.lines(bins.labelled_share / frequencies, None, _ROUGHLY)
        return cls(frequencies, lines, rows.deviation)

    @property
    def logistic(self) -> Line:
        """The line for c = 1."""
        return self.line(-1)

    @property
    def logistic_log_likelihood(self) -> float:
        """Log-likelihood of the bins with c = 1."""
        return float(self.lines.log_likelihood[-1])

    def line(self, k: int) -> Line:
        """One of the lines; where no slope is steep enough, one that is."""
        intercept, slope = float(self.lines.intercept[k]), float(self.lines.slope[k])
        less = min(1.0, WIDEST_LOGITS / max(slope * self.deviation, WIDEST_LOGITS))
        return Line(less * intercept, less * slope)

    def peaks(self) -> np.ndarray:
        """Which c below 1 are likelier than those beside them, and not far from the likeliest."""
        log_likelihood = self.lines.log_likelihood[:-1]
        beside = np.concatenate([[-np.inf], log_likelihood, [-np.inf]])
        peak = (log_likelihood >= beside[:-2]) & (log_likelihood >= beside[2:])
        return np.flatnonzero(peak & (log_likelihood >= log_likelihood.max() - _AS_GOOD_ON_BINS))


def binned(rows: ScoreRows) -> tuple[ScoreRows, ScoreProfile]:
    """Cut the rows into bins that are narrow where scores are many; keep fine ones with them."""
    if len(rows.s) < _ROWS_A_FINE_BIN * _FINE_BINS:
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
    spread = np.arcsinh(place)
    low, high = spread.min(), spread.max()
    cell = ((spread - low) * (n_bins / (high - low))).astype(np.intp)
    return np.minimum(cell, n_bins - 1)


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

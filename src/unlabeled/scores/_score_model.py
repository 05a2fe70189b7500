"""The model P(S=1|t) = c sigmoid(a + b t) along a score: rows in bins, likelihood, best lines.

`ScoreProfile` fits a line for each of many class priors at once (`lines`), and one line together
with c (`fit`). Other curves than the sigmoid are in `_prior_density`: their likelihood is not
concave, so they take damped steps of Fisher scoring, where these lines take Newton steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..engine.losses import sigmoid, softplus_and_sigmoid
from ..engine.rows import consecutive_slices, labeled_scores, weighted_quantile
from ..engine.sampling import Sampling, unlabeled_prior
from ..engine.score_bins import asinh_cells
from ..engine.solvers import newton

# A score whose standard deviation is below this fraction of its largest value is constant.
_CONSTANT = 1e-12

WIDEST_LOGITS = 10.0
"""Largest standard deviation of a posterior's logits."""

_BINS, _BINS_OF_BOTH_KINDS = 1000, 100
_POINTS = 14
_MOST_REFINEMENTS = 10
# Points whose log-likelihood is further below the best than this are ignored in the mean.
_NEGLIGIBLE = 12.0
# Number of points that count with which the mean is accurate enough.
_ENOUGH = 6

# A calibrated line is searched among this many slopes, each time between the neighbors of the
# best; then its intercept is found.
_SLOPES, _SLOPE_ROUNDS, _FLATTEST = 24, 4, 0.01
_MOST_HALVINGS_OF_AN_INTERCEPT, _SAME_INTERCEPT = 60, 1e-11
# The smallest class prior of a population whose posterior has a logit.
_RAREST = 1e-12

# Points per block, so that intermediate results of many rows stay in the processor's cache.
_BLOCK = 16384
_MOST_STEPS = 60
_MOST_HALVINGS = 20
# Newton steps end when the predicted gain in twice the log-likelihood is below this.
_ARRIVED = 1e-9

Cells = tuple[np.ndarray, int]
"""The number of each row's bin, and how many bins there are."""


class Bins(NamedTuple):
    """What lies in each bin that has rows.

    Attributes
    ----------
    score : ndarray of shape (n_bins,)
        Mean score.
    z : ndarray of shape (n_bins,)
        The same, standardized over the rows; 0 if the score is constant.
    total : ndarray of shape (n_bins,)
        Number of rows, or their weight.
    counts : ndarray of shape (n_kinds, n_bins)
        Number of rows of each kind, or their weight.
    mean, deviation : float
        Mean and standard deviation of `score`; a deviation of 0 is given as 1.
    """

    score: np.ndarray
    z: np.ndarray
    total: np.ndarray
    counts: np.ndarray
    mean: float
    deviation: float

    @classmethod
    def of(
        cls, cells: Cells, score: np.ndarray, weight: np.ndarray, kinds: Sequence[np.ndarray]
    ) -> Bins:
        """Count the rows of bins; `kinds` has the weight of each row as a row of that kind."""
        cell, n_cells = cells
        total = np.bincount(cell, weight, minlength=n_cells)
        counts = np.array([np.bincount(cell, kind, minlength=len(total)) for kind in kinds])
        sums = np.bincount(cell, weight * score, minlength=len(total))
        filled = total > 0
        middle, total = sums[filled] / total[filled], total[filled]
        z, mean, deviation = standardized(middle, total)
        return cls(middle, z, total, counts[:, filled], mean, deviation)


def standardized(score: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, float, float]:
    """Return the standardized score, its mean and its standard deviation; see `Bins`."""
    mean = float(np.average(score, weights=weight))
    deviation = float(np.sqrt(np.average((score - mean) ** 2, weights=weight)))
    if deviation <= _CONSTANT * float(np.max(np.abs(score))):
        return np.zeros(len(score)), mean, 1.0
    return (score - mean) / deviation, mean, deviation


def _rising(
    score: np.ndarray, s: np.ndarray, weight: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the rows in the order of their scores, which are faster to bin, with weights."""
    order = np.argsort(score)
    return score[order], s[order], np.ones(len(s)) if weight is None else weight[order]


def cells_of_equal_mass(score: np.ndarray, mass: np.ndarray, n_bins: int) -> Cells:
    """Cut at quantiles; rows with the same score share a bin."""
    edges = np.unique(weighted_quantile(score, mass, np.arange(1, n_bins) / n_bins))
    return np.searchsorted(edges, score), len(edges) + 1


def cells_of_both_kinds(score: np.ndarray, s: np.ndarray, weight: np.ndarray, n_bins: int) -> Cells:
    """Cut so that bins hold equal parts of both kinds, labeled rows weighing half.

    The score must rise.
    """
    share = float((weight * s).sum() / weight.sum())
    reached = np.cumsum(np.where(s == 1, weight / share, weight / (1 - share)))
    # Tied scores share the bin of the first of them.
    before = np.append(0.0, reached)[np.searchsorted(score, score)]
    # Sums of weights and of copies may differ by rounding; an edge belongs to the bin above.
    cell = (before / reached[-1] * n_bins + 1e-9).astype(np.int64)
    return np.minimum(cell, n_bins - 1), n_bins


def cells_by_density(z: np.ndarray, n_bins: int) -> Cells:
    """Cut a standardized score at equal steps of asinh: narrow bins where scores are dense."""
    low, high = np.arcsinh([z.min(), z.max()])
    return np.clip(asinh_cells(z, low, high, n_bins), 0, n_bins - 1), n_bins


def mean_class_prior(score: Any, s: Any, sample_weight: Any = None) -> float:
    r"""Compute the posterior mean of the class prior under a uniform prior on (P(S=1), 1).

    The likelihood at a class prior :math:`\alpha` is that of
    :math:`P(S=1|t) = (p_s/\alpha)\,\sigma(a + b t)` with the best a and b. It is
    computed on at most 1000 bins of the score.

    Parameters
    ----------
    score : array-like of shape (n_rows,)
        The score.
    s : array-like of shape (n_rows,)
        Labels, 1 or 0.
    sample_weight : array-like of shape (n_rows,), optional
        Row weights.

    Returns
    -------
    class_prior : float
        Between P(S=1) and 1.
    """
    return ScoreProfile.of(*labeled_scores(score, s, sample_weight)).mean_class_prior()


@dataclass(frozen=True)
class Lines:
    """Best posteriors sigmoid(intercept + slope * score), one per class prior."""

    intercept: np.ndarray
    slope: np.ndarray
    log_likelihood: np.ndarray


class Line(NamedTuple):
    """A posterior: P(Y=1|t) = sigmoid(intercept + slope * t)."""

    intercept: float
    slope: float

    def logit(self, score: np.ndarray) -> np.ndarray:
        """Logit of the posterior at each score."""
        return self.intercept + self.slope * score


class LineFit(NamedTuple):
    """A line, the logit of c if it was fitted, and minus the mean log-likelihood."""

    line: Line
    logit_c: float
    value: float
    converged: bool


@dataclass(frozen=True)
class ScoreProfile:
    """Labeled and unlabeled rows in bins of a score; or every row in a bin of its own.

    Attributes
    ----------
    score : ndarray of shape (n_bins,)
        Mean score of each bin.
    z : ndarray of shape (n_bins,)
        The same, standardized over the bins.
    labeled, unlabeled : ndarray of shape (n_bins,)
        Number of rows of each kind in the bin, or their weight.
    mean, deviation : float
        Mean and standard deviation of the score over the bins.
    """

    score: np.ndarray
    z: np.ndarray
    labeled: np.ndarray
    unlabeled: np.ndarray
    mean: float
    deviation: float

    @classmethod
    def of(cls, score: np.ndarray, s: np.ndarray, weight: np.ndarray | None) -> ScoreProfile:
        """Count the rows in at most 1000 bins of equal mass."""
        score, s, weight = _rising(score, s, weight)
        return cls.of_cells(cells_of_equal_mass(score, weight, _BINS), score, s, weight)

    @classmethod
    def of_both_kinds(
        cls, score: np.ndarray, s: np.ndarray, weight: np.ndarray | None
    ) -> ScoreProfile:
        """Count the rows in at most 100 bins, which are narrow where labeled rows are."""
        score, s, weight = _rising(score, s, weight)
        cells = cells_of_both_kinds(score, s, weight, _BINS_OF_BOTH_KINDS)
        return cls.of_cells(cells, score, s, weight)

    @classmethod
    def of_cells(
        cls, cells: Cells, score: np.ndarray, s: np.ndarray, weight: np.ndarray
    ) -> ScoreProfile:
        """Count the rows in given bins."""
        bins = Bins.of(cells, score, weight, [weight * s])
        unlabeled = np.maximum(bins.total - bins.counts[0], 0.0)
        return cls(bins.score, bins.z, bins.counts[0], unlabeled, bins.mean, bins.deviation)

    @classmethod
    def of_rows(cls, score: np.ndarray, s: np.ndarray, weight: np.ndarray) -> ScoreProfile:
        """Give every row a bin of its own."""
        z, mean, deviation = standardized(score, weight)
        labeled = weight * s
        unlabeled = weight - labeled
        np.maximum(unlabeled, 0.0, out=unlabeled)
        return cls(score, z, labeled, unlabeled, mean, deviation)

    def merged(self, cells: Cells) -> ScoreProfile:
        """Count the bins in wider ones."""
        total = self.labeled + self.unlabeled
        return self.of_cells(cells, self.score, self.labeled / total, total)

    @property
    def is_constant(self) -> bool:
        """Whether the score tells nothing."""
        return not self.z.any()

    @cached_property
    def total_weight(self) -> float:
        """Number of rows, or their weight."""
        return float(self.labeled.sum() + self.unlabeled.sum())

    @cached_property
    def labeled_share(self) -> float:
        """P(S=1)."""
        return float(self.labeled.sum() / self.total_weight)

    @property
    def flat_log_likelihood(self) -> float:
        """Log-likelihood of the labels if they do not depend on the score."""
        share = self.labeled_share
        value = self.labeled.sum() * np.log(share) + self.unlabeled.sum() * np.log1p(-share)
        return float(value)

    def mean_class_prior(self) -> float:
        """Return the posterior mean of the class prior under a uniform prior on (P(S=1), 1)."""
        start: Line | None = None

        def log_likelihood(class_prior: np.ndarray) -> np.ndarray:
            nonlocal start
            lines = self.lines(class_prior, start)
            best = int(np.argmax(lines.log_likelihood))
            start = Line(float(lines.intercept[best]), float(lines.slope[best]))
            return lines.log_likelihood

        return _mean_under(log_likelihood, self.labeled_share, 1.0)

    def line(self, class_prior: float, widest: float = np.inf) -> Line:
        """Return the best line for one class prior.

        The standard deviation of its logits is at most `widest`. A steeper line is made
        flatter; the score at which its posterior is 1/2 stays the same.
        """
        lines = self.lines(np.array([class_prior]))
        intercept, slope = float(lines.intercept[0]), float(lines.slope[0])
        steepest = widest / self.deviation
        if slope > steepest:
            intercept, slope = intercept * steepest / slope, steepest
        return Line(intercept, slope)

    def calibrated_line(
        self, class_prior: float, widest: float = WIDEST_LOGITS, sampling: Sampling = Sampling.ONE
    ) -> Line:
        r"""Return the likeliest line whose mean posterior over the rows is the class prior.

        The likelihood is that of :math:`P(S=1|t) = (p_s/\alpha)\,\sigma(a + bt)`. So the
        expected number of labels is the number of labeled rows. The standard deviation of the
        logits is at most `widest`. If labeled rows score no higher than the others, the slope is
        0.

        Parameters
        ----------
        class_prior : float
            P(Y=1) of all rows, at least the labeled share.
        widest : float
            A step function would have infinite logits.
        sampling : Sampling
            Whether the unlabeled rows alone are a sample of the population. The line is then the
            population's, whose mean over the unlabeled rows is their class prior.
        """
        c = self.labeled_share / class_prior
        rows, wanted, missed = self.labeled + self.unlabeled, class_prior, 0.0
        if sampling.is_two:
            rows, missed = self.unlabeled, float(sampling.population_logit(0.0, c))
            wanted = max(float(unlabeled_prior(class_prior, self.labeled_share)), _RAREST)
        flat = Line(float(_logit(np.array(wanted))), 0.0)
        if self.labeled @ self.z <= 0 or class_prior >= 1:
            return flat
        tried = np.geomspace(_FLATTEST, widest, _SLOPES)
        # By a probit curve, if the score were normal.
        intercepts = flat.intercept * np.sqrt(1 + np.pi / 8 * tried**2)
        for _ in range(_SLOPE_ROUNDS):
            intercepts = self._intercepts(tried, intercepts, wanted, rows)
            t = intercepts[:, None] - missed + tried[:, None] * self.z
            best = int(np.argmax(self._log_likelihood(t, c)))
            slope, intercept = float(tried[best]), float(intercepts[best])
            before = tried
            tried = np.geomspace(
                tried[max(best - 1, 0)], tried[min(best + 1, _SLOPES - 1)], _SLOPES
            )
            intercepts = np.interp(tried, before, intercepts)
        slope /= self.deviation
        return Line(intercept - slope * self.mean, slope)

    def _intercepts(
        self, slopes: np.ndarray, here: np.ndarray, class_prior: float, rows: np.ndarray
    ) -> np.ndarray:
        """Return the intercepts with which the mean posterior is the class prior.

        By Newton steps inside an interval that shrinks; it is halved where a step would leave it.
        """
        part = rows / rows.sum()
        ahead = slopes[:, None] * self.z
        middle = float(_logit(np.array(class_prior)))
        low, high = middle - ahead.max(axis=1), middle - ahead.min(axis=1)
        here = np.clip(here, low, high)
        for _ in range(_MOST_HALVINGS_OF_AN_INTERCEPT):
            posterior = sigmoid(here[:, None] + ahead)
            excess = posterior @ part - class_prior
            low, high = np.where(excess > 0, low, here), np.where(excess > 0, here, high)
            curvature = (posterior * (1 - posterior)) @ part
            with np.errstate(divide="ignore", invalid="ignore"):
                there = here - excess / curvature
            there = np.where((there >= low) & (there <= high), there, 0.5 * (low + high))
            moved = np.max(np.abs(there - here))
            here = there
            if moved < _SAME_INTERCEPT:
                break
        return here

    def _log_likelihood(self, t: np.ndarray, c: float) -> np.ndarray:
        """Log-likelihood of the labels if the posterior has these logits, less a constant."""
        softplus = softplus_and_sigmoid(t)[0]
        missed = softplus_and_sigmoid(t + np.log(max(1 - c, np.finfo(np.float64).tiny)))[0]
        return (t - softplus) @ self.labeled + (missed - softplus) @ self.unlabeled

    def lines(
        self, class_prior: np.ndarray, start: Line | None = None, arrived: float = _ARRIVED
    ) -> Lines:
        """Fit the best line for every class prior at once, by damped Newton steps.

        Iterations start at `start`, or at the logistic fit if it is None, and stop when the
        predicted gain in twice the log-likelihood is below `arrived`. A slope that is not
        positive becomes 0; the posterior is then the class prior everywhere.
        """
        class_prior = np.asarray(class_prior, dtype=np.float64)
        c = self.labeled_share / class_prior
        if start is None or start.slope == 0:
            share = self.labeled_share
            flat_line = np.array([[np.log(share / (1 - share)), 0.0]])
            logistic, _ = self._maximized(flat_line, np.ones(1), arrived)
            parameters = np.tile(logistic, (len(c), 1))
            # With rare positives c sigmoid(t) is nearly exp(t + log c).
            parameters[:, 0] -= np.log(c)
        else:
            parameters = np.tile(self.parameters(start), (len(c), 1))
        parameters, value = self._maximized(parameters, c, arrived)
        flat = parameters[:, 1] <= 0
        slope = np.where(flat, 0.0, parameters[:, 1]) / self.deviation
        intercept = np.where(flat, _logit(class_prior), parameters[:, 0])
        value = np.where(flat, self.flat_log_likelihood, value)
        return Lines(intercept - slope * self.mean, slope, value)

    def parameters(self, line: Line, logit_c: float | None = None) -> np.ndarray:
        """Intercept and slope in the standardized score, and the logit of c if it is one more."""
        further = [] if logit_c is None else [logit_c]
        intercept = line.intercept + line.slope * self.mean
        return np.array([intercept, line.slope * self.deviation, *further])

    def _maximized(
        self, parameters: np.ndarray, c: np.ndarray, arrived: float
    ) -> tuple[np.ndarray, np.ndarray]:
        here = self.derivatives(parameters, c)
        active = np.ones(len(c), dtype=bool)
        for _ in range(_MOST_STEPS):
            step = _ascent(here[1], here[2])
            active &= np.sum(step * here[1], axis=1) > arrived
            if not active.any():
                break
            length = active.astype(np.float64)
            for halving in range(_MOST_HALVINGS):
                there = self.derivatives(parameters + length[:, None] * step, c)
                worse = active & (there[0] < here[0])
                if not worse.any():
                    break
                length[worse] *= 0.5 if halving < _MOST_HALVINGS - 2 else 0.0
            parameters, here = parameters + length[:, None] * step, there
            active &= length > 0
        return parameters, here[0]

    def fit(
        self,
        start: Line,
        c: float | None,
        start_logit_c: float = 0.0,
        *,
        tol: float,
        most_steps: int,
    ) -> LineFit:
        """Fit one line by Newton steps: for a given c, or with c if that is None."""
        parameters = self.parameters(start, start_logit_c if c is None else None)
        found = newton(ScoreProblem(self, c), parameters, tol, most_steps)
        return self.line_fit(found.z, found.value, found.converged)

    def line_fit(self, parameters: np.ndarray, value: float, converged: bool) -> LineFit:
        """Return a fit by its parameters in the standardized score."""
        slope = float(parameters[1]) / self.deviation
        line = Line(float(parameters[0]) - slope * self.mean, slope)
        logit_c = float(parameters[2]) if len(parameters) == 3 else np.nan
        return LineFit(line, logit_c, value, converged)

    def mean_posterior(self, line: Line) -> float:
        """Mean of the posterior over the rows."""
        intercept, slope = self.parameters(line)
        total = sum(
            (self.labeled[block] + self.unlabeled[block])
            @ sigmoid(intercept + slope * self.z[block])
            for block in consecutive_slices(len(self.z), _BLOCK)
        )
        return float(total) / self.total_weight

    def derivatives(
        self, parameters: np.ndarray, c: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Log-likelihood, gradient and minus Hessian at each row of `parameters`.

        Parameters are intercept and slope in the standardized score; and the logit of c, if `c`
        is None.
        """
        blocks = [
            self._of_block(parameters, c, block)
            for block in consecutive_slices(len(self.z), _BLOCK)
        ]
        value, gradient, hessian = (sum(parts[1:], parts[0]) for parts in zip(*blocks, strict=True))
        return value, gradient, hessian

    def _of_block(
        self, parameters: np.ndarray, c: np.ndarray | None, block: slice
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        z, labeled, unlabeled = self.z[block], self.labeled[block], self.unlabeled[block]
        t = parameters[:, :1] + parameters[:, 1:2] * z
        if c is None:
            log_c, log_rest = (
                -softplus_and_sigmoid(sign * parameters[:, 2])[0] for sign in (-1, 1)
            )
        else:
            log_c, log_rest = np.log(c), np.log(np.maximum(1 - c, np.finfo(np.float64).tiny))
        softplus, sigmoid = softplus_and_sigmoid(t)
        softplus_missed, missed = softplus_and_sigmoid(t + log_rest[:, None])
        value = (t - softplus + log_c[:, None]) @ labeled
        value += (softplus_missed - softplus) @ unlabeled
        slope = labeled * (1 - sigmoid) + unlabeled * (missed - sigmoid)
        bend = unlabeled * missed * (1 - missed)
        curvature = (labeled + unlabeled) * sigmoid * (1 - sigmoid) - bend
        gradient = [slope.sum(axis=1), slope @ z]
        mixed = curvature @ z
        hessian = [[curvature.sum(axis=1), mixed], [mixed, curvature @ z**2]]
        if c is None:
            share, rest, hidden = np.exp(log_c), np.exp(log_rest), missed @ unlabeled
            gradient.append(rest * labeled.sum() - share * hidden)
            crosses = [share * bend.sum(axis=1), share * (bend @ z)]
            of_c = share * rest * (labeled.sum() + hidden) - share**2 * bend.sum(axis=1)
            hessian = [[*row, cross] for row, cross in zip(hessian, crosses, strict=True)]
            hessian.append([*crosses, of_c])
        return value, np.stack(gradient, axis=1), np.moveaxis(np.array(hessian), -1, 0)


class ScoreProblem:
    """Minus the mean log-likelihood of one line, for `newton`: for a given c, or with c."""

    def __init__(self, profile: ScoreProfile, c: float | None) -> None:
        self._profile, self._c = profile, None if c is None else np.array([c])
        self.n_parameters = 3 if c is None else 2

    def value_gradient(self, z: np.ndarray) -> tuple[float, np.ndarray]:
        return self.value_gradient_hessian(z)[:2]

    def value_gradient_hessian(self, z: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        value, gradient, hessian = self._profile.derivatives(z[None, :], self._c)
        total = self._profile.total_weight
        return -float(value[0]) / total, -gradient[0] / total, hessian[0] / total


def _mean_under(
    log_likelihood: Callable[[np.ndarray], np.ndarray], low: float, high: float
) -> float:
    """Mean of a density on (low, high), given by its logarithm up to a constant."""
    for _ in range(_MOST_REFINEMENTS):
        step = (high - low) / _POINTS
        points = low + step * (np.arange(_POINTS) + 0.5)
        value = log_likelihood(points)
        part = np.flatnonzero(value > value.max() - _NEGLIGIBLE)
        if len(part) >= _ENOUGH:
            break
        low, high = max(low, points[part[0]] - step), min(high, points[part[-1]] + step)
    return float(np.average(points, weights=np.exp(value - value.max())))


def _logit(probability: np.ndarray) -> np.ndarray:
    """Logit of a probability, finite at 1."""
    below_one = np.minimum(probability, 1 - 1e-12)
    return np.asarray(np.log(below_one / (1 - below_one)))


def _ascent(gradient: np.ndarray, hessian: np.ndarray) -> np.ndarray:
    """Newton step in two parameters per row; minus the Hessian is made positive definite."""
    a, b, d = hessian[:, 0, 0], hessian[:, 0, 1], hessian[:, 1, 1]
    half, root = 0.5 * (a + d), np.sqrt(0.25 * (a - d) ** 2 + b**2)
    largest = np.abs(half) + root
    lift = np.maximum(0.0, 1e-8 * largest - (half - root)) * 2
    a, d = a + lift, d + lift
    determinant = np.maximum(a * d - b**2, np.finfo(np.float64).tiny)
    first, second = gradient.T
    return np.column_stack([d * first - b * second, a * second - b * first]) / determinant[:, None]

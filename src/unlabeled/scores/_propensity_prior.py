"""The share of positives when labeling follows features, along a score and a propensity."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np
from scipy.special import softmax

from ..engine.losses import ProductLoss, softplus_and_sigmoid
from ..engine.parameters import check_positive
from ..engine.rows import labeled_scores, score_column, validate_groups, weighted_quantile
from ..engine.solvers import SolverResult, newton
from ._if_unlabeled import share_of_missed
from ._importance_sample import (
    INTERCEPT_DEVIATION,
    LOG_SLOPE_DEVIATION,
    LOG_SLOPE_MEAN,
    climb,
    draw_points,
    log_priors,
    slope_of,
)
from ._label_logit import label_effects
from ._prior_density import PriorDensity, discrete_density
from ._score_model import standardized

_BINS = (60, 8, 8)  # of t, u and v
# The logarithm of the exponent of the link is normal around 0, as in `class_prior_density`.
_LOG_POWER_DEVIATION = 0.7
# Where the search for the mode starts: logarithm of the slope, logit of the label frequency,
# stretch of the propensity.
_STARTS = ((0.7, -1.0, 1.0), (1.8, 0.0, 1.0), (0.0, 0.5, 0.5), (0.7, 0.0, 0.0))
_STRETCH = 3  # position of k among the parameters
_TOL, _MOST_STEPS = 1e-8, 100
# Weight of the second of two ways to count, the sum of 1/e over the labeled rows.
_BY_PROPENSITY = 0.5
# A labeled row stands for at most this many positives.
_MOST_TIMES = 1e9
_NEVER = -700.0  # logarithm of a probability that is 0 within rounding


@dataclass(frozen=True, eq=False)
class PropensityPrior:
    r"""What labels, answers and a propensity say about the positives of a table.

    Attributes
    ----------
    density : PriorDensity
        Of the share of positive rows.
    missed : ndarray of shape (n_rows,)
        P(Y=1|S=0) of every row.
    level, stretch : float
        The propensity is :math:`\sigma(\text{level} + \text{stretch} \cdot u)` with the logits u
        that were given; means over the parameters.
    at : callable
        Maps values of t, u and v to P(Y=1|S=0).
    """

    density: PriorDensity
    missed: np.ndarray
    level: float
    stretch: float
    at: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


def propensity_prior(
    score: Any,
    tilt: Any,
    outcomes: Any,
    sample_weight: Any = None,
    *,
    stretch_deviation: float = 1.0,
    stretch: float | None = None,
    beside: Any = None,
    groups: Any = None,
    unit: Any = None,
) -> PropensityPrior:
    r"""Compute the share of positive rows along a held-out score and a propensity.

    The model is :math:`P(S=1|x) = \sigma(g + k u)\,h(a + bt + mv)`, with a score t and the logits
    u of a propensity, up to a constant. The features of the propensity also belong to the
    posterior, and labels hardly tell the two parts apart; so mv stands beside the score, and v is u
    unless it is given. The likelihood is that of labeled, checked and other rows: with y = h and
    :math:`e = \sigma(g + ku)`

    - labeled: :math:`e\,y`,
    - checked and positive: :math:`(1 - e)\,y`,
    - checked and negative: :math:`1 - y`,
    - neither labeled nor checked: :math:`1 - e\,y`.

    h is the sigmoid, or one of its generalized forms :math:`\sigma^\nu` and
    :math:`1-(1-\sigma)^\nu`. Positives are counted in two ways with equal weights, as in
    `class_prior_density`. One adds :math:`P(Y=1|S=0) = (1-e)y/(1-ey)` of the unknown rows to the
    number of known positives. The other is the sum of 1/e over the labeled rows, whose variance
    is the sum of :math:`(1-e)/e^2`. Both are averaged over a, b, g, k, m and :math:`\nu`, weighted
    by the likelihood and by weak priors: :math:`\sigma(g)` is uniform, k and m are normal around
    0, and :math:`\log\nu` is normal around 0 with standard deviation .7. If the relative propensity
    is known, k is held and not averaged.

    Rows are counted in cells: up to 60 bins of the score times 8 of u, and 8 of v if it is given.

    Parameters
    ----------
    score, tilt : array-like of shape (n_rows,)
        t and u. A constant u is SCAR.
    outcomes : array-like of shape (n_rows, 3)
        Whether a row is labeled, was checked and found positive, or is unknown; a row with three
        zeros was checked and found negative.
    sample_weight : array-like of shape (n_rows,), optional
        Row weights.
    stretch_deviation : float, default=1
        Standard deviation of the priors of k and m.
    stretch : float, optional
        Holds k at this value: 1 if u is the known logit of the propensity, up to a constant. It is
        estimated if None.
    beside : array-like of shape (n_rows,), optional
        v; u if None.
    groups : array-like of shape (n_rows,), optional
        Which rows belong together, see `class_prior_density`.
    unit : ndarray of shape (n_rows,), optional
        The weight of one independent row; 1 if None.

    Returns
    -------
    prior : PropensityPrior

    Notes
    -----
    **What breaks it:** a propensity that does not follow u; a posterior that does not rise with
    the score. If u and t are nearly the same, labels alone do not tell e from y.

    Examples
    --------
    >>> import numpy as np
    >>> from unlabeled.scores import propensity_prior
    >>> rng = np.random.default_rng(0)
    >>> score, tilt = rng.normal(size=(2, 4000))
    >>> y_true = rng.random(4000) < 1 / (1 + np.exp(1 - 3 * score))
    >>> s = y_true & (rng.random(4000) < 1 / (1 + np.exp(-2 * tilt)))
    >>> found = propensity_prior(score, tilt, np.column_stack([s, 0 * s, ~s]).astype(float))
    >>> bool(abs(found.density.mean - y_true.mean()) < 0.03), round(found.stretch)
    (True, 2)
    """
    outcomes = _three_columns(outcomes)
    score, s, weight = labeled_scores(score, outcomes[:, 0], sample_weight)
    tilt = score_column(tilt, s, "tilt")
    beside = tilt if beside is None else score_column(beside, s, "beside")
    check_positive("stretch_deviation", stretch_deviation, Real, "a positive number")
    weight = np.ones(len(score)) if weight is None else weight
    total = float(weight.sum())
    effects = label_effects(score, s, weight, validate_groups(groups, len(s)), unit)
    effect = effects.label
    of_labeled, of_unlabeled = effects.labeled / effect, effects.unlabeled / effect
    columns = (score, tilt, beside)
    cells, cell = PropensityCells.of(columns, outcomes, weight / effect, stretch_deviation, stretch)
    families = []
    start = np.append(cells.mode(), 0.0)
    for is_power in (True, False):
        model = _Linked(cells, is_power)
        mode, precision = climb(model.log_posterior, start, cells.scale)
        families.append((model, *draw_points(model.log_posterior, mode, precision)))
    evidence = softmax([one[3] for one in families])
    points = cells.whole(np.concatenate([one[1] for one in families]))
    part = np.concatenate([share * one[2] for share, one in zip(evidence, families, strict=True)])
    missed = np.concatenate([one[0].missed(one[1]) for one in families])
    times = np.concatenate([one[0].times(one[1]) for one in families])
    labeled, found, negative, unknown = cells.counts
    known = float((labeled + found).sum())
    counts = [
        (known + missed @ unknown, of_unlabeled * ((missed * (1 - missed)) @ unknown)),
        (times @ labeled, of_labeled * ((times * (times - 1)) @ labeled)),
    ]
    mean, variance = (np.concatenate([one[k] for one in counts]) for k in (0, 1))
    density = discrete_density(
        mean / cells.total,
        np.sqrt(variance) / cells.total,
        np.concatenate([(1 - _BY_PROPENSITY) * part, _BY_PROPENSITY * part]),
        known / cells.total,
        1 - float(negative.sum()) / cells.total,
        total / effect,
    )
    drawn = effects.population(density.mean, float(labeled.sum()) / cells.total) / effect
    density = replace(density, n_rows=density.n_rows / drawn)
    average = part @ points
    level = float(average[2]) - cells.shift(average)
    shares = np.split(part, [len(families[0][1])])

    def at(score: np.ndarray, tilt: np.ndarray, beside: np.ndarray) -> np.ndarray:
        there = cells.placed(score, tilt, beside)
        return np.asarray(
            sum(
                share @ replace(one[0], cells=there).missed(one[1])
                for share, one in zip(shares, families, strict=True)
            )
        )

    return PropensityPrior(density, (part @ missed)[cell], level, float(average[_STRETCH]), at)


def _three_columns(outcomes: Any) -> np.ndarray:
    """Return outcomes as numbers; reject everything but at most one 1 in a row of three."""
    table = np.asarray(outcomes)
    is_table = table.ndim == 2 and table.shape[1] == 3 and table.dtype.kind in "biuf"
    if not is_table or np.any((table != 0) & (table != 1)) or np.any(table.sum(axis=1) > 1):
        raise ValueError(
            "`outcomes` must have three columns of 0 and 1, and at most one 1 in a row; got shape "
            f"{table.shape} of type {table.dtype}. Pass whether a row is labeled, was found "
            "positive, or is unknown."
        )
    return table if table.dtype.kind == "f" else table.astype(np.float64)


@dataclass(frozen=True, eq=False)
class PropensityCells:
    """Rows of the four kinds in cells of a score and a propensity.

    The parameters are a and log b for the standardized score, g for the centered tilt, k, m and
    the logarithm of the exponent of the link. If k is held, it is none of those that are searched.

    Attributes
    ----------
    z, tilt, beside : ndarray of shape (n_cells,)
        Mean score of each cell, standardized over the rows, and mean u and v, centered.
    counts : ndarray of shape (4, n_cells)
        Weight of labeled rows, rows found positive, rows found negative, and others.
    center, middle : float
        The mean tilt over known positives, and their mean v.
    mean, deviation : float
        What the score was standardized by.
    stretch_deviation : float
    stretch : float or None
        k, if it is held.
    """

    z: np.ndarray
    tilt: np.ndarray
    beside: np.ndarray
    counts: np.ndarray
    center: float
    middle: float
    mean: float
    deviation: float
    stretch_deviation: float
    stretch: float | None

    @classmethod
    def of(
        cls,
        columns: tuple[np.ndarray, np.ndarray, np.ndarray],
        outcomes: np.ndarray,
        weight: np.ndarray,
        stretch_deviation: float,
        stretch: float | None,
    ) -> tuple[PropensityCells, np.ndarray]:
        """Count the rows by t, u and v; return the cells, and the cell of each row."""
        labeled, found, unknown = outcomes.T
        kinds = np.array([labeled, found, 1 - outcomes.sum(axis=1), unknown]) * weight
        # Labeled and other rows each fill half of the bins.
        share = max(float(kinds[0].sum()), 1e-9) / float(weight.sum())
        mass = kinds[0] / share + (weight - kinds[0]) / max(1 - share, 1e-9)
        numbers = np.zeros(len(weight), dtype=np.intp)
        for column, n_bins in zip(columns, _BINS, strict=True):
            numbers = numbers * n_bins + _bins(column, mass, n_bins)
        _, cell = np.unique(numbers, return_inverse=True)
        total = np.bincount(cell, weight)
        filled = np.maximum(total, np.finfo(np.float64).tiny)
        counts = np.array([np.bincount(cell, kind, len(total)) for kind in kinds])
        of_score, of_tilt, beside = (np.bincount(cell, weight * one) / filled for one in columns)
        center, middle = (
            float(np.average(one, weights=counts[0] + counts[1])) for one in (of_tilt, beside)
        )
        z, mean, deviation = standardized(of_score, total)
        found_cells = cls(
            z,
            of_tilt - center,
            beside - middle,
            counts,
            center,
            middle,
            mean,
            deviation,
            stretch_deviation,
            stretch,
        )
        return found_cells, cell

    def placed(self, score: np.ndarray, tilt: np.ndarray, beside: np.ndarray) -> PropensityCells:
        """Return cells at other values of t, u and v, without rows."""
        return replace(
            self,
            z=(score - self.mean) / self.deviation,
            tilt=tilt - self.center,
            beside=beside - self.middle,
            counts=np.zeros((len(self.counts), len(score))),
        )

    @cached_property
    def total(self) -> float:
        """Weight of all rows."""
        return float(self.counts.sum())

    @cached_property
    def of_cell(self) -> np.ndarray:
        """Weight of the rows of each cell."""
        return np.asarray(self.counts.sum(axis=0))

    @cached_property
    def target(self) -> np.ndarray:
        """Which share of the rows of each cell is labeled, was found positive, or is unknown."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.of_cell > 0, self.counts[[0, 1, 3]] / self.of_cell, 0.0).T

    @property
    def n_parameters(self) -> int:
        """Number of parameters that are searched with the sigmoid."""
        return 5 if self.stretch is None else 4

    def whole(self, points: np.ndarray) -> np.ndarray:
        """Return points with k among their parameters, if it is held."""
        if self.stretch is None:
            return points
        found = np.empty((*points.shape[:-1], points.shape[-1] + 1))
        found[..., :_STRETCH], found[..., _STRETCH] = points[..., :_STRETCH], self.stretch
        found[..., _STRETCH + 1 :] = points[..., _STRETCH:]
        return found

    def _searched(self, derivatives: np.ndarray) -> np.ndarray:
        """Return derivatives without those by k, if it is held."""
        if self.stretch is None:
            return derivatives
        kept = [k for k in range(len(derivatives)) if k != _STRETCH]
        return derivatives[np.ix_(*[kept] * derivatives.ndim)]

    def shift(self, point: np.ndarray) -> float:
        """Return what the center of the tilt adds to the level of the propensity."""
        return float(point[_STRETCH]) * self.center

    @property
    def scale(self) -> np.ndarray:
        """How large a change of each parameter is, that of the link last."""
        return self._searched(
            np.array([1.0, 1.0, 1.0, *[max(1.0, self.stretch_deviation)] * 2, 1.0])
        )

    def mode(self) -> np.ndarray:
        """Parameters of the highest posterior with the sigmoid."""
        share = (self.counts[:2].sum() + 1) / (self.total + 2)
        start = float(np.log(share / (1 - share)))
        return self.mode_from([np.array([start, *others, 0.0]) for others in _STARTS]).z

    def mode_from(self, starts: Sequence[np.ndarray]) -> SolverResult:
        """Search from these points, each with all of a, log b, g, k and m; return the best end."""
        found = [newton(self, self._searched(one), _TOL, _MOST_STEPS) for one in starts]
        return min(found, key=lambda one: one.value)

    def value_gradient(self, z: np.ndarray) -> tuple[float, np.ndarray]:
        return self.value_gradient_hessian(z)[:2]

    def value_gradient_hessian(self, z: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        """Minus the log-posterior per row with the sigmoid, and its derivatives."""
        z = self.whole(z)
        slope = float(slope_of(z[1]))
        of_cell, target = self.of_cell, self.target
        predictors = (z[0] + slope * self.z + z[4] * self.beside, z[2] + z[3] * self.tilt)
        loss = ProductLoss().derivatives(predictors, target, second=True)
        # Derivatives of the two predictors by a, log b, g, k and m.
        ones, nothing = np.ones(len(of_cell)), np.zeros(len(of_cell))
        first = np.stack([ones, slope * self.z, nothing, nothing, self.beside])
        second = np.stack([nothing, nothing, ones, self.tilt, nothing])
        of_first, of_second = (of_cell * one for one in loss.gradient)
        gradient = first @ of_first + second @ of_second
        cross = (first * (of_cell * loss.hessian[1])) @ second.T
        hessian = (first * (of_cell * loss.hessian[0])) @ first.T + cross + cross.T
        hessian += (second * (of_cell * loss.hessian[2])) @ second.T
        hessian[1, 1] += first[1] @ of_first
        log_prior, prior_gradient, curvature = self.log_prior(z[None, :])
        value = float(of_cell @ loss.value) - float(log_prior[0])
        gradient = self._searched(gradient - prior_gradient[0])
        hessian = self._searched(hessian - np.diag(curvature[0]))
        return value / self.total, gradient / self.total, hessian / self.total

    def log_prior(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Log-density of the priors at each row of `points`, with its two derivatives by each."""
        n, stretch = points.shape[1], self.stretch_deviation
        wide = [INTERCEPT_DEVIATION, LOG_SLOPE_DEVIATION, np.inf, stretch, stretch]
        center = np.array([0.0, LOG_SLOPE_MEAN, 0.0, 0.0, 0.0, 0.0])
        return log_priors(points, center[:n], np.array([*wide, _LOG_POWER_DEVIATION])[:n])


def _bins(column: np.ndarray, mass: np.ndarray, n_bins: int) -> np.ndarray:
    """Number the bins of a column, of equal mass; each of few values has a bin of its own."""
    edges = np.unique(weighted_quantile(column, mass, np.arange(1, n_bins) / n_bins))
    values = np.unique(column)
    return np.searchsorted(values[1:] if len(values) <= n_bins else edges, column, side="right")


@dataclass(frozen=True, eq=False)
class _Linked:
    """The cells with one family of links: sigmoid^nu, or 1 - (1 - sigmoid)^nu."""

    cells: PropensityCells
    is_power: bool

    def log_posterior(self, points: np.ndarray) -> np.ndarray:
        """Log-likelihood and log-prior at each row of `points`."""
        labeled, found, negative, unknown = self.cells.counts
        log_y, log_not, log_e, log_rest = self._logarithms(points)
        value = log_y @ (labeled + found) + log_e @ labeled + log_rest @ found
        value += log_not @ negative + np.logaddexp(log_not, log_y + log_rest) @ unknown
        return np.asarray(value + self.cells.log_prior(self.cells.whole(points))[0])

    def missed(self, points: np.ndarray) -> np.ndarray:
        """P(Y=1|S=0) of each cell, at each row of `points`."""
        log_y, log_not, _, log_rest = self._logarithms(points)
        return np.asarray(share_of_missed(np.exp(log_y + log_rest), np.exp(log_not)))

    def times(self, points: np.ndarray) -> np.ndarray:
        """1/e of each cell, at each row of `points`."""
        log_e = self._logarithms(points)[2]
        return np.asarray(np.exp(np.minimum(-log_e, np.log(_MOST_TIMES))))

    def _logarithms(
        self, points: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Logarithms of y, 1 - y, e and 1 - e of each cell, at each row of `points`."""
        points = self.cells.whole(points)
        slope = slope_of(points[:, 1:2])
        eta = points[:, :1] + slope * self.cells.z + points[:, 4:5] * self.cells.beside
        # The copy is contiguous: of a strided column NumPy 1.26 rounds as memory happens to lie.
        nu = np.exp(points[:, 5:].copy())
        softplus, _ = softplus_and_sigmoid(eta)
        direct = np.maximum(-nu * (softplus - eta if self.is_power else softplus), _NEVER)
        with np.errstate(divide="ignore"):
            other = np.maximum(np.log(-np.expm1(direct)), _NEVER)
        log_y, log_not = (direct, other) if self.is_power else (other, direct)
        tilted = points[:, 2:3] + points[:, 3:4] * self.cells.tilt
        log_missed = softplus_and_sigmoid(tilted)[0]
        return log_y, log_not, tilted - log_missed, -log_missed

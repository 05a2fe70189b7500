"""The class prior and the posterior along a held-out score, from labels and checked rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import special

from ..engine.losses import softplus_and_sigmoid
from ..engine.rows import labeled_scores, validate_checked, weighted_quantile
from ..engine.solvers import newton
from ._if_unlabeled import given_unlabeled, share_of_missed
from ._importance_sample import (
    INTERCEPT_DEVIATION,
    LOG_SLOPE_DEVIATION,
    LOG_SLOPE_MEAN,
    draw_points,
    log_priors,
    slope_of,
)
from ._score_model import Bins, ScoreProfile, cells_of_equal_mass

_BINS = 200
# The posterior levels off at d in (_LOWEST_PLATEAU, 1).
_LOWEST_PLATEAU = 0.5
# Below this quantile of the checked scores the labeling does not change with the score.
_LOWEST_CHECKED = 0.05

# Means and standard deviations of the priors of a, log b, d, c and the tilt; d and c are uniform.
_CENTER = np.array([0.0, LOG_SLOPE_MEAN, 0.0, 0.0, 0.0])
_DEVIATION = np.array([INTERCEPT_DEVIATION, LOG_SLOPE_DEVIATION, np.inf, np.inf, 1.0])

# The posterior need not have this shape, so the labels of a large table count as those of this
# many labeled rows. With all of them the shape would decide, and the answers nothing.
_MOST_LABELED = 100
# Upper limit of the standard deviation of the logits of the posterior by labels alone.
_WIDEST_LOGITS = 10.0

# Where the search for the mode starts: logarithm of the slope, logit of c, tilt.
_STARTS = ((0.7, -0.5, 0.0), (1.8, 0.0, 0.0), (0.0, 0.5, 0.5), (0.7, 1.5, 1.0))
_TOL = 1e-7
_MOST_STEPS = 100

_TINY = float(np.finfo(np.float64).tiny)


@dataclass(frozen=True)
class CheckedScore:
    r"""The model :math:`P(Y=1|t) = d\,\sigma(a + b t)` of a score t of partly checked rows.

    Attributes
    ----------
    class_prior : float
        P(Y=1) in the table.
    label_frequency : float
        c, the fraction of positives that are labeled: P(S=1) / P(Y=1).
    intercept, slope : float
        a and b; the slope is positive.
    plateau : float
        d, which the posterior approaches at high scores; between 1/2 and 1.
    score, missed : ndarray of shape (n_bins,)
        Rising scores, and P(Y=1|S=0,t) at each, with the labeling that the answers show.
    """

    class_prior: float
    label_frequency: float
    intercept: float
    slope: float
    plateau: float
    score: np.ndarray
    missed: np.ndarray

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
        return (
            self.plateau * softplus_and_sigmoid(self.intercept + self.slope * np.asarray(score))[1]
        )

    def posterior_if_unlabeled(self, score: Any) -> np.ndarray:
        """Compute P(Y=1|S=0,t) at each score.

        Parameters
        ----------
        score : array-like
            Values of t.

        Returns
        -------
        posterior : ndarray of the shape of `score`
            P(Y=1|S=0,t), interpolated between the bins.
        """
        return np.asarray(np.interp(score, self.score, self.missed))


def fit_checked_score(score: Any, s: Any, checked: Any, sample_weight: Any = None) -> CheckedScore:
    r"""Fit the posterior along a held-out score to labeled, checked and other rows.

    The posterior is :math:`y(t) = d\,\sigma(a + b t)`. A positive row is labeled with
    probability :math:`e(t) = \sigma(g + h\,u(t))`. The likelihood of a row is

    - labeled: :math:`e\,y`,
    - checked and positive: :math:`(1 - e)\,y`,
    - checked and negative: :math:`1 - y`,
    - neither labeled nor checked: :math:`1 - e\,y`.

    Which rows were checked may depend on the score in any way. Only checked rows can tell how
    labeling depends on the score, so :math:`u(t)` changes only where rows were checked: it is t,
    moved up to the 5 % quantile of the checked scores and down to the largest one.

    The class prior is a mean over the table: 1 for labeled rows and rows found positive, 0 for
    rows found negative, and :math:`P(Y=1|t, S=0) = (1 - e) y / (1 - e y)` for the rest. It is
    averaged over the parameters, weighted by the likelihood and by weak priors. The labels of
    more than 100 labeled rows are worth no more than those of 100; answers count in full.
    Last, the result is moved toward `mean_class_prior`, the estimate from labels alone:
    a difference D from it becomes :math:`D^3 / (D^2 + v)`, where v is the variance of the
    average. a, b and d are those of the curve nearest to the numbers of positives found so.

    Parameters
    ----------
    score : array-like of shape (n_rows,)
        The held-out score.
    s : array-like of shape (n_rows,)
        Labels, 1 or 0.
    checked : array-like of shape (n_rows,)
        1 for a row found positive, 0 for one found negative, NaN for one not checked. Labeled
        rows count as positive whatever it is.
    sample_weight : array-like of shape (n_rows,), optional
        Row weights. A row of weight 2 counts as two rows.

    Returns
    -------
    fit : CheckedScore
        The fitted model.

    Examples
    --------
    >>> import numpy as np
    >>> from unlabeled.scores import fit_checked_score
    >>> rng = np.random.default_rng(0)
    >>> y_true = rng.random(2000) < 0.4
    >>> score = rng.normal(size=2000) + 2 * y_true
    >>> s = (y_true & (rng.random(2000) < 0.5)).astype(float)
    >>> checked = np.where((s == 0) & (rng.random(2000) < 0.1), y_true, np.nan)
    >>> abs(fit_checked_score(score, s, checked).class_prior - 0.4) < 0.05
    True
    """
    score, s, weight = labeled_scores(score, s, sample_weight)
    # An answer in a labeled row is ignored, so none is rejected.
    answers = validate_checked(checked, np.zeros_like(s))
    rows = _CheckedBins.of(
        score, s, np.full(len(s), np.nan) if answers is None else answers, weight
    )
    tempered = rows.tempered()
    points, part, _ = draw_points(tempered.log_posterior, *tempered.mode(rows.starts()))
    missed = _shrunk(rows.missed(points), part, rows.missed_by_labels(), rows.open)
    positives = rows.labeled + rows.positive + rows.open * missed
    class_prior = float(positives.sum()) / rows.total
    curve, _ = rows.as_if_checked(positives).mode([part @ points])
    slope = float(slope_of(curve[1])) / rows.deviation
    return CheckedScore(
        class_prior=class_prior,
        label_frequency=min(1.0, float(rows.labeled.sum()) / rows.total / class_prior),
        intercept=float(curve[0]) - slope * rows.mean,
        slope=slope,
        plateau=float(_plateau(curve[2])),
        score=rows.mean + rows.deviation * rows.z,
        missed=missed,
    )


@dataclass(frozen=True)
class _CheckedBins:
    """Rows of the four kinds in bins of a score, and the log-posterior of the five parameters.

    The parameters are a and log b for the standardized score, the logit of 2 d - 1, g and h.

    Attributes
    ----------
    z : ndarray of shape (n_bins,)
        Mean score of each bin, standardized over the bins.
    reach : ndarray of shape (n_bins,)
        `z`, but constant where no row was checked; the mean over known positives is 0.
    labeled, positive, negative, open : ndarray of shape (n_bins,)
        Number of rows of each kind in the bin, or their weight.
    mean, deviation : float
        Mean and standard deviation of the score over the bins.
    """

    z: np.ndarray
    reach: np.ndarray
    labeled: np.ndarray
    positive: np.ndarray
    negative: np.ndarray
    open: np.ndarray
    mean: float
    deviation: float

    n_parameters = 5

    @classmethod
    def of(
        cls, score: np.ndarray, s: np.ndarray, checked: np.ndarray, weight: np.ndarray | None
    ) -> _CheckedBins:
        """Count the rows in bins of equal mass."""
        weight = np.ones(len(score)) if weight is None else weight
        looked = (s == 0) & ~np.isnan(checked) & (weight > 0)
        if not looked.any():
            raise ValueError(
                "`checked` must hold 1 or 0 for at least one unlabeled row; got none. Without "
                "checked rows use `mean_class_prior` and `fit_score_joint`."
            )
        kinds = (s == 1, looked & (checked == 1), looked & (checked == 0), (s == 0) & ~looked)
        cells = cells_of_equal_mass(score, weight, _BINS)
        bins = Bins.of(cells, score, weight, [weight * kind for kind in kinds])
        mean, deviation, counts = bins.mean, bins.deviation, bins.counts
        low = float(weighted_quantile(score[looked], weight[looked], _LOWEST_CHECKED))
        reach = (np.clip(bins.score, low, score[looked].max()) - mean) / deviation
        reach -= np.average(reach, weights=counts[0] + counts[1]) if counts[:2].any() else 0.0
        labeled, positive, negative, others = counts
        return cls(bins.z, reach, labeled, positive, negative, others, mean, deviation)

    def tempered(self) -> _CheckedBins:
        """Return these bins with labels worth no more than those of 100 labeled rows.

        A checked row is unlabeled, which is worth as little, and has its answer, which counts in
        full: the likelihood of the answer is that of the row divided by 1 - e y.
        """
        worth = min(1.0, _MOST_LABELED / max(float(self.labeled.sum()), 1.0))
        unlabeled = self.open + self.positive + self.negative
        return replace(
            self,
            labeled=worth * self.labeled,
            open=worth * unlabeled - self.positive - self.negative,
        )

    def as_if_checked(self, positives: np.ndarray) -> _CheckedBins:
        """Return these bins as if all rows were checked, with so many positives in each bin."""
        nothing = np.zeros(len(positives))
        negatives = self.labeled + self.positive + self.negative + self.open - positives
        return replace(self, labeled=nothing, positive=positives, negative=negatives, open=nothing)

    @property
    def total(self) -> float:
        """Weight of all rows."""
        return float((self.labeled + self.positive + self.negative + self.open).sum())

    def posterior(self, points: np.ndarray) -> np.ndarray:
        """P(Y=1) of each bin, at each row of `points`."""
        t = points[:, :1] + slope_of(points[:, 1:2]) * self.z
        return _plateau(points[:, 2:3]) * softplus_and_sigmoid(t)[1]

    def labeling(self, points: np.ndarray) -> np.ndarray:
        """P(S=1|Y=1) of each bin, at each row of `points`."""
        return softplus_and_sigmoid(points[:, 3:4] + points[:, 4:] * self.reach)[1]

    def missed(self, points: np.ndarray) -> np.ndarray:
        """P(Y=1|S=0) of each bin, at each row of `points`."""
        t = points[:, :1] + slope_of(points[:, 1:2]) * self.z
        rest = _gap(points[:, 2:3]) + _plateau(points[:, 2:3]) * softplus_and_sigmoid(-t)[1]
        # 1 - e from -g - h u, so that it is positive where e is 1 within rounding.
        hidden = self.labeling(-points) * self.posterior(points)
        return np.asarray(share_of_missed(hidden, rest))

    def missed_by_labels(self) -> np.ndarray:
        """P(Y=1|S=0) of each bin, by the labels alone."""
        unlabeled = self.open + self.positive + self.negative
        profile = ScoreProfile(self.z, self.z, self.labeled, unlabeled, 0.0, 1.0)
        class_prior = profile.mean_class_prior()
        line = profile.line(class_prior, _WIDEST_LOGITS)
        posterior = softplus_and_sigmoid(line.logit(self.z))[1]
        return np.asarray(given_unlabeled(posterior, profile.labeled_share / class_prior))

    def log_posterior(self, points: np.ndarray) -> np.ndarray:
        """Log-likelihood and log-prior at each row of `points`."""
        t = points[:, :1] + slope_of(points[:, 1:2]) * self.z
        tilted = points[:, 3:4] + points[:, 4:] * self.reach
        log_label, log_miss = -softplus_and_sigmoid(-tilted)[0], -softplus_and_sigmoid(tilted)[0]
        plateau = _plateau(points[:, 2:3])
        log_positive = np.log(plateau) - softplus_and_sigmoid(-t)[0]
        rest = _gap(points[:, 2:3]) + plateau * softplus_and_sigmoid(-t)[1]
        missed = np.exp(log_miss) + np.exp(log_label) * rest
        value = log_positive @ (self.labeled + self.positive) + log_label @ self.labeled
        value += log_miss @ self.positive + np.log(rest) @ self.negative
        value += np.log(missed) @ self.open
        return value + log_priors(points, _CENTER, _DEVIATION)[0]

    def value_gradient(self, z: np.ndarray) -> tuple[float, np.ndarray]:
        return self.value_gradient_hessian(z)[:2]

    def value_gradient_hessian(self, z: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        """Minus the log-posterior per row, with its derivatives; infinite where they overflow."""
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            value, gradient, hessian = self._derivatives(z)
        return (value if np.isfinite(hessian).all() else np.inf), gradient, hessian

    def _derivatives(self, z: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        """By the chain rule from v = log y and w = log e, of which each bin is a function."""
        slope, plateau = float(slope_of(z[1])), float(_plateau(z[2]))
        t = z[0] + slope * self.z
        sigmoid, below = softplus_and_sigmoid(t)[1], softplus_and_sigmoid(-t)[1]
        label = self.labeling(z[None, :])[0]
        rise = float(_plateau_slope(z[2])) / plateau
        bend = float(1 - 2 * softplus_and_sigmoid(z[2:3])[1][0]) * rise - rise**2
        y = plateau * sigmoid
        # Odds of y and of e y.
        rest = _gap(z[2]) + plateau * below
        odds, odds_both = y / rest, label * y / (1 - label + label * rest)
        by_v = self.labeled + self.positive - self.negative * odds - self.open * odds_both
        curve_both = -self.open * odds_both * (1 + odds_both)
        by_vv = -self.negative * odds * (1 + odds) + curve_both
        # Derivatives of v by a, log b and the logit of d, and of w by g and h.
        v = np.stack([below, below * slope * self.z, np.full(len(y), rise)])
        w = np.stack([1 - label, (1 - label) * self.reach])
        by_w = self.labeled - self.open * odds_both
        missed = np.stack([label, label * self.reach])
        gradient = np.concatenate([v @ by_v, w @ by_w - missed @ self.positive])
        hessian = np.empty((5, 5))
        hessian[:3, :3] = (v * by_vv) @ v.T
        flat = -sigmoid * below * by_v
        along = slope * self.z
        hessian[0, 0] += flat.sum()
        hessian[0, 1] += flat @ along
        hessian[1, 0] += flat @ along
        hessian[1, 1] += flat @ along**2 + by_v @ v[1]
        hessian[2, 2] += bend * by_v.sum()
        hessian[:3, 3:] = (v * curve_both) @ w.T
        hessian[3:, :3] = hessian[:3, 3:].T
        flat = -label * (1 - label) * (by_w + self.positive)
        basis = np.stack([np.ones(len(y)), self.reach])
        hessian[3:, 3:] = (w * curve_both) @ w.T + (basis * flat) @ basis.T
        _, prior_gradient, prior_curvature = log_priors(z[None, :], _CENTER, _DEVIATION)
        gradient += prior_gradient[0]
        hessian += np.diag(prior_curvature[0])
        value = self.log_posterior(z[None, :])[0]
        return -float(value) / self.total, -gradient / self.total, -hessian / self.total

    def mode(self, starts: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        """Parameters of the highest posterior, and minus the Hessian there."""
        found = [newton(self, start, _TOL, _MOST_STEPS) for start in starts]
        best = min(found, key=lambda one: one.value)
        assert best.hessian is not None
        return best.z, self.total * best.hessian

    def starts(self) -> list[np.ndarray]:
        """Return points to search for the mode from."""
        share = (self.labeled.sum() + self.positive.sum() + 1) / (self.total + 2)
        return [np.array([special.logit(share), beta, 1.0, g, h]) for beta, g, h in _STARTS]


def _shrunk(
    missed: np.ndarray, part: np.ndarray, by_labels: np.ndarray, rows: np.ndarray
) -> np.ndarray:
    """Mean P(Y=1|S=0) per bin, moved toward what labels alone say.

    The number of positives among `rows` differs by D from that by labels alone. It keeps the share
    D^2 / (D^2 + v) of D, where v is its variance: answers that move it less than their noise does
    hardly move it.
    """
    mean, total = part @ missed, missed @ rows
    variance = float(part @ (total - part @ total) ** 2)
    square = float((mean - by_labels) @ rows) ** 2
    return by_labels + (mean - by_labels) * square / max(square + variance, _TINY)


def _gap(logit: np.ndarray | float) -> np.ndarray:
    """1 - d, of the logit of d: positive where d is 1 within rounding."""
    return np.asarray((1 - _LOWEST_PLATEAU) * special.expit(-np.minimum(logit, 500.0)))


def _plateau(logit: np.ndarray | float) -> np.ndarray:
    """d, of its logit between the lowest plateau and 1."""
    return np.asarray(_LOWEST_PLATEAU + (1 - _LOWEST_PLATEAU) * special.expit(logit))


def _plateau_slope(logit: np.ndarray | float) -> np.ndarray:
    """Derivative of d by its logit."""
    sigmoid = special.expit(logit)
    return np.asarray((1 - _LOWEST_PLATEAU) * sigmoid * (1 - sigmoid))

"""The logit of P(S=1|x): its likelihood, its calibration, and the logit of the posterior in it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import logit

from ..engine.losses import softplus_and_sigmoid
from ..engine.rows import NO_EFFECTS, Effects
from ..engine.solvers import newton

# The ridge of a line, which pulls it toward the logit as it is.
_LINE_RIDGE = 5.0
# Newton steps end when the gradient per row is this small.
_TOL, _MOST_STEPS = 1e-11, 100
# tau: the width of the bend at p = c, as a fraction of c.
_BEND = 0.02


def label_log_likelihood(label_logit: np.ndarray, s: np.ndarray) -> np.ndarray:
    """Log-likelihood of each row's label, given the logit of P(S=1|x)."""
    return np.asarray(-softplus_and_sigmoid(np.where(s == 1, -label_logit, label_logit))[0])


class LogitLine(NamedTuple):
    """A line from the raw logit of a classifier to the logit of P(S=1|x)."""

    intercept: float
    slope: float

    def __call__(self, raw: np.ndarray) -> np.ndarray:
        """Logit of P(S=1|x) at each raw logit."""
        return self.intercept + self.slope * raw


def fit_line(raw: np.ndarray, s: np.ndarray, weight: np.ndarray) -> LogitLine:
    r"""Calibrate the logit of a classifier of the labels on left-out rows.

    With :math:`\ell` the logit of the labeled share, the line is
    :math:`\ell + a + b(t - \ell)`. It maximizes the log-likelihood of the labels less
    :math:`\frac52(a^2 + (b-1)^2)`, over :math:`b \ge 0`. With few labeled rows the logit stays
    nearly as it is, and a logit that knows nothing is flattened at little cost.
    """
    base = float(logit(np.average(s, weights=weight)))
    a, b = penalized_line(raw - base, s, weight, (base, 1.0), (_LINE_RIDGE, _LINE_RIDGE))
    return LogitLine(a - b * base, b)


def penalized_line(
    z: np.ndarray,
    share: np.ndarray,
    weight: np.ndarray,
    center: tuple[float, float],
    precision: tuple[float, float],
) -> tuple[float, float]:
    """Fit a logistic curve to shares, with a normal prior of its intercept and slope.

    Parameters
    ----------
    z, share, weight : ndarray of shape (n_points,)
        Where, the share of positives there, and its weight.
    center, precision : (float, float)
        Mean and precision of the priors of intercept and slope.

    Returns
    -------
    intercept, slope : float
        Where the posterior density is largest. The slope is at least 0.
    """
    problem = _PenalizedLine(z, share, weight, np.array(center), np.array(precision))
    intercept, slope = newton(problem, problem.center, _TOL, _MOST_STEPS).z
    if slope < 0:  # at the edge, the best intercept without a slope
        flat = _PenalizedLine(0 * z, share, weight, problem.center * [1, 0], problem.precision)
        intercept, slope = newton(flat, flat.center, _TOL, _MOST_STEPS).z[0], 0.0
    return float(intercept), float(slope)


class _PenalizedLine:
    """Minus the mean log-density of the labels and of intercept and slope."""

    n_parameters = 2

    def __init__(
        self,
        z: np.ndarray,
        share: np.ndarray,
        weight: np.ndarray,
        center: np.ndarray,
        precision: np.ndarray,
    ) -> None:
        self.z, self.share, self.weight = z, share, weight
        self.center, self.precision = center, precision

    def value_gradient(self, line: np.ndarray) -> tuple[float, np.ndarray]:
        return self.value_gradient_hessian(line)[:2]

    def value_gradient_hessian(self, line: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        t, away, total = line[0] + line[1] * self.z, line - self.center, self.weight.sum()
        softplus, sigmoid = softplus_and_sigmoid(t)
        value = self.weight @ (softplus - self.share * t) + 0.5 * self.precision @ away**2
        slope, curvature = (
            self.weight * (sigmoid - self.share),
            self.weight * sigmoid * (1 - sigmoid),
        )
        along = curvature * self.z
        gradient = np.array([slope.sum(), slope @ self.z]) + self.precision * away
        of_rows = [[curvature.sum(), along.sum()], [along.sum(), along @ self.z]]
        hessian = np.array(of_rows) + np.diag(self.precision)
        return float(value / total), gradient / total, hessian / total


def penalized_weights(
    design: np.ndarray,
    offset: np.ndarray,
    s: np.ndarray,
    weight: np.ndarray,
    ridge: float,
    toward: tuple[float, ...],
    lowest_first: float | None = None,
) -> np.ndarray:
    """Weights of columns by penalized likelihood; none but perhaps the first is below 0."""
    target = np.array(toward)

    def loss(w: np.ndarray) -> tuple[float, np.ndarray]:
        t = offset + design @ w
        value = -float(weight @ label_log_likelihood(t, s))
        gradient = design.T @ (weight * (softplus_and_sigmoid(t)[1] - s))
        away = w - target
        return value + 0.5 * ridge * float(away @ away), gradient + ridge * away

    bounds = [(lowest_first, None)] + [(0.0, None)] * (len(target) - 1)
    return np.asarray(
        minimize(loss, target, jac=True, method="L-BFGS-B", bounds=bounds, tol=1e-10).x
    )


def label_effects(
    score: np.ndarray,
    s: np.ndarray,
    weight: np.ndarray | None,
    groups: np.ndarray | None,
    unit: np.ndarray | None = None,
) -> Effects:
    """Design effects of groups and weights, with the labels' residuals from a line along a score.

    Parameters
    ----------
    score : ndarray of shape (n_rows,)
        Held-out scores.
    s : ndarray of shape (n_rows,)
        Labels, 1 or 0.
    weight : ndarray of shape (n_rows,) or None
        Row weights.
    groups : ndarray of shape (n_rows,) or None
        The group of each row.
    unit : ndarray of shape (n_rows,) or None
        The weight of one independent row; 1 if None.

    Returns
    -------
    effects : Effects
        1 without groups, if weights are numbers of copies.
    """
    if groups is None and unit is None:
        return NO_EFFECTS
    spread = float(score.std()) or 1.0
    standard = (score - score.mean()) / spread
    line = fit_line(standard, s, np.ones(len(s)) if weight is None else weight)
    residual = s - softplus_and_sigmoid(line(standard))[1]
    return Effects.of(residual, s, weight, groups, unit)


def bounded_logit(label_logit: np.ndarray, label_frequency: np.ndarray | float) -> np.ndarray:
    r"""Turn the logit of P(S=1|x) into a logit of the posterior, P(S=1|x)/c.

    Under SCAR :math:`p = P(S=1|x) = c\,P(Y=1|x)` is at most c, so its own logit is bounded and no
    logit of a posterior. Below c the posterior is :math:`r = p/c`, but an estimate of p may
    exceed c. So its logit is computed as :math:`\log r - \log h(1-r)`, where the hyperbola
    :math:`h(d) = (d + \sqrt{d^2 + 4\tau^2})/2` is nearly d for positive d, and positive for all.
    The result increases with p, slowly beyond c. Near c it is a little too small:
    at r = .99 the posterior is .975.

    Parameters
    ----------
    label_logit : ndarray
        Logits of P(S=1|x).
    label_frequency : float or ndarray
        c, of a shape that goes with the logits.

    Returns
    -------
    logit : ndarray
        Logits of the posterior.
    """
    softplus = softplus_and_sigmoid(-np.asarray(label_logit, dtype=np.float64))[0]
    log_ratio = -softplus - np.log(label_frequency)
    rest = 1 - np.exp(log_ratio)
    root = np.sqrt(rest**2 + 4 * _BEND**2)
    # Two forms of the same number: the sum loses digits where the rest is negative.
    above = 2 * _BEND**2 / np.where(rest > 0, 1.0, root - rest)
    return np.asarray(log_ratio - np.log(np.where(rest > 0, 0.5 * (rest + root), above)))

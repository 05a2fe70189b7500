"""Combine estimates of P(S=1|x): weights by the likelihood of left-out labels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import logit

from ..engine.losses import softplus_and_sigmoid

# The ridge of a member's line, which pulls it towards the logit as it is.
_LINE_RIDGE = 5.0
_DRAWS = 400


def label_log_likelihood(label_logit: np.ndarray, s: np.ndarray) -> np.ndarray:
    """Log-likelihood of each row's label, given the logit of P(S=1|x)."""
    return np.asarray(-softplus_and_sigmoid(np.where(s == 1, -label_logit, label_logit))[0])


class LogitLine(NamedTuple):
    """A line from the raw logit of a member to the logit of P(S=1|x)."""

    intercept: float
    slope: float

    def __call__(self, raw: np.ndarray) -> np.ndarray:
        """Logit of P(S=1|x) at each raw logit."""
        return self.intercept + self.slope * raw


def fit_line(raw: np.ndarray, s: np.ndarray, weight: np.ndarray) -> LogitLine:
    r"""Calibrate a member on left-out rows.

    With :math:`\ell` the logit of the labelled share, the line is
    :math:`\ell + a + b(t - \ell)`. It maximises the log-likelihood of the labels less
    :math:`\frac52(a^2 + (b-1)^2)`, over :math:`b \ge 0`. With few labelled rows the member stays
    nearly as it is, and a member that knows nothing is flattened at little cost.
    """
    base = float(logit(np.average(s, weights=weight)))
    design = np.column_stack([np.ones_like(raw), raw - base])
    offset = np.full(len(s), base)
    a, b = _penalised_weights(design, offset, s, weight, _LINE_RIDGE, (0.0, 1.0))
    return LogitLine(float(base + a - b * base), float(b))


def stack_weights(
    label_logits: np.ndarray, s: np.ndarray, weight: np.ndarray, ridge: float
) -> np.ndarray:
    r"""Weights of the members' logits, each less the logit of the labelled share.

    .. math:: \max_{w \ge 0} \sum_i \log P(s_i | t_i) - \frac{\lambda}{2} \sum_m (w_m - 1/M)^2,
              \quad t_i = \ell + \sum_m w_m (t_{im} - \ell)

    Parameters
    ----------
    label_logits : ndarray of shape (n_rows, n_members)
        Left-out logits of P(S=1|x).
    s, weight : ndarray of shape (n_rows,)
        Labels and row weights.
    ridge : float
        :math:`\lambda`, on the scale of the log-likelihood of the whole table.

    Returns
    -------
    weights : ndarray of shape (n_members,)
    """
    base = logit(np.average(s, weights=weight))
    n_members = label_logits.shape[1]
    equal = (1 / n_members,) * n_members
    offset = np.full(len(s), base)
    return _penalised_weights(label_logits - base, offset, s, weight, ridge, equal, 0.0)


def _penalised_weights(
    design: np.ndarray,
    offset: np.ndarray,
    s: np.ndarray,
    weight: np.ndarray,
    ridge: float,
    towards: tuple[float, ...],
    lowest_first: float | None = None,
) -> np.ndarray:
    """Weights of columns by penalised likelihood; none but perhaps the first is below 0."""
    target = np.array(towards)

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


def probabilities_of_members(log_likelihoods: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Probability that each member is the best model of the labels (pseudo-BMA+).

    The softmax of the members' total left-out log-likelihoods, averaged over 400 normal draws of
    their sampling noise. The draws are always the same.

    Parameters
    ----------
    log_likelihoods : ndarray of shape (n_rows, n_members)
        Left-out log-likelihood of each row's label under each member.
    weight : ndarray of shape (n_rows,)
        Row weights; a row of weight 2 counts as two rows.

    Returns
    -------
    probabilities : ndarray of shape (n_members,)
        They sum to 1.

    References
    ----------
    Y. Yao, A. Vehtari, D. Simpson, A. Gelman (2018). Using stacking to average Bayesian
    predictive distributions. Bayesian Analysis 13, 917-1007. https://doi.org/10.1214/17-BA1091
    """
    total = weight @ log_likelihoods
    away = log_likelihoods - total / weight.sum()
    covariance = (away * weight[:, None]).T @ away
    values, vectors = np.linalg.eigh(covariance)
    normal = np.random.RandomState(0).normal(size=(_DRAWS, len(total)))
    drawn = total + normal @ (vectors * np.sqrt(np.maximum(values, 0.0))).T
    drawn -= drawn.max(axis=1, keepdims=True)
    likely = np.exp(drawn)
    return np.asarray((likely / likely.sum(axis=1, keepdims=True)).mean(axis=0))

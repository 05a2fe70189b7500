"""Combine estimates of P(S=1|x): weights by the likelihood of left-out labels."""

from __future__ import annotations

import numpy as np
from scipy.special import logit

from ..engine.rows import MomentSums
from ..scores import penalized_weights

_DRAWS = 400


def stack_weights(
    label_logits: np.ndarray, s: np.ndarray, weight: np.ndarray, ridge: float
) -> np.ndarray:
    r"""Weights of the members' logits, each less the logit of the labeled share.

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
    return penalized_weights(label_logits - base, offset, s, weight, ridge, equal, 0.0)


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
    return likely_members(*likelihood_moments(log_likelihoods, weight))


def likelihood_moments(log_likelihoods: np.ndarray, weight: np.ndarray) -> MomentSums:
    """Return the total weight, the means, and the products of deviations from them."""
    total = float(weight.sum())
    mean = weight @ log_likelihoods / total
    away = log_likelihoods - mean
    return total, mean, (away * weight[:, None]).T @ away


def likely_members(total_weight: float, mean: np.ndarray, products: np.ndarray) -> np.ndarray:
    """Return the probabilities of members, by the moments of their log-likelihoods."""
    total = total_weight * mean
    values, vectors = np.linalg.eigh(products)
    normal = np.random.RandomState(0).normal(size=(_DRAWS, len(total)))
    drawn = total + normal @ (vectors * np.sqrt(np.maximum(values, 0.0))).T
    drawn -= drawn.max(axis=1, keepdims=True)
    likely = np.exp(drawn)
    return np.asarray((likely / likely.sum(axis=1, keepdims=True)).mean(axis=0))

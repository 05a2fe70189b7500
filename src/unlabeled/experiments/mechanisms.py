"""How labels are hidden: completely at random, or depending on the features."""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq
from sklearn.preprocessing import StandardScaler

from ..datasets import hide_labels, logistic_propensity, posterior_propensity

MECHANISMS = ("scar", "logistic", "posterior", "posterior_squared")
"""SCAR; e(x) logistic in the features; e(x) growing with the posterior, or with its square."""

TEN_LABELS = "ten_labels"
"""Exactly ten positives of the training rows are labelled, whatever the label frequency."""

_POWERS = {"posterior": 1.0, "posterior_squared": 2.0}


def draw_labels(
    mechanism: str,
    c: float,
    X: np.ndarray,
    y_true: np.ndarray,
    posterior: np.ndarray | None,
    seed: int,
) -> np.ndarray:
    """Label positives with mean frequency `c` by one of `MECHANISMS`.

    Parameters
    ----------
    mechanism : str
    c : float
        Mean of e(x) over the positive rows.
    X, y_true : ndarray
        Features and true classes.
    posterior : ndarray or None
        P(Y=1|x) of every row; only the mechanisms named after it need it.
    seed : int
        Draws the labels.

    Notes
    -----
    "logistic": e(x) = sigmoid(a + u), u the sum of the standardised features divided by its
    standard deviation; so it does not depend on x through the posterior. "posterior" and
    "posterior_squared": e(x) = min(1, k y(x)^power); 1 is reached only where the mean `c`
    could not be without it.
    """
    if mechanism == "scar":
        return hide_labels(y_true, c, random_state=seed)
    if mechanism == "logistic":
        propensity = _logistic(c, X, y_true)
    else:
        assert posterior is not None
        propensity = _growing_with_posterior(c, posterior, y_true, _POWERS[mechanism])
    return hide_labels(y_true, propensity=propensity, random_state=seed)


def label_ten(y_true: np.ndarray, seed: int) -> np.ndarray:
    """Label ten of the positive rows, completely at random.

    Parameters
    ----------
    y_true : ndarray
        True classes of the training rows.
    seed : int
        Draws the labels.
    """
    positives = np.flatnonzero(y_true == 1)
    if len(positives) <= 10:
        raise ValueError(
            f"`y_true` must have more than ten positives to label ten; got {len(positives)}. "
            "Use more rows."
        )
    s = np.zeros_like(y_true)
    s[np.random.RandomState(seed).choice(positives, 10, replace=False)] = 1
    return s


def _logistic(c: float, X: np.ndarray, y_true: np.ndarray) -> np.ndarray:
    total = StandardScaler().fit_transform(X).sum(axis=1, keepdims=True)
    return logistic_propensity(total / total.std(), [1.0], mean_frequency=c, y_true=y_true)


def _growing_with_posterior(
    c: float, posterior: np.ndarray, y_true: np.ndarray, power: float
) -> np.ndarray:
    shape = posterior**power
    among_positives = shape[y_true == 1]

    def excess(cap: float) -> float:
        return float(np.minimum(among_positives, cap).mean()) / cap - c

    highest = float(shape.max())
    if excess(highest) >= 0:
        cap = highest
    else:
        cap = float(
            brentq(excess, float(among_positives.min()) * 1e-3 + 1e-300, highest, xtol=1e-15)
        )
        cap *= 1 - 1e-9  # on the side where the mean can be reached
    return posterior_propensity(
        posterior,
        mean_frequency=c,
        y_true=y_true,
        function=lambda y: np.minimum(y**power, cap),
    )

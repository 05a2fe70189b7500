"""Labelling mechanisms beyond SCAR: the probability e(x) that a positive row is labelled."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logit
from sklearn.utils import check_array

from ._arguments import check_frequency, check_positives, check_probabilities, check_vector


def logistic_propensity(X: Any, coef: Any, *, mean_frequency: float, y_true: Any) -> np.ndarray:
    r"""Propensity that is logistic in the features (selected at random, SAR).

    Use it to see how a method for SCAR labels bears labels that depend on the features.

    .. math:: e(x) = \sigma(a + x^T\gamma), \quad
        a:\ \frac{1}{n_+} \sum_{i: y_i = 1} e(x_i) = \bar c

    What breaks it: coefficients far from zero make e(x) a step, 0 for some positives, and
    then no method can recover the classes of those from s.

    Parameters
    ----------
    X : array-like of shape (n, p)
        Features.
    coef : array-like of shape (p,)
        The coefficients gamma; zeros give SCAR.
    mean_frequency : float
        Mean of e over the positive rows, in (0, 1).
    y_true : array-like of shape (n,)
        The classes, 0 or 1.

    Returns
    -------
    propensity : ndarray of shape (n,), float64
        e(x_i) of every row, for `hide_labels`.

    Examples
    --------
    >>> from unlabeled.datasets import logistic_propensity, make_paper_gaussian
    >>> sample = make_paper_gaussian(500, c=1.0, random_state=0)
    >>> e = logistic_propensity(sample.X, [1, 0, 0], mean_frequency=0.3, y_true=sample.y_true)
    >>> round(float(e[sample.y_true == 1].mean()), 9)
    0.3
    """
    features = check_array(X, dtype=np.float64)
    positive = check_positives(y_true)
    target = check_frequency(mean_frequency, "mean_frequency", allow_one=False)
    if len(features) != len(positive):
        raise ValueError(
            f"`X` must have one row a class, {len(positive)}; got {len(features)} rows."
        )
    score = features @ check_vector(coef, "coef", features.shape[1], per="column")
    among_positives = score[positive]

    def excess(intercept: float) -> float:
        return float(expit(intercept + among_positives).mean()) - target

    # At these two intercepts every positive lies on one side of the target.
    low = logit(target) - among_positives.max() - 1.0
    high = logit(target) - among_positives.min() + 1.0
    return np.asarray(expit(brentq(excess, low, high, xtol=1e-13) + score))


def posterior_propensity(
    posterior: Any,
    *,
    mean_frequency: float,
    y_true: Any,
    power: float | None = None,
    function: Callable[[np.ndarray], Any] | None = None,
) -> np.ndarray:
    r"""Propensity that grows with the posterior (probabilistic gap).

    Rows that look more positive are labelled more often, so SCAR fails. But s(x) = e(x) y(x)
    grows with y(x), so both rank rows alike; with a logistic posterior and normal features the
    naive fit even keeps the true direction.

    .. math:: e(x) = k\, g(y(x)), \quad g(y) = y^{power}, \quad
        k:\ \frac{1}{n_+} \sum_{i: y_i = 1} e(x_i) = \bar c

    What breaks it: e is a probability, so :math:`k \max g \le 1` bounds the mean frequency;
    a high power allows only a low one.

    Parameters
    ----------
    posterior : array-like of shape (n,)
        y(x_i) = P(Y=1|x_i), in [0, 1].
    mean_frequency : float
        Mean of e over the positive rows, in (0, 1].
    y_true : array-like of shape (n,)
        The classes, 0 or 1.
    power : float, default=1
        Exponent of the posterior, at least 0; 0 gives SCAR.
    function : callable, optional
        g itself, in place of a power: takes the posteriors, returns as many values, not
        negative and not decreasing in the posterior.

    Returns
    -------
    propensity : ndarray of shape (n,), float64
        e(x_i) of every row, for `hide_labels`.

    Examples
    --------
    >>> from unlabeled.datasets import posterior_propensity
    >>> e = posterior_propensity(
    ...     [0.1, 0.4, 0.8], power=1, mean_frequency=0.6, y_true=[0, 1, 1]
    ... )
    >>> [round(float(value), 6) for value in e]
    [0.1, 0.4, 0.8]
    """
    positive = check_positives(y_true)
    y_of_x = check_probabilities(posterior, "posterior", len(positive))
    target = check_frequency(mean_frequency, "mean_frequency")
    shape = _increasing(y_of_x, power, function)
    mean = shape[positive].mean()
    if mean <= 0:
        raise ValueError(
            "`posterior` must be positive for at least one positive row; "
            "got a propensity of zero for all of them."
        )
    highest = mean / shape.max()
    if target > highest * (1 + 1e-12):
        raise ValueError(
            f"`mean_frequency` must be at most {highest:.6g} for this posterior and this "
            f"`power` or `function`, since no propensity may exceed 1; got {target:.6g}."
        )
    return np.asarray(np.minimum(shape * (target / mean), 1.0))


def _increasing(
    posterior: np.ndarray, power: float | None, function: Callable[[np.ndarray], Any] | None
) -> np.ndarray:
    if function is None:
        exponent = 1.0 if power is None else power
        if not isinstance(exponent, Real) or not 0 <= exponent < np.inf:
            raise ValueError(f"`power` must be a finite number of at least 0; got {power!r}.")
        return np.asarray(np.power(posterior, float(exponent)))
    if power is not None:
        raise ValueError("`power` must be left out when `function` is given; got both.")
    shape = check_vector(function(posterior), "function", len(posterior))
    ordered = shape[np.lexsort((shape, posterior))]
    if ordered[0] < 0 or np.any(np.diff(ordered) < 0):
        raise ValueError(
            "`function` must be non-negative and must not decrease in the posterior; "
            "got a negative or decreasing value. Use another function or `power`."
        )
    return shape

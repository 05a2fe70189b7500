"""The chance of a positive to be labelled, where it depends on the features."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logit
from sklearn.utils import check_array

from ..engine.parameters import check_fraction
from ._labels import check_positives, check_probabilities, check_vector


def logistic_propensity(
    X: Any, coef: Any, *, mean_frequency: float, y_true: Any, power: float = 1.0
) -> np.ndarray:
    r"""Compute a propensity that is logistic in the features (selected at random, SAR).

    Use it to see what happens to a method for SCAR labels when labels depend on the features.

    .. math:: e(x) = \sigma(a + x^T\gamma)^m, \quad
        a:\ \frac{1}{n_+} \sum_{i: y_i = 1} e(x_i) = \bar c

    The power m is 1 by default. With another power no logistic model describes the propensity:
    above 1, it falls to 0 faster than it rises to 1.

    Note: with large coefficients e(x) is almost a step that is 0 for some positives. No
    method can then recover their classes from s.

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
    power : float, default=1
        The power m, from 0.1 to 1000.

    Returns
    -------
    propensity : ndarray of shape (n,), float64
        e(x_i) of every row, for `hide_labels`.

    References
    ----------
    With power 10: Mielniczuk, Wawrzeńczyk (2024), Augmented prediction of a true class for positive
    unlabeled data under selection bias, ECAI.

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
    _check_rows(features, len(positive))
    score = features @ check_vector(coef, "coef", features.shape[1], per="column")
    return _shifted(score, positive, mean_frequency, power=_check_power_of_link(power))


def feature_propensity(
    X: Any, feature: int, *, slope: float = 2.0, mean_frequency: float, y_true: Any
) -> np.ndarray:
    r"""Compute a propensity that is logistic in one standardised feature (SAR).

    Use it where one column decides which positives get a label: the branch, the year, the
    severity of the case.

    .. math:: e(x) = \sigma(a + d\,z_j), \quad z_j = \frac{x_j - \bar x_j}{\mathrm{sd}(x_j)},
        \quad a:\ \frac{1}{n_+} \sum_{i: y_i = 1} e(x_i) = \bar c

    Mean and standard deviation are those of all rows. It is `logistic_propensity` with the
    coefficient d / sd(x_j) for this feature and 0 for the others.

    Parameters
    ----------
    X : array-like of shape (n, p)
        Features.
    feature : int
        Position of the feature, from 0.
    slope : float, default=2
        The slope d per standard deviation. Negative: rows with low values are labelled more
        often. 0 gives SCAR.
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
    >>> from unlabeled.datasets import feature_propensity
    >>> e = feature_propensity([[0], [0], [4], [4]], 0, mean_frequency=0.5, y_true=[0, 1, 0, 1])
    >>> [round(float(value), 6) for value in e]  # sigma(-2) and sigma(2)
    [0.119203, 0.119203, 0.880797, 0.880797]
    """
    features = check_array(X, dtype=np.float64)
    column = features[:, _check_columns([feature], "feature", features)]
    _check_finite(slope, "slope")
    coef = [float(slope) / column.std()]
    return logistic_propensity(column, coef, mean_frequency=mean_frequency, y_true=y_true)


def step_propensity(
    X: Any, feature: int, *, at: float, lower: float = 0.1, upper: float = 0.95
) -> np.ndarray:
    r"""Compute a propensity that is a step in one feature (SAR).

    Positives on one side of a value are rarely labelled, those on the other almost always: before
    and after a test was introduced, below and above an age limit.

    .. math:: e(x) = \begin{cases} p^- & x_j < t \\ p^+ & x_j \ge t \end{cases}

    A row whose feature equals `at` has the propensity `upper`. If `at` is not above the minimum,
    or is above the maximum, e is constant, which is SCAR. Note: no logistic model in the features
    describes a step. With `lower` 0, no method can recover the classes below the step from s.

    Parameters
    ----------
    X : array-like of shape (n, p)
        Features.
    feature : int
        Position of the feature, from 0.
    at : float
        The value t at which the step lies.
    lower : float, default=0.1
        :math:`p^-`, the propensity below `at`, in [0, 1].
    upper : float, default=0.95
        :math:`p^+`, the propensity at `at` and above, in [0, 1]. Below `lower`, rows with low
        values are labelled more often.

    Returns
    -------
    propensity : ndarray of shape (n,), float64
        e(x_i) of every row, for `hide_labels`.

    References
    ----------
    Furmańczyk, Mielniczuk, Rejchel, Teisseyre (2023), Joint estimation of posterior probability and
    propensity score function for positive and unlabelled data, ECAI, arXiv:2209.07787. Its step is
    at 1, in the first feature.

    Examples
    --------
    >>> from unlabeled.datasets import step_propensity
    >>> step_propensity([[0.5], [1], [2]], 0, at=1).tolist()
    [0.1, 0.95, 0.95]
    """
    features = check_array(X, dtype=np.float64)
    (column,) = _check_columns([feature], "feature", features)
    _check_finite(at, "at")
    below, above = check_probabilities([lower, upper], "lower` and `upper", 2)
    return np.where(features[:, column] < at, below, above)


def top_propensity(X: Any, feature: int, *, mean_frequency: float, y_true: Any) -> np.ndarray:
    r"""Compute a propensity of 1 for the largest values of a feature and 0 for the others (SAR).

    The hardest mechanism: only the positives with the largest values of one feature are labelled,
    as if only the gravest cases came to the hospital. No labelled row tells what the other
    positives are like, so no method can recover their classes from s without further assumptions.

    .. math:: e(x) = \begin{cases} 1 & x_j > t \\ q & x_j = t \\ 0 & x_j < t \end{cases},
        \quad t, q:\ \frac{1}{n_+} \sum_{i: y_i = 1} e(x_i) = \bar c, \quad 0 < q \le 1

    Positives that tie at the threshold t share what is left: q is the fraction of them that makes
    the mean exact. Without ties, q is 1 if :math:`\bar c\, n_+` is a whole number. For the smallest
    values, pass ``-X``.

    Parameters
    ----------
    X : array-like of shape (n, p)
        Features.
    feature : int
        Position of the feature, from 0.
    mean_frequency : float
        Mean of e over the positive rows, in (0, 1].
    y_true : array-like of shape (n,)
        The classes, 0 or 1.

    Returns
    -------
    propensity : ndarray of shape (n,), float64
        e(x_i) of every row, for `hide_labels`.

    References
    ----------
    Mielniczuk, Wawrzeńczyk (2024), Augmented prediction of a true class for positive unlabeled data
    under selection bias, ECAI.

    Examples
    --------
    >>> from unlabeled.datasets import top_propensity
    >>> y_true = [1, 1, 1, 1, 0]
    >>> top_propensity([[1], [2], [3], [4], [5]], 0, mean_frequency=0.5, y_true=y_true).tolist()
    [0.0, 0.0, 1.0, 1.0, 1.0]
    >>> top_propensity([[1], [3], [3], [4], [5]], 0, mean_frequency=0.5, y_true=y_true).tolist()
    [0.0, 0.5, 0.5, 1.0, 1.0]
    """
    features = check_array(X, dtype=np.float64)
    positive = check_positives(y_true)
    _check_rows(features, len(positive))
    (column,) = _check_columns([feature], "feature", features)
    check_fraction("mean_frequency", mean_frequency)
    value = features[:, column]
    among_positives = np.sort(value[positive])[::-1]
    total = mean_frequency * len(among_positives)
    if round(total) >= 1 and abs(total - round(total)) < 1e-12 * total:  # 0.07 * 100 is 7 + 9e-16
        total = round(total)
    threshold = among_positives[int(np.ceil(total)) - 1]
    above = np.sum(among_positives > threshold)
    fraction = (total - above) / np.sum(among_positives == threshold)
    return np.where(value == threshold, fraction, (value > threshold).astype(np.float64))


def product_propensity(
    X: Any,
    features: Any = None,
    *,
    lower: float = 0.2,
    upper: float = 0.8,
    mean_frequency: float | None = None,
    y_true: Any = None,
) -> np.ndarray:
    r"""Compute a propensity that is a product over several features (SAR).

    Each of the k features moves the propensity a little, in a way that no logistic model
    describes: it is their geometric mean, each put on the interval from `lower` to `upper`.

    .. math:: e(x) = \prod_{j=1}^{k} \left[p^- + \frac{x_j - \min x_j}{\max x_j - \min x_j}
        (p^+ - p^-)\right]^{1/k}

    Minimum and maximum are those of all rows. With `mean_frequency`, e is multiplied by the
    number that gives the positives this mean. Note: e is a probability, which bounds the mean.

    Parameters
    ----------
    X : array-like of shape (n, p)
        Features.
    features : array-like of int, optional
        Positions of the k features, from 0. By default all columns.
    lower : float, default=0.2
        :math:`p^-`, the factor of a feature at its minimum, in [0, 1].
    upper : float, default=0.8
        :math:`p^+`, the factor of a feature at its maximum, in [0, 1]. Below `lower`, rows with
        low values are labelled more often.
    mean_frequency : float, optional
        Mean of e over the positive rows, in (0, 1]. By default e is not scaled.
    y_true : array-like of shape (n,), optional
        The classes, 0 or 1; needed with `mean_frequency`.

    Returns
    -------
    propensity : ndarray of shape (n,), float64
        e(x_i) of every row, for `hide_labels`.

    References
    ----------
    Bekker, Robberechts, Davis (2019), Beyond the selected completely at random assumption for
    learning from positive and unlabeled data, ECML PKDD.

    Examples
    --------
    >>> from unlabeled.datasets import product_propensity
    >>> e = product_propensity([[0, 0], [1, 0], [1, 10]])
    >>> [round(float(value), 6) for value in e]  # .2, sqrt(.8 * .2) and .8
    [0.2, 0.4, 0.8]
    """
    table = check_array(X, dtype=np.float64)
    every = range(table.shape[1]) if features is None else features
    columns = table[:, _check_columns(every, "features", table)]
    ends = check_probabilities([lower, upper], "lower` and `upper", 2)
    smallest = columns.min(axis=0)
    place = (columns - smallest) / (columns.max(axis=0) - smallest)
    factors = ends[0] + place * (ends[1] - ends[0])
    shape = np.asarray(np.prod(factors ** (1 / columns.shape[1]), axis=1))
    if (mean_frequency is None) != (y_true is None):
        raise ValueError(
            "`mean_frequency` and `y_true` must be given together; got one of them. "
            "Omit both for the product as it is."
        )
    if mean_frequency is None:
        return shape
    positive = check_positives(y_true)
    _check_rows(table, len(positive))
    return _scaled(shape, positive, mean_frequency, "these features", "`lower` and `upper`")


def posterior_propensity(
    posterior: Any,
    *,
    mean_frequency: float | None,
    y_true: Any,
    power: float | None = None,
    function: Callable[[np.ndarray], Any] | None = None,
    link: str | None = None,
) -> np.ndarray:
    r"""Compute a propensity that grows with the posterior (probabilistic gap).

    Rows that look more positive are labelled more often, so SCAR fails. But
    P(S=1|x) = e(x) y(x) still increases with y(x), so the two rank rows in the same order.
    With a logistic posterior and normal features the naive fit still has the true direction.

    .. math:: e(x) = k\, g(y(x)), \quad g(y) = y^{power}, \quad
        k:\ \frac{1}{n_+} \sum_{i: y_i = 1} e(x_i) = \bar c

    Note: e is a probability, so :math:`k \max g \le 1` bounds the mean frequency.
    The higher the power, the lower the bound. With ``mean_frequency=None`` the mean is as large as
    the bound allows: :math:`k = 1 / \max g`, where the maximum is that over all rows, and so the
    largest e is 1. A `link` has no such bound. It shifts the posterior's logit instead:

    .. math:: e(x) = F(\mathrm{logit}\, y(x) + a)^{power}, \quad
        a:\ \frac{1}{n_+} \sum_{i: y_i = 1} e(x_i) = \bar c

    F is the logistic function :math:`\sigma` for ``link="logit"``. For ``link="cauchy"`` it is the
    distribution function of the Cauchy distribution, :math:`F(t) = 1/2 + \arctan(t)/\pi`. Its
    tails are heavy, so even rows with a posterior near 0 are labelled now and then.

    Published mechanisms, where `posterior` is a logistic regression fitted to the true classes:

    - ``power=1``: e = k y(x), "prop2" of Furmańczyk et al. (2023);
    - ``power=20, mean_frequency=None``: Kato et al. (2019), who take the maximum over the positives
      (pass the positives alone for that);
    - ``link="logit"``, ``link="cauchy"`` and ``link="logit", power=10``: S2, S3 and S4 of Rejchel
      et al. (2024), who choose a on a grid; here it is solved for.

    Parameters
    ----------
    posterior : array-like of shape (n,)
        y(x_i) = P(Y=1|x_i), in [0, 1].
    mean_frequency : float or None
        Mean of e over the positive rows, in (0, 1], with a link in (0, 1). None: as large as
        possible, so that the largest e is 1; not with a link.
    y_true : array-like of shape (n,)
        The classes, 0 or 1.
    power : float, default=1
        Exponent of the posterior, at least 0; 0 gives SCAR. With a link, exponent of F, from 0.1
        to 1000.
    function : callable, optional
        Function g to use instead of a power, from an array of posteriors to one value for
        each. It must be non-negative and non-decreasing.
    link : {None, "logit", "cauchy"}, default=None
        If given, shift the logit of the posterior; `function` must be None. Rows with posterior 0
        are then never labelled, and positives with posterior 1 always.

    Returns
    -------
    propensity : ndarray of shape (n,), float64
        e(x_i) of every row, for `hide_labels`.

    References
    ----------
    He, Liu, Webb, Tao (2018), Instance-dependent PU learning by Bayesian optimal relabeling,
    arXiv:1808.02180.

    Furmańczyk, Mielniczuk, Rejchel, Teisseyre (2023), Joint estimation of posterior probability and
    propensity score function for positive and unlabelled data, ECAI, arXiv:2209.07787.

    Kato, Teshima, Honda (2019), Learning from positive and unlabeled data with a selection bias,
    ICLR.

    Rejchel, Teisseyre, Mielniczuk (2024), Joint empirical risk minimization for
    instance-dependent positive-unlabeled data, Knowledge-Based Systems 304, arXiv:2312.16557.

    Examples
    --------
    >>> from unlabeled.datasets import posterior_propensity
    >>> e = posterior_propensity(
    ...     [0.1, 0.4, 0.8], power=1, mean_frequency=0.6, y_true=[0, 1, 1]
    ... )
    >>> [round(float(value), 6) for value in e]
    [0.1, 0.4, 0.8]
    >>> e = posterior_propensity([0.2, 0.5], link="logit", mean_frequency=0.8, y_true=[0, 1])
    >>> [round(float(value), 6) for value in e]  # odds 1/4 and 1, both multiplied by 4
    [0.5, 0.8]
    >>> e = posterior_propensity([0.3, 0.6], power=2, mean_frequency=None, y_true=[0, 1])
    >>> [round(float(value), 6) for value in e]
    [0.25, 1.0]
    """
    positive = check_positives(y_true)
    y_of_x = check_probabilities(posterior, "posterior", len(positive))
    if link is not None:
        _check_link(link, function, mean_frequency)
        exponent = _check_power_of_link(1.0 if power is None else power)
        return _shifted(
            logit(y_of_x),
            positive,
            mean_frequency,  # type: ignore[arg-type]
            link=link,
            power=exponent,
        )
    shape = _increasing(y_of_x, power, function)
    if not np.any(shape[positive] > 0):
        raise ValueError(
            "`posterior` must be above 0 for at least one positive row; "
            "got a propensity of 0 for all of them. Check that `posterior` is P(Y=1|x)."
        )
    if mean_frequency is None:
        return shape / shape.max()
    return _scaled(shape, positive, mean_frequency, "this posterior", "`power` or `function`")


def _cauchy(score: Any) -> Any:
    """1/2 + arctan(score) / pi, without the loss of digits far below 0."""
    return np.arctan2(1.0, -np.asarray(score)) / np.pi


def _cauchy_quantile(probability: float) -> float:
    return float(-1 / np.tan(np.pi * probability))


_LINKS: dict[str, tuple[Callable[[Any], Any], Callable[[float], float]]] = {
    "logit": (expit, logit),
    "cauchy": (_cauchy, _cauchy_quantile),
}
"""Links of a propensity: distribution function and its inverse."""


def _shifted(
    score: np.ndarray,
    positive: np.ndarray,
    mean_frequency: float,
    *,
    link: str = "logit",
    power: float = 1.0,
) -> np.ndarray:
    """F(score + a)^power with its mean over the positives; scores may be infinite."""
    check_fraction("mean_frequency", mean_frequency)
    if mean_frequency == 1:
        raise ValueError(
            "`mean_frequency` must be below 1; got 1. Pass c=1 to `hide_labels` to label every "
            "positive."
        )
    among_positives = score[positive]
    moved = among_positives[np.isfinite(among_positives)]
    always = float(np.sum(among_positives == np.inf))
    total = mean_frequency * len(among_positives)
    if not always < total < always + len(moved):
        raise ValueError(
            f"`mean_frequency` must be above {always / len(among_positives):.6g} and below "
            f"{(always + len(moved)) / len(among_positives):.6g}, since no shift moves positives "
            f"with posterior 0 or 1; got {mean_frequency:.6g}. Choose another one."
        )
    all_move = len(moved) == len(among_positives)
    mean = mean_frequency if all_move else (total - always) / len(moved)

    function, inverse = _LINKS[link]

    def excess(intercept: float) -> float:
        return float((function(intercept + moved) ** power).mean()) - mean

    # Bracket: at these intercepts all propensities are below, or above, their mean.
    centre = inverse(min(mean ** (1 / power), np.nextafter(1.0, 0.0)))
    low = centre - moved.max() - 1.0
    high = centre - moved.min() + 1.0
    while excess(low) > 0:  # only where rounding has moved the centre
        low -= 1.0 + abs(low)
    while excess(high) < 0:
        high += 1.0 + abs(high)
    return np.asarray(function(brentq(excess, low, high, xtol=1e-13) + score) ** power)


def _scaled(
    shape: np.ndarray, positive: np.ndarray, mean_frequency: float, source: str, options: str
) -> np.ndarray:
    """`shape` times the number that gives the positives their mean; rejects what exceeds 1."""
    check_fraction("mean_frequency", mean_frequency)
    mean = shape[positive].mean()
    highest = mean / shape.max() if mean > 0 else 0.0
    if mean_frequency > highest * (1 + 1e-12):
        raise ValueError(
            f"`mean_frequency` must be at most {highest:.6g} for {source} and {options}, or a "
            f"propensity exceeds 1; got {mean_frequency:.6g}. Choose a lower one."
        )
    return np.asarray(np.minimum(shape * (mean_frequency / mean), 1.0))


def _increasing(
    posterior: np.ndarray, power: float | None, function: Callable[[np.ndarray], Any] | None
) -> np.ndarray:
    if function is None:
        exponent = 1.0 if power is None else power
        is_number = isinstance(exponent, Real) and not isinstance(exponent, bool)
        if not is_number or not 0 <= exponent < np.inf:
            raise ValueError(f"`power` must be a finite number of at least 0; got {power!r}.")
        return np.asarray(np.power(posterior, float(exponent)))
    if power is not None:
        raise ValueError("`power` must be None if `function` is given; got both. Omit one.")
    shape = check_vector(function(posterior), "function", len(posterior))
    ordered = shape[np.lexsort((shape, posterior))]
    if ordered[0] < 0 or np.any(np.diff(ordered) < 0):
        raise ValueError(
            "`function` must be non-negative and non-decreasing in the posterior; "
            "got a negative or decreasing value. Use another function, or `power`."
        )
    return shape


def _check_link(
    link: Any, function: Callable[[np.ndarray], Any] | None, mean_frequency: float | None
) -> None:
    """Reject an unknown link, and what cannot stand beside a link."""
    if not isinstance(link, str) or link not in _LINKS:
        raise ValueError(f"`link` must be None, 'logit' or 'cauchy'; got {link!r}.")
    if function is not None:
        raise ValueError("`function` must be None if `link` is given; got both. Omit one.")
    if mean_frequency is None:
        raise ValueError(
            "`mean_frequency` must be in (0, 1) if `link` is given; got None. "
            "Choose one, or omit `link`: a shift of the logit allows every mean."
        )


def _check_power_of_link(power: Any) -> float:
    """Return the power of a link as a float; beyond these ends floating point loses the mean."""
    is_number = isinstance(power, Real) and not isinstance(power, bool)
    if not is_number or not 0.1 <= power <= 1000:
        raise ValueError(f"`power` must be a number from 0.1 to 1000; got {power!r}.")
    return float(power)


def _check_finite(value: Any, name: str) -> None:
    if isinstance(value, bool) or not isinstance(value, Real) or not np.isfinite(value):
        raise ValueError(f"`{name}` must be a finite number; got {value!r}.")


def _check_rows(features: np.ndarray, n_rows: int) -> None:
    """Reject features with another number of rows than there are classes."""
    if len(features) != n_rows:
        raise ValueError(
            f"`X` must have as many rows as `y_true`, {n_rows}; got {len(features)} rows."
        )


def _check_columns(positions: Any, name: str, X: np.ndarray) -> list[int]:
    """Return positions of columns; reject others than ints in range, and constant columns."""
    last = X.shape[1] - 1
    columns = np.atleast_1d(positions).tolist()
    if not columns:
        raise ValueError(f"`{name}` must name at least one column of `X`; got none.")
    for column in columns:
        is_position = isinstance(column, int) and not isinstance(column, bool)
        if not is_position or not 0 <= column <= last:
            raise ValueError(f"`{name}` must be from 0 to {last}, a column of `X`; got {column!r}.")
        if np.ptp(X[:, column]) == 0:
            raise ValueError(
                f"`{name}` must name columns with more than one value; got column {column}, "
                "which is constant. Choose another column."
            )
    return list(columns)

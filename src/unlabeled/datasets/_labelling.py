"""Hiding labels: completely at random, or with a probability that depends on the features."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logit
from sklearn.utils import check_array, check_random_state, column_or_1d

from ..engine.parameters import check_fraction


def hide_labels(
    y_true: Any,
    c: float | None = None,
    *,
    propensity: Any = None,
    random_state: int | np.random.RandomState | None = None,
) -> np.ndarray:
    r"""Label some of the positives; all other rows become unlabelled.

    With `c`, positives are labelled completely at random (SCAR), each with the same
    probability. With `propensity`, labelling depends on the features (SAR): row i is labelled
    with probability e(x_i) if it is positive. A negative row is never labelled.

    .. math:: s_i = y_i \cdot 1\{u_i < e(x_i)\}, \quad u_i \sim U(0, 1), \quad e \equiv c
        \text{ under SCAR}

    Note: the realised fraction of labelled positives is random, with mean `c`. With few
    positives there may be no labelled row, and then no method can be fitted.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        The classes, 0 or 1.
    c : float, optional
        Label frequency P(S=1|Y=1), in (0, 1]. Give either this or `propensity`.
    propensity : array-like of shape (n,), optional
        e(x_i) = P(S=1|Y=1, x_i) of every row, in [0, 1]; see `logistic_propensity`,
        `feature_propensity`, `posterior_propensity` and `product_propensity`.
    random_state : int, RandomState or None, default=None
        Controls the draw; pass an int for reproducible output. With the same seed, a larger
        `c` keeps all labels and adds more.

    Returns
    -------
    s : ndarray of shape (n,), int
        1 for labelled rows, 0 for the others.

    See Also
    --------
    unlabeled.datasets.make_paper_gaussian : Features and labels together.
    unlabeled.datasets.logistic_propensity : Labels that depend on the features.

    Examples
    --------
    >>> from unlabeled.datasets import hide_labels
    >>> hide_labels([1, 1, 1, 1, 0, 0], 0.6, random_state=0).tolist()
    [1, 0, 0, 1, 0, 0]
    """
    classes = _check_classes(y_true)
    if (c is None) == (propensity is None):
        raise ValueError(
            "`c` or `propensity` must be given, not both; got "
            f"{'neither' if c is None else 'both'}. Pass `c` to label positives completely at "
            "random, `propensity` otherwise."
        )
    if propensity is None:
        check_fraction("c", c)
        probability = np.full(len(classes), float(c))  # type: ignore[arg-type]
    else:
        probability = _check_probabilities(propensity, "propensity", len(classes))
    drawn = check_random_state(random_state).random_sample(len(classes)) < probability
    return np.where(drawn, classes, 0)


def logistic_propensity(X: Any, coef: Any, *, mean_frequency: float, y_true: Any) -> np.ndarray:
    r"""Compute a propensity that is logistic in the features (selected at random, SAR).

    Use it to see what happens to a method for SCAR labels when labels depend on the features.

    .. math:: e(x) = \sigma(a + x^T\gamma), \quad
        a:\ \frac{1}{n_+} \sum_{i: y_i = 1} e(x_i) = \bar c

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
    positive = _check_positives(y_true)
    _check_rows(features, len(positive))
    score = features @ _check_vector(coef, "coef", features.shape[1], per="column")
    return _shifted(score, positive, mean_frequency)


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
    if isinstance(slope, bool) or not isinstance(slope, Real) or not np.isfinite(slope):
        raise ValueError(f"`slope` must be a finite number; got {slope!r}.")
    coef = [float(slope) / column.std()]
    return logistic_propensity(column, coef, mean_frequency=mean_frequency, y_true=y_true)


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
    ends = _check_probabilities([lower, upper], "lower` and `upper", 2)
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
    positive = _check_positives(y_true)
    _check_rows(table, len(positive))
    return _scaled(shape, positive, mean_frequency, "these features", "`lower` and `upper`")


def posterior_propensity(
    posterior: Any,
    *,
    mean_frequency: float,
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
    The higher the power, the lower the bound. ``link="logit"`` has no such bound. It shifts the
    posterior's logit instead:

    .. math:: e(x) = \sigma(\mathrm{logit}\, y(x) + a), \quad
        a:\ \frac{1}{n_+} \sum_{i: y_i = 1} e(x_i) = \bar c

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
        Function g to use instead of a power, from an array of posteriors to one value for
        each. It must be non-negative and non-decreasing.
    link : {None, "logit"}, default=None
        With "logit", shift the logit of the posterior; `power` and `function` must be None. Rows
        with posterior 0 are then never labelled, and positives with posterior 1 always.

    Returns
    -------
    propensity : ndarray of shape (n,), float64
        e(x_i) of every row, for `hide_labels`.

    References
    ----------
    He, Liu, Webb, Tao (2018), Instance-dependent PU learning by Bayesian optimal relabeling,
    arXiv:1808.02180. The link: Rejchel, Teisseyre, Mielniczuk (2024), Joint empirical risk
    minimization for instance-dependent positive-unlabeled data, Knowledge-Based Systems 304.

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
    """
    positive = _check_positives(y_true)
    y_of_x = _check_probabilities(posterior, "posterior", len(positive))
    if link is not None:
        if link != "logit":
            raise ValueError(f"`link` must be None or 'logit'; got {link!r}.")
        if power is not None or function is not None:
            raise ValueError(
                "`power` and `function` must be None if `link` is given; got one of them. "
                "Omit it, or omit `link`."
            )
        return _shifted(logit(y_of_x), positive, mean_frequency)
    shape = _increasing(y_of_x, power, function)
    if not np.any(shape[positive] > 0):
        raise ValueError(
            "`posterior` must be above 0 for at least one positive row; "
            "got a propensity of 0 for all of them. Check that `posterior` is P(Y=1|x)."
        )
    return _scaled(shape, positive, mean_frequency, "this posterior", "`power` or `function`")


def _shifted(score: np.ndarray, positive: np.ndarray, mean_frequency: float) -> np.ndarray:
    """sigma(score + a) with mean `mean_frequency` over the positives; scores may be infinite."""
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

    def excess(intercept: float) -> float:
        return float(expit(intercept + moved).mean()) - mean

    # Bracket: at these intercepts all propensities are below, or above, their mean.
    low = logit(mean) - moved.max() - 1.0
    high = logit(mean) - moved.min() + 1.0
    return np.asarray(expit(brentq(excess, low, high, xtol=1e-13) + score))


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
        if not isinstance(exponent, Real) or not 0 <= exponent < np.inf:
            raise ValueError(f"`power` must be a finite number of at least 0; got {power!r}.")
        return np.asarray(np.power(posterior, float(exponent)))
    if power is not None:
        raise ValueError("`power` must be None if `function` is given; got both. Omit one.")
    shape = _check_vector(function(posterior), "function", len(posterior))
    ordered = shape[np.lexsort((shape, posterior))]
    if ordered[0] < 0 or np.any(np.diff(ordered) < 0):
        raise ValueError(
            "`function` must be non-negative and non-decreasing in the posterior; "
            "got a negative or decreasing value. Use another function, or `power`."
        )
    return shape


def _check_classes(y_true: Any) -> np.ndarray:
    """Return the classes as ints; reject values other than 0 and 1."""
    column = np.asarray(column_or_1d(y_true))
    if column.dtype.kind not in "biuf" or not np.all((column == 0) | (column == 1)):
        raise ValueError(
            "`y_true` must hold the classes, 0 for negative and 1 for positive; "
            f"got {str(np.unique(column.astype(str))[:5].tolist())[1:-1]}. Recode the classes."
        )
    return column.astype(np.int64)


def _check_positives(y_true: Any) -> np.ndarray:
    """Return the classes as booleans; reject a column without positives."""
    positive = _check_classes(y_true).astype(bool)
    if not positive.any():
        raise ValueError(
            "`y_true` must have at least one positive row; got 0. "
            "The mean frequency is that among the positives."
        )
    return positive


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


def _check_vector(values: Any, name: str, length: int, *, per: str = "row") -> np.ndarray:
    """Return `values` as float64; reject a wrong length, NaN and infinity."""
    vector = np.asarray(column_or_1d(values), dtype=np.float64)
    if len(vector) != length:
        raise ValueError(f"`{name}` must have one value per {per}, {length}; got {len(vector)}.")
    if not np.all(np.isfinite(vector)):
        bad = int(np.sum(~np.isfinite(vector)))
        raise ValueError(f"`{name}` must hold finite numbers; got {bad} that are NaN or inf.")
    return vector


def _check_probabilities(values: Any, name: str, length: int) -> np.ndarray:
    """Return `values` as float64; reject a wrong length and values outside [0, 1]."""
    vector = _check_vector(values, name, length)
    outside = np.flatnonzero((vector < 0) | (vector > 1))
    if len(outside):
        raise ValueError(
            f"`{name}` must lie in [0, 1]; got {vector[outside[0]]:.6g} in row {outside[0]}."
        )
    return vector

"""The chance of a positive to be labeled, where it depends on the features."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from numbers import Real
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logit
from sklearn.utils import check_array

from ..engine.parameters import check_fraction, listed
from ._labels import check_positives, check_probabilities, check_vector


def propensity(
    mechanism: str,
    X: Any,
    *,
    label_frequency: float | None = None,
    y_true: Any = None,
    column: int | None = None,
    columns: Any = None,
    coef: Any = None,
    slope: float | None = None,
    at: float | None = None,
    lower: float | None = None,
    upper: float | None = None,
    power: float | None = None,
    link: str | None = None,
    function: Callable[[np.ndarray], Any] | None = None,
) -> np.ndarray:
    r"""Compute the chance e(x) of a positive to be labeled that depends on its features (SAR).

    Use it with `hide_labels` to see what happens to a method for SCAR labels. The mean of e over
    the positives, :math:`\frac{1}{n_+} \sum_{i: y_i = 1} e(x_i)`, is `label_frequency` exactly: an
    intercept a or a factor k is solved for. The mechanisms, and what each takes:

    "feature" : `column`, `slope`, `label_frequency`, `y_true`
        Logistic in one column: the branch, the year, the severity of the case.
        :math:`e(x) = \sigma(a + d\,z_j)`, where :math:`z_j` is the standardized column and d the
        `slope`, 2 by default. With a negative slope low values are labeled more often.
    "logistic" : `coef`, `power`, `label_frequency`, `y_true`
        Logistic in all columns: :math:`e(x) = \sigma(a + x^T\gamma)^m` with the coefficients
        :math:`\gamma`, where zeros give SCAR, and the power m, 1 by default. With another power no
        logistic model describes it. With large coefficients e is 0 for some positives, and no
        method can recover their classes.
    "step" : `column`, `at`, `lower`, `upper`
        Few labels on one side of a value: before and after a test was introduced. e is `lower`, .1
        by default, below `at`, and `upper`, .95 by default, from there on.
    "top" : `column`, `label_frequency`, `y_true`
        The hardest: e is 1 for the largest values of a column and 0 for the others, as if only the
        gravest cases came to the hospital. Positives that tie at the limit share what is left. For
        the smallest values pass ``-X``.
    "product" : `columns`, `lower`, `upper`; `label_frequency` and `y_true` together or not at all
        Several columns move it a little: the geometric mean over the `columns`, by default all, of
        :math:`p^- + (p^+ - p^-)\,(x_j - \min x_j) / (\max x_j - \min x_j)`, with `lower` .2 and
        `upper` .8 by default. With `label_frequency` it is multiplied by a factor.
    "posterior" : `y_true`, `power` or `function`, `link`, `label_frequency`
        Rows that look more positive are labeled more often (probabilistic gap). `X` is the
        posterior y(x) of each row, a number. :math:`e(x) = k\,y(x)^{power}` with the power 1 by
        default, or :math:`k\,g(y(x))` with a `function` g that does not decrease. Without
        `label_frequency` the largest e of all rows is 1. e cannot exceed 1, which bounds the mean.
        A `link` has no such bound: :math:`e(x) = F(\mathrm{logit}\, y(x) + a)^{power}`, with
        :math:`\sigma` for F if it is "logit", :math:`1/2 + \arctan(t)/\pi` if it is "cauchy".

    Parameters
    ----------
    mechanism : {"feature", "logistic", "step", "top", "product", "posterior"}
        Which one; see above.
    X : array-like of shape (n, p), or of shape (n,) for "posterior"
        Features, or P(Y=1|x).
    label_frequency : float, optional
        Mean of e over the positive rows, in (0, 1]; below 1 if an intercept is solved for.
    y_true : array-like of shape (n,), optional
        The classes, 0 or 1.
    column : int, optional
        Position of the column, from 0.
    columns : array-like of int, optional
        Positions of columns, from 0.
    coef : array-like of shape (p,), optional
        A coefficient per column.
    slope : float, optional
        Slope per standard deviation.
    at : float, optional
        Where the step lies.
    lower, upper : float, optional
        Two chances, in [0, 1]. With `lower` above `upper`, low values are labeled more often.
    power : float, optional
        Exponent: at least 0, and from 0.1 to 1000 where an intercept is solved for.
    link : {"logit", "cauchy"}, optional
        Which distribution function the posterior's logit goes through.
    function : callable, optional
        From an array of posteriors to one value for each, non-negative and non-decreasing.

    Returns
    -------
    propensity : ndarray of shape (n,), float64
        e(x_i) of every row, for `hide_labels`.

    See Also
    --------
    unlabeled.datasets.hide_labels : Labels with these chances.

    References
    ----------
    "product": Bekker, Robberechts, Davis (2019), Beyond the selected completely at random
    assumption for learning from positive and unlabeled data, ECML PKDD.

    "step", at 1, and "posterior" with power 1: Furmańczyk, Mielniczuk, Rejchel, Teisseyre (2023),
    Joint estimation of posterior probability and propensity score function for positive and
    unlabelled data, ECAI, arXiv:2209.07787.

    "top", and "logistic" with power 10: Mielniczuk, Wawrzeńczyk (2024), Augmented prediction of a
    true class for positive unlabeled data under selection bias, ECAI.

    "posterior": He, Liu, Webb, Tao (2018), Instance-dependent PU learning by Bayesian optimal
    relabeling, arXiv:1808.02180. With a link: Rejchel, Teisseyre, Mielniczuk (2024), Joint
    empirical risk minimization for instance-dependent positive-unlabeled data, Knowledge-Based
    Systems 304, arXiv:2312.16557; they choose a on a grid. With power 20 and no label frequency:
    Kato, Teshima, Honda (2019), Learning from positive and unlabeled data with a selection bias,
    ICLR, who pass the positives alone.

    Examples
    --------
    >>> from unlabeled.datasets import propensity
    >>> X, y_true = [[0], [0], [4], [4]], [0, 1, 0, 1]
    >>> e = propensity("feature", X, column=0, label_frequency=0.5, y_true=y_true)
    >>> [round(float(value), 6) for value in e]  # sigma(-2) and sigma(2)
    [0.119203, 0.119203, 0.880797, 0.880797]
    >>> propensity("step", [[0.5], [1], [2]], column=0, at=1).tolist()
    [0.1, 0.95, 0.95]
    >>> e = propensity("posterior", [0.2, 0.5], link="logit", label_frequency=0.8, y_true=[0, 1])
    >>> [round(float(value), 6) for value in e]  # odds 1/4 and 1, both multiplied by 4
    [0.5, 0.8]
    """
    options = {
        "label_frequency": label_frequency,
        "y_true": y_true,
        "column": column,
        "columns": columns,
        "coef": coef,
        "slope": slope,
        "at": at,
        "lower": lower,
        "upper": upper,
        "power": power,
        "link": link,
        "function": function,
    }
    if not isinstance(mechanism, str) or mechanism not in _MECHANISMS:
        raise ValueError(f"`mechanism` must be one of {listed(_MECHANISMS)}; got {mechanism!r}.")
    make = _MECHANISMS[mechanism]
    given = {name: value for name, value in options.items() if value is not None}
    takes = list(inspect.signature(make).parameters.values())[1:]
    for name in given:
        if name not in {one.name for one in takes}:
            raise ValueError(
                f"`{name}` must be left out for the mechanism {mechanism!r}; got a value."
            )
    for one in takes:
        if one.default is one.empty and one.name not in given:
            raise ValueError(
                f"`{one.name}` must be given for the mechanism {mechanism!r}; got None."
            )
    return make(X, **given)


def _logistic(
    X: Any, coef: Any, *, label_frequency: float, y_true: Any, power: float = 1.0
) -> np.ndarray:
    """sigma(a + X coef)^power, with its mean over the positives."""
    features = check_array(X, dtype=np.float64)
    positive = check_positives(y_true)
    _check_rows(features, len(positive))
    score = features @ check_vector(coef, "coef", features.shape[1], per="column")
    return _shifted(score, positive, label_frequency, power=_check_power_of_link(power))


def _feature(
    X: Any, column: int, *, slope: float = 2.0, label_frequency: float, y_true: Any
) -> np.ndarray:
    """Logistic in one standardized column."""
    features = check_array(X, dtype=np.float64)
    values = features[:, _check_columns([column], "column", features)]
    _check_finite(slope, "slope")
    coef = [float(slope) / values.std()]
    return _logistic(values, coef, label_frequency=label_frequency, y_true=y_true)


def _step(X: Any, column: int, *, at: float, lower: float = 0.1, upper: float = 0.95) -> np.ndarray:
    """Two values, below and from `at` on."""
    features = check_array(X, dtype=np.float64)
    (place,) = _check_columns([column], "column", features)
    _check_finite(at, "at")
    below, above = check_probabilities([lower, upper], "lower` and `upper", 2)
    return np.where(features[:, place] < at, below, above)


def _top(X: Any, column: int, *, label_frequency: float, y_true: Any) -> np.ndarray:
    """1 for the largest values of a column, 0 for the others; ties share what is left."""
    features = check_array(X, dtype=np.float64)
    positive = check_positives(y_true)
    _check_rows(features, len(positive))
    (place,) = _check_columns([column], "column", features)
    check_fraction("label_frequency", label_frequency)
    value = features[:, place]
    among_positives = np.sort(value[positive])[::-1]
    total = label_frequency * len(among_positives)
    if round(total) >= 1 and abs(total - round(total)) < 1e-12 * total:  # 0.07 * 100 is 7 + 9e-16
        total = round(total)
    threshold = among_positives[int(np.ceil(total)) - 1]
    above = np.sum(among_positives > threshold)
    fraction = (total - above) / np.sum(among_positives == threshold)
    return np.where(value == threshold, fraction, (value > threshold).astype(np.float64))


def _product(
    X: Any,
    columns: Any = None,
    *,
    lower: float = 0.2,
    upper: float = 0.8,
    label_frequency: float | None = None,
    y_true: Any = None,
) -> np.ndarray:
    """The geometric mean of columns, each put on [lower, upper]."""
    table = check_array(X, dtype=np.float64)
    every = range(table.shape[1]) if columns is None else columns
    chosen = table[:, _check_columns(every, "columns", table)]
    ends = check_probabilities([lower, upper], "lower` and `upper", 2)
    smallest = chosen.min(axis=0)
    place = (chosen - smallest) / (chosen.max(axis=0) - smallest)
    factors = ends[0] + place * (ends[1] - ends[0])
    shape = np.asarray(np.prod(factors ** (1 / chosen.shape[1]), axis=1))
    if (label_frequency is None) != (y_true is None):
        raise ValueError(
            "`label_frequency` and `y_true` must be given together; got one of them. "
            "Omit both for the product as it is."
        )
    if label_frequency is None:
        return shape
    positive = check_positives(y_true)
    _check_rows(table, len(positive))
    return _scaled(shape, positive, label_frequency, "these columns", "`lower` and `upper`")


def _posterior(
    posterior: Any,
    *,
    y_true: Any,
    label_frequency: float | None = None,
    power: float | None = None,
    function: Callable[[np.ndarray], Any] | None = None,
    link: str | None = None,
) -> np.ndarray:
    """Increasing in the posterior: scaled, or with a link shifted."""
    positive = check_positives(y_true)
    y_of_x = check_probabilities(posterior, "posterior", len(positive))
    if link is not None:
        _check_link(link, function, label_frequency)
        exponent = _check_power_of_link(1.0 if power is None else power)
        return _shifted(
            logit(y_of_x),
            positive,
            label_frequency,  # type: ignore[arg-type]
            link=link,
            power=exponent,
        )
    shape = _increasing(y_of_x, power, function)
    if not np.any(shape[positive] > 0):
        raise ValueError(
            "`posterior` must be above 0 for at least one positive row; "
            "got a propensity of 0 for all of them. Check that `posterior` is P(Y=1|x)."
        )
    if label_frequency is None:
        return shape / shape.max()
    return _scaled(shape, positive, label_frequency, "this posterior", "`power` or `function`")


_MECHANISMS: dict[str, Callable[..., np.ndarray]] = {
    "feature": _feature,
    "logistic": _logistic,
    "step": _step,
    "top": _top,
    "product": _product,
    "posterior": _posterior,
}


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
    label_frequency: float,
    *,
    link: str = "logit",
    power: float = 1.0,
) -> np.ndarray:
    """F(score + a)^power with its mean over the positives; scores may be infinite."""
    check_fraction("label_frequency", label_frequency)
    if label_frequency == 1:
        raise ValueError(
            "`label_frequency` must be below 1; got 1. Pass 1 to `hide_labels` to label every "
            "positive."
        )
    among_positives = score[positive]
    moved = among_positives[np.isfinite(among_positives)]
    always = float(np.sum(among_positives == np.inf))
    total = label_frequency * len(among_positives)
    if not always < total < always + len(moved):
        raise ValueError(
            f"`label_frequency` must be above {always / len(among_positives):.6g} and below "
            f"{(always + len(moved)) / len(among_positives):.6g}, since no shift moves positives "
            f"with posterior 0 or 1; got {label_frequency:.6g}. Choose another one."
        )
    all_move = len(moved) == len(among_positives)
    mean = label_frequency if all_move else (total - always) / len(moved)

    function, inverse = _LINKS[link]

    def excess(intercept: float) -> float:
        return float((function(intercept + moved) ** power).mean()) - mean

    # Bracket: at these intercepts all propensities are below, or above, their mean.
    center = inverse(min(mean ** (1 / power), np.nextafter(1.0, 0.0)))
    low = center - moved.max() - 1.0
    high = center - moved.min() + 1.0
    while excess(low) > 0:  # only where rounding has moved the center
        low -= 1.0 + abs(low)
    while excess(high) < 0:
        high += 1.0 + abs(high)
    return np.asarray(function(brentq(excess, low, high, xtol=1e-13) + score) ** power)


def _scaled(
    shape: np.ndarray, positive: np.ndarray, label_frequency: float, source: str, options: str
) -> np.ndarray:
    """`shape` times the number that gives the positives their mean; rejects what exceeds 1."""
    check_fraction("label_frequency", label_frequency)
    mean = shape[positive].mean()
    highest = mean / shape.max() if mean > 0 else 0.0
    if label_frequency > highest * (1 + 1e-12):
        raise ValueError(
            f"`label_frequency` must be at most {highest:.6g} for {source} and {options}, or a "
            f"propensity exceeds 1; got {label_frequency:.6g}. Choose a lower one."
        )
    return np.asarray(np.minimum(shape * (label_frequency / mean), 1.0))


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
    link: Any, function: Callable[[np.ndarray], Any] | None, label_frequency: float | None
) -> None:
    """Reject an unknown link, and what cannot stand beside a link."""
    if not isinstance(link, str) or link not in _LINKS:
        raise ValueError(f"`link` must be None, 'logit' or 'cauchy'; got {link!r}.")
    if function is not None:
        raise ValueError("`function` must be None if `link` is given; got both. Omit one.")
    if label_frequency is None:
        raise ValueError(
            "`label_frequency` must be in (0, 1) if `link` is given; got None. "
            "Choose one, or omit `link`: a shift of the logit allows every mean."
        )


def _check_power_of_link(power: Any) -> float:
    """Return the power of a link as a float; beyond these ends floating point loses the mean."""
    is_number = isinstance(power, Real) and not isinstance(power, bool)
    if not is_number or not 0.1 <= power <= 1000:
        raise ValueError(f"`power` must be a number from 0.1 to 1000; got {power!r}.")
    return float(power)


def _check_finite(value: Any, name: str) -> None:
    if isinstance(value, bool) or not isinstance(value, Real) or not np.isfinite(float(value)):
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

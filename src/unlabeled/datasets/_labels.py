"""Label columns: labels given to positives by chance, and a column of three kinds taken apart."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils import check_random_state, column_or_1d

from ..engine.parameters import check_fraction, listed
from ..engine.rows import is_missing


def hide_labels(
    y_true: Any,
    label_frequency: float | None = None,
    *,
    propensity: Any = None,
    random_state: int | np.random.RandomState | np.random.Generator | None = None,
) -> np.ndarray:
    r"""Label some of the positives; all other rows become unlabeled.

    With `label_frequency`, positives are labeled completely at random (SCAR), each with the
    same probability. With `propensity`, labeling depends on the features (SAR): row i is labeled
    with probability e(x_i) if it is positive. A negative row is never labeled.

    .. math:: s_i = y_i \cdot 1\{u_i < e(x_i)\}, \quad u_i \sim U(0, 1), \quad e \equiv c
        \text{ under SCAR}

    Note: the realized fraction of labeled positives is random, with mean `label_frequency`. With
    few positives there may be no labeled row, and then no method can be fitted.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        The classes, 0 or 1.
    label_frequency : float, optional
        c = P(S=1|Y=1), in (0, 1]. Give either this or `propensity`.
    propensity : array-like of shape (n,), optional
        e(x_i) = P(S=1|Y=1, x_i) of every row, in [0, 1]; the function of that name computes some.
    random_state : int, RandomState, Generator or None, default=None
        Controls the draw; pass an int for reproducible output. With the same seed, a larger
        `label_frequency` keeps all labels and adds more.

    Returns
    -------
    s : ndarray of shape (n,), int
        1 for labeled rows, 0 for the others.

    See Also
    --------
    unlabeled.datasets.make_paper_gaussian : Features and labels together.
    unlabeled.datasets.draw_labels : A fixed number of labels instead of a frequency.
    unlabeled.datasets.propensity : Chances that depend on the features.

    Examples
    --------
    >>> from unlabeled.datasets import hide_labels
    >>> hide_labels([1, 1, 1, 1, 0, 0], 0.6, random_state=0).tolist()
    [1, 0, 0, 1, 0, 0]
    """
    classes = check_classes(y_true)
    if (label_frequency is None) == (propensity is None):
        raise ValueError(
            "`label_frequency` or `propensity` must be given, not both; got "
            f"{'neither' if label_frequency is None else 'both'}. Pass `label_frequency` to label "
            "positives completely at random, `propensity` otherwise."
        )
    if propensity is None:
        check_fraction("label_frequency", label_frequency)
        probability = np.full(len(classes), float(label_frequency))  # type: ignore[arg-type]
    else:
        probability = check_probabilities(propensity, "propensity", len(classes))
    drawn = _generator(random_state).uniform(size=len(classes)) < probability
    return np.where(drawn, classes, 0)


def draw_labels(
    y_true: Any,
    n_labeled: int,
    *,
    weights: Any = None,
    random_state: int | np.random.RandomState | np.random.Generator | None = None,
) -> np.ndarray:
    r"""Label a fixed number of positives, drawn without replacement.

    `hide_labels` fixes the chance of each positive; the number of labels is then random. Here
    the number is fixed. Positives are drawn one after the other. Each draw takes one of the
    positives that are left, with a chance proportional to its weight:

    .. math:: P(\text{row } i \text{ is next}) = \frac{w_i}{\sum_{j\ \text{left}} w_j}

    Without weights, every set of `n_labeled` positives is equally likely, which is SCAR with a
    fixed number. Note: with weights, the chance to be labeled at all is not proportional to
    the weight, because a row is drawn only once. It is e(x_i) = P(S=1|Y=1, x_i), has the mean
    n_labeled / n_positive over the positives, and no closed form.

    Two published designs have these weights, where y(x) is a logistic regression fitted to the
    true classes and :math:`n_+` is the number of positives:

    .. math:: \text{LBE-A:}\quad w_i = 0.9\, \frac{y(x_i)^{10}}{\sum_{j: y_j = 1} y(x_j)^{10}}
        + \frac{0.1}{n_+}, \qquad \text{LBE-B:}\quad w_i = (1.5 + 1 - y(x_i))^{10}

    LBE-A labels rows that look positive, LBE-B those that look negative.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        The classes, 0 or 1.
    n_labeled : int
        Number of positives to label, from 1 to the number of those with a weight above 0.
    weights : array-like of shape (n,), optional
        The weight of every row, at least 0. Those of the negatives are not used. By default all
        weights are equal.
    random_state : int, RandomState, Generator or None, default=None
        Controls the draw; pass an int for reproducible output. With the same seed and weights, a
        larger `n_labeled` keeps all labels and adds more.

    Returns
    -------
    s : ndarray of shape (n,), int
        1 for labeled rows, 0 for the others.

    See Also
    --------
    unlabeled.datasets.hide_labels : A fixed chance of each row.

    Notes
    -----
    The positives with the smallest :math:`E_i / w_i` are drawn, where the :math:`E_i` are
    independent and exponentially distributed. This is the same as one draw after the other: the
    smallest of independent exponential times is that of row i with probability
    :math:`w_i / \sum_j w_j`, and what is left of the others is again exponentially distributed.

    References
    ----------
    Gong, Wang, Liu, Han, You, Yang, Tao (2022), Instance-dependent positive and unlabeled learning
    with labeling bias estimation, IEEE TPAMI 44. The weights are those of PU-Bench (ICLR 2026),
    https://openreview.net/forum?id=tb8DabMbMq

    Examples
    --------
    >>> import numpy as np
    >>> from unlabeled.datasets import draw_labels
    >>> draw_labels([1, 1, 1, 1, 0, 0], 2, random_state=0).tolist()
    [1, 0, 0, 1, 0, 0]
    >>> y_true, posterior = np.array([1, 1, 1, 0]), np.array([0.2, 0.6, 0.9, 0.4])
    >>> powers, positive = posterior**10, y_true == 1
    >>> lbe_a = 0.9 * powers / powers[positive].sum() + 0.1 / positive.sum()
    >>> draw_labels(y_true, 1, weights=lbe_a, random_state=0).tolist()
    [0, 0, 1, 0]
    >>> lbe_b = (1.5 + 1 - posterior) ** 10
    >>> draw_labels(y_true, 1, weights=lbe_b, random_state=0).tolist()
    [1, 0, 0, 0]
    """
    positive = check_positives(y_true)
    if weights is None:
        weight = np.ones(len(positive))
    else:
        weight = check_vector(weights, "weights", len(positive))
        negative = np.flatnonzero(weight < 0)
        if len(negative):
            raise ValueError(
                f"`weights` must be at least 0; got {weight[negative[0]]:.6g} in row {negative[0]}."
            )
    can_be_drawn = np.flatnonzero(positive & (weight > 0))
    is_number = isinstance(n_labeled, Integral) and not isinstance(n_labeled, bool | np.bool_)
    if not is_number or not 1 <= n_labeled <= len(can_be_drawn):
        raise ValueError(
            "`n_labeled` must be a whole number from 1 to the number of positives with a weight "
            f"above 0, {len(can_be_drawn)}; got {n_labeled!r}."
        )
    times = _generator(random_state).standard_exponential(len(positive))[can_be_drawn]
    with np.errstate(divide="ignore"):  # a time may be 0; logs, since weights may be tiny
        order = np.argsort(np.log(times) - np.log(weight[can_be_drawn]), kind="stable")
    s = np.zeros(len(positive), dtype=np.int64)
    s[can_be_drawn[order[:n_labeled]]] = 1
    return s


def split_labels(
    column: Any, *, labeled: Any, negative: Any, unlabeled: Any = ()
) -> tuple[np.ndarray, np.ndarray]:
    """Take a column of positives, known negatives and blanks apart into labels and checked rows.

    Such a column says "confirmed" of some rows, "rejected" of others, and nothing of the rest. A
    rejected row is not unlabeled: somebody looked, and it is negative. `PULogistic`,
    `PropensityLogistic` and `JointLogistic` take such rows as `checked` if they were chosen before
    anybody knew their class. Write 1 into `checked` where a chosen row was found positive. If all
    are negative, a fit asks for the word, `audit.chosen_beforehand`. **What breaks it:** rows that
    were recorded because they are negative. The class prior then comes out far too small: leave
    `checked` out.

    Parameters
    ----------
    column : array-like of shape (n_rows,)
        One value per row. Missing values (None, NaN) and blank text are unlabeled rows.
    labeled : value or list of values
        What marks labeled rows, which are known to be positive.
    negative : value or list of values
        What marks rows that were found to be negative.
    unlabeled : value or list of values, optional
        What else marks rows of which nothing is known.

    Returns
    -------
    y : ndarray of shape (n_rows,), int
        1 for labeled rows, 0 for the others: the label column of a fit.
    checked : ndarray of shape (n_rows,), float
        0 for known negatives, NaN for the others: the argument `checked` of a fit.

    Examples
    --------
    >>> from unlabeled.datasets import split_labels
    >>> status = ["confirmed", None, "rejected", "", "confirmed"]
    >>> y, checked = split_labels(status, labeled="confirmed", negative="rejected")
    >>> y.tolist(), checked.tolist()
    ([1, 0, 0, 0, 1], [nan, nan, 0.0, nan, nan])
    """
    values = np.asarray(column, dtype=object)
    if values.ndim != 1:
        raise ValueError(
            f"`column` must have one value per row; got an array of shape {values.shape}. Pass one "
            "column."
        )
    role_of: dict[Any, str] = {}
    for role, named in (("labeled", labeled), ("negative", negative), ("unlabeled", unlabeled)):
        for value in named if isinstance(named, list | tuple | set) else [named]:
            if role_of.setdefault(value, role) != role:
                raise ValueError(
                    f"`{role}` must not share values with `{role_of[value]}`; got {value!r} in "
                    "both. Name each value once."
                )
    roles = [_role(value, role_of) for value in values]
    if "labeled" not in roles:
        raise ValueError(
            f"`labeled` must be a value of the column; got {labeled!r}, which no row has. Check "
            "its spelling."
        )
    is_labeled = np.array([role == "labeled" for role in roles])
    is_negative = np.array([role == "negative" for role in roles])
    return is_labeled.astype(np.int64), np.where(is_negative, 0.0, np.nan)


def _role(value: Any, role_of: dict[Any, str]) -> str:
    if is_missing(value) or (isinstance(value, str) and not value.strip()):
        return "unlabeled"
    if value not in role_of:
        raise ValueError(
            "`labeled`, `negative` and `unlabeled` must name every value of the column, which "
            f"are {listed(list(role_of))}; got {value!r}. Name it too, or make it missing."
        )
    return role_of[value]


def _generator(random_state: Any) -> Any:
    """Return what draws: a Generator as it is, else scikit-learn's RandomState."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    return check_random_state(random_state)


def check_classes(y_true: Any) -> np.ndarray:
    """Return the classes as ints; reject values other than 0 and 1."""
    column = np.asarray(column_or_1d(y_true))
    if column.dtype.kind not in "biuf" or not np.all((column == 0) | (column == 1)):
        raise ValueError(
            "`y_true` must hold the classes, 0 for negative and 1 for positive; "
            f"got {str(np.unique(column.astype(str))[:5].tolist())[1:-1]}. Recode the classes."
        )
    return column.astype(np.int64)


def check_positives(y_true: Any) -> np.ndarray:
    """Return the classes as booleans; reject a column without positives."""
    positive = check_classes(y_true).astype(bool)
    if not positive.any():
        raise ValueError(
            "`y_true` must have at least one positive row; got 0. "
            "The mean frequency is that among the positives."
        )
    return positive


def check_vector(values: Any, name: str, length: int, *, per: str = "row") -> np.ndarray:
    """Return `values` as float64; reject a wrong length, NaN and infinity."""
    vector = np.asarray(column_or_1d(values), dtype=np.float64)
    if len(vector) != length:
        raise ValueError(f"`{name}` must have one value per {per}, {length}; got {len(vector)}.")
    if not np.all(np.isfinite(vector)):
        bad = int(np.sum(~np.isfinite(vector)))
        raise ValueError(f"`{name}` must hold finite numbers; got {bad} that are NaN or inf.")
    return vector


def check_probabilities(values: Any, name: str, length: int) -> np.ndarray:
    """Return `values` as float64; reject a wrong length and values outside [0, 1]."""
    vector = check_vector(values, name, length)
    outside = np.flatnonzero((vector < 0) | (vector > 1))
    if len(outside):
        raise ValueError(
            f"`{name}` must lie in [0, 1]; got {vector[outside[0]]:.6g} in row {outside[0]}."
        )
    return vector

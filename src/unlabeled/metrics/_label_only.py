"""Metrics that need the label column only, no class prior."""

from __future__ import annotations

from typing import Any

from .. import rates
from ._sample_rates import sample_rates


def f1_pu_score(
    y: Any, y_pred: Any, *, positive_label: Any = None, sample_weight: Any = None
) -> float:
    r"""F1_PU, the analogue of F1 that labels alone determine.

    Assumes SCAR: labelled rows are a random sample of the positives, so the
    recall on them is the recall. Use it to compare classifiers, or to place a
    cut, when the class prior is unknown.

    Parameters
    ----------
    y : array-like of shape (n,)
        Label column: labelled or unlabelled, any two values.
    y_pred : array-like of shape (n,)
        Predictions, with the same two values.
    positive_label : optional
        The value of `y` that marks labelled rows; by default the larger one.
    sample_weight : array-like of shape (n,), optional
        Weights of the rows.

    Returns
    -------
    float
        Not negative, and at most :math:`1/\alpha` up to sampling error; 1 when every
        row is predicted positive, 0 when none is. Values above 1 are normal.

    See Also
    --------
    unlabeled.metrics.corrected_f1_score : F1 itself, given a class prior.
    unlabeled.metrics.make_pu_scorer : The same for cross-validation and grid search.
    unlabeled.thresholds.f1_pu : The cut at which it is largest.

    Notes
    -----
    .. math:: F1_{PU} = \frac{r^2}{q}, \qquad r = P(\hat Y=1|S=1),\quad q = P(\hat Y=1).

    It equals precision times recall over :math:`\alpha`, the squared Fowlkes-Mallows index
    over :math:`\alpha`. **What breaks it.** Labelling that prefers some positives
    (recall is then that of the preferred ones); scoring the rows the classifier
    was fitted on (recall is inflated); few labelled rows, where one of them at
    the top of the ranking can win.

    References
    ----------
    W. S. Lee, B. Liu (2003). Learning with positive and unlabeled examples using
    weighted logistic regression. ICML 2003.

    Examples
    --------
    >>> from unlabeled.metrics import f1_pu_score
    >>> f1_pu_score([1, 1, 0, 0, 0, 0], [1, 1, 1, 0, 0, 0])
    2.0
    """
    return float(rates.f1_pu(*sample_rates(y, y_pred, positive_label, sample_weight)))


def pu_recall_score(
    y: Any, y_pred: Any, *, positive_label: Any = None, sample_weight: Any = None
) -> float:
    r"""Recall, estimated on the labelled rows.

    Assumes SCAR: labelled rows are a random sample of the positives.

    Parameters
    ----------
    y, y_pred, positive_label, sample_weight
        As in :func:`f1_pu_score`.

    Returns
    -------
    float
        In [0, 1].

    See Also
    --------
    unlabeled.metrics.predicted_share : Its price.
    unlabeled.metrics.f1_pu_score : Both in one number.

    Notes
    -----
    :math:`r = P(\hat Y=1|S=1)`, which is :math:`P(\hat Y=1|Y=1)` under SCAR.
    **What breaks it.** Labelling that prefers some positives; scoring rows the
    classifier was fitted on.

    Examples
    --------
    >>> from unlabeled.metrics import pu_recall_score
    >>> pu_recall_score([1, 1, 0, 0], [1, 0, 1, 0])
    0.5
    """
    return sample_rates(y, y_pred, positive_label, sample_weight)[0]


def lift_score(
    y: Any, y_pred: Any, *, positive_label: Any = None, sample_weight: Any = None
) -> float:
    r"""Lift: how many times richer in positives the predicted positives are.

    Assumes SCAR. Best at tiny shares, so it ranks rules of one size only; to
    choose a size use :func:`f1_pu_score`.

    Parameters
    ----------
    y, y_pred, positive_label, sample_weight
        As in :func:`f1_pu_score`.

    Returns
    -------
    float
        1 for a rule that ignores the class, 0 when nothing is predicted positive.

    See Also
    --------
    unlabeled.metrics.f1_pu_score : To choose a size.

    Notes
    -----
    :math:`r/q = P(Y=1|\hat Y=1)/\alpha`. **What breaks it.** As for :func:`f1_pu_score`.

    Examples
    --------
    >>> from unlabeled.metrics import lift_score
    >>> lift_score([1, 1, 0, 0], [1, 1, 0, 0])
    2.0
    """
    return float(rates.lift(*sample_rates(y, y_pred, positive_label, sample_weight)))


def predicted_share(
    y: Any, y_pred: Any, *, positive_label: Any = None, sample_weight: Any = None
) -> float:
    r"""Share of rows predicted positive.

    Assumes nothing. Compare it with the class prior: a rule with recall r
    cannot have a share below :math:`\alpha r`.

    Parameters
    ----------
    y, y_pred, positive_label, sample_weight
        As in :func:`f1_pu_score`; `y` says which value is the positive one.

    Returns
    -------
    float
        In [0, 1].

    See Also
    --------
    unlabeled.metrics.pu_recall_score : What it buys.

    Notes
    -----
    :math:`q = P(\hat Y=1)`. **What breaks it.** A sample whose share of labelled rows
    was set by design (case-control): the share is then that of the mixture.

    Examples
    --------
    >>> from unlabeled.metrics import predicted_share
    >>> predicted_share([1, 1, 0, 0], [1, 1, 1, 0])
    0.75
    """
    return sample_rates(y, y_pred, positive_label, sample_weight)[1]

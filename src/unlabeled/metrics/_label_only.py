"""Metrics that need only the labels, no class prior: of predictions, and the AUC of a score."""

from __future__ import annotations

from typing import Any

from .. import rates
from ..engine.sampling import ONE_SAMPLE, TWO_SAMPLES, SamplingWord
from ._metric import metric
from ._sample_rates import sample_rates
from ._score_steps import OrderedRows


@metric("f1_pu", formula=rates.f1_pu, scale="log", highest=float("inf"), title="F1_PU")
def f1_pu_score(
    y: Any,
    y_pred: Any,
    *,
    sampling: SamplingWord = ONE_SAMPLE,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> float:
    r"""F1_PU, the analog of F1 that labels alone determine.

    Assumes SCAR: labeled rows are a random sample of the positives, so their
    recall is the recall of all positives. Use it to compare classifiers, or to
    choose a threshold, if the class prior is unknown.

    Parameters
    ----------
    y : array-like of shape (n,)
        Label column: labeled or unlabeled, any two values.
    y_pred : array-like of shape (n,)
        Predictions, with the same two values.
    sampling : {"one-sample", "two-sample"}, default="one-sample"
        Which rows are the population: all of them, or only the unlabeled ones because the
        labeled rows come from elsewhere. It decides which rows the share q counts.
    pos_label : optional
        The value of `y` that marks labeled rows; by default the larger of two numbers.
    sample_weight : array-like of shape (n,), optional
        Weights of the rows.

    Returns
    -------
    float
        Between 0 and :math:`1/\alpha`, up to sampling error. 1 if every row is predicted
        positive, 0 if no row is. Values above 1 are normal.

    See Also
    --------
    unlabeled.metrics.corrected_f1_score : F1 itself, given a class prior.
    unlabeled.metrics.make_pu_scorer : For cross-validation and grid search.
    unlabeled.thresholds.choose_cut : With the rule "f1_pu", the cut that maximizes it.

    Notes
    -----
    .. math:: F1_{PU} = \frac{r^2}{q}, \qquad r = P(\hat Y=1|S=1),\quad q = P(\hat Y=1).

    It equals precision times recall over :math:`\alpha`, the squared Fowlkes-Mallows index
    over :math:`\alpha`. **What breaks it:** labeling that prefers some positives (recall is
    then that of the preferred ones); scoring rows that the classifier was fitted to (recall is
    too high); few labeled rows, because a single one at the top of the ranking can then
    dominate the score.

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
    known = sample_rates(y, y_pred, pos_label, sample_weight, sampling)
    return float(rates.f1_pu(*known))


@metric("recall", formula=lambda recall, share: recall, scale="logit")
def pu_recall_score(
    y: Any, y_pred: Any, *, pos_label: Any = None, sample_weight: Any = None
) -> float:
    r"""Recall, estimated on the labeled rows.

    Assumes SCAR: labeled rows are a random sample of the positives. It is the same in one sample
    and in two.

    Parameters
    ----------
    y, y_pred, pos_label, sample_weight
        As in :func:`f1_pu_score`.

    Returns
    -------
    float
        In [0, 1].

    See Also
    --------
    unlabeled.metrics.f1_pu_score : Both in one number.

    Notes
    -----
    :math:`r = P(\hat Y=1|S=1)`, which is :math:`P(\hat Y=1|Y=1)` under SCAR.
    **What breaks it:** labeling that prefers some positives; scoring rows that the classifier
    was fitted to.

    Examples
    --------
    >>> from unlabeled.metrics import pu_recall_score
    >>> pu_recall_score([1, 1, 0, 0], [1, 0, 1, 0])
    0.5
    """
    return sample_rates(y, y_pred, pos_label, sample_weight)[0]


@metric("lift", formula=rates.lift, scale="log", highest=float("inf"))
def lift_score(
    y: Any,
    y_pred: Any,
    *,
    sampling: SamplingWord = ONE_SAMPLE,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> float:
    r"""Lift: precision divided by the class prior.

    Assumes SCAR: labeled rows are a random sample of the positives. It is largest if only few
    rows are predicted positive, so compare only classifiers that predict the same fraction. To
    choose this fraction use :func:`f1_pu_score`.

    Parameters
    ----------
    y, y_pred, sampling, pos_label, sample_weight
        As in :func:`f1_pu_score`.

    Returns
    -------
    float
        1 for a classifier that ignores the class, 0 if nothing is predicted positive.

    See Also
    --------
    unlabeled.metrics.f1_pu_score : To choose the fraction.

    Notes
    -----
    :math:`r/q = P(Y=1|\hat Y=1)/\alpha`. **What breaks it:** as for :func:`f1_pu_score`.

    Examples
    --------
    >>> from unlabeled.metrics import lift_score
    >>> lift_score([1, 1, 0, 0], [1, 1, 0, 0])
    2.0
    """
    known = sample_rates(y, y_pred, pos_label, sample_weight, sampling)
    return float(rates.lift(*known))


@metric("share", formula=lambda recall, share: share, scale="logit", ranks=False)
def predicted_share(
    y: Any,
    y_pred: Any,
    *,
    sampling: SamplingWord = ONE_SAMPLE,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> float:
    r"""Fraction of rows predicted positive, :math:`P(\hat Y=1)`; needs no assumptions.

    In two samples it is :math:`P(\hat Y=1|S=0)`. The parameters are those of `f1_pu_score`.
    """
    return sample_rates(y, y_pred, pos_label, sample_weight, sampling)[1]


@metric(
    "label_auc",
    formula=lambda recall, share: recall,
    recall=lambda steps, share: steps.above_population(),
    share=lambda total: 1.0,
    scale="logit",
    of_unlabeled=True,
)
def label_auc_score(
    y: Any, score: Any, *, pos_label: Any = None, sample_weight: Any = None
) -> float:
    r"""Area under the ROC curve, with the labels in place of the classes.

    The probability that a labeled row has a higher score than an unlabeled one; ties count
    half. It needs no class prior and no threshold. Use it to compare scores.

    Parameters
    ----------
    y : array-like of shape (n,)
        Label column: labeled or unlabeled, any two values.
    score : array-like of shape (n,)
        One number per row; larger means more likely positive. Dask arrays and columns of frames are
        counted in 8192 bins; rows of a bin count as ties.
    pos_label : optional
        The value of `y` that marks labeled rows; by default the larger of two numbers.
    sample_weight : array-like of shape (n,), optional
        Weights of the rows.

    Returns
    -------
    float
        In [0, 1]. 1/2 for a score that ignores the labels. Under SCAR a perfect score has
        :math:`1 - \pi_u/2` on average, see Notes.

    See Also
    --------
    unlabeled.metrics.make_pu_scorer : ``make_pu_scorer("label_auc")`` is its scorer.
    unlabeled.metrics.f1_pu_score : Compares predictions instead of scores.
    unlabeled.inspection.label_importance : How much of it each column explains.

    Notes
    -----
    Assumes SCAR if you read it as an AUC of the classes. Labeled rows are then a random sample
    of the positives. Unlabeled rows hold the share :math:`\pi_u = \alpha(1-c)/(1-\alpha c)` of
    positives. A labeled row against one of these is a coin toss, so

    .. math::
        \mathrm{AUC}_{labels} = \frac12 + (1-\pi_u)\left(\mathrm{AUC} - \frac12\right),
        \qquad 1 - \pi_u = \frac{1-\alpha}{1-\alpha c}.

    The relation is increasing, and its coefficients belong to the rows and not to the score.
    So on average over samples, scores are ranked as by the AUC of the classes.
    (The labeled rows against *all* rows give
    :math:`\frac12 + (1-\alpha)(\mathrm{AUC} - \frac12)`.)

    **What breaks it:** labeling that prefers some positives; scoring rows that the classifier
    was fitted to.

    References
    ----------
    A. K. Menon, B. van Rooyen, C. S. Ong, R. C. Williamson (2015). Learning from corrupted
    binary labels via class-probability estimation. ICML 2015.

    Examples
    --------
    >>> from unlabeled.metrics import label_auc_score
    >>> label_auc_score([1, 1, 0, 0], [4.0, 2.0, 3.0, 1.0])
    0.75
    """
    # Labeled rows against unlabeled ones: the population of two samples.
    rows = OrderedRows.read(y, score, pos_label, sample_weight, TWO_SAMPLES)
    return float(rows.steps().above_population())

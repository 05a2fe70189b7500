"""Metrics of a score against the hidden classes, corrected by a given class prior."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np

from .. import rates
from ..engine.sampling import ONE_SAMPLE, ROUNDING, SamplingWord, check_class_prior
from ._metric import metric
from ._sample_rates import warn_of_contradiction, warn_of_prior
from ._score_steps import OrderedRows, ScoreSteps


def auc(above: Any, class_prior: float) -> Any:
    """½ + (A − ½)/(1 − α), with A = P(a labeled row scores above a row of the population)."""
    return 0.5 + (above - 0.5) / (1 - class_prior)


def share_of_highest(k: Any, total: float) -> float:
    """Return the k highest rows, a number or a share, as a share of the population."""
    whole = isinstance(k, Integral) and not isinstance(k, bool | np.bool_) and int(k) >= 1
    share = isinstance(k, Real) and not isinstance(k, Integral) and 0 < float(k) < 1
    if not whole and not share:
        raise ValueError(
            "`k` must be a whole number of rows, at least 1, or a share of them between 0 and 1; "
            f"got {k!r}."
        )
    if not whole:
        return float(k)
    if k > total * (1 + ROUNDING):
        raise ValueError(
            f"`k` must be at most the number of rows of the population, {total:g}; got {k!r}. "
            "Lower it, or pass a share between 0 and 1."
        )
    return min(float(k) / total, 1.0)


@metric("auc", of_steps=lambda steps, prior: auc(steps.above_population(), prior))
def corrected_auc_score(
    y: Any,
    score: Any,
    *,
    class_prior: float,
    sampling: SamplingWord = ONE_SAMPLE,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> float:
    r"""Area under the ROC curve of the hidden classes, given the class prior.

    Assumes SCAR (labeled rows are a random sample of the positives) and a class prior that is
    known or estimated from other data. To compare scores you need no class prior:
    :func:`label_auc_score` ranks them alike.

    Parameters
    ----------
    y : array-like of shape (n,)
        Label column: labeled or unlabeled, any two values.
    score : array-like of shape (n,)
        One number per row; larger means more likely positive. Dask arrays and columns of frames are
        counted in 8192 bins; rows of a bin count as ties.
    class_prior : float
        :math:`\alpha = P(Y=1)` in the whole sample, labeled and unlabeled rows together.
        Strictly between 0 and 1, and at least the fraction of labeled rows. In two samples,
        P(Y=1) in the population of the unlabeled rows; it may then be below that fraction.
    sampling : {"one-sample", "two-sample"}, default="one-sample"
        Which rows are the population: all of them, or only the unlabeled ones because the
        labeled rows come from elsewhere.
    pos_label : optional
        The value of `y` that marks labeled rows; by default the larger of two numbers.
    sample_weight : array-like of shape (n,), optional
        Weights of the rows.

    Returns
    -------
    float
        1/2 for a score that ignores the classes. Not clipped, because clipping would bias it. A
        value outside [0, 1] comes with the warning PU112.

    See Also
    --------
    sklearn.metrics.roc_auc_score : If the classes are known.
    unlabeled.metrics.label_auc_score : Without a class prior.
    unlabeled.inference.metric_interval : Its interval.

    Notes
    -----
    A labeled row against an unlabeled positive is a coin toss. With the share
    :math:`\pi_u = P(Y=1|S=0)` of positives among the unlabeled rows,

    .. math:: \mathrm{AUC} = \frac{\mathrm{AUC}_{labels} - \pi_u/2}{1 - \pi_u}, \qquad
        \pi_u = \frac{\alpha - p}{1 - p} \text{ or } \alpha \text{ (two samples)},

    where p is the fraction of labeled rows. Both cases are
    :math:`\frac12 + (A - \frac12)/(1-\alpha)`, where A is the probability that a labeled row
    scores above a row of the population; ties count half. With every positive labeled it is
    the AUC of the classes.

    **What breaks it:** a wrong class prior, which moves it away from 1/2 or toward it; labeling
    that prefers some positives; scoring rows that the classifier was fitted to.

    References
    ----------
    S. Jain, M. White, P. Radivojac (2017). Recovering true classifier performance in
    positive-unlabeled learning. AAAI 2017. doi:10.1609/aaai.v31i1.10937

    A. K. Menon, B. van Rooyen, C. S. Ong, R. C. Williamson (2015). Learning from corrupted
    binary labels via class-probability estimation. ICML 2015.

    Examples
    --------
    >>> from unlabeled.metrics import corrected_auc_score
    >>> y, score = [1, 1, 0, 0, 0, 0], [6.0, 4.0, 5.0, 3.0, 2.0, 1.0]
    >>> round(corrected_auc_score(y, score, class_prior=0.4), 6)
    0.916667
    """
    prior = check_class_prior(class_prior, sampling)
    rows = OrderedRows.read(y, score, pos_label, sample_weight, sampling)
    above = float(rows.steps().above_population())
    value = float(auc(above, prior))
    bound = 2 * min(above, 1 - above)
    if prior > bound + ROUNDING:
        where = f"for labeled rows that score above {above:.4g} of the population"
        warn_of_prior(prior, bound, where)
    return value


@metric("average_precision", of_steps=ScoreSteps.average_precision, scale="log")
def corrected_average_precision_score(
    y: Any,
    score: Any,
    *,
    class_prior: float,
    sampling: SamplingWord = ONE_SAMPLE,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> float:
    r"""Average precision against the hidden classes, given the class prior.

    Assumes SCAR (labeled rows are a random sample of the positives) and a class prior that is
    known or estimated from other data. Precision is averaged over the cuts at which recall
    rises, as in scikit-learn.

    Parameters
    ----------
    y, score, class_prior, sampling, pos_label, sample_weight
        As in :func:`corrected_auc_score`.

    Returns
    -------
    float
        About :math:`\alpha` for a score that ignores the classes. Not clipped. A value above 1
        comes with the warning PU112.

    See Also
    --------
    sklearn.metrics.average_precision_score : If the classes are known.
    unlabeled.metrics.corrected_precision_at_k_score : Precision of the highest scores alone.
    unlabeled.inference.metric_interval : Its interval.

    Notes
    -----
    Step j down the distinct scores has :math:`\Delta r_j` of the labeled rows and
    :math:`\Delta q_j` of the population's rows. With the sums :math:`r_j` and :math:`q_j` from
    the top,

    .. math:: \sum_j \Delta r_j\, \frac{t_j}{q_j}, \qquad
        t_j = \alpha r_j - (1 - r_j)\,(\alpha\,\Delta r_j - \Delta q_j)_+.

    :math:`\alpha r_j/q_j` is the precision above a cut. The second term of :math:`t_j` is needed
    because cuts lie at labeled rows. Such a row stands for 1/c positives and is one row. To
    count all of them at its place would put positives above the cut that lie below it: with 50
    labeled rows of 2000 the average is then .10 too large. The term takes back what a step has
    too many of, :math:`\alpha\,\Delta r_j - \Delta q_j`, for the part of the positives that lies
    below. With all positives labeled it is 0, and the metric is scikit-learn's. Under SCAR its
    mean over labelings is then, nearly, that of scikit-learn with all classes known.

    In two samples a labeled row need not have a row of the population at its score, and above
    it there may be none. The share :math:`q_j` then includes the next row of the population, so
    it is never 0.

    **What breaks it:** as for :func:`corrected_precision_score`. It also needs many labeled
    rows: with 50 of them its standard error can be .13.

    References
    ----------
    S. Jain, M. White, P. Radivojac (2017). Recovering true classifier performance in
    positive-unlabeled learning. AAAI 2017. doi:10.1609/aaai.v31i1.10937

    Examples
    --------
    >>> from unlabeled.metrics import corrected_average_precision_score
    >>> y, score = [1, 1, 0, 0, 0, 0], [6.0, 4.0, 5.0, 3.0, 2.0, 1.0]
    >>> round(corrected_average_precision_score(y, score, class_prior=1 / 3), 6)  # scikit-learn's
    0.833333
    """
    prior = check_class_prior(class_prior, sampling)
    steps = OrderedRows.read(y, score, pos_label, sample_weight, sampling).steps()
    value = float(steps.average_precision(prior))
    if value > 1 + ROUNDING:
        warn_of_prior(prior, prior / value, f"for labels with an average precision of {value:.4g}")
    return value


@metric(
    "precision_at_k",
    formula=rates.precision,
    recall=ScoreSteps.recall_of_highest,
    share=lambda total, k: share_of_highest(k, total),
    scale="log",
)
def corrected_precision_at_k_score(
    y: Any,
    score: Any,
    *,
    k: float,
    class_prior: float,
    sampling: SamplingWord = ONE_SAMPLE,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> float:
    r"""Precision among the k highest scores, given the class prior.

    Assumes SCAR (labeled rows are a random sample of the positives) and a class prior that is
    known or estimated from other data. Use it if somebody will look at the k first rows.

    Parameters
    ----------
    y, score
        As in :func:`corrected_auc_score`.
    k : int or float
        A whole number of at least 1: that many rows of the population, or that much of its
        weight. A number between 0 and 1: that share of the population. In two samples only
        unlabeled rows are counted.
    class_prior, sampling, pos_label, sample_weight
        As in :func:`corrected_auc_score`.

    Returns
    -------
    float
        Not clipped. PU112 if the prior is too large for the labels. 0 if no labeled row is among
        the k.

    See Also
    --------
    unlabeled.metrics.corrected_precision_score : Of predictions.
    unlabeled.metrics.corrected_average_precision_score : Over all cuts.

    Notes
    -----
    :math:`\alpha r_k/q_k`, where :math:`q_k = k/n` is the share of the k rows in the population and
    :math:`r_k` their share of the labeled rows. Rows that are tied at the k-th place count in
    proportion: if 3 rows are tied for the last place of the k, a third of each counts.
    **What breaks it:** as for :func:`corrected_precision_score`; a small k, because few labeled
    rows are then among the k.

    Examples
    --------
    >>> from unlabeled.metrics import corrected_precision_at_k_score
    >>> y, score = [1, 1, 0, 0, 0, 0], [6.0, 4.0, 5.0, 3.0, 2.0, 1.0]
    >>> round(corrected_precision_at_k_score(y, score, k=2, class_prior=0.5), 6)
    0.75
    """
    prior = check_class_prior(class_prior, sampling)
    steps = OrderedRows.read(y, score, pos_label, sample_weight, sampling).steps()
    share = share_of_highest(k, float(steps.population.sum()))
    recall = float(steps.recall_of_highest(share))
    warn_of_contradiction(recall, share, prior)
    return float(rates.precision(recall, share, prior))

"""Metrics against the hidden classes, corrected by a given class prior."""

from __future__ import annotations

from typing import Any

from .. import rates
from ..engine.sampling import ONE_SAMPLE, SamplingWord
from ._metric import METRICS, metric
from ._sample_rates import corrected_rates


@metric("precision", formula=rates.precision, scale="log")
def corrected_precision_score(
    y: Any,
    y_pred: Any,
    *,
    class_prior: float,
    sampling: SamplingWord = ONE_SAMPLE,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> float:
    r"""Precision against the hidden classes, given the class prior.

    Assumes SCAR (labeled rows are a random sample of the positives) and a class prior that is
    known or estimated from other data. Labels alone determine precision only up to the factor
    :math:`\alpha` (see :func:`lift_score`).

    Parameters
    ----------
    y : array-like of shape (n,)
        Label column: labeled or unlabeled, any two values.
    y_pred : array-like of shape (n,)
        Predictions, with the same two values.
    class_prior : float
        :math:`\alpha = P(Y=1)` in the whole sample, labeled and unlabeled rows together.
        Strictly between 0 and 1, and at least the fraction of labeled rows. In two samples,
        P(Y=1) in the population of the unlabeled rows; it may then be below that fraction.
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
        Not clipped, because clipping would bias it. A value above 1 comes with the warning
        PU112. 0 if nothing is predicted positive.

    See Also
    --------
    sklearn.metrics.precision_score : If the classes are known.
    unlabeled.metrics.lift_score : Without a class prior.

    Notes
    -----
    :math:`\alpha r / q` with :math:`r = P(\hat Y=1|S=1)`, :math:`q = P(\hat Y=1)`.
    The estimate is consistent. Because it is a ratio, its bias is of order 1/n. **What breaks
    it:** a wrong class prior (the error is proportional), for example the prior among
    unlabeled rows instead of that in the whole sample; labeling that prefers some positives;
    scoring rows that the classifier was fitted to.

    References
    ----------
    S. Jain, M. White, P. Radivojac (2017). Recovering true classifier performance in
    positive-unlabeled learning. AAAI 2017. doi:10.1609/aaai.v31i1.10937

    Examples
    --------
    >>> from unlabeled.metrics import corrected_precision_score
    >>> y, y_pred = [1, 1, 0, 0, 0, 0, 0, 0], [1, 1, 1, 1, 0, 0, 0, 0]
    >>> corrected_precision_score(y, y_pred, class_prior=0.375)
    0.75
    """
    return _value("precision", y, y_pred, class_prior, pos_label, sample_weight, sampling)


@metric("f1", formula=rates.f1, scale="log", title="F1")
def corrected_f1_score(
    y: Any,
    y_pred: Any,
    *,
    class_prior: float,
    sampling: SamplingWord = ONE_SAMPLE,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> float:
    r"""F1 against the hidden classes, given the class prior.

    Assumes SCAR (labeled rows are a random sample of the positives) and a class prior that is
    known or estimated from other data. The best classifier depends on the class prior. To
    choose a classifier without a prior use :func:`f1_pu_score`.

    Parameters
    ----------
    y, y_pred, class_prior, sampling, pos_label, sample_weight
        As in :func:`corrected_precision_score`.

    Returns
    -------
    float
        Not clipped. PU112 if the prior is too large for the labels.

    See Also
    --------
    sklearn.metrics.f1_score : If the classes are known.
    unlabeled.metrics.f1_pu_score : Its analog from labels alone.

    Notes
    -----
    :math:`2\alpha r/(\alpha + q)`, the harmonic mean of precision and recall.
    The best threshold on the posterior is half the largest F1. **What breaks it:** as for
    :func:`corrected_precision_score`.

    References
    ----------
    Z. C. Lipton, C. Elkan, B. Naryanaswamy (2014). Optimal thresholding of classifiers
    to maximize F1 measure. ECML PKDD 2014. doi:10.1007/978-3-662-44851-9_15

    Examples
    --------
    >>> from unlabeled.metrics import corrected_f1_score
    >>> y, y_pred = [1, 1, 0, 0, 0, 0, 0, 0], [1, 1, 1, 1, 0, 0, 0, 0]
    >>> round(corrected_f1_score(y, y_pred, class_prior=0.375), 6)
    0.857143
    """
    return _value("f1", y, y_pred, class_prior, pos_label, sample_weight, sampling)


@metric("fowlkes_mallows", formula=rates.fowlkes_mallows, scale="log")
def corrected_fowlkes_mallows_score(
    y: Any,
    y_pred: Any,
    *,
    class_prior: float,
    sampling: SamplingWord = ONE_SAMPLE,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> float:
    r"""Geometric mean of precision and recall, given the class prior.

    Assumes SCAR (labeled rows are a random sample of the positives) and a class prior that is
    known or estimated from other data. It ranks classifiers exactly like :func:`f1_pu_score`,
    which needs no prior. It is the index of the positive class, not scikit-learn's
    ``fowlkes_mallows_score`` of two clusterings.

    Parameters
    ----------
    y, y_pred, class_prior, sampling, pos_label, sample_weight
        As in :func:`corrected_precision_score`.

    Returns
    -------
    float
        Not clipped. PU112 if the prior is too large for the labels. 0 if nothing is predicted
        positive.

    See Also
    --------
    unlabeled.metrics.f1_pu_score : Its square over the class prior, from labels alone.

    Notes
    -----
    :math:`FM = r\sqrt{\alpha/q}`, so :math:`F1_{PU} = FM^2/\alpha`. **What breaks it:** as for
    :func:`corrected_precision_score`.

    References
    ----------
    E. B. Fowlkes, C. L. Mallows (1983). A method for comparing two hierarchical
    clusterings. JASA 78(383), 553-569. doi:10.1080/01621459.1983.10478008

    Examples
    --------
    >>> from unlabeled.metrics import corrected_fowlkes_mallows_score
    >>> y, y_pred = [1, 1, 0, 0, 0, 0, 0, 0], [1, 1, 1, 1, 0, 0, 0, 0]
    >>> round(corrected_fowlkes_mallows_score(y, y_pred, class_prior=0.375), 6)
    0.866025
    """
    return _value("fowlkes_mallows", y, y_pred, class_prior, pos_label, sample_weight, sampling)


@metric("accuracy", formula=rates.accuracy)
def corrected_accuracy_score(
    y: Any,
    y_pred: Any,
    *,
    class_prior: float,
    sampling: SamplingWord = ONE_SAMPLE,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> float:
    r"""Accuracy against the hidden classes, given the class prior.

    Assumes SCAR (labeled rows are a random sample of the positives) and a class prior that is
    known or estimated from other data.

    Parameters
    ----------
    y, y_pred, class_prior, sampling, pos_label, sample_weight
        As in :func:`corrected_precision_score`.

    Returns
    -------
    float
        Not clipped, so it is unbiased for a fixed classifier and a known prior. PU112 if the
        prior is too large for the labels.

    See Also
    --------
    sklearn.metrics.accuracy_score : If the classes are known.
    unlabeled.metrics.corrected_balanced_accuracy_score : Gives both classes the same weight.

    Notes
    -----
    :math:`1 - \alpha - q + 2\alpha r`. The best threshold on the posterior is one half. The
    best classifier depends on the prior. **What breaks it:** as for
    :func:`corrected_precision_score`; with a rare positive class it is uninformative for any
    data.

    Examples
    --------
    >>> from unlabeled.metrics import corrected_accuracy_score
    >>> y, y_pred = [1, 1, 0, 0, 0, 0, 0, 0], [1, 1, 1, 1, 0, 0, 0, 0]
    >>> corrected_accuracy_score(y, y_pred, class_prior=0.375)
    0.875
    """
    return _value("accuracy", y, y_pred, class_prior, pos_label, sample_weight, sampling)


@metric("balanced_accuracy", formula=rates.balanced_accuracy)
def corrected_balanced_accuracy_score(
    y: Any,
    y_pred: Any,
    *,
    class_prior: float,
    sampling: SamplingWord = ONE_SAMPLE,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> float:
    r"""Balanced accuracy against the hidden classes, given the class prior.

    Assumes SCAR (labeled rows are a random sample of the positives) and a class prior that is
    known or estimated from other data. The prior sets only the scale: :math:`r - q` ranks
    classifiers for every prior, so a rough prior is enough to select a model.

    Parameters
    ----------
    y, y_pred, class_prior, sampling, pos_label, sample_weight
        As in :func:`corrected_precision_score`.

    Returns
    -------
    float
        Not clipped, so it is unbiased for a fixed classifier and a known prior. PU112 if the
        prior is too large for the labels.

    See Also
    --------
    sklearn.metrics.balanced_accuracy_score : If the classes are known.
    unlabeled.metrics.corrected_accuracy_score : Gives every row the same weight.

    Notes
    -----
    :math:`\frac12(1 + (r-q)/(1-\alpha))`, the mean of recall and specificity. The best
    threshold on the posterior is :math:`\alpha`. **What breaks it:** as for
    :func:`corrected_precision_score`.

    References
    ----------
    K. H. Brodersen, C. S. Ong, K. E. Stephan, J. M. Buhmann (2010). The balanced accuracy
    and its posterior distribution. ICPR 2010. doi:10.1109/ICPR.2010.764

    Examples
    --------
    >>> from unlabeled.metrics import corrected_balanced_accuracy_score
    >>> y, y_pred = [1, 1, 0, 0, 0, 0, 0, 0], [1, 1, 1, 1, 0, 0, 0, 0]
    >>> corrected_balanced_accuracy_score(y, y_pred, class_prior=0.375)
    0.9
    """
    return _value("balanced_accuracy", y, y_pred, class_prior, pos_label, sample_weight, sampling)


@metric("mcc", formula=rates.mcc, lowest=-1.0)
def corrected_mcc_score(
    y: Any,
    y_pred: Any,
    *,
    class_prior: float,
    sampling: SamplingWord = ONE_SAMPLE,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> float:
    r"""Matthews correlation with the hidden classes, given the class prior.

    Assumes SCAR (labeled rows are a random sample of the positives) and a class prior that is
    known or estimated from other data. The prior sets only the scale:
    :math:`(r-q)/\sqrt{q(1-q)}` ranks classifiers for every prior.

    Parameters
    ----------
    y, y_pred, class_prior, sampling, pos_label, sample_weight
        As in :func:`corrected_precision_score`.

    Returns
    -------
    float
        Not clipped. PU112 if the prior is too large for the labels. 0 if all predictions are
        equal.

    See Also
    --------
    sklearn.metrics.matthews_corrcoef : If the classes are known.

    Notes
    -----
    :math:`\sqrt{\alpha/(1-\alpha)}\,(r-q)/\sqrt{q(1-q)}`. **What breaks it:** as for
    :func:`corrected_precision_score`.

    References
    ----------
    B. W. Matthews (1975). Comparison of the predicted and observed secondary structure
    of T4 phage lysozyme. Biochim. Biophys. Acta 405(2), 442-451.
    doi:10.1016/0005-2795(75)90109-9

    Examples
    --------
    >>> from unlabeled.metrics import corrected_mcc_score
    >>> y, y_pred = [1, 1, 0, 0, 0, 0, 0, 0], [1, 1, 1, 1, 0, 0, 0, 0]
    >>> round(corrected_mcc_score(y, y_pred, class_prior=0.375), 6)
    0.774597
    """
    return _value("mcc", y, y_pred, class_prior, pos_label, sample_weight, sampling)


@metric("proxy_accuracy", formula=rates.proxy_accuracy, lowest=-1.0)
def proxy_accuracy_score(
    y: Any,
    y_pred: Any,
    *,
    class_prior: float,
    sampling: SamplingWord = ONE_SAMPLE,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> float:
    r"""Proxy accuracy, :math:`2\alpha r - q`: accuracy minus :math:`1-\alpha`.

    Benchmarks of PU methods select models by it. It ranks them as `corrected_accuracy_score` does,
    which has the same parameters.
    """
    return _value("proxy_accuracy", y, y_pred, class_prior, pos_label, sample_weight, sampling)


def _value(name: str, *columns: Any) -> float:
    """Return a metric of the columns' rates, after the checks that all metrics share."""
    return float(METRICS[name].of_rates(*corrected_rates(*columns)))

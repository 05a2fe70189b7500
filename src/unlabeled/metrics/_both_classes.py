"""Corrected metrics of both classes, given a class prior: accuracy, balanced accuracy, MCC."""

from __future__ import annotations

from typing import Any

from .. import rates
from ._sample_rates import corrected_rates


def corrected_accuracy_score(
    y: Any,
    y_pred: Any,
    *,
    class_prior: float,
    positive_label: Any = None,
    sample_weight: Any = None,
) -> float:
    r"""Accuracy against the hidden classes, given the class prior.

    Assumes SCAR and a class prior from elsewhere.

    Parameters
    ----------
    y, y_pred, class_prior, positive_label, sample_weight
        As in :func:`corrected_precision_score`.

    Returns
    -------
    float
        As computed, never clipped, and therefore unbiased for a fixed rule and a
        given prior; PU112 when the prior is too large for the labels.

    See Also
    --------
    sklearn.metrics.accuracy_score : Where classes are known.
    unlabeled.metrics.corrected_balanced_accuracy_score : With both classes weighing the same.

    Notes
    -----
    :math:`1 - \alpha - q + 2\alpha r`. Its best rule cuts the posterior at one half and
    depends on the prior. **What breaks it.** As for :func:`corrected_precision_score`; with
    a rare positive class it says little, whatever the data.

    Examples
    --------
    >>> from unlabeled.metrics import corrected_accuracy_score
    >>> y, y_pred = [1, 1, 0, 0, 0, 0, 0, 0], [1, 1, 1, 1, 0, 0, 0, 0]
    >>> corrected_accuracy_score(y, y_pred, class_prior=0.375)
    0.875
    """
    known = corrected_rates(y, y_pred, class_prior, positive_label, sample_weight)
    return float(rates.accuracy(*known))


def corrected_balanced_accuracy_score(
    y: Any,
    y_pred: Any,
    *,
    class_prior: float,
    positive_label: Any = None,
    sample_weight: Any = None,
) -> float:
    r"""Balanced accuracy against the hidden classes, given the class prior.

    Assumes SCAR and a class prior from elsewhere. The prior sets the scale only:
    rules are ranked by :math:`r - q` whatever it is, so a rough prior is enough to
    select a model.

    Parameters
    ----------
    y, y_pred, class_prior, positive_label, sample_weight
        As in :func:`corrected_precision_score`.

    Returns
    -------
    float
        As computed, never clipped, and therefore unbiased for a fixed rule and a
        given prior; PU112 when the prior is too large for the labels.

    See Also
    --------
    sklearn.metrics.balanced_accuracy_score : Where classes are known.
    unlabeled.metrics.corrected_accuracy_score : With every row weighing the same.

    Notes
    -----
    :math:`\frac12(1 + (r-q)/(1-\alpha))`, the mean of recall and specificity. Its best
    rule cuts the posterior at :math:`\alpha`. **What breaks it.** As for
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
    known = corrected_rates(y, y_pred, class_prior, positive_label, sample_weight)
    return float(rates.balanced_accuracy(*known))


def corrected_mcc_score(
    y: Any,
    y_pred: Any,
    *,
    class_prior: float,
    positive_label: Any = None,
    sample_weight: Any = None,
) -> float:
    r"""Matthews correlation with the hidden classes, given the class prior.

    Assumes SCAR and a class prior from elsewhere. The prior sets the scale only:
    rules are ranked by :math:`(r-q)/\sqrt{q(1-q)}` whatever it is.

    Parameters
    ----------
    y, y_pred, class_prior, positive_label, sample_weight
        As in :func:`corrected_precision_score`.

    Returns
    -------
    float
        As computed, never clipped; PU112 when the prior is too large for the labels.
        0 when all predictions are equal.

    See Also
    --------
    sklearn.metrics.matthews_corrcoef : Where classes are known.

    Notes
    -----
    :math:`\sqrt{\alpha/(1-\alpha)}\,(r-q)/\sqrt{q(1-q)}`. **What breaks it.** As for
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
    known = corrected_rates(y, y_pred, class_prior, positive_label, sample_weight)
    return float(rates.mcc(*known))

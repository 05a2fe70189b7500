"""AUC of the labels: how well a score ranks labelled rows above the others."""

from __future__ import annotations

from typing import Any

from ..engine.sampling import TWO_SAMPLES
from ._score_steps import ScoredRows


def label_auc_score(
    y: Any, score: Any, *, positive_label: Any = None, sample_weight: Any = None
) -> float:
    r"""Area under the ROC curve, with the labels in place of the classes.

    The probability that a labelled row has a higher score than an unlabelled one; ties count
    half. It needs no class prior and no threshold. Use it to compare scores.

    Parameters
    ----------
    y : array-like of shape (n,)
        Label column: labelled or unlabelled, any two values.
    score : array-like of shape (n,)
        One number per row; larger means more likely positive. Dask arrays and columns of frames are
        counted in 8192 bins; rows of a bin count as ties.
    positive_label : optional
        The value of `y` that marks labelled rows; by default the larger one.
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
    Assumes SCAR if you read it as an AUC of the classes. Labelled rows are then a random sample
    of the positives. Unlabelled rows hold the share :math:`\pi_u = \alpha(1-c)/(1-\alpha c)` of
    positives. A labelled row against one of these is a coin toss, so

    .. math::
        \mathrm{AUC}_{labels} = \frac12 + (1-\pi_u)\left(\mathrm{AUC} - \frac12\right),
        \qquad 1 - \pi_u = \frac{1-\alpha}{1-\alpha c}.

    The relation is increasing, and its coefficients belong to the rows and not to the score.
    So on average over samples, scores are ranked as by the AUC of the classes.
    (The labelled rows against *all* rows give
    :math:`\frac12 + (1-\alpha)(\mathrm{AUC} - \frac12)`.)

    **What breaks it:** labelling that prefers some positives; scoring rows that the classifier
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
    # Labelled rows against unlabelled ones: the population of two samples.
    rows = ScoredRows.read(y, score, positive_label, sample_weight, TWO_SAMPLES)
    return float(rows.steps().above_population())

"""The largest class prior, and so the smallest label frequency, that the labels allow."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.parameters import check_level
from ..engine.rows import (
    SAMPLING,
    Rows,
    WeightsWord,
)
from ..engine.sampling import ONE_SAMPLE, SamplingWord
from ..scores import binomial_bound, label_effects
from ..thresholds import count_above
from ._base import estimator, frequency_of_share
from ._out_of_fold import ScoreFrequencyEstimator


@estimator(
    looks_at="the largest class prior that the labels allow, with a confidence level",
    breaks="nothing of the score; but it is a bound, and no estimate",
)
class PriorBound(ScoreFrequencyEstimator):
    r"""Smallest label frequency, and largest class prior, that the labels allow.

    Assumes only SCAR: labeled rows are a random sample of the positives. Classes may overlap
    in any way. It is a one-sided confidence bound, not an estimate of c. Use it to reject a
    class prior that is too large. The better the score ranks, the tighter the bound.

    Parameters
    ----------
    confidence_level : float, default=0.95
        Probability with which the bound holds.
    cv : "auto", int, splitter, iterable or None, default="auto"
        Folds of the out-of-fold scores. "auto": ten stratified folds, or fewer
        if fewer rows are labeled. None: no cross-validation; one model scores its own training
        rows, and the bound no longer holds. (In scikit-learn None means five folds.)
    C : float, default=0.1
        Inverse strength of the ridge on features of unit variance, as in
        scikit-learn's LogisticRegression.
    tol : float, default=1e-4
        Tolerance of the fits, as in `NaiveLogistic`.
    max_iter : int, default=1000
        Maximum number of iterations per fit.
    pos_label : object, default=None
        The value of y that marks labeled rows; if None, the larger number or the text that says it.
    sampling : {"one-sample", "two-sample"}, default="one-sample"
        "two-sample" if the labeled rows come from elsewhere and the unlabeled rows are a sample
        of the population. What is reported is then the population's; see
        :doc:`/choose/two_samples`.
    weights : {"sampling", "frequency"}, default="sampling"
        What `sample_weight` says: how many rows of the population a row stands for, or how often
        the row occurs; see :doc:`/understand/weights`.
    random_state : int, RandomState instance or None, default=None
        Controls the folds; pass an int for reproducible output.

    Attributes
    ----------
    label_frequency_ : float
        Lower bound of c = P(S=1|Y=1).
    class_prior_ : float
        Upper bound of P(Y=1) in the whole sample, given its labeled rows. It is no estimate, so
        classifiers reject a `PriorBound` as their `class_prior`.
    converged_ : bool
        Whether every logistic fit reached a finite optimum.
    unlabeled_share_ : float
        Upper bound of P(Y=1|S=0).
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, if X had names.

    See Also
    --------
    unlabeled.label_frequency.OneDimensionalJoint : The classifiers' default.
    unlabeled.diagnostics.diagnose : Compares the class prior of a fit with it.

    Notes
    -----
    Above a cut with recall r lies at least a share :math:`\alpha_u r` of the
    unlabeled rows, so :math:`\alpha_u \le q_u/r`; in the whole sample this is
    :math:`\alpha \le q/r`. Confidence bounds replace both shares:

    .. math:: \alpha_u \le \min_k \frac{\bar q_u(z_k)}{\underline r(z_k)}.

    :math:`z_k` is the j-th highest of the n labeled scores, with
    :math:`j = \lfloor n 2^{-k/2} \rfloor` for k from 0 to 8; there
    :math:`r \sim \text{Beta}(j, n-j+1)` exactly, and the number of unlabeled rows
    above is binomial. The error probability :math:`\delta = 1 - \text{level}` is divided
    equally among all bounds. It neglects that the scores of different folds come from slightly
    different models. With groups or weights, counts are
    divided by a design effect; see `class_prior_density`.
    **What breaks it:** labeling that depends on the features.

    References
    ----------
    G. Blanchard, G. Lee, C. Scott (2010). Semi-supervised novelty detection.
    Journal of Machine Learning Research 11, 2973-3009.

    Examples
    --------
    >>> from unlabeled.datasets import make_paper_gaussian
    >>> from unlabeled.label_frequency import PriorBound
    >>> data = make_paper_gaussian(n=5000, label_frequency=0.6, random_state=0)
    >>> bound = PriorBound(random_state=0).fit(data.X, data.s)
    >>> bound.label_frequency_ <= 0.6 and bound.class_prior_ >= 0.21
    True
    """

    is_bound = True

    def __init__(
        self,
        *,
        confidence_level: float = 0.95,
        cv: Any = "auto",
        C: float = 0.1,
        tol: float = 1e-4,
        max_iter: int = 1000,
        pos_label: Any = None,
        sampling: SamplingWord = ONE_SAMPLE,
        weights: WeightsWord = SAMPLING,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            cv=cv,
            C=C,
            tol=tol,
            max_iter=max_iter,
            pos_label=pos_label,
            sampling=sampling,
            weights=weights,
            random_state=random_state,
        )
        self.confidence_level = confidence_level

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_level(self.confidence_level)

    def _estimate_from_scores(self, score: np.ndarray, rows: Rows) -> float:
        effects = label_effects(score, rows.s, rows.weight, rows.groups, rows.unit)
        self.unlabeled_share_ = binomial_bound(
            count_above(score, rows.s, rows.weight), 1 - self.confidence_level, effects
        )
        return frequency_of_share(self.unlabeled_share_, rows.labeled_share)

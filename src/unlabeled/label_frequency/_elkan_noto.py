"""Elkan and Noto's three estimators of the label frequency."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np

from ..engine.losses import softplus_and_sigmoid
from ..engine.parameters import (
    check_choice,
    check_flag,
    check_fraction,
    check_ridge,
    check_stopping,
)
from ..engine.rows import (
    SAMPLING,
    Rows,
    WeightsWord,
    weighted_quantile,
)
from ..engine.sampling import ONE_SAMPLE, SamplingWord
from ._base import FoldsFrequencyEstimator, estimator
from ._out_of_fold import NaiveFit, naive_scores

Variant = Literal["e1", "e2", "e3"]


@estimator(
    looks_at="the mean fitted probability of labeled rows (e1, the default, and e2), or the "
    "largest of all (e3)",
    breaks="classes that overlap: c by e1 and e2 is too low; features without bound: c by e3 is "
    "too high",
)
class ElkanNoto(FoldsFrequencyEstimator):
    r"""Label frequency from the label probabilities of a logistic fit (Elkan and Noto).

    Assumes SCAR (labeled rows are a random sample of the positives) and more. "e1" and "e2"
    need classes that do not overlap: every positive row must be recognizable as positive,
    otherwise the estimates are too low. "e3" needs one region where nearly all rows are
    positive, and a model that is right in that region. Use it as the baseline in the
    literature.

    Parameters
    ----------
    variant : {"e1", "e2", "e3"}, default="e1"
        Which of the three estimators.
    cv : int, splitter, iterable or None, default=None
        None: no cross-validation; the model scores its own training rows, as in the paper. (In
        scikit-learn None means five folds.) Otherwise rows are scored out of fold; an integer
        is a number of stratified folds.
    quantile : float, default=1.0
        Quantile that "e3" uses instead of the noisy maximum.
    C : float, default=inf
        Inverse strength of the ridge, as in scikit-learn's LogisticRegression.
    fit_intercept : bool, default=True
        Whether the logistic model has an intercept.
    tol : float, default=1e-4
        Tolerance of the fit, as in `NaiveLogistic`.
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
        The estimate of c = P(S=1|Y=1).
    class_prior_ : float
        P(Y=1) in the whole sample: the fraction of labeled rows divided by `label_frequency_`.
    converged_ : bool
        Whether every logistic fit reached a finite optimum.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, if X had names.

    See Also
    --------
    unlabeled.label_frequency.OneDimensionalJoint : The classifiers' default.
    unlabeled.WeightedLogistic : The classifier that uses it.

    Notes
    -----
    With g an estimate of P(S=1|x), V the rows and P the labeled ones,

    .. math:: e_1 = \frac{1}{|P|} \sum_P g, \qquad e_2 = \sum_P g \Big/ \sum_V g,
              \qquad e_3 = \max_V g.

    g is a logistic regression. If it is fitted with an intercept and without
    penalty, and scored on the same rows, :math:`e_1 = e_2` exactly.

    **What breaks it:** with the true :math:`P(S=1|x)` as g, :math:`e_1` and
    :math:`e_2` tend to :math:`c\,E[y(X)|Y=1]`, where y(x) = P(Y=1|x). This is
    below c if classes overlap. :math:`e_3` tends to :math:`c\,\sup y(x)`, which
    is c if one region has hardly any negatives. A logistic g does not level off
    at c: with unbounded features its maximum grows toward 1 with the number of
    rows.

    References
    ----------
    C. Elkan, K. Noto (2008). Learning classifiers from only positive and
    unlabeled data. KDD, 213-220. https://doi.org/10.1145/1401890.1401920

    Examples
    --------
    >>> from unlabeled.datasets import make_paper_gaussian
    >>> from unlabeled.label_frequency import ElkanNoto
    >>> data = make_paper_gaussian(n=5000, label_frequency=0.6, random_state=0)
    >>> ElkanNoto().fit(data.X, data.s).label_frequency_ < 0.6
    True
    """

    def __init__(
        self,
        variant: Variant = "e1",
        *,
        cv: Any = None,
        quantile: float = 1.0,
        C: float = np.inf,
        fit_intercept: bool = True,
        tol: float = 1e-4,
        max_iter: int = 1000,
        pos_label: Any = None,
        sampling: SamplingWord = ONE_SAMPLE,
        weights: WeightsWord = SAMPLING,
        random_state: Any = None,
    ) -> None:
        self.variant = variant
        self.cv = cv
        self.quantile = quantile
        self.C = C
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.pos_label = pos_label
        self.sampling = sampling
        self.weights = weights
        self.random_state = random_state

    def _estimate(self, rows: Rows) -> float:
        self._check_parameters()
        names = getattr(self, "feature_names_in_", None)
        fit = NaiveFit(self.C, self.fit_intercept, self.tol, self.max_iter, names)
        scores = naive_scores(rows, fit, self.cv, self.random_state)
        self.converged_ = scores.converged
        _, g = softplus_and_sigmoid(scores.values)
        if self.variant == "e3":
            return float(weighted_quantile(g, rows.weight, self.quantile))
        weight = np.ones_like(rows.s) if rows.weight is None else rows.weight
        over_labeled = float(np.sum(weight * rows.s * g))
        if self.variant == "e1":
            return over_labeled / float(np.sum(weight * rows.s))
        return over_labeled / float(np.sum(weight * g))

    def _check_parameters(self) -> None:
        check_choice("variant", self.variant, get_args(Variant))
        check_fraction("quantile", self.quantile)
        check_ridge(self.C)
        check_stopping(self.tol, self.max_iter)
        check_flag("fit_intercept", self.fit_intercept)

"""The label frequency from a logistic model of one score."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np

from ..codes import Message, warn
from ..engine.parameters import check_choice
from ..engine.rows import (
    SAMPLING,
    Rows,
    WeightsWord,
)
from ..engine.sampling import ONE_SAMPLE, SamplingWord
from ..scores import fit_score_joint, mean_class_prior
from ._base import estimator
from ._out_of_fold import ScoreFrequencyEstimator

Variant = Literal["mean", "mode"]


@estimator(
    looks_at="how the share of labeled rows bends along one logistic curve of held-out scores",
    breaks="a posterior that is not logistic along the score",
)
class OneDimensionalJoint(ScoreFrequencyEstimator):
    r"""Label frequency by the JOINT likelihood of one out-of-fold score.

    Assumes SCAR (labeled rows are a random sample of the positives) and a posterior that is
    logistic in the naive score. This holds for a logistic model with normal or other elliptical
    features. Classes may overlap: c comes from the shape of the label probability along the
    score. No region with only positives is needed.

    Parameters
    ----------
    variant : {"mean", "mode"}, default="mean"
        "mode" maximizes the likelihood; "mean" averages the class prior over its possible values,
        each weighted by its likelihood (see the notes). With many rows they agree. With few rows
        the maximum is often at c = 1; the mean never is.
    cv : "auto", int, splitter, iterable or None, default="auto"
        Folds of the out-of-fold scores. "auto": ten stratified folds, or fewer
        if fewer rows are labeled. None: no cross-validation; one model scores its own training
        rows. (In scikit-learn None means five folds.)
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
        The estimate of c = P(S=1|Y=1).
    class_prior_ : float
        P(Y=1) in the whole sample: the fraction of labeled rows divided by `label_frequency_`.
    converged_ : bool
        Whether every logistic fit reached a finite optimum.
    score_joint_ : ScoreJoint
        The model of the score with that label frequency.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, if X had names.

    See Also
    --------
    unlabeled.JointLogistic : The same likelihood in all features.
    unlabeled.label_frequency.ElkanNoto : The baseline in the literature.
    unlabeled.label_frequency.PriorBound : The largest class prior that the labels allow.

    Notes
    -----
    With t the linear predictor of a ridge fit to the labels, the model is
    :math:`P(S=1|t) = c\,\sigma(a + b t)`, and :math:`L(c)` its likelihood with
    the best a and b. "mode" maximizes it. "mean" is the posterior mean of the class prior
    :math:`\alpha = p_s/c` under a uniform prior on :math:`(p_s, 1)`, where :math:`p_s` is the
    fraction of labeled rows:

    .. math:: \hat\alpha = \int_{p_s}^1 \alpha\,L(p_s/\alpha)\,d\alpha \Big/
              \int_{p_s}^1 L(p_s/\alpha)\,d\alpha, \qquad \hat c = p_s/\hat\alpha.

    c is the plateau that the label probability approaches; it is extrapolated
    if no row reaches it. **What breaks it:** a posterior that is not logistic
    along the score (c can then be wrong in either direction); few labeled
    rows: "mode" then often gives c = 1 (PU106), and "mean" a class prior near
    :math:`(1+p_s)/2`.

    References
    ----------
    P. Teisseyre, J. Mielniczuk, M. Łazęcka (2020). Different strategies of
    fitting logistic regression for positive and unlabelled data. ICCS, 3-17.
    https://doi.org/10.1007/978-3-030-50423-6_1

    Examples
    --------
    >>> from unlabeled.datasets import make_paper_gaussian
    >>> from unlabeled.label_frequency import OneDimensionalJoint
    >>> data = make_paper_gaussian(n=20000, label_frequency=0.6, random_state=0)
    >>> model = OneDimensionalJoint(random_state=0).fit(data.X, data.s)
    >>> abs(model.label_frequency_ - 0.6) < 0.1
    True
    """

    def __init__(
        self,
        variant: Variant = "mean",
        *,
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
        self.variant = variant

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("variant", self.variant, get_args(Variant))

    def _estimate_from_scores(self, score: np.ndarray, rows: Rows) -> float:
        frequency = None
        if self.variant == "mean":
            frequency = rows.labeled_share / mean_class_prior(score, rows.s, rows.weight)
        joint = fit_score_joint(score, rows.s, rows.weight, frequency)
        self.score_joint_ = joint
        if joint.slope == 0:
            warn(
                "PU111",
                Message(
                    "in cross-validation labeled rows score no higher than the others, so the "
                    "label frequency cannot be estimated from the scores.",
                    python="Add features that predict the label, or check `y`.",
                ),
            )
        elif joint.at_boundary:
            warn(
                "PU106",
                Message(
                    "OneDimensionalJoint estimated the label frequency as 1, as if every positive "
                    "row were labeled. With few labeled rows this happens by chance.",
                    python="Use `variant='mean'`, which never estimates 1.",
                ),
            )
        return joint.label_frequency if frequency is None else frequency

"""BBE: the label frequency from the purest part of a ranking."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.parameters import check_fraction
from ..engine.rows import (
    SAMPLING,
    Rows,
    WeightsWord,
)
from ..engine.sampling import ONE_SAMPLE, SamplingWord
from ..thresholds import Cuts, count_above
from ._base import estimator, frequency_of_share
from ._out_of_fold import ScoreFrequencyEstimator


@estimator(
    looks_at="the share of labeled rows among the highest scores",
    breaks="classes that overlap everywhere: its estimate of c is then too low; few labeled rows",
)
class BestBin(ScoreFrequencyEstimator):
    r"""Label frequency by best-bin estimation (BBE).

    Assumes SCAR (labeled rows are a random sample of the positives) and a score whose
    top-ranked rows are nearly all positive. The rest of the ranking does not matter. If classes
    overlap at the top, the class prior is too large and the label frequency too low.

    Parameters
    ----------
    delta : float, default=0.1
        Error probability of the confidence correction; see the notes.
    gamma : float, default=0.01
        Slack: the confidence correction is multiplied by 1 + `gamma`; see the notes.
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
    unlabeled_share_ : float
        P(Y=1|S=0), the share of positives among the unlabeled rows; the method
        estimates this first.
    converged_ : bool
        Whether every logistic fit reached a finite optimum.
    threshold_ : float
        Lower end of the best bin of out-of-fold scores.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, if X had names.

    See Also
    --------
    unlabeled.label_frequency.OneDimensionalJoint : The classifiers' default.
    unlabeled.label_frequency.PriorBound : The largest class prior that the labels allow.

    Notes
    -----
    Above a threshold z lie shares :math:`r(z)` of the n labeled and
    :math:`q_u(z)` of the m unlabeled rows. As
    :math:`q_u(z) \ge \alpha_u r(z)`, every :math:`q_u/r` is an upper bound of
    :math:`\alpha_u = P(Y=1|S=0)`. The estimate is the bound at

    .. math:: \arg\min_z \frac{q_u(z)}{r(z)} + \frac{1+\gamma}{r(z)}
              \left(\sqrt{\frac{\log(4/\delta)}{2m}} + \sqrt{\frac{\log(4/\delta)}{2n}}\right).

    Only the order of the scores matters. **What breaks it:** no pure region at the top; few
    labeled rows, because the correction then prefers large, impure bins.

    References
    ----------
    S. Garg, Y. Wu, A. Smola, S. Balakrishnan, Z. Lipton (2021). Mixture
    proportion estimation and PU learning: a modern approach. NeurIPS.
    https://doi.org/10.48550/arXiv.2111.00980

    Examples
    --------
    >>> from unlabeled.datasets import make_paper_gaussian
    >>> from unlabeled.label_frequency import BestBin
    >>> data = make_paper_gaussian(n=5000, label_frequency=0.6, random_state=0)
    >>> BestBin(random_state=0).fit(data.X, data.s).label_frequency_ < 0.6
    True
    """

    def __init__(
        self,
        *,
        delta: float = 0.1,
        gamma: float = 0.01,
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
        self.delta = delta
        self.gamma = gamma

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_fraction("delta", self.delta)
        if not self.gamma >= 0:
            raise ValueError(f"`gamma` must be at least 0; got {self.gamma!r}.")

    def _estimate_from_scores(self, score: np.ndarray, rows: Rows) -> float:
        cuts = count_above(score, rows.s, rows.weight)
        best, self.unlabeled_share_ = best_bin(cuts, self.delta, self.gamma)
        self.threshold_ = float(cuts.score[best])
        return frequency_of_share(self.unlabeled_share_, rows.labeled_share)


def best_bin(cuts: Cuts, delta: float = 0.1, gamma: float = 0.01) -> tuple[int, float]:
    """Return the cut with the smallest upper bound, and the share of positives in U at it."""
    labeled, unlabeled = cuts.labeled, cuts.unlabeled
    seen = labeled > 0
    recall = cuts.recall[seen]
    ratio = np.maximum(unlabeled[seen], 0) / unlabeled[-1] / recall
    deviation = np.sqrt(np.log(4 / delta) / 2) * sum(
        1 / np.sqrt(size) for size in (labeled[-1], unlabeled[-1])
    )
    best = int(np.argmin(ratio + (1 + gamma) * deviation / recall))
    return int(np.flatnonzero(seen)[best]), float(ratio[best])

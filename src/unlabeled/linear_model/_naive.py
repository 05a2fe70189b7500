"""The naive classifier, and the paper's Enhanced classifier: one direction, two cuts."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import chdtrc, entr

from ..classifier import WithoutIntervals
from ..codes import Message, warn
from ..engine.linear_fits import LinearFit, LinearProblem, Watch, report_fit
from ..engine.losses import LogisticLoss
from ..engine.objective import linear_score
from ..engine.rows import (
    SAMPLING,
    Rows,
    WeightsWord,
    weighted_mean,
)
from ..engine.sampling import ONE_SAMPLE, SamplingWord
from ..inference import Estimates
from ..scores import fit_score_joint
from ..thresholds import (
    PopulationLimits,
    choose_cut,
    get_rule,
    rows_or_stand_ins,
    summarize_score,
    warn_if_all_positive,
    with_enough_labeled,
)
from ._likelihood import LikelihoodClassifier, Optimum, penalized_objective

# Level of the test whether the columns predict the labels at all.
_CHANCE = 0.05


class NaiveScoreClassifier(WithoutIntervals, LikelihoodClassifier):
    """Base class: a logistic fit to the labels gives the score; JOINT on it gives the posterior."""

    _takes_rows_anywhere = True

    def __init__(
        self,
        *,
        C: float = np.inf,
        fit_intercept: bool = True,
        tol: float = 1e-4,
        max_iter: int = 1000,
        pos_label: Any = None,
        sampling: SamplingWord = ONE_SAMPLE,
        weights: WeightsWord = SAMPLING,
        verbose: int = 0,
    ) -> None:
        self.C = C
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.pos_label = pos_label
        self.sampling = sampling
        self.weights = weights
        self.verbose = verbose

    def _fit_score(self, rows: Rows, watch: Watch) -> tuple[LinearFit, Any]:
        """Fit the naive direction; return the fit and the rows' scores without intercept."""
        stage = watch.stage("naive")
        problem = LinearProblem.of(rows.X, rows.weight, self._strength(rows), self.fit_intercept)
        fit = problem.fit_logistic(rows.s, self.tol, self.max_iter, stage=stage)
        watch.finished("naive", fit.result)
        self.n_iter_ = max(1, fit.result.n_iter)
        score = linear_score(rows.X, fit.coef)
        self.converged_ = report_fit(rows, fit, self._feature_names, score)
        if problem.ridge == 0 and self.fit_intercept:
            _report_chance(rows, fit)
        return fit, score

    def _fit_posterior(self, rows: Rows, scored: tuple[Any, Any, Any]) -> None:
        """Set c, the class prior and the posterior's line.

        `scored` holds score, label and weight of the rows, or of weighted bins that represent
        them.
        """
        joint = fit_score_joint(*scored)
        self.label_frequency_ = joint.label_frequency
        self.class_prior_ = float(rows.population_prior(joint.class_prior))
        intercept = rows.population_intercept(joint.intercept, joint.label_frequency)
        self.posterior_line_ = (intercept, float(joint.slope))
        if joint.slope == 0:
            warn(
                "PU111",
                Message(
                    python="labeled rows score no higher than the others, so `predict_proba` is "
                    "the same for every row. Add features that predict the label, or check `y`."
                ),
            )
        elif joint.is_step:
            warn(
                "PU103",
                Message(
                    python="along the score, the fitted probability of being positive jumps from 0 "
                    "to 1, so `predict_proba` cannot be trusted. Use a finite `C`, or more "
                    "labeled rows."
                ),
            )
        elif joint.at_boundary:
            warn(
                "PU106",
                Message(
                    python="the label frequency was estimated as 1, as if every positive row were "
                    "labeled, so `predict_proba` equals the probability of being labeled. If you "
                    "know the class prior, use PULogistic with it. Otherwise use more rows."
                ),
            )

    def _estimates(self, rows: Rows, kind: str) -> Estimates:
        strength = self._strength(rows)
        objective = penalized_objective(LogisticLoss(), rows, strength, self.fit_intercept)
        intercept = self._naive_intercept() if self.fit_intercept else None
        return Optimum(objective, *self._parameters(intercept), rows).estimates(kind)

    def _naive_intercept(self) -> float:
        """Intercept of the logistic fit, with the sign of `intercept_`."""
        return float(self.intercept_[0])


def _report_chance(rows: Rows, fit: LinearFit) -> None:
    """Warn if the columns predict the labels no better than chance: a likelihood-ratio test."""
    share, whitening = rows.labeled_share, fit.problem.whitening
    n_columns = len(whitening.center) if whitening.rank is None else whitening.rank
    n_independent = rows.total_weight
    if rows.unit is not None:
        n_independent /= weighted_mean(rows.unit, rows.weight)
    without_columns = float(entr(share) + entr(1 - share))
    ratio = 2 * n_independent * (without_columns - fit.result.value)
    p_value = float(chdtrc(n_columns, max(ratio, 0.0))) if n_columns else 0.0
    if p_value > _CHANCE:
        warn(
            "PU111",
            Message(
                "the columns predict the labels no better than chance does: random labels would "
                f"be fitted as well with a probability of {p_value:.2g}.",
                python="Add features that predict the label, or check `y`.",
            ),
        )


class NaiveLogistic(NaiveScoreClassifier):
    r"""Logistic regression of the labels, unlabeled rows taken as negative.

    Fitting needs no assumptions. Its direction is right under three
    conditions: SCAR (labeled rows are a random sample of the positive rows),
    a logistic posterior, and Ruud's condition: the conditional mean of the
    features is linear in the true linear predictor, as for normal features.
    Its cut is wrong: it predicts almost no row positive when few positives
    are labeled. Use it as the baseline, and `EnhancedLogistic` for
    predictions.

    Parameters
    ----------
    C : float, default=inf
        Inverse strength of the ridge, as in scikit-learn's LogisticRegression;
        inf is the unpenalized fit of the paper.
    fit_intercept : bool, default=True
        Whether the logistic model has an intercept.
    tol : float, default=1e-4
        Tolerance for the gradient of the mean loss. The gradient is computed
        for whitened features, and its norm must be at most `tol` times twice
        the standard deviation of the labels. With very many rows, the
        whitening uses a subset of them.
    max_iter : int, default=1000
        Maximum number of iterations of the solver.
    pos_label : object, default=None
        The value of y that marks labeled rows; if None, the larger number or the text that says it.
    sampling : {"one-sample", "two-sample"}, default="one-sample"
        "two-sample" if the labeled rows come from elsewhere and the unlabeled rows are a sample
        of the population. What is reported is then the population's; see
        :doc:`/choose/two_samples`.
    weights : {"sampling", "frequency"}, default="sampling"
        What `sample_weight` says: how many rows of the population a row stands for, or how often
        the row occurs; see :doc:`/understand/weights`.
    verbose : int, default=0
        0 is silent; 1 prints about one line per second and one at the end; 2
        prints one per evaluation.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
        The naive direction.
    intercept_ : ndarray of shape (1,)
        The naive intercept.
    threshold_ : float
        Rows whose `positive_score` lies above it are predicted positive, whichever label
        value is positive. It is computed from `intercept_`.
    posterior_line_ : tuple of float
        Intercept a and slope b of the posterior: the logit of `posterior_at` is a + b times
        the score.
    classes_ : ndarray of shape (2,)
        The two label values, sorted. The sign of `decision_function` and the
        columns of `predict_proba` follow this order.
    positive_class_ : object
        The value that marks labeled rows and predicted positives:
        ``classes_[1]``, unless `pos_label` is the smaller value.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of str
        Names of features seen in `fit`. Defined only if X has feature names
        that are all strings.
    label_frequency_, class_prior_ : float
        c and P(Y=1), by the JOINT model (see `JointLogistic`) on the
        one-dimensional score.
    n_iter_ : int
        Iterations of the solver.
    converged_ : bool
        Whether the solver reached a finite optimum, to the tolerance.

    See Also
    --------
    unlabeled.EnhancedLogistic : The same score, cut where F1_PU is largest.

    Notes
    -----
    Maximizes :math:`\sum_i s_i \log\sigma(x_i^Tb) + (1-s_i)\log(1-\sigma(x_i^Tb))`.
    `predict` cuts at P(S=1|x) = 1/2. `predict_proba` is **not** P(S=1|x): it
    is :math:`\sigma(\hat a + \hat b\,x^T w)` from the fit of
    :math:`P(S=1|t) = c\,\sigma(a + bt)` to the score, an estimate of P(Y=1|x).

    **What breaks it:** for c well below 1 the cut is always too high. With
    c ≤ 1/2 and centered normal features the fitted intercept is negative,
    whatever the true one. The direction is wrong if the features are strongly
    skewed, or if labeling depends on x in other ways than through P(Y=1|x).

    References
    ----------
    M. Płatek, J. Mielniczuk (2023). Enhancing naive classifier for positive
    unlabeled data based on logistic regression approach. FedCSIS.

    P. A. Ruud (1983). Sufficient conditions for the consistency of maximum
    likelihood estimation despite misspecification of distribution.
    Econometrica 51, 225-228. https://doi.org/10.2307/1912257

    Examples
    --------
    >>> from unlabeled import NaiveLogistic
    >>> from unlabeled.datasets import make_paper_gaussian
    >>> data = make_paper_gaussian(n=2000, label_frequency=0.3, random_state=0)
    >>> naive = NaiveLogistic().fit(data.X, data.s)
    >>> bool(naive.predict(data.X).mean() < 0.02)
    True
    """

    def _fit_rows(self, rows: Rows, watch: Watch) -> None:
        fit, score = self._fit_score(rows, watch)
        self._fit_posterior(rows, rows_or_stand_ins(score, rows.s, rows.weight))
        self._set_score(fit.coef, fit.intercept)


class EnhancedLogistic(NaiveScoreClassifier):
    r"""Naive logistic direction with the intercept that maximizes F1_PU (Algorithm 1).

    Assumes SCAR (labeled rows are a random sample of the positive rows), or
    at least that labeling depends on x only through P(Y=1|x). Also assumes a
    logistic posterior, and Ruud's condition: the conditional mean of the
    features is linear in the true linear predictor, as for normal features.
    Needs neither the label frequency nor the class prior. Use it with many
    labeled rows per feature.

    Parameters
    ----------
    C : float, default=inf
        Inverse strength of the ridge, as in scikit-learn's LogisticRegression;
        inf is the unpenalized fit of the paper.
    fit_intercept : bool, default=True
        Whether the logistic model that gives the direction has an intercept;
        the classifier always has one.
    tol : float, default=1e-4
        Tolerance of the fit, as in `NaiveLogistic`.
    max_iter : int, default=1000
        Maximum number of iterations of the solver.
    pos_label : object, default=None
        The value of y that marks labeled rows; if None, the larger number or the text that says it.
    sampling : {"one-sample", "two-sample"}, default="one-sample"
        One sample or two, as in `NaiveLogistic`; see :doc:`/choose/two_samples`.
    weights : {"sampling", "frequency"}, default="sampling"
        What `sample_weight` says: how many rows of the population a row stands for, or how often
        the row occurs; see :doc:`/understand/weights`.
    verbose : int, default=0
        As in `NaiveLogistic`.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
        The naive direction w.
    intercept_ : ndarray of shape (1,)
        The chosen intercept: the middle of `intercept_interval_`, or a finite
        value inside it if the interval is infinite.
    threshold_, posterior_line_
        The cut and the posterior along the score, as in `NaiveLogistic`.
    intercept_interval_ : tuple of float
        All intercepts inside this interval give the same predictions on the
        training rows.
    naive_intercept_ : float
        The intercept of the logistic fit; `predict` does not use it.
    f1_pu_ : float
        The largest F1_PU on the training rows.
    f1_pu_bound_ : float
        Upper bound of F1_PU over all cuts. It equals `f1_pu_`, because every
        cut is tried. Only for Dask input with very many nearly equal optima
        can it be slightly larger.
    classes_, positive_class_, n_features_in_, feature_names_in_
        As in `NaiveLogistic`.
    label_frequency_, class_prior_ : float
        c and P(Y=1), by the JOINT model (see `JointLogistic`) on the
        one-dimensional score.
    n_iter_ : int
        Iterations of the solver.
    converged_ : bool
        Whether the solver reached a finite optimum, to the tolerance.

    See Also
    --------
    unlabeled.PULogistic : Chooses ridge, class prior and cut on held-out rows.
    unlabeled.PUThresholdClassifier : The same cut over any classifier.

    Notes
    -----
    Let r be the fraction of the labeled rows, and q the fraction of all rows,
    that are predicted positive. The intercept maximizes

    .. math:: F1_{PU}(z) = \frac{\hat r(z)^2}{\hat q(z)}, \qquad
              \hat Y_z(x) = 1\{x^Tw + z > 0\}.

    The search is exact: it tries every distinct score, and the cut that
    predicts all rows positive, and compares integer counts. Ties go to the cut
    with the fewest predicted positives. With weights the counts are sums of
    weights. In the population, the best cut lies where the posterior equals
    half the precision, so never above 1/2. The intercept therefore does not
    estimate that of the Bayes classifier. `predict_proba` comes from JOINT on
    the score, see `NaiveLogistic`.

    **What breaks it:** few labeled rows (the direction memorizes them and
    the cut is chosen on the same rows); strongly skewed features; labeling
    that depends on x in other ways than through P(Y=1|x).

    References
    ----------
    M. Płatek, J. Mielniczuk (2023). Enhancing naive classifier for positive
    unlabeled data based on logistic regression approach. FedCSIS.

    W. S. Lee, B. Liu (2003). Learning with positive and unlabeled examples
    using weighted logistic regression. ICML, 448-455.

    Examples
    --------
    >>> from sklearn.metrics import f1_score
    >>> from unlabeled import EnhancedLogistic
    >>> from unlabeled.datasets import make_paper_gaussian
    >>> data = make_paper_gaussian(n=5000, label_frequency=0.3, random_state=0)
    >>> enhanced = EnhancedLogistic().fit(data.X, data.s)
    >>> f1_score(data.y_true, enhanced.predict(data.X)) > 0.5
    True
    """

    def _fit_rows(self, rows: Rows, watch: Watch) -> None:
        fit, score = self._fit_score(rows, watch)
        rule, limits = get_rule("f1_pu"), None
        if rows.sampling.is_two:
            # Labeled rows do not count as rows of the population, so that few may lie above a
            # cut: the class prior says how many there are at least.
            self._fit_posterior(rows, rows_or_stand_ins(score, rows.s, rows.weight))
            labeled = rows.total_weight * rows.labeled_share
            others = rows.total_weight - labeled
            limits = PopulationLimits.of(self.class_prior_, labeled, others)
            rule = with_enough_labeled(rule, labeled)
        summary = summarize_score(score, rows.s, rows.weight, limits)
        if limits is None:
            self._fit_posterior(rows, summary.rows)
        cut = choose_cut(summary.cuts, rule, self.class_prior_)
        warn_if_all_positive(cut, rule)
        self.f1_pu_, self.f1_pu_bound_ = cut.value, max(cut.value, summary.bound)
        self.naive_intercept_ = self._sign * fit.intercept
        ends = (-self._sign * cut.upper, -self._sign * cut.lower)
        self.intercept_interval_ = (min(ends), max(ends))
        self._set_score(fit.coef, -cut.threshold)

    def _naive_intercept(self) -> float:
        return self.naive_intercept_

"""The naive classifier, and the paper's Enhanced classifier: one direction, two cuts."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..codes import warn
from ..engine.linear_fits import LinearFit, LinearProblem, Watch, fit_to_keep, report_fit
from ..engine.losses import LogisticLoss
from ..engine.objective import linear_score
from ..engine.rows import LabelledRows
from ..label_frequency import fit_score_joint
from ..thresholds import choose_cut, f1_pu, report_everybody, rows_or_stand_ins, summarise_score
from ._likelihood import LikelihoodClassifier, Optimum, penalised_objective


class NaiveScoreClassifier(LikelihoodClassifier):
    """Base class: a logistic fit to the labels gives the score, JOINT on it the posterior."""

    _takes_rows_anywhere = True

    def __init__(
        self,
        *,
        C: float = np.inf,
        fit_intercept: bool = True,
        tol: float = 1e-4,
        max_iter: int = 1000,
        positive_label: Any = None,
        verbose: int = 0,
    ) -> None:
        self.C = C
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.positive_label = positive_label
        self.verbose = verbose

    def _fit_score(self, rows: LabelledRows, watch: Watch) -> tuple[LinearFit, Any]:
        """Fit the naive direction; return the fit and the rows' scores without intercept."""
        stage = watch.stage("naive")
        problem = LinearProblem.of(rows.X, rows.weight, self.C, self.fit_intercept)
        try:
            fit = problem.fit_logistic(rows.s, self.tol, self.max_iter, stage=stage)
        except KeyboardInterrupt:
            fit = fit_to_keep(stage)
        watch.finished("naive", fit.result)
        self.n_iter_ = max(1, fit.result.n_iter)
        score = linear_score(rows.X, fit.coef)
        self.converged_ = report_fit(rows, fit, self._feature_names, score)
        return fit, score

    def _fit_posterior(self, scored: tuple[Any, Any, Any]) -> tuple[float, float]:
        """Estimate c and the class prior; return the posterior's intercept and slope.

        `scored` holds score, label and weight of the rows, or of stand-ins for them.
        """
        joint = fit_score_joint(*scored)
        self.label_frequency_ = joint.label_frequency
        self.class_prior_ = joint.class_prior
        if joint.slope == 0:
            warn(
                "PU111",
                "labelled rows score no higher than the others, so `predict_proba` is the share of "
                "labelled rows for every row. Add features that predict the label, or check `y`.",
            )
        elif joint.is_step:
            warn(
                "PU103",
                "along the score, the fitted probability of being positive jumps from 0 to 1, so "
                "`predict_proba` cannot be trusted. Use a finite `C`, or more labelled rows.",
            )
        elif joint.at_boundary:
            warn(
                "PU106",
                "the label frequency was estimated as 1, as if every positive row were labelled, "
                "so `predict_proba` equals the probability of being labelled. If you know the "
                "class prior, use PULogistic with it. Otherwise use more rows.",
            )
        return joint.intercept, joint.slope

    def _optimum(self, rows: LabelledRows) -> Optimum:
        objective = penalised_objective(LogisticLoss(), rows, self.C, self.fit_intercept)
        intercept = self._naive_intercept() if self.fit_intercept else None
        return Optimum(objective, *self._parameters(intercept))

    def _naive_intercept(self) -> float:
        """Intercept of the logistic fit, with the sign of `intercept_`."""
        return float(self.intercept_[0])


class NaiveLogistic(NaiveScoreClassifier):
    r"""Logistic regression of the labels, unlabelled rows taken as negative.

    Fitting needs no assumptions. Under SCAR, a logistic posterior and
    features with linear regressions on the true index (normal features, for
    instance) its direction is right, and only its cut is wrong: it predicts
    almost nobody positive when few positives are labelled. Use it as the
    baseline, and `EnhancedLogistic` for predictions.

    Parameters
    ----------
    C : float, default=inf
        Inverse strength of the ridge, as in scikit-learn's LogisticRegression;
        inf is the unpenalised fit of the paper.
    fit_intercept : bool, default=True
        Whether the logistic model has an intercept.
    tol : float, default=1e-4
        The fit stops when the norm of the gradient of the mean loss, in
        coordinates in which the features are uncorrelated and of unit
        variance (in a part of the rows if they are many), is at most
        `tol` times twice the standard deviation of the labels.
    max_iter : int, default=1000
        Most iterations of the solver.
    positive_label : object, default=None
        The value of y that marks labelled rows; the larger one if None.
    verbose : int, default=0
        0 is silent; 1 prints about one line per second; 2 one per evaluation.
        With 1 or more Ctrl-C keeps the best point so far (PU117).

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
        Label values, sorted; signs and columns follow it as in scikit-learn.
    positive_class_ : object
        The value that marks labelled rows and predicted positives,
        ``classes_[1]`` unless `positive_label` says otherwise.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of str
        Names of the features, if all of them are text.
    label_frequency_, class_prior_ : float
        c and P(Y=1) by JOINT on the one-dimensional score.
    n_iter_ : int
        Iterations of the solver.
    converged_ : bool
        Whether `coef_` is a finite optimum to the tolerance.

    See Also
    --------
    unlabeled.EnhancedLogistic : The same score, cut where F1_PU is largest.

    Notes
    -----
    Maximises :math:`\sum_i s_i \log\sigma(x_i^Tb) + (1-s_i)\log(1-\sigma(x_i^Tb))`.
    `predict` cuts at P(S=1|x) = 1/2. `predict_proba` is **not** P(S=1|x): it
    is :math:`\sigma(\hat a + \hat b\,x^T w)` from the fit of
    :math:`P(S=1|t) = c\,\sigma(a + bt)` to the score, an estimate of P(Y=1|x).

    **What breaks it:** the cut, always, for c well below 1 (for c <= 1/2 and
    centred normal features the intercept is negative whatever the true one);
    the direction, when the features are strongly skewed or labelling depends
    on x in other ways than through P(Y=1|x).

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
    >>> data = make_paper_gaussian(n=2000, c=0.3, random_state=0)
    >>> naive = NaiveLogistic().fit(data.X, data.s)
    >>> bool(naive.predict(data.X).mean() < 0.02)
    True
    """

    def _fit_rows(self, rows: LabelledRows, watch: Watch) -> None:
        fit, score = self._fit_score(rows, watch)
        posterior = self._fit_posterior(rows_or_stand_ins(score, rows.s, rows.weight))
        self._set_model(fit.coef, fit.intercept, posterior)


class EnhancedLogistic(NaiveScoreClassifier):
    r"""Naive logistic direction with the intercept that maximises F1_PU (Algorithm 1).

    Assumes SCAR, or that labelling depends on x only through P(Y=1|x), a
    logistic posterior and features with linear regressions on the true index.
    Needs neither the label frequency nor the class prior. Use it with many
    labelled rows per feature.

    Parameters
    ----------
    C : float, default=inf
        Inverse strength of the ridge, as in scikit-learn's LogisticRegression;
        inf is the unpenalised fit of the paper.
    fit_intercept : bool, default=True
        Whether the logistic model that gives the direction has an intercept;
        the classifier always has one.
    tol : float, default=1e-4
        The fit stops when the norm of the gradient of the mean loss, in
        coordinates in which the features are uncorrelated and of unit
        variance (in a part of the rows if they are many), is at most
        `tol` times twice the standard deviation of the labels.
    max_iter : int, default=1000
        Most iterations of the solver.
    positive_label : object, default=None
        The value of y that marks labelled rows; the larger one if None.
    verbose : int, default=0
        0 is silent; 1 prints about one line per second; 2 one per evaluation.
        With 1 or more Ctrl-C keeps the best point so far (PU117).

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
        The naive direction w.
    intercept_ : ndarray of shape (1,)
        The chosen intercept, the middle of `intercept_interval_`.
    threshold_ : float
        Rows whose `positive_score` lies above it are predicted positive, whichever label
        value is positive. It is computed from `intercept_`.
    posterior_line_ : tuple of float
        Intercept a and slope b of the posterior: the logit of `posterior_at` is a + b times
        the score.
    intercept_interval_ : tuple of float
        Ends of the intercepts that give the same training predictions.
    naive_intercept_ : float
        The intercept of the logistic fit, which is not used.
    f1_pu_ : float
        The largest F1_PU on the training rows.
    f1_pu_bound_ : float
        No cut of the score has a larger F1_PU. It equals `f1_pu_`, as every
        cut is tried, unless rows are in chunks and hundreds of thousands of
        distinct scores are as good as the best to one part in millions.
    classes_ : ndarray of shape (2,)
        Label values, sorted; signs and columns follow it as in scikit-learn.
    positive_class_ : object
        The value that marks labelled rows and predicted positives,
        ``classes_[1]`` unless `positive_label` says otherwise.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of str
        Names of the features, if all of them are text.
    label_frequency_, class_prior_ : float
        c and P(Y=1) by JOINT on the one-dimensional score.
    n_iter_ : int
        Iterations of the solver.
    converged_ : bool
        Whether `coef_` is a finite optimum to the tolerance.

    See Also
    --------
    unlabeled.PULogistic : Chooses ridge, class prior and cut on held-out rows.
    unlabeled.PUThresholdClassifier : The same cut over any classifier.

    Notes
    -----
    With r the share of labelled rows and q the share of all rows predicted
    positive, the intercept maximises

    .. math:: F1_{PU}(z) = \frac{\hat r(z)^2}{\hat q(z)}, \qquad
              \hat Y_z(x) = 1\{x^Tw + z > 0\},

    exactly: over all distinct scores (ties count once, and "everybody" is
    one of the cuts), in integers. Of equal optima it takes the one with the
    fewest positives. With weights the counts are sums of weights. In the
    population the cut lies where the posterior is half the precision of the
    rule, never above 1/2: the intercept is not an estimate of the Bayes one.
    `predict_proba` comes from JOINT on the score, see `NaiveLogistic`.

    **What breaks it:** few labelled rows (the direction memorises them and
    the cut is chosen on the same rows); strongly skewed features; labelling
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
    >>> data = make_paper_gaussian(n=5000, c=0.3, random_state=0)
    >>> enhanced = EnhancedLogistic().fit(data.X, data.s)
    >>> f1_score(data.y_true, enhanced.predict(data.X)) > 0.5
    True
    """

    def _fit_rows(self, rows: LabelledRows, watch: Watch) -> None:
        fit, score = self._fit_score(rows, watch)
        rule = f1_pu()
        summary = summarise_score(score, rows.s, rows.weight)
        cut = choose_cut(summary.cuts, rule)
        report_everybody(cut, rule)
        self.f1_pu_, self.f1_pu_bound_ = cut.value, max(cut.value, summary.bound)
        self.naive_intercept_ = self._sign * fit.intercept
        ends = (-self._sign * cut.upper, -self._sign * cut.lower)
        self.intercept_interval_ = (min(ends), max(ends))
        self._set_model(fit.coef, -cut.threshold, self._fit_posterior(summary.rows))

    def _naive_intercept(self) -> float:
        return self.naive_intercept_

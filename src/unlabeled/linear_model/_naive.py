"""The naive classifier: logistic regression on the labels."""

from __future__ import annotations

from ..labels import LabelledRows
from ..solvers import Watch
from ..thresholds import rows_or_stand_ins
from ._score_model import NaiveScoreClassifier


class NaiveLogistic(NaiveScoreClassifier):
    r"""Logistic regression of the labels, unlabelled rows taken as negative.

    Assumes nothing to be fitted. Under SCAR, a logistic posterior and
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
        variance (in a part of the rows, where they are many), is at most
        `tol` times twice the standard deviation of the labels.
    max_iter : int, default=1000
        Most iterations of the solver.
    positive_label : object, default=None
        The value of y that marks labelled rows; the larger one if None.
    verbose : int, default=0
        0 is silent; 1 prints about a line a second as the fit goes; 2 every
        evaluation. With 1 or more Ctrl-C keeps the best point so far (PU117).

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
        The naive direction.
    intercept_ : ndarray of shape (1,)
        The naive intercept.
    threshold_ : float
        Rows whose `positive_score` lies above it are predicted positive, whichever label
        value is the positive one. It is read from `intercept_`.
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
        Names of the features, where all of them are text.
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
    on x other than through P(Y=1|x).

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

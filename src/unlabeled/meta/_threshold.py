"""Any scikit-learn classifier with a cut chosen for positive and unlabelled data."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from ..label_frequency import (
    ScoreProfile,
    report_flat,
    report_prior_above_bound,
    settle_class_prior,
)
from ..labels import encode_labels, refuse_chunks, refuse_one_class, validate_weight
from ..losses import softplus_and_sigmoid
from ..metrics import f1_pu_score
from ..thresholds import (
    ChosenCut,
    Rule,
    choose_cut,
    count_above,
    get_rule,
    report_everybody,
    with_enough_labelled,
)
from ._honest_scores import (
    leave_one_out_scores,
    on_logit_scale,
    out_of_bag_scores,
    out_of_fold_scores,
    score_method,
    scores_of,
)


class PUThresholdClassifier(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    r"""A classifier of labels turned into one of the class, by a cut chosen from labels alone.

    Assumes SCAR. `estimator` is fitted to labelled against unlabelled rows;
    its score is cut where `rule` is best on scores that the cut may be judged
    by: out of fold by default, since a model scores rows it has seen too
    high. Use it to give a forest, a boosted model or a text pipeline a PU
    decision and an estimate of P(Y=1|x).

    Parameters
    ----------
    estimator : classifier
        Any scikit-learn classifier or pipeline with `decision_function` or
        `predict_proba`.
    rule : str or Rule, default="f1_pu"
        What the cut is best for: a name in `thresholds.RULES`, text such as
        ``"recall_at_least(0.9)"``, or a `thresholds.Rule`.
    class_prior : float, label-frequency estimator or None, default=None
        P(Y=1) in the whole sample, for the rules that need it and for
        `predict_proba`; None estimates it from the honest scores.
    cv : int, splitter, iterable, "loo", "oob", "prefit" or None, default=5
        Which scores are cut. A number or splitter: out of fold, the model
        refitted to all rows afterwards. "loo": leave-one-out scores in closed
        form, for logistic regressions. "oob": out-of-bag scores of a bagged
        ensemble. "prefit": `estimator` is fitted, and `X` are other rows.
        None: training scores, as in the paper.
    positive_label : object, default=None
        The value of y that marks labelled rows; the larger one if None.
    random_state : int, RandomState instance or None, default=None
        Draws the folds.

    Attributes
    ----------
    estimator_ : classifier
        Fitted to all rows, labels as 0 and 1 (or the given one, if "prefit").
    threshold_ : float
        Rows with a score above it are predicted positive.
    threshold_interval_ : tuple of float
        Thresholds between which no scored row lies.
    cut_ : ChosenCut
        Recall, share and value of the rule at the cut, on the honest scores.
    cuts_ : Cuts
        Counts at every cut it looked at.
    class_prior_, label_frequency_ : float
        P(Y=1) and c, as given or estimated.
    classes_ : ndarray of shape (2,)
        Label values, sorted.
    positive_class_ : object
        The value that marks labelled rows and predicted positives.

    Notes
    -----
    `decision_function` is the score less the threshold. `predict_proba` is
    :math:`\sigma(\hat a + \hat b t)` of the score t (the logit of it, if it is a
    probability) from the fit of :math:`P(S=1|t) = c\,\sigma(a + bt)`, c being
    the labelled share over the class prior. Rules that are ratios need five
    labelled rows above the cut.

    **What breaks it:** labelling that depends on the features; a score whose
    posterior is not logistic, for the class prior and the probabilities.

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from unlabeled import PUThresholdClassifier
    >>> from unlabeled.datasets import make_paper_gaussian
    >>> data = make_paper_gaussian(n=1000, c=0.5, random_state=0)
    >>> forest = RandomForestClassifier(30, min_samples_leaf=5, oob_score=True, random_state=0)
    >>> model = PUThresholdClassifier(forest, cv="oob").fit(data.X, data.s)
    >>> bool(model.predict(data.X).mean() > 2 * data.s.mean())
    True
    """

    def __init__(
        self,
        estimator: Any,
        rule: str | Rule = "f1_pu",
        *,
        class_prior: Any = None,
        cv: Any = 5,
        positive_label: Any = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.rule = rule
        self.class_prior = class_prior
        self.cv = cv
        self.positive_label = positive_label
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> PUThresholdClassifier:
        """Fit the classifier and choose the cut.

        Parameters
        ----------
        X : array-like, sparse matrix, frame or list
            Rows, in whatever form `estimator` takes them. Sparse formats other than CSR are
            converted to it once.
        y : array-like of shape (n_rows,)
            Two values; by default the larger marks labelled rows.
        sample_weight : array-like of shape (n_rows,), optional
            Row weights, for the fit and for the counts.

        Returns
        -------
        self : object
            The fitted classifier.
        """
        rule = get_rule(self.rule)
        refuse_chunks(X, type(self).__name__)
        s, encoding = encode_labels(y, self.positive_label)
        check_consistent_length(X, s)
        if sparse.issparse(X):
            X = X.tocsr()
        weight = validate_weight(sample_weight, len(s))
        if weight is not None:
            refuse_one_class(s, weight)
        self.classes_ = np.sort(encoding.classes)
        self.positive_class_ = encoding.classes[1]
        score = self._honest_scores(X, s.astype(int), weight)
        scored = np.isfinite(score)
        score, labels = score[scored], s[scored]
        weight = None if weight is None else weight[scored]
        self.cuts_ = count_above(score, labels, weight)
        logistic = on_logit_scale(score, score_method(self.estimator_))
        self._set_prior(X, s, ScoreProfile.of(logistic, labels, weight))
        self._choose(rule)
        return self

    def _honest_scores(self, X: Any, s: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
        if isinstance(self.cv, str) and self.cv == "prefit":
            check_is_fitted(self.estimator)
            self.estimator_ = self.estimator
            self._estimator_positive = (
                self.positive_class_
                if self.positive_class_ in list(self.estimator.classes_)
                else self.estimator.classes_[1]
            )
            return scores_of(self.estimator_, X, self._estimator_positive)
        params = {} if weight is None else {"sample_weight": weight}
        self._estimator_positive = 1
        self.estimator_ = clone(self.estimator).fit(X, s, **params)
        if self.cv is None:
            return scores_of(self.estimator_, X)
        if isinstance(self.cv, str):
            return self._closed_form_scores(X, s, weight)
        return out_of_fold_scores(self.estimator, X, s, self.cv, self.random_state, params)

    def _closed_form_scores(self, X: Any, s: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
        if self.cv == "loo":
            return leave_one_out_scores(self.estimator_, X, s, weight)
        if self.cv == "oob":
            return out_of_bag_scores(self.estimator_)
        raise ValueError(
            "`cv` must be a number of folds, a splitter, a list of (train, test) row numbers, "
            f"'loo', 'oob', 'prefit' or None; got {self.cv!r}."
        )

    def _set_prior(self, X: Any, s: np.ndarray, profile: ScoreProfile) -> None:
        """Set class prior and posterior, and hold a given prior against its bound."""
        prior = settle_class_prior(self.class_prior, X, s, profile)
        if self.class_prior is not None:
            report_prior_above_bound(prior, self.cuts_)
        self.class_prior_ = prior
        self.label_frequency_ = min(1.0, profile.labelled_share / prior)
        self._posterior_line = profile.line(prior)
        report_flat(self._posterior_line)

    def _choose(self, rule: Rule) -> None:
        rule = with_enough_labelled(rule, self.cuts_.labelled[-1])
        self.cut_: ChosenCut = choose_cut(self.cuts_, rule, self.class_prior_)
        self.threshold_ = self.cut_.threshold
        self.threshold_interval_ = (self.cut_.lower, self.cut_.upper)
        report_everybody(self.cut_, rule)

    def decision_function(self, X: Any) -> np.ndarray:
        """Score less the threshold: above 0 where `predict` says `classes_[1]`.

        Parameters
        ----------
        X : array-like, sparse matrix, frame or list
            Rows.

        Returns
        -------
        score : ndarray of shape (n_rows,)
            Signed for `classes_`, as in scikit-learn.
        """
        return (self._score(X) - self.threshold_) * self._sign()

    def predict(self, X: Any) -> np.ndarray:
        """Predicted class of each row, as a label value.

        Parameters
        ----------
        X : array-like, sparse matrix, frame or list
            Rows.

        Returns
        -------
        y_pred : ndarray of shape (n_rows,)
            `positive_class_` or the other value.
        """
        positive = self._score(X) > self.threshold_
        other = self.classes_[self.classes_ != self.positive_class_][0]
        return np.array([other, self.positive_class_])[positive.astype(int)]

    def predict_proba(self, X: Any) -> np.ndarray:
        """Estimated posterior P(Y=1|x) of the hidden class.

        Parameters
        ----------
        X : array-like, sparse matrix, frame or list
            Rows.

        Returns
        -------
        proba : ndarray of shape (n_rows, 2)
            Columns in the order of `classes_`.
        """
        score = on_logit_scale(self._score(X), score_method(self.estimator_))
        intercept, slope = self._posterior_line
        _, positive = softplus_and_sigmoid(intercept + slope * score)
        columns = [1 - positive, positive]
        return np.column_stack(columns if self._sign() > 0 else columns[::-1])

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """F1_PU of the predictions, see `EnhancedLogistic.score`.

        Parameters
        ----------
        X : array-like, sparse matrix, frame or list
            Rows.
        y : array-like of shape (n_rows,)
            Label column.
        sample_weight : array-like of shape (n_rows,), optional
            Row weights.

        Returns
        -------
        f1_pu : float
            Larger is better.
        """
        return f1_pu_score(
            y, self.predict(X), positive_label=self.positive_class_, sample_weight=sample_weight
        )

    def _score(self, X: Any) -> np.ndarray:
        check_is_fitted(self, "threshold_")
        refuse_chunks(X, type(self).__name__)
        return np.asarray(scores_of(self.estimator_, X, self._estimator_positive), dtype=np.float64)

    def _sign(self) -> float:
        return 1.0 if self.classes_[1] == self.positive_class_ else -1.0

    @property
    def n_features_in_(self) -> int:
        """Number of features seen by the fitted estimator."""
        return int(self.estimator_.n_features_in_)

    @property
    def feature_names_in_(self) -> np.ndarray:
        """Names of the features seen by the fitted estimator."""
        return np.asarray(self.estimator_.feature_names_in_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        inner = get_tags(self.estimator)
        tags.input_tags = inner.input_tags
        return tags

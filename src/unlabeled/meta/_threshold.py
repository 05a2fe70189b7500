"""Any scikit-learn classifier with a cut chosen for positive and unlabelled data."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, _raise_for_params
from sklearn.utils.validation import check_is_fitted

from ..engine.losses import softplus_and_sigmoid
from ..engine.rows import (
    LabelEncoding,
    LabelledRows,
    label_folds,
    possible_folds,
    reject_chunks,
    restore_on_failure,
)
from ..label_frequency import (
    ScoreProfile,
    report_flat,
    report_prior_above_bound,
    resolve_class_prior,
)
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
from ._held_out_scores import (
    FitArguments,
    fit_arguments,
    leave_one_out_scores,
    on_logit_scale,
    out_of_bag_scores,
    out_of_fold_scores,
    reject_other_classes,
    reject_other_estimators,
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
        refitted to all rows afterwards. Every fold needs a labelled and an
        unlabelled row: a larger number is lowered, with a warning (PU118).
        "loo": leave-one-out scores in closed form, for logistic regressions
        with a ridge or no penalty. "oob":
        out-of-bag scores of a bagged ensemble. "prefit": `estimator` is
        fitted, to the same label values, and `X` are other rows. None:
        training scores, as in the paper; it is not scikit-learn's five folds.
    positive_label : object, default=None
        The value of y that marks labelled rows; the larger one if None.
    random_state : int, RandomState instance or None, default=None
        Draws the folds.
    n_jobs : int, default=None
        How many folds are fitted at a time, as in scikit-learn.

    Attributes
    ----------
    estimator_ : classifier
        Fitted to all rows and their label values (or the given one, if "prefit").
    threshold_ : float
        Rows whose `positive_score` lies above it are predicted positive, whichever label
        value is the positive one.
    threshold_interval_ : tuple of float
        Thresholds between which no scored row lies.
    posterior_line_ : tuple of float
        Intercept a and slope b of the posterior: the logit of `posterior_at` is a + b times
        the score; times the logit of the score, where the score is a probability.
    cut_ : ChosenCut
        Recall, share and value of the rule at the cut, on the honest scores.
    cuts_ : Cuts
        Counts at every cut it looked at.
    class_prior_, label_frequency_ : float
        P(Y=1) and c, as given or estimated.
    class_prior_estimator_ : object
        The fitted estimator of the class prior, where one was given.
    classes_ : ndarray of shape (2,)
        Label values, sorted.
    positive_class_ : object
        The value that marks labelled rows and predicted positives.

    See Also
    --------
    unlabeled.PULogistic : A linear classifier that needs no model to be chosen.
    unlabeled.thresholds.Rule : A rule of one's own.

    Notes
    -----
    `decision_function` is the score less the threshold. `predict_proba` is
    :math:`\sigma(\hat a + \hat b t)` of the score t (the logit of it, if it is a
    probability) from the fit of :math:`P(S=1|t) = c\,\sigma(a + bt)`, c being
    the labelled share over the class prior. Rules that are ratios need five
    labelled rows above the cut.

    `estimator` sees the label values as they are, so that its `class_weight`
    may name them; where it, or a step of it, has a parameter `positive_label`
    that is None, it is told. With scikit-learn's metadata routing enabled,
    `sample_weight`, `groups` and others go to whoever requests them; without
    it the weights go to `estimator`.

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
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.rule = rule
        self.class_prior = class_prior
        self.cv = cv
        self.positive_label = positive_label
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, **params: Any
    ) -> PUThresholdClassifier:
        """Fit the classifier and choose the cut.

        Parameters
        ----------
        X : array-like, sparse matrix, frame or list
            Rows, in whatever form `estimator` takes them. Sparse formats other than CSR are
            converted to it once.
        y : array-like of shape (n_rows,)
            Two values; by default the larger marks labelled rows.
        sample_weight : array-like of shape (n_rows,), optional
            Row weights, for the fit, the class prior and the counts. Rows of
            weight 0 are left out.
        **params : dict
            For `estimator` and for the splitter given as `cv`, such as groups;
            needs metadata routing to be enabled.

        Returns
        -------
        self : object
            The fitted classifier.
        """
        _raise_for_params(params, self, "fit")
        with restore_on_failure(self):
            self._fit(X, y, sample_weight, params)
        return self

    def _fit(self, X: Any, y: Any, sample_weight: Any, params: dict[str, Any]) -> None:
        rule = get_rule(self.rule)
        reject_chunks(X, type(self).__name__)
        reject_other_estimators(self.estimator)
        passed = fit_arguments(self, X, y, sample_weight, params)
        rows = passed.rows
        self.classes_ = np.sort(rows.encoding.classes)
        self.positive_class_ = passed.positive
        score = self._honest_scores(passed)
        scored = np.isfinite(score)
        score, labels = score[scored], rows.s[scored]
        weight = None if rows.weight is None else rows.weight[scored]
        self.cuts_ = count_above(score, labels, weight)
        logistic = on_logit_scale(score, score_method(self.estimator_))
        self._set_prior(rows, ScoreProfile.of(logistic, labels, weight))
        self._choose(rule)

    def _honest_scores(self, passed: FitArguments) -> np.ndarray:
        """Fit the estimator, and score the rows by models that did not see them, or did."""
        cv = self.cv
        if isinstance(cv, str) and cv == "prefit":
            check_is_fitted(self.estimator)
            self._set_estimator(self.estimator)
            return scores_of(self.estimator_, passed.rows.X, self.positive_class_)
        one_fit = cv is None or (isinstance(cv, str) and cv in ("loo", "oob"))
        splits = None if one_fit else self._splits(passed)
        estimator = self._told_estimator()
        self._set_estimator(clone(estimator).fit(passed.rows.X, passed.y, **passed.fit))
        if splits is None:
            return self._scores_of_one_fit(passed)
        return out_of_fold_scores(estimator, passed, splits, self.n_jobs)

    def _splits(self, passed: FitArguments) -> Any:
        also = "'loo', 'oob', 'prefit' or None"
        cv = possible_folds(passed.rows, self.cv, type(self).__name__)
        return label_folds(passed.rows, cv, self.random_state, also=also, split_params=passed.split)

    def _told_estimator(self) -> Any:
        """Tell PU classifiers inside, where nobody did, which value marks labelled rows."""
        estimator = clone(self.estimator)
        untold = {
            name: self.positive_class_
            for name, value in estimator.get_params().items()
            if name.rpartition("__")[2] == "positive_label" and value is None
        }
        if untold:  # a frozen estimator has nothing to set
            estimator.set_params(**untold)
        return estimator

    def _set_estimator(self, fitted: Any) -> None:
        reject_other_classes(fitted, self.classes_)
        self.estimator_ = fitted

    def _scores_of_one_fit(self, passed: FitArguments) -> np.ndarray:
        fitted, positive, rows = self.estimator_, self.positive_class_, passed.rows
        if self.cv is None:
            return scores_of(fitted, rows.X, positive)
        if self.cv == "oob":
            return out_of_bag_scores(fitted, positive)
        weight = passed.fit.get("sample_weight")
        return leave_one_out_scores(fitted, rows.X, rows.s, weight, positive)

    def _set_prior(self, rows: LabelledRows, profile: ScoreProfile) -> None:
        """Set class prior and posterior, and hold a given prior against its bound."""
        prior = resolve_class_prior(self.class_prior, rows, profile)
        if self.class_prior is not None:
            report_prior_above_bound(prior.value, self.cuts_)
        if prior.estimator is not None:
            self.class_prior_estimator_ = prior.estimator
        self.class_prior_ = prior.value
        self.label_frequency_ = min(1.0, profile.labelled_share / prior.value)
        line = profile.line(prior.value)
        self.posterior_line_ = (line.intercept, line.slope)
        report_flat(line)

    def _choose(self, rule: Rule) -> None:
        rule = with_enough_labelled(rule, self.cuts_.labelled[-1])
        self.cut_: ChosenCut = choose_cut(self.cuts_, rule, self.class_prior_)
        self.threshold_ = self.cut_.threshold
        self.threshold_interval_ = (self.cut_.lower, self.cut_.upper)
        report_everybody(self.cut_, rule)

    def positive_score(self, X: Any) -> np.ndarray:
        """The estimator's score of the positive class: above `threshold_` is predicted positive.

        Parameters
        ----------
        X : array-like, sparse matrix, frame or list
            Rows.

        Returns
        -------
        score : ndarray of shape (n_rows,)
            The estimator's `decision_function`, signed towards the positive class; its
            `predict_proba` of the positive class, where it has no `decision_function`.
        """
        check_is_fitted(self, "threshold_")
        reject_chunks(X, type(self).__name__)
        return np.asarray(scores_of(self.estimator_, X, self.positive_class_), dtype=np.float64)

    def posterior_at(self, score: Any) -> np.ndarray:
        """Estimated P(Y=1|score), which `predict_proba` gives to rows with that score.

        Parameters
        ----------
        score : array-like
            Values of `positive_score`.

        Returns
        -------
        posterior : ndarray of the shape of `score`
            The sigmoid of a + b times the score (its logit, if the score is a probability),
            with a and b from `posterior_line_`.
        """
        check_is_fitted(self, "threshold_")
        score = np.asarray(score, dtype=np.float64)
        intercept, slope = self.posterior_line_
        logistic = on_logit_scale(score, score_method(self.estimator_))
        return softplus_and_sigmoid(intercept + slope * logistic)[1]

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
        return (self.positive_score(X) - self.threshold_) * self._sign()

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
        positive = self.positive_score(X) > self.threshold_
        return LabelEncoding(self.classes_[:: self._sign()]).decode(positive)

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
        positive = self.posterior_at(self.positive_score(X))
        return np.column_stack([1 - positive, positive][:: self._sign()])

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithm of `predict_proba`, -inf where that is 0 by rounding.

        Parameters
        ----------
        X : array-like, sparse matrix, frame or list
            Rows.

        Returns
        -------
        log_proba : ndarray of shape (n_rows, 2)
            Columns in the order of `classes_`.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

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

    def _sign(self) -> int:
        return 1 if self.classes_[1] == self.positive_class_ else -1

    def get_metadata_routing(self) -> MetadataRouter:
        """Who gets what `fit` is passed, where scikit-learn's metadata routing is enabled.

        Returns
        -------
        routing : MetadataRouter
            To `estimator`'s fit and to the splitter's split.
        """
        fit_to_fit = MethodMapping().add(caller="fit", callee="fit")
        fit_to_split = MethodMapping().add(caller="fit", callee="split")
        return (
            MetadataRouter(owner=self)
            .add_self_request(self)
            .add(estimator=self.estimator, method_mapping=fit_to_fit)
            .add(splitter=self.cv, method_mapping=fit_to_split)
        )

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

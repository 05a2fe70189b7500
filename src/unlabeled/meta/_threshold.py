"""PUThresholdClassifier: any scikit-learn classifier with a PU threshold."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import MetaEstimatorMixin, clone, is_classifier
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, _raise_for_params
from sklearn.utils.validation import check_is_fitted

from ..engine.losses import softplus_and_sigmoid
from ..engine.rows import (
    LabelledRows,
    fingerprint_rows,
    label_folds,
    possible_folds,
    reject_chunks,
    reject_without_folds,
    restore_on_failure,
)
from ..engine.sampling import ONE_SAMPLE
from ..inference import PriorFromScores
from ..label_frequency import (
    LogitLine,
    bounded_logit,
    class_prior_density,
    fit_line,
    label_design_effect,
    resolve_class_prior,
)
from ..thresholds import (
    ChosenCut,
    Rule,
    choose_cut,
    count_above,
    get_rule,
    report_everybody,
    shrink_recall,
    with_enough_labelled,
)
from ._fit_arguments import FitArguments, fit_arguments
from ._held_out_scores import (
    is_linear,
    leave_one_out_scores,
    on_logit_scale,
    out_of_bag_scores,
    out_of_fold_scores,
    score_method,
    scores_of,
)
from ._score_classifier import ScoreClassifier


class PUThresholdClassifier(PriorFromScores, MetaEstimatorMixin, ScoreClassifier):
    r"""Turn any scikit-learn classifier into a classifier for positive and unlabelled data.

    `estimator` is fitted to separate labelled from unlabelled rows. Its score ranks
    the rows, but its own threshold predicts the label, not the class. This classifier
    keeps the score and chooses the threshold that is best for `rule`. It also
    estimates the class prior and P(Y=1|x). Use it with a forest, a boosted model or a
    text pipeline.

    It assumes SCAR: labelled rows are a random sample of the positive rows.

    Parameters
    ----------
    estimator : classifier
        Any scikit-learn classifier or pipeline with `decision_function` or
        `predict_proba`.
    rule : str or Rule, default="f1_pu"
        What the threshold maximises: a name in `thresholds.RULES`, text such as
        ``"recall_at_least(0.9)"``, or a `thresholds.Rule`.
    class_prior : float, label-frequency estimator, PriorDensity or None, default=None
        P(Y=1) of the population, for `predict_proba` and for the rules that need
        it. None estimates it from the scores that the threshold is chosen on.
    cv : int, splitter, iterable, "loo", "oob", "prefit" or None, default=5
        Which scores the threshold is chosen on. Held-out scores are the default,
        because a model gives its labelled training rows scores that are too high.

        - A number of folds, a splitter or splits: out-of-fold scores. The estimator
          is then fitted to all rows. Every fold needs a labelled and an unlabelled
          row. If there are too few rows for that many folds, fewer are used (PU118).
        - "loo": leave-one-out scores in closed form, for logistic regressions with
          a ridge or no penalty.
        - "oob": out-of-bag scores of a bagged ensemble.
        - "prefit": `estimator` is already fitted, with the same label values. Call
          `fit` with rows that it has not seen.
        - None: scores of the training rows, as in the paper. This is not
          scikit-learn's default of five folds.
    positive_label : object, default=None
        The value of y that marks labelled rows; the larger value if None.
    sampling : {"one-sample", "two-sample"}, default="one-sample"
        "two-sample" if the labelled rows come from elsewhere and the unlabelled rows are a sample
        of the population. What is reported is then the population's; see
        :doc:`/choose/two_samples`.
    random_state : int, RandomState instance or None, default=None
        Controls the shuffling of the folds, if `cv` is a number. Pass an int for
        reproducible output.
    n_jobs : int, default=None
        Number of folds fitted in parallel, as in scikit-learn.

    Attributes
    ----------
    estimator_ : classifier
        Fitted to all rows; with ``cv="prefit"``, the given one.
    threshold_ : float
        Rows whose `positive_score` is above it are predicted positive, whichever label
        value is the positive one.
    threshold_interval_ : tuple of float
        Every threshold inside this interval gives the same predictions on the scored
        rows.
    posterior_line_ : tuple of float
        Intercept a and slope b: the logit of `posterior_at` is a + b times the score of a linear
        `estimator`, and a + b times the logit of P(S=1|x)/c of any other. See Notes.
    label_line_ : tuple of float or None
        Intercept and slope from the score, or from its logit if it is a probability, to the logit
        of P(S=1|x). None if `estimator` is linear.
    cut_ : ChosenCut
        The chosen cut: the threshold, with the recall, the share of rows above it and
        the value of the rule, on the scores that it was chosen on.
    cuts_ : Cuts
        Every cut of these scores, with recall smoothed by the posterior; the cut was chosen on
        this curve. With ``cv=None`` recall is the observed one, as in the paper.
    observed_cuts_ : Cuts
        The same cuts with the observed recall: numbers of rows.
    held_out_score_ : ndarray of shape (n_rows,)
        `positive_score` of every training row by a fit without that row; NaN for rows that every
        member of a bagged ensemble has seen. Rows of weight 0 are left out. Model files do not
        contain it. It does not exist with ``cv=None``, whose scores are not held out, nor with
        ``cv="prefit"``, whose rows are new.
    held_out_posterior_ : ndarray of shape (n_rows,)
        `posterior_at` of `held_out_score_`. Use it for training rows instead of `predict_proba`,
        which has seen their labels.
    fingerprint_ : str
        A checksum of the training rows, by which a table is recognised as the one fitted to. It
        does not exist with ``cv="prefit"``.
    class_prior_, label_frequency_ : float
        P(Y=1) and c, as given or estimated.
    class_prior_density_ : PriorDensity or None
        What the labels say about the share of positive rows: its `mean` is `class_prior_`, and
        `identified` says how far the labels identify it. None if the class prior was given as a
        number or by an estimator.
    labelled_share_ : float
        Share of labelled rows among the scored ones.
    n_groups_ : int or None
        Number of groups; None if none were given.
    design_effect_ : float
        By what factor groups increase the variance of what the labels say; see `PULogistic`.
    class_prior_estimator_ : object
        The fitted estimator of the class prior, if one was given.
    classes_ : ndarray of shape (2,)
        The label values, sorted.
    positive_class_ : object
        The label value of labelled rows and of predicted positives.

    See Also
    --------
    unlabeled.PULogistic : A linear classifier with a built-in ridge penalty.
    unlabeled.thresholds.Rule : To write your own rule.

    Notes
    -----
    `decision_function` is the score minus the threshold. `predict_proba` is
    :math:`\sigma(\hat a + \hat b t)`: the likeliest line in
    :math:`P(S=1|t) = c\,\sigma(a + bt)` whose mean over the scored rows is the class prior; c is
    the share of labelled rows divided by the class prior. If `estimator` is linear, t is its
    score. Otherwise the score, or its logit if it is a probability, is first calibrated to the
    logit of P(S=1|x), and t is the logit of P(S=1|x)/c, bent so that it stays finite where the
    estimate of P(S=1|x) exceeds c. The class prior is averaged over curves along t
    (`label_frequency.class_prior_density`). Rules that are ratios need five labelled rows above
    the threshold. As in `PULogistic`, recall is a weighted mean of the recall of the labelled rows
    and the recall that the posterior predicts; the latter has the weight of 300 labelled rows.

    A model that has seen a row scores it too confidently: unlabelled rows too low, labelled rows
    too high. A forest does so most. To rank or decide the rows of the fit, use
    `held_out_score_` and `held_out_posterior_`.

    `estimator` sees the original label values, so its `class_weight` may name them. If
    it, or a step of it, has a parameter `positive_label` that is None, it receives the
    positive label value. With scikit-learn's metadata routing enabled, `sample_weight`,
    `groups` and other arguments go to the objects that request them. Without it,
    weights go to `estimator`, and groups too if it takes them. A splitter given as `cv` always
    gets the groups. With groups "loo", "oob" and None are rejected, because they score a row by
    a model that has seen its group.

    **What breaks it:** labelling that depends on the features. The class prior and the
    probabilities are also wrong if the posterior does not rise with the score.

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

    The rows of the fit, decided by trees that have not seen them:

    >>> found = model.held_out_score_ > model.threshold_
    >>> bool(found.mean() > 2 * data.s.mean())
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
        sampling: str = ONE_SAMPLE,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.rule = rule
        self.class_prior = class_prior
        self.cv = cv
        self.positive_label = positive_label
        self.sampling = sampling
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None, **params: Any
    ) -> PUThresholdClassifier:
        """Fit the classifier and choose the threshold.

        Parameters
        ----------
        X : array-like, sparse matrix, frame or list
            Rows, in any form that `estimator` accepts. Sparse formats other than CSR are
            converted to it once.
        y : array-like of shape (n_rows,)
            Two values; by default the larger marks labelled rows.
        sample_weight : array-like of shape (n_rows,), optional
            Row weights, for the fit, the class prior and the counts. Rows of
            weight 0 are dropped.
        groups : array-like of shape (n_rows,), optional
            Which rows belong together, such as those of one person or one place. A row
            is then scored by a fit without its whole group, and intervals do not take the
            rows of one group as independent. `estimator` gets them if its `fit` takes them;
            with metadata routing, if it requests them.
        **params : dict
            Arguments of `estimator` and of the splitter given as `cv`. They need
            scikit-learn's metadata routing to be enabled.

        Returns
        -------
        self : object
            The fitted classifier.
        """
        _raise_for_params(params, self, "fit")
        with restore_on_failure(self):
            self._fit(X, y, sample_weight, groups, params)
        return self

    def _fit(self, X: Any, y: Any, sample_weight: Any, groups: Any, params: dict[str, Any]) -> None:
        rule = get_rule(self.rule)
        reject_chunks(X, type(self).__name__)
        _reject_other_estimators(self.estimator)
        self._reject_splitting(groups)
        passed = fit_arguments(self, X, y, sample_weight, groups, params)
        rows = passed.rows
        self.classes_ = np.sort(rows.encoding.classes)
        self.positive_class_ = passed.positive
        all_scores = self._fit_and_score(passed)
        scored = np.isfinite(all_scores)
        score, labels = all_scores[scored], rows.s[scored]
        weight = None if rows.weight is None else rows.weight[scored]
        self.observed_cuts_ = count_above(score, labels, weight, rows.two_samples)
        together = None if rows.groups is None else rows.groups[scored]
        self._set_prior(rows, score, labels, weight, together)
        self.cuts_ = self.observed_cuts_
        if self.cv is not None:
            posterior = self._posterior(score)
            self.cuts_ = shrink_recall(self.cuts_, score, posterior, weight, labelled=labels == 1)
        self._set_threshold(rule)
        self._set_rows(rows.X, all_scores)

    def _reject_splitting(self, groups: Any) -> None:
        """Raise if there are groups and rows are scored by fits to rows of the same group."""
        reasons = {
            "loo": "leaves out one row at a time",
            "oob": "leaves out single rows",
            None: "holds no rows out",
        }
        if (self.cv is None or isinstance(self.cv, str)) and self.cv in reasons:
            reject_without_folds(self.cv, groups, reasons[self.cv])

    def _fit_and_score(self, passed: FitArguments) -> np.ndarray:
        """Fit the estimator to all rows; return the scores to choose the threshold on."""
        rows, positive = passed.rows, self.positive_class_
        scores = self.cv if self.cv is None or isinstance(self.cv, str) else "out of fold"
        if scores == "prefit":
            check_is_fitted(self.estimator)
            self._set_estimator(self.estimator)
            return scores_of(self.estimator_, rows.X, positive)
        splits = None if scores in (None, "loo", "oob") else self._splits(passed)
        estimator = self._with_positive_label()
        self._set_estimator(clone(estimator).fit(rows.X, passed.y, **passed.fit))
        if scores is None:
            return scores_of(self.estimator_, rows.X, positive)
        if scores == "oob":
            return out_of_bag_scores(self.estimator_, positive)
        if scores == "loo":
            weight = passed.fit.get("sample_weight")
            return leave_one_out_scores(self.estimator_, rows.X, rows.s, weight, positive)
        return out_of_fold_scores(estimator, passed, splits, self.n_jobs)

    def _splits(self, passed: FitArguments) -> Any:
        also = "'loo', 'oob', 'prefit' or None"
        instead = "use cv=None, which scores the rows that were fitted"
        cv = possible_folds(passed.rows, self.cv, type(self).__name__, instead)
        return label_folds(passed.rows, cv, self.random_state, also=also, split_params=passed.split)

    def _with_positive_label(self) -> Any:
        """Clone the estimator; set every `positive_label` inside it that is None."""
        estimator = clone(self.estimator)
        unset = {
            name: self.positive_class_
            for name, value in estimator.get_params().items()
            if name.rpartition("__")[2] == "positive_label" and value is None
        }
        if unset:  # `set_params` would fail on a frozen estimator
            estimator.set_params(**unset)
        return estimator

    def _set_estimator(self, fitted: Any) -> None:
        known = np.asarray(fitted.classes_).tolist()
        if known != self.classes_.tolist():
            raise ValueError(
                f"`estimator` must be fitted to the label values of `y`, {self.classes_.tolist()}; "
                f"{type(fitted).__name__} was fitted to {known}. Fit it to the same values."
            )
        self.estimator_ = fitted

    def _set_prior(
        self,
        rows: LabelledRows,
        score: np.ndarray,
        s: np.ndarray,
        weight: np.ndarray | None,
        groups: np.ndarray | None,
    ) -> None:
        """Set the class prior and the posterior; compare a given prior with its bound."""
        logistic = on_logit_scale(score, score_method(self.estimator_))
        self.labelled_share_ = float(np.average(s, weights=weight))
        self.label_line_ = None
        place, of_label = logistic, not is_linear(self.estimator_)
        if of_label:
            line = fit_line(logistic, s, np.ones_like(s) if weight is None else weight)
            self.label_line_, place = tuple(line), line(logistic)
        self.n_groups_ = rows.n_groups
        self.design_effect_ = label_design_effect(place, s, weight, groups)
        prior = resolve_class_prior(
            self.class_prior,
            rows,
            lambda: class_prior_density(
                place,
                s,
                weight,
                of_label=of_label,
                two_samples=rows.two_samples,
                groups=groups,
            ),
        )
        self._take_prior(prior, rows)

    def _place(self, score: np.ndarray, label_frequency: float) -> np.ndarray:
        logistic = on_logit_scale(score, score_method(self.estimator_))
        if self.label_line_ is None:
            return logistic
        return bounded_logit(LogitLine(*self.label_line_)(logistic), label_frequency)

    def _set_threshold(self, rule: Rule) -> None:
        rule = with_enough_labelled(rule, self.cuts_.labelled[-1])
        self.cut_: ChosenCut = choose_cut(self.cuts_, rule, self.class_prior_)
        self.threshold_ = self.cut_.threshold
        self.threshold_interval_ = (self.cut_.lower, self.cut_.upper)
        report_everybody(self.cut_, rule)

    def _set_rows(self, X: Any, score: np.ndarray) -> None:
        """Keep what is known of the training rows."""
        if isinstance(self.cv, str) and self.cv == "prefit":
            return
        self.fingerprint_ = fingerprint_rows(X)
        if self.cv is not None:
            self.held_out_score_ = np.asarray(score, dtype=np.float64)

    def positive_score(self, X: Any) -> np.ndarray:
        """Compute the estimator's score; rows above `threshold_` are predicted positive.

        Parameters
        ----------
        X : array-like, sparse matrix, frame or list
            Rows.

        Returns
        -------
        score : ndarray of shape (n_rows,)
            The estimator's `decision_function`, larger for the positive class. If it has
            none, its `predict_proba` of the positive class.
        """
        check_is_fitted(self, "threshold_")
        reject_chunks(X, type(self).__name__)
        return np.asarray(scores_of(self.estimator_, X, self.positive_class_), dtype=np.float64)

    def posterior_at(self, score: Any) -> np.ndarray:
        """Estimate P(Y=1|score): the value of `predict_proba` for rows with that score.

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
        return self._posterior(np.asarray(score, dtype=np.float64))

    def _posterior(self, score: np.ndarray) -> np.ndarray:
        intercept, slope = self.posterior_line_
        place = self._place(score, self.label_frequency_)
        return softplus_and_sigmoid(intercept + slope * place)[1]

    def get_metadata_routing(self) -> MetadataRouter:
        """Return where the arguments of `fit` go if scikit-learn's metadata routing is enabled.

        Returns
        -------
        routing : MetadataRouter
            The router to `estimator.fit` and to the splitter's `split`.
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
        """Number of features that the estimator was fitted to."""
        return int(self.estimator_.n_features_in_)

    @property
    def feature_names_in_(self) -> np.ndarray:
        """Names of the features that the estimator was fitted to."""
        return np.asarray(self.estimator_.feature_names_in_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        inner = get_tags(self.estimator)
        tags.input_tags = inner.input_tags
        return tags


def _reject_other_estimators(estimator: Any) -> None:
    if not is_classifier(estimator):
        raise ValueError(
            f"`estimator` must be a classifier; got {type(estimator).__name__}. Use one with "
            "`decision_function` or `predict_proba`."
        )

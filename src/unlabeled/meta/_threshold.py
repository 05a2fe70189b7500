"""PUThresholdClassifier: any scikit-learn classifier with a PU threshold."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from numbers import Integral
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import (
    MetadataRouter,
    MethodMapping,
    _raise_for_params,
)
from sklearn.utils.validation import check_is_fitted

from ..classifier import DecidedClassifier, Known, Mended, mend
from ..codes import each_warning_once, ignore_codes
from ..engine.arrays import is_dask
from ..engine.estimators import (
    clone_seeded,
    is_linear,
    names_of_fit,
    out_of_bag_scores,
    picks_columns_by_name,
    positive_class_of,
    positive_inside,
    restore_on_failure,
    says_it_is_classifier,
    score_method,
    scores_of,
    weights_inside,
)
from ..engine.linear_fits import Watch
from ..engine.parameters import check_positive, check_seed, check_verbose
from ..engine.rows import (
    SAMPLING,
    Folds,
    Rows,
    Sample,
    WeightsWord,
    check_features,
    chunk_by_chunk,
    fingerprint_rows,
    is_number_of_folds,
    label_folds,
    possible_folds,
    reject_beside_rows,
    reject_missing_labels,
    reject_record_of_negatives,
    reject_row_numbers,
    reject_without_folds,
    report_copies,
    rows_as_given,
)
from ..engine.sampling import ONE_SAMPLE, SamplingWord
from ..engine.sklearn_types import MetaEstimatorMixin
from ..labeling import labeling_of
from ..linear_model import (
    report_far_cells_to,
    report_label_leak,
    warn_if_all_negative,
    warn_if_few_labeled,
)
from ..scores import (
    Decision,
    NegativeScores,
    ResolvedPrior,
    Scale,
    ScoredRows,
    fit_line,
    resolve_class_prior,
)
from ..thresholds import Rule, cuts_of_counts, get_rule
from ._fit_arguments import FitArguments, fit_arguments
from ._held_out_scores import (
    leave_one_out_scores,
    out_of_fold_scores,
)
from ._in_chunks import (
    RoundRobinScorer,
    count_all,
    counter_around,
    effects_of_part,
    part_to_fit,
)

_MOST_ROWS = 50_000
# What `cv` can be beside folds.
_ALSO = "'loo', 'oob', 'prefit' or 'train'"


class PUThresholdClassifier(MetaEstimatorMixin, DecidedClassifier):
    r"""Turn any scikit-learn classifier into a classifier for positive and unlabeled data.

    `estimator` is fitted to separate labeled from unlabeled rows. Its score ranks
    the rows, but its own threshold predicts the label, not the class. This classifier
    keeps the score and chooses the threshold that is best for `rule`. It also
    estimates the class prior and P(Y=1|x). Use it with a forest, a boosted model or a
    text pipeline.

    It assumes SCAR: labeled rows are a random sample of the positive rows.

    Parameters
    ----------
    estimator : classifier
        Any scikit-learn classifier or pipeline with `decision_function` or
        `predict_proba`.
    rule : str or Rule, default="f1"
        What the threshold maximizes: a name in `thresholds.RULES`, text such as
        ``"recall_at_least(0.9)"``, or a `thresholds.Rule`.
    class_prior : float, label-frequency estimator, PriorDensity or None, default=None
        P(Y=1) of the population, for `predict_proba` and for the rules that need
        it. None estimates it from the scores that the threshold is chosen on.
    cv : int, splitter, iterable, "loo", "oob", "prefit" or "train", default=5
        Which scores the threshold is chosen on. Held-out scores are the default,
        because a model gives its labeled training rows scores that are too high.

        - A number of folds, a splitter or splits: out-of-fold scores. The estimator
          is then fitted to all rows. Folds by number keep equal rows together. Every fold
          needs a labeled and an unlabeled row. If there are too few rows for that many
          folds, fewer are used (PU118).
        - "loo": leave-one-out scores in closed form, for logistic regressions with
          a ridge or no penalty.
        - "oob": out-of-bag scores of a bagged ensemble.
        - "prefit": `estimator` is already fitted, with the same label values. Call
          `fit` with rows that it has not seen. A ``FrozenEstimator`` of scikit-learn is
          always taken so, whatever `cv` is. Unlike "prefit" it keeps its fit in
          ``cross_val_score`` and in searches, which clone.
        - "train": scores of the training rows, as in the paper.

        None, which is five folds in scikit-learn, is rejected.
    pos_label : object, default=None
        The value of y that marks labeled rows; if None, the larger number or the text that says it.
    sampling : {"one-sample", "two-sample"}, default="one-sample"
        "two-sample" if the labeled rows come from elsewhere and the unlabeled rows are a sample
        of the population. What is reported is then the population's; see
        :doc:`/choose/two_samples`.
    weights : {"sampling", "frequency"}, default="sampling"
        What `sample_weight` says: how many rows of the population a row stands for, or how often
        the row occurs; see :doc:`/understand/weights`.
    labeling : Labeling, str, int, list of them, or None, default=None
        How labels came about: an object of :mod:`unlabeled.labeling`, or names or positions of the
        columns that they follow. None: they were given to positive rows at random.
    random_state : int, RandomState instance or None, default=None
        Controls the shuffling of the folds, if `cv` is a number, and which rows in chunks are
        fitted. It also seeds `estimator`, and an estimator given as `class_prior`, where their
        own `random_state` is None. Pass an int for reproducible output. None: folds are the same
        in every fit, but `estimator` draws anew.
    n_jobs : int, default=None
        Number of folds fitted in parallel, as in scikit-learn.
    max_rows : int, default=50000
        The most rows in chunks of Dask that `estimator` is fitted to; see Notes. Rows in memory
        are all fitted.
    verbose : int, default=0
        1 prints how many rows in chunks are fitted.

    Attributes
    ----------
    estimator_ : classifier
        Fitted to all rows, or to a part of rows in chunks; with ``cv="prefit"``, the given one.
    threshold_ : float
        Rows whose `positive_score` is above it are predicted positive, whichever label
        value is the positive one.
    threshold_interval_ : tuple of float
        Every threshold inside this interval gives the same predictions on the scored
        rows.
    posterior_line_ : tuple of float
        Intercept a and slope b: the logit of `posterior_at` is a + b times the score of a linear
        `estimator`, and a + b times the logit of P(S=1|x)/c of any other. See Notes. If more is
        known than labels, it is the score itself: 0 and 1.
    cut_ : ChosenCut
        The chosen cut: the threshold, with the recall, the share of rows above it and
        the value of the rule, on the scores that it was chosen on.
    cuts_ : Cuts
        Every cut of these scores, with recall smoothed by the posterior; the cut was chosen on
        this curve. With ``cv="train"`` recall is the observed one, as in the paper.
    observed_cuts_ : Cuts
        The same cuts with the observed recall: numbers of rows.
    held_out_score_ : ndarray of shape (n_rows,)
        `positive_score` of every training row by a fit without that row; NaN for rows of weight
        0, and for rows that every member of a bagged ensemble has seen. Rows in chunks with weight
        0 are left out. Model files do not contain it. It does not exist with ``cv="train"``, whose
        scores are not held out, nor with ``cv="prefit"``, whose rows are new, nor for many rows in
        chunks.
    held_out_posterior_ : ndarray of shape (n_rows,)
        `posterior_at` of `held_out_score_`. Use it for training rows instead of `predict_proba`,
        which has seen their labels.
    held_out_posterior_if_unlabeled_ : ndarray of shape (n_rows,)
        P(Y=1|x, S=0) of every training row, for unlabeled ones; see `posterior_if_unlabeled`.
    class_prior_, label_frequency_ : float
        P(Y=1) and c, as given or estimated.
    class_prior_density_ : PriorDensity or None
        What the labels say about the share of positive rows: its `mean` is `class_prior_`, and
        `identified` says how far the labels identify it. None if the class prior was given as a
        number or by an estimator.
    labeled_share_ : float
        Share of labeled rows among the scored ones.
    n_checked_ : int
        Number of unlabeled rows that were checked.
    n_negatives_ : int
        Number of rows that were recorded as negative.
    labeling_found_ : object
        With a history of the labels: what it says beside the count, such as
        :class:`~unlabeled.labeling.FoundByDates`.
    labeling_said_ : tuple of str
        With a history of the labels: what is counted, and what it depends on, in sentences.
    n_groups_ : int or None
        Number of groups; None if none were given.
    class_prior_estimator_ : object
        The fitted estimator of the class prior, if one was given.
    classes_ : ndarray of shape (2,)
        The label values, sorted.
    positive_class_ : object
        The label value of labeled rows and of predicted positives.
    n_features_in_ : int
        Number of features that `estimator_` was fitted to.
    feature_names_in_ : ndarray of str
        Their names, if X had names. New rows must have them in this order, unless `estimator`
        begins with a ``ColumnTransformer``.

    See Also
    --------
    unlabeled.PULogistic : A linear classifier with a built-in ridge penalty.
    unlabeled.thresholds.Rule : To write your own rule.

    Notes
    -----
    `decision_function` is the score minus the threshold. `predict_proba` is
    :math:`\sigma(\hat a + \hat b t)`: the likeliest line in
    :math:`P(S=1|t) = c\,\sigma(a + bt)` whose mean over the scored rows is the class prior; c is
    the share of labeled rows divided by the class prior. If `estimator` is linear, t is its
    score. Otherwise the score, or its logit if it is a probability, is first calibrated to the
    logit of P(S=1|x), and t is the logit of P(S=1|x)/c, bent so that it stays finite where the
    estimate of P(S=1|x) exceeds c. The class prior is averaged over curves along t
    (`label_frequency.class_prior_density`). Rules that are ratios need five labeled rows above
    the threshold. As in `PULogistic`, recall is a weighted mean of the recall of the labeled rows
    and the recall that the posterior predicts; the latter has the weight of 300 labeled rows.

    A model that has seen a row scores it too confidently: unlabeled rows too low, labeled rows
    too high. A forest does so most. To rank or decide the rows of the fit, use
    `held_out_score_` and `held_out_posterior_`.

    `estimator` sees the original label values, so its `class_weight` may name them. XGBoost, which
    takes no others, sees 0 and 1: 1 marks labeled rows. If the estimator, or a step of it, has a
    parameter `pos_label` that is None, it receives the positive label value. With scikit-learn's
    metadata routing enabled, `sample_weight`, `groups` and other arguments go to the objects that
    request them. Without it, weights go to `estimator`, and groups too if it takes them. A
    splitter given as `cv` always gets the groups. With groups "loo", "oob" and "train" are
    rejected, because they score a row by a model that has seen its group.

    *Checked rows* (`checked` in `fit`, or `AuditResult.refit`): labels estimate p = P(S=1|x), and
    answers r = P(Y=1|S=0,x), of which several models are averaged: along the logit of p, by one
    column, by all, by random trees. However rows were labeled, :math:`P(Y=1|x) = p + (1-p)\,r`. The
    score becomes the logit of this posterior, `predict_proba` is it, and `posterior_if_unlabeled`
    is r. The class prior counts labeled rows, answers, and r of the others. Recall above a cut
    comes from the same. `labeling` gives r in place of answers.

    *Recorded negatives* (`negatives` in `fit`): k of n rows are left out, and the others say
    :math:`\pi'`. The class prior of all rows is :math:`\pi = \pi'(n-k)/n`, with its interval.
    `predict_proba` is P(Y=1|x, not recorded). The negatives need not be like all negatives, so
    they teach the score nothing: three samples, which need that, are not built.

    *Rows in chunks.* A Dask array or frame with fewer than twice `max_rows` rows is taken to
    memory. Of a larger one, `max_rows` random rows are, with at least 4096 labeled ones if there
    are as many, though at most half. `estimator` is fitted to this part, and `cv` makes folds of
    it. Rare labeled rows are then more frequent in the part than in the table; that moves all
    scores alike. Then all rows are scored once, chunk by chunk, each by a model that has not seen
    it: with folds by one of their models, with "loo" rows outside the part by `estimator_`. They
    are counted in 8192 bins of the score. Class prior, posterior and threshold come from these
    counts, so they are those of the whole table. `cv` cannot be "oob", because out-of-bag scores
    use fewer trees than scores of rows outside the part, nor a list of row numbers, and there can
    be no `groups`. Intervals of the class prior take the score as it is: with far more rows than
    were fitted they are too short if P(Y=1|x) does not follow a curve along it.

    **What breaks it:** labeling that depends on the features. The class prior and the
    probabilities are also wrong if the posterior does not rise with the score.

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from unlabeled import PUThresholdClassifier
    >>> from unlabeled.datasets import make_paper_gaussian
    >>> data = make_paper_gaussian(n=1000, label_frequency=0.5, random_state=0)
    >>> forest = RandomForestClassifier(30, min_samples_leaf=5, oob_score=True, random_state=0)
    >>> model = PUThresholdClassifier(forest, cv="oob").fit(data.X, data.s)
    >>> bool(model.predict(data.X).mean() > 2 * data.s.mean())
    True

    The rows of the fit, decided by trees that have not seen them:

    >>> found = model.held_out_score_ > model.threshold_
    >>> bool(found.mean() > 2 * data.s.mean())
    True
    """

    n_features_in_: int
    feature_names_in_: np.ndarray

    def __init__(
        self,
        estimator: Any,
        rule: str | Rule = "f1",
        *,
        class_prior: Any = None,
        cv: Folds | Literal["loo", "oob", "prefit", "train"] = 5,
        pos_label: Any = None,
        sampling: SamplingWord = ONE_SAMPLE,
        weights: WeightsWord = SAMPLING,
        labeling: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        max_rows: int = _MOST_ROWS,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.rule = rule
        self.class_prior = class_prior
        self.cv = cv
        self.pos_label = pos_label
        self.sampling = sampling
        self.weights = weights
        self.labeling = labeling
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.max_rows = max_rows
        self.verbose = verbose

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        checked: Any = None,
        history: Any = None,
        negatives: Any = None,
        groups: Any = None,
        **params: Any,
    ) -> Self:
        """Fit the classifier and choose the threshold.

        Parameters
        ----------
        X : array-like, sparse matrix, frame or list
            Rows, in any form that `estimator` accepts. Sparse formats other than CSR are
            converted to it once. Of many rows in a Dask array or frame, a part is fitted.
        y : array-like of shape (n_rows,)
            Two values; `pos_label` says which one marks labeled rows.
        sample_weight : array-like of shape (n_rows,), optional
            Row weights, for the fit, the class prior and the counts; `weights` says what they
            mean. By default only their ratios matter, and `estimator` gets them divided by their
            mean. Rows of weight 0 are dropped.
        checked : array-like of shape (n_rows,), optional
            What somebody found who looked at the row: 1 for positive, 0 for negative, missing
            (NaN, None) for a row that nobody checked. Rows may be chosen for checking by
            anything that is in X. An answer 1 about a labeled row says nothing new; an answer
            0 about one is rejected. Not for rows in chunks.
        history : array-like or frame, optional
            Columns about the labeling of each row, if `labeling` needs some: they are no features.
            Not for rows in chunks.
        negatives : array-like of bool of shape (n_rows,), optional
            Which unlabeled rows were recorded because they are negative; rows that were chosen
            first and then looked at belong into `checked`. The fit leaves them out, and their
            number is added back to the class prior and to the rows above a cut. So probabilities
            are those of rows that were not recorded. Not for rows in chunks, nor in two samples.
        groups : array-like of shape (n_rows,) or "copies", optional
            Which rows belong together, such as those of one person or one place; "copies"
            for equal rows. A row is then scored by a fit without its whole group, and intervals
            do not take the rows of one group as independent. `estimator` gets them if its `fit`
            takes them; with metadata routing, if it requests them.
        **params : dict
            Arguments of `estimator` and of the splitter given as `cv`. They need
            scikit-learn's metadata routing to be enabled.

        Returns
        -------
        self : object
            The fitted classifier.
        """
        _raise_for_params(params, self, "fit")
        with restore_on_failure(self), each_warning_once():
            self._fit(X, y, sample_weight, checked, history, negatives, groups, params)
        return self

    def _fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        checked: Any,
        history: Any,
        negatives: Any,
        groups: Any,
        params: dict[str, Any],
    ) -> None:
        rule, labeling = get_rule(self.rule), labeling_of(self.labeling)
        known = Known(labeling, history, checked is not None)
        self._reject_unknowing(known)
        check_positive("max_rows", self.max_rows, Integral, "a whole number of at least 1")
        check_verbose(self.verbose)
        check_seed(self.random_state)
        _reject_other_estimators(self.estimator)
        self._reject_none()
        reject_missing_labels(self, y)
        self._reject_splitting(groups)
        part = None
        if is_dask(X):
            self._reject_in_chunks(X, checked, negatives, groups, params)
            known.of(self, None)
            part = self._part(X, y, sample_weight)
            X, y, sample_weight = part.rows.X, part.rows.labels, part.rows.weight
        in_memory = part is None or part.is_whole
        self._keep_names(X)
        prefit = self._is_prefit
        passed = fit_arguments(
            self, X, y, sample_weight, groups, params, prefit, checked, negatives
        )
        rows = passed.rows
        reject_record_of_negatives(checked, rows.checked, rows.s)
        known = known.of(self, rows)
        warn_if_all_negative(rows)
        self.n_checked_ = rows.n_checked
        self._keep_negatives(rows)
        if part is None:
            warn_if_few_labeled(rows)
        report_copies(rows, self._words_about_copies(rows))
        # Of folds, and for the second time of what the estimator says itself.
        with ignore_codes("PU106", "PU114", "PU129", "PU204"), _text_explained(self.estimator):
            score, models = self._fit_and_score(passed, keep=not in_memory)
        names = getattr(self.estimator_, "feature_names_in_", None)
        if part is None and not self._is_prefit:
            report_far_cells_to([self.estimator_], rows, names, but_ours=True)
        scored = ScoredRows.of(rows, score)
        if part is not None and not in_memory:
            rows, scored = part.weighted, self._score_all(part, score, models)
        self._label_line_ = self._line_to_labels(scored)
        prior = self._prior(rows, scored)
        of_negatives = self._score_negatives(passed)
        mended = self._mend(known, rows, scored, score, prior, rule, of_negatives)
        negatives = NegativeScores.of(rows, of_negatives)
        decision = (
            self._decide(scored, rule, prior, negatives) if mended is None else mended.decision
        )
        if not self._is_prefit and not self._scores_training_rows:
            effect = decision.effects.label
            cuts, seed = scored.cuts, self.random_state
            if not report_label_leak(passed.rows, cuts, names, seed, effect):
                decision.report_all_labeled()
        self._keep(decision)
        self.labeled_share_, self.n_groups_ = self.observed_cuts_.labeled_share, rows.n_groups
        if in_memory and not self._is_prefit:
            self._fingerprint_ = fingerprint_rows(rows.passed)
            if not self._scores_training_rows:
                self.held_out_score_ = rows.for_passed(
                    np.asarray(score, dtype=np.float64), of_negatives
                )
        if mended is not None:
            self._keep_mended(mended, rows, score, of_negatives)

    def _score_negatives(self, passed: FitArguments) -> np.ndarray:
        """Score the rows that the fit left out as negative."""
        if passed.rows.negatives is None:
            return np.empty(0)
        return scores_of(self.estimator_, passed.rows.negatives.X, passed.positive)

    def _mend(
        self,
        known: Known,
        rows: Rows,
        scored: ScoredRows,
        score: np.ndarray,
        prior: ResolvedPrior,
        rule: Rule,
        negative_score: np.ndarray,
    ) -> Mended | None:
        """Decide by what is known beside the labels; None if nothing is."""
        if known.is_nothing:
            return None
        names = getattr(self, "feature_names_in_", None)
        to_label = self._to_label(scored)
        return mend(known, rows, score, to_label, prior, rule, names, negative_score)

    def _to_label(self, scored: ScoredRows) -> Scale:
        line = self._label_line_ or self._fitted_line(scored)
        return replace(self.posterior_scale, label_line=line)

    def _keep_mended(
        self, mended: Mended, rows: Rows, score: np.ndarray, negative_score: Any = np.nan
    ) -> None:
        super()._keep_mended(mended, rows, score, negative_score)
        if self._is_prefit:  # its rows are new
            del self.held_out_score_

    @property
    def can_follow_answers(self) -> bool:
        is_alone = not self.is_mended and self.undecided_share == 1
        return is_alone and "held_out_score_" in vars(self)

    def _keep(self, decision: Decision) -> None:
        super()._keep(decision)
        self.threshold_ = self.cut_.threshold
        self.threshold_interval_ = (self.cut_.lower, self.cut_.upper)

    def _keep_names(self, X: Any) -> None:
        """Remember number and names of the columns; of a fitted estimator they are known."""
        check_features(self, X, reset=True)
        names = names_of_fit(self.estimator) if self._is_prefit else None
        if names is not None and not picks_columns_by_name(self.estimator):
            self.feature_names_in_ = names
            check_features(self, X)

    def _reject_unknowing(self, known: Known) -> None:
        """Raise if scores of rows that the estimator has seen are to be mended."""
        if self._scores_training_rows and not known.is_nothing:
            name = "checked" if known.labeling is None else "labeling"
            raise ValueError(
                f"`{name}` must be None with cv='train', which scores rows that the estimator has "
                "seen; got some. Use a number of folds."
            )

    def _reject_in_chunks(
        self, X: Any, checked: Any, negatives: Any, groups: Any, params: dict[str, Any]
    ) -> None:
        """Raise if something needs all rows in memory; nothing was computed yet."""
        reject_beside_rows(checked=checked, groups=groups, negatives=negatives)
        if not self._is_prefit:
            reject_row_numbers(X, self.cv, ("loo", "prefit", "train"))
        if params:
            raise TypeError(
                "Arguments of `estimator` and of the splitter must be left out for rows in chunks; "
                f"got {', '.join(params)}. Take a part of the rows that fits in memory."
            )
        if self._is_prefit:
            self._reject_unfitted()

    @property
    def _is_prefit(self) -> bool:
        """Whether `estimator` is used as it is: `cv` says so, or it cannot be fitted again."""
        is_frozen = isinstance(self.estimator, FrozenEstimator)
        return is_frozen or (isinstance(self.cv, str) and self.cv == "prefit")

    @property
    def _scores_training_rows(self) -> bool:
        """Whether the threshold is chosen on scores of rows that the estimator has seen."""
        return not self._is_prefit and isinstance(self.cv, str) and self.cv == "train"

    def _reject_none(self) -> None:
        if self.cv is None:
            raise ValueError(
                f"`cv` must be a number of folds, a splitter, a list of (train, test) row numbers, "
                f"{_ALSO}; got None. Use cv=5 for five folds, or cv='train' for scores of the "
                "training rows."
            )

    def _reject_unfitted(self) -> None:
        try:
            check_is_fitted(self.estimator)
        except NotFittedError:
            inner = getattr(self.estimator, "estimator", None)
            is_frozen = isinstance(self.estimator, FrozenEstimator)
            name = type(inner if is_frozen else self.estimator).__name__
            raise NotFittedError(
                f"`estimator` must be fitted before {type(self).__name__} if cv='prefit' or if it "
                f"is frozen; got {name} that is not. Fit it first. Tools that clone, such as "
                "cross_val_score and searches, lose its fit with cv='prefit': pass "
                f"FrozenEstimator({name}(...)), which keeps it."
            ) from None

    def _part(self, X: Any, y: Any, sample_weight: Any) -> Sample:
        """Draw the rows to fit from rows in chunks; all of them if there are few."""
        whole = rows_as_given(X, y, sample_weight, self.pos_label, self.sampling, self.weights)
        warn_if_few_labeled(whole)
        part = part_to_fit(whole, int(self.max_rows), self.random_state)
        if not part.is_whole:
            Watch(type(self).__name__, self.verbose).announce(
                f"{type(self.estimator).__name__} is fitted to {len(part.row_index):,} of "
                f"{whole.s.shape[0]:,} rows"
            )
        return part

    def _score_all(self, part: Sample, score: np.ndarray, models: list[Any]) -> ScoredRows:
        """Score and count all rows in chunks by models that were fitted to a part of them."""
        known = score[:, None]
        counter = counter_around(known)
        positive = positive_inside(self, self.positive_class_)
        scorer = RoundRobinScorer(
            tuple(partial(scores_of, one, positive=positive) for one in models)
        )
        counted = count_all(part, known, scorer, counter)
        sampling = part.whole.sampling
        ((cuts, representatives),) = cuts_of_counts(counter, counted, sampling)
        told = effects_of_part(part, score)
        return ScoredRows(*representatives, sampling, counted=cuts, told=told)

    def _line_to_labels(self, scored: ScoredRows) -> tuple[float, float] | None:
        """Return the line from the score to the logit of P(S=1|x); None if the score is linear."""
        return None if is_linear(self.estimator_) else self._fitted_line(scored)

    def _fitted_line(self, scored: ScoredRows) -> tuple[float, float]:
        scale = Scale(score_method(self.estimator_) == "predict_proba")
        weight = np.ones(len(scored.s)) if scored.weight is None else scored.weight
        intercept, slope = fit_line(scale.logits(scored.score), scored.s, weight)
        return intercept, slope

    def _prior(self, rows: Rows, scored: ScoredRows) -> ResolvedPrior:
        """Return the class prior by labels; an estimator of it is fitted to `rows`."""
        scale = self.posterior_scale
        return resolve_class_prior(
            self.class_prior,
            rows,
            lambda: scored.class_prior_density(scale).scaled(rows.undecided_share),
            random_state=self.random_state,
        )

    def _decide(
        self,
        scored: ScoredRows,
        rule: Rule,
        prior: ResolvedPrior,
        negatives: NegativeScores | None,
    ) -> Decision:
        """Decide by the scores of all rows."""
        is_smoothed = not self._scores_training_rows
        scale = self.posterior_scale
        return Decision.of(
            scored, rule, prior, scale=scale, is_smoothed=is_smoothed, negatives=negatives
        )

    @property
    def posterior_scale(self) -> Scale:
        if self.is_mended:
            return Scale()
        return Scale(score_method(self.estimator_) == "predict_proba", self._label_line_)

    def _reject_splitting(self, groups: Any) -> None:
        """Raise if there are groups and rows are scored by fits to rows of the same group."""
        reasons = {
            "loo": "leaves out one row at a time",
            "oob": "leaves out single rows",
            "train": "holds no rows out",
        }
        if not self._is_prefit and isinstance(self.cv, str) and self.cv in reasons:
            reject_without_folds(self.cv, groups, reasons[self.cv])

    def _fit_and_score(
        self, passed: FitArguments, keep: bool = False
    ) -> tuple[np.ndarray, list[Any]]:
        """Fit the estimator to the rows; return the scores to choose the threshold on.

        Also return the models to score other rows by, so that their scores are comparable; those
        of folds only if they are to be kept.
        """
        rows, positive = passed.rows, passed.positive
        self.classes_ = np.sort(rows.encoding.classes)
        self.positive_class_ = rows.encoding.classes[1]
        scores = self.cv if isinstance(self.cv, str) else "out of fold"
        if self._is_prefit:
            self._reject_unfitted()
            self._set_estimator(self.estimator, passed)
            return scores_of(self.estimator_, rows.X, positive), [self.estimator_]
        splits = None if scores in ("train", "loo", "oob") else self._splits(passed)
        estimator = self._prepared(positive, rows)
        self._set_estimator(clone(estimator).fit(rows.X, passed.y, **passed.fit), passed)
        self._n_rows_searched_ = len(passed.y)
        if scores == "train":
            return scores_of(self.estimator_, rows.X, positive), [self.estimator_]
        if scores == "oob":
            return out_of_bag_scores(self.estimator_, positive), [self.estimator_]
        if scores == "loo":
            left_out = leave_one_out_scores(self.estimator_, rows.X, rows.s, rows.weight, positive)
            return left_out, [self.estimator_]
        return out_of_fold_scores(estimator, passed, splits, self.n_jobs, keep)

    def _words_about_copies(self, rows: Rows) -> str:
        """Say that copies of a row may be in the fit that scores it, unless `cv` is a number."""
        if self._is_prefit or self._scores_training_rows or is_number_of_folds(self.cv):
            return ""
        return (
            f"And `cv` ({self.cv!r}) may score a row by a fit to its copies: a number of folds "
            "keeps equal rows together."
        )

    def _splits(self, passed: FitArguments) -> Any:
        instead = "use cv='train', which scores the rows that were fitted"
        cv = possible_folds(passed.rows, self.cv, type(self).__name__, instead)
        return label_folds(
            passed.rows, cv, self.random_state, also=_ALSO, split_params=passed.split
        )

    def _prepared(self, positive: Any, rows: Rows) -> Any:
        """Clone the estimator; set every `pos_label` and seed inside it that is None.

        Classifiers of this library inside read weights as this one does.
        """
        estimator = clone_seeded(self.estimator, self.random_state)
        unset = {
            name: positive
            for name, value in estimator.get_params().items()
            if name.rpartition("__")[2] == "pos_label" and value is None
        }
        unset |= weights_inside(estimator, rows)
        if unset:  # `set_params` would fail on a frozen estimator
            estimator.set_params(**unset)
        return estimator

    def _set_estimator(self, fitted: Any, passed: FitArguments) -> None:
        positive, own = positive_class_of(fitted), passed.positive
        if positive is not None and positive != own:
            shown = [one.item() if hasattr(one, "item") else one for one in (positive, own)]
            raise ValueError(
                f"`pos_label` must be the class that `estimator` takes as positive, "
                f"{shown[0]!r}; got {shown[1]!r} for {type(self).__name__}. Set both to the same "
                "value."
            )
        known, values = (np.asarray(one).tolist() for one in (fitted.classes_, passed.values))
        if known != values:
            raise ValueError(
                f"`estimator` must be fitted to the label values of `y`, {values}; "
                f"{type(fitted).__name__} was fitted to {known}. Fit it to the same values."
            )
        self.estimator_ = fitted

    @chunk_by_chunk()
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
            none, its `predict_proba` of the positive class. If more is known than labels, the
            logit of P(Y=1|x).
        """
        return self._mended(*self._label_score(X))

    def _label_score(self, X: Any) -> tuple[np.ndarray, Any]:
        check_is_fitted(self, "threshold_")
        positive = positive_inside(self, self.positive_class_)
        with self._names_checked(X):
            score = scores_of(self.estimator_, X, positive)
        return np.asarray(score, dtype=np.float64), X

    @contextmanager
    def _names_checked(self, X: Any) -> Iterator[None]:
        """Raise if the columns are not those of the fit: not every estimator looks at names.

        One that does gives no second warning about names that are not there.
        """
        is_matrix = len(getattr(X, "shape", ())) == 2
        if not is_matrix or picks_columns_by_name(self.estimator_):
            yield
            return
        check_features(self, X)
        if hasattr(X, "columns") == hasattr(self, "feature_names_in_"):
            yield
            return
        with warnings.catch_warnings():
            text = "X (has|does not have valid) feature names"
            warnings.filterwarnings("ignore", text, UserWarning)
            yield

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

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Models saved before these parameters existed, or when "train" was None, or when only
        # `estimator_` knew the columns.
        inner, names = state.get("estimator_"), ("n_features_in_", "feature_names_in_")
        known = {name: getattr(inner, name) for name in names if hasattr(inner, name)}
        state = {"max_rows": _MOST_ROWS, "verbose": 0} | known | state
        super().__setstate__(state | ({"cv": "train"} if state["cv"] is None else {}))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        if says_it_is_classifier(self.estimator):
            tags.input_tags = get_tags(self.estimator).input_tags
        return tags


@contextmanager
def _text_explained(estimator: Any) -> Iterator[None]:
    """Say what to do where an estimator cannot take text, of which it says nothing but that."""
    try:
        yield
    except ValueError as error:
        said = str(error)
        if "could not convert string to float" not in said:
            raise
        text = said.partition("could not convert string to float:")[2].strip().splitlines()
        raise ValueError(
            f"`X` must hold what `estimator` takes; {type(estimator).__name__} got text"
            f"{', ' + text[0] if text else ''}. Pass a pipeline that encodes text first, as "
            "make_pipeline(OneHotEncoder(handle_unknown='ignore'), ...), or let "
            f"unlabeled.app.table_pipeline(PUThresholdClassifier(...)) do it."
        ) from None


def _reject_other_estimators(estimator: Any) -> None:
    if not says_it_is_classifier(estimator):
        is_class = isinstance(estimator, type)
        got = f"the class {estimator.__name__}" if is_class else type(estimator).__name__
        raise ValueError(
            f"`estimator` must be a classifier; got {got}{_why_no_classifier(estimator)}"
        )


def _why_no_classifier(estimator: Any) -> str:
    """Say what is missing of something that is not a classifier."""
    found = [name for name in ("decision_function", "predict_proba") if hasattr(estimator, name)]
    if isinstance(estimator, type) or not found:
        return ". Use an instance with `decision_function` or `predict_proba`."
    return (
        f", which has `{found[0]}`, but does not say that it is a classifier. Let it inherit from "
        "sklearn.base.ClassifierMixin, before BaseEstimator."
    )

"""What follows from a score: predictions and probabilities, and the class prior behind them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Never, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..engine.arrays import indexable, namespace_of, on_device, on_device_of, to_host
from ..engine.estimators import reject_other_groups
from ..engine.intervals import Interval
from ..engine.losses import shift_to_mean, softplus_and_sigmoid
from ..engine.parameters import check_fraction
from ..engine.rows import (
    SAMPLING,
    LabelEncoding,
    Rows,
    check_features,
    chunk_by_chunk,
    fingerprint_rows,
    labels_in,
    lazy_column,
    of_score,
    reject_matrix,
    remember_labels,
    validate_checked,
    validate_groups,
    validate_weight,
    weighted_mean,
)
from ..engine.sampling import Sampling
from ..engine.sklearn_types import BaseEstimator, ClassifierMixin
from ..metrics import f1_pu_score
from ..scores import (
    Answered,
    Decision,
    IntervalOf,
    PriorDensity,
    ResolvedPrior,
    Scale,
    ScoredRows,
    calibrated_line,
    frequency_given,
    given_unlabeled,
    posterior_along,
)
from ..thresholds import ChosenCut, Cuts, get_rule
from ._mended import Known, Mended, MendedRows, MendedScore, logit_of, mend


class PUClassifier(ClassifierMixin, BaseEstimator):
    """Base class of all classifiers: a subclass writes `fit` and `positive_score`.

    A fitted one has `threshold_`, `posterior_line_`, `label_frequency_`, `classes_` and
    `positive_class_`. Results for rows in chunks of Dask are lazy: `positive_score` calls
    `_lazily` for them, by way of `chunk_by_chunk`.
    """

    threshold_: float
    posterior_line_: tuple[float, float]
    label_frequency_: float
    classes_: np.ndarray
    positive_class_: Any

    @abstractmethod
    def positive_score(self, X: Any) -> np.ndarray:
        """Compute the score; rows above `threshold_` are predicted positive."""

    def posterior_at(self, score: Any) -> np.ndarray:
        """Estimate P(Y=1|score): the value of `predict_proba` for rows with that score.

        Parameters
        ----------
        score : float or array-like of shape (n_rows,)
            Values of `positive_score`.

        Returns
        -------
        posterior : ndarray of the shape of `score`
            The sigmoid of a + b t, with a and b from `posterior_line_`. Of a linear classifier t
            is the score. Of others it is the logit of P(S=1|x)/c, bent so that it stays finite.
        """
        check_is_fitted(self, "threshold_")
        return of_score(self._posterior_at, score)

    def _posterior_at(self, score: Any) -> Any:
        intercept, slope = self.posterior_line_
        position = self.posterior_scale.position(score, self.label_frequency_)
        return softplus_and_sigmoid(intercept + slope * position)[1]

    @chunk_by_chunk()
    def posterior_if_unlabeled(self, X: Any) -> np.ndarray:
        """Estimate P(Y=1|x, S=0): the posterior of rows that are known to have no label.

        A row that could have had a label and has none is less probably positive than
        `predict_proba` says. Ask this of unlabeled rows, and `predict_proba` of rows before
        anybody could label them. For the rows of the fit there is
        `held_out_posterior_if_unlabeled_`.

        Parameters
        ----------
        X : array-like, sparse matrix, frame or list
            Rows.

        Returns
        -------
        posterior : ndarray of shape (n_rows,)
            `posterior_if_unlabeled_at` of their scores.
        """
        return self.posterior_if_unlabeled_at(self.positive_score(X))

    def posterior_if_unlabeled_at(self, score: Any, propensity: Any = None) -> np.ndarray:
        r"""Estimate P(Y=1|score, S=0), given that the rows are unlabeled.

        Parameters
        ----------
        score : float or array-like of shape (n_rows,)
            Values of `positive_score`, or held-out scores of rows of the fit.
        propensity : float or array-like of shape (n_rows,), optional
            P(S=1|Y=1,x): how often such rows are labeled if they are positive. It must be given
            if labeling follows features in the fit: pass ``model.propensity(X)``. By default it
            is `label_frequency_` for all rows. Not in two samples.

        Returns
        -------
        posterior : ndarray of the shape of `score`
            With the propensity c and :math:`y` from `posterior_at`,
            :math:`(1-c)\,y/(1-c\,y)`: at most y, and 0 for c = 1. In two samples the unlabeled
            rows are the population, so it is y. After a fit with answers of checked rows, or an
            audit, it is what the answers say about unlabeled rows with that score.
        """
        check_is_fitted(self, "threshold_")
        if propensity is not None:
            propensity = self._checked_propensity(propensity)
        return of_score(partial(self._posterior_if_unlabeled_at, propensity=propensity), score)

    def _posterior_if_unlabeled_at(self, score: Any, propensity: Any) -> Any:
        sampling = Sampling.of_model(self)
        if propensity is None and self._follows_answers and not sampling.is_two:
            if self._along is None:
                raise AttributeError(
                    "P(Y=1|x, S=0) by answers needs what a fit keeps of them; got a "
                    f"{type(self).__name__} without. A model file does not have it: fit again."
                )
            return on_device_of(score, np.interp(to_host(score), *self._along))
        posterior = self._posterior_at(score)
        if sampling.is_two:
            return posterior
        return given_unlabeled(
            posterior, self.label_frequency_ if propensity is None else propensity
        )

    def _checked_propensity(self, propensity: Any) -> Any:
        """Check a propensity that was given."""
        if Sampling.of_model(self).is_two:
            raise ValueError(
                "`propensity` must be None in two samples, whose unlabeled rows are the "
                "population; got one. Leave it out."
            )
        values = np.asarray(to_host(propensity), dtype=np.float64)
        if not np.all((values >= 0) & (values <= 1)):
            raise ValueError(
                "`propensity` must be between 0 and 1; got other values. Pass P(S=1|Y=1,x)."
            )
        return propensity if on_device(propensity) else values

    # Rising scores, and P(Y=1|S=0) at each by the answers of checked rows. Model files leave it
    # out: in a small table these are scores of single rows.
    _missed_along_: tuple[np.ndarray, np.ndarray] | None = None

    @property
    def _along(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Rising scores, and P(Y=1|S=0) at each by answers; None if the model does not know."""
        return self._missed_along_

    @property
    def _follows_answers(self) -> bool:
        """Whether answers say what unlabeled rows are, rather than the label frequency."""
        return False

    @property
    def posterior_scale(self) -> Scale:
        """The scale of the score on which the logit of the posterior is a line."""
        return Scale()

    @chunk_by_chunk()
    def decision_function(self, X: Any) -> np.ndarray:
        """Compute the score minus the threshold; rows above 0 are predicted as `classes_[1]`.

        Parameters
        ----------
        X : array-like, sparse matrix, frame or list
            Rows.

        Returns
        -------
        score : ndarray of shape (n_rows,)
            `positive_score` minus `threshold_`; with the opposite sign if `positive_class_` is
            ``classes_[0]``.
        """
        return (self.positive_score(X) - self.threshold_) * self._sign

    @chunk_by_chunk()
    def predict(self, X: Any) -> np.ndarray:
        """Predict the class of each row, as a label value.

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
        return LabelEncoding(self.classes_[:: self._sign]).decode(positive)

    @chunk_by_chunk(2)
    def predict_proba(self, X: Any) -> np.ndarray:
        """Estimate the posterior P(Y=1|x) of the hidden class, not of the label.

        Parameters
        ----------
        X : array-like, sparse matrix, frame or list
            Rows.

        Returns
        -------
        proba : ndarray of shape (n_rows, 2)
            Columns in the order of `classes_`. The column of `positive_class_` is
            P(Y=1|x). It is the last one, unless `pos_label` is the smaller label value.
        """
        positive = self.posterior_at(self.positive_score(X))
        return namespace_of(positive).stack([1 - positive, positive][:: self._sign], axis=1)

    @chunk_by_chunk(2)
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Compute the logarithm of `predict_proba`; -inf if a probability is rounded to 0.

        Parameters
        ----------
        X : array-like, sparse matrix, frame or list
            Rows.

        Returns
        -------
        log_proba : ndarray of shape (n_rows, 2)
            Columns in the order of `classes_`.
        """
        proba = self.predict_proba(X)
        with np.errstate(divide="ignore"):
            return namespace_of(proba).log(proba)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Compute F1_PU: recall squared, divided by the fraction of rows predicted positive.

        scikit-learn's classifiers return accuracy here. Accuracy against the labels would
        reward a model that predicts almost no row positive.

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
            Larger is better; predicting every row positive gives 1.
        """
        return f1_pu_score(
            y,
            self.predict(X),
            pos_label=self.positive_class_,
            sample_weight=sample_weight,
            sampling=Sampling.of_model(self).value,
        )

    @property
    def _sign(self) -> int:
        """1 if `classes_[1]`, the class of positive decision values, is positive; else -1."""
        return 1 if self.classes_[1] == self.positive_class_ else -1

    def _lazily(self, X: Any, method: str, n_columns: int | None = None) -> Any:
        """Return a Dask array of the method's results, chunk by chunk; nothing is computed yet."""
        check_is_fitted(self, "threshold_")
        dtype = self.classes_.dtype if method == "predict" else np.dtype(np.float64)
        of_chunk = _OfChunk(method, dtype, n_columns, *self._for_chunks(X))
        return lazy_column(X, of_chunk, dtype, n_columns)

    def _for_chunks(self, X: Any) -> tuple[PUClassifier, Callable[[Any], Any] | None]:
        """Validate the features once; return what gets the chunks, and what prepares them."""
        check_features(self, X)
        return self, None

    def __sklearn_clone__(self) -> Any:
        return remember_labels(super().__sklearn_clone__())

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Models saved before these parameters existed.
        known: dict[str, Any] = {"sampling": Sampling.ONE.value, "weights": SAMPLING}
        if "labeling" in self._get_param_names():
            known["labeling"] = None
        super().__setstate__(known | state)


class WithoutIntervals:
    """Says where to find intervals instead of the methods that a classifier does not have."""

    @property
    def class_prior_interval(self) -> Never:
        """Not available: held-out scores or a likelihood of the label frequency have intervals."""
        self._reject_intervals("class_prior_interval")

    @property
    def label_frequency_interval(self) -> Never:
        """Not available, as `class_prior_interval`."""
        self._reject_intervals("label_frequency_interval")

    def _reject_intervals(self, asked: str) -> Never:
        raise AttributeError(
            f"`{asked}` must be asked of a classifier with intervals; got "
            f"{type(self).__name__}. Use PULogistic, PUEnsemble or PUThresholdClassifier."
        )


class DecidedClassifier(PUClassifier):
    """Base class: a subclass makes held-out scores, and keeps the `Decision` that follows.

    `class_prior_density_` is None if the class prior was given as a number or by an estimator, or
    if rows were checked along a line. With answers, or with knowledge of the labeling, the score
    of any other classifier becomes the logit of the posterior.
    """

    class_prior: Any
    rule: Any
    weights: Any
    n_checked_: int
    class_prior_: float
    class_prior_density_: PriorDensity | None
    # By what factor groups increase the variance of what the labels say: this many rows tell as
    # much as one independent row. 1 without groups.
    _design_effect_: float
    # A checksum of the training rows, with those of weight 0; many rows in chunks or on a device
    # have none.
    _fingerprint_: str
    observed_cuts_: Cuts
    # Those of the rows that were not recorded as negative, if some were.
    _undecided_cuts_: Cuts
    # The share of the other rows, if some were; and which of the training rows were.
    _undecided_share_: float
    _held_out_negative_: np.ndarray | None = None
    n_negatives_: int
    cuts_: Cuts
    cut_: ChosenCut
    held_out_score_: np.ndarray
    # What turns the score of the labels into that of the classes; none without knowledge.
    _mended_: MendedScore
    # Of every training row the held-out score of the labels, and r, if the score was mended.
    _held_out_label_score_: np.ndarray
    _held_out_missed_: np.ndarray
    # What a history of the labels says beside the count, and all of it in sentences.
    labeling_found_: Any
    labeling_said_: tuple[str, ...]

    def _keep_negatives(self, rows: Rows) -> None:
        """Set what is known of rows that were recorded as negative."""
        self.n_negatives_ = 0
        if rows.negatives is not None:
            self._held_out_negative_ = rows.negatives.marks
            self.n_negatives_ = int(rows.negatives.marks.sum())
            self._undecided_share_ = rows.undecided_share

    @property
    def undecided_share(self) -> float:
        """The share of rows that were not recorded as negative."""
        return float(vars(self).get("_undecided_share_", 1.0))

    def _keep_mended(
        self, mended: Mended, rows: Rows, score: np.ndarray, negative_score: Any = np.nan
    ) -> None:
        """Set what decides by knowledge; `score` and `negative_score` are those of the labels."""
        self._mended_ = mended.score
        if mended.missed.said:
            self.labeling_found_, self.labeling_said_ = mended.missed.found, mended.missed.said
        posterior, missed = (np.full(len(score), np.nan) for _ in range(2))
        there = np.isfinite(score)
        posterior[there], missed[there] = mended.missed.of_rows
        self._held_out_label_score_ = rows.for_passed(score, negative_score)
        self._held_out_missed_ = rows.for_passed(missed, 0.0)
        self.held_out_score_ = rows.for_passed(logit_of(posterior), mended.negative_score)

    @property
    def is_mended(self) -> bool:
        """Whether the score is the logit of the posterior, by more than labels.

        It is, after a fit with answers about checked rows, or with knowledge of the labeling.
        """
        return "_mended_" in vars(self)

    def _mended(self, score: np.ndarray, X: Any) -> np.ndarray:
        """Return the score that decides, given that of the labels."""
        return self._mended_.score(score, X) if self.is_mended else score

    def _label_score(self, X: Any) -> tuple[np.ndarray, Any]:
        """Return the score that was fitted to the labels, and the rows as the fit had them."""
        raise NotImplementedError

    @property
    def can_follow_answers(self) -> bool:
        """Whether answers can still mend this fit: it has held-out scores, by labels alone."""
        return False

    def _to_label(self, scored: ScoredRows) -> Scale:
        """Return what turns the score into the logit of P(S=1|x)."""
        return self.posterior_scale

    def following(
        self, X: Any, y: Any, checked: Any, sample_weight: Any = None, *, groups: Any = None
    ) -> tuple[Self, Answered]:
        """Return a copy whose score follows answers; what was fitted to labels stays.

        Parameters
        ----------
        X : array-like, sparse matrix or frame
            The rows of the fit.
        y : array-like of shape (n_rows,)
            Their labels.
        checked : array-like of shape (n_rows,)
            The answers, as in `fit`.
        sample_weight, groups : array-like of shape (n_rows,), optional
            As in the fit.

        Returns
        -------
        model : classifier
        answered : Answered
            What labels and answers say of the rows.
        """
        self._check_rows_of_fit(X, y, sample_weight)
        reject_other_groups(self, None if groups is None else len(np.unique(np.asarray(groups))))
        encoding = LabelEncoding(self.classes_[:: self._sign])
        s = labels_in(y, encoding).astype(np.float64)
        weight = validate_weight(sample_weight, len(s))
        number = validate_groups(groups, len(s), X=X)
        sampling = Sampling.of_model(self)
        rows = Rows(indexable(X), s, weight, encoding, groups=number, sampling=sampling)
        rows = replace(rows, checked=validate_checked(checked, s))
        if weight is not None:
            rows = (rows if np.all(weight > 0) else rows.keep(weight > 0)).weighted_as(self.weights)
        if rows.checked is None:
            raise ValueError(
                "`checked` must have an answer about an unlabeled row; got none. Check some first."
            )
        score = self.held_out_score_
        score = score if rows.kept is None else score[rows.kept]
        value = float(rows.prior_of_rows(self.class_prior_))
        density = self.class_prior_density_
        prior = ResolvedPrior(value, density, is_given=density is None)
        names = getattr(self, "feature_names_in_", None)
        rule = get_rule(self.rule)
        mended = mend(
            Known(checked=True),
            rows,
            score,
            self._to_label(ScoredRows.of(rows, score)),
            prior,
            rule,
            names,
        )
        model = copy(self)
        model._keep_mended(mended, rows, score)
        model._keep(mended.decision)
        model.n_checked_, model.threshold_ = rows.n_checked, model.cut_.threshold
        answered = mended.missed
        assert isinstance(answered, Answered)
        return model, answered

    @chunk_by_chunk()
    def posterior_if_unlabeled(self, X: Any) -> np.ndarray:
        """Estimate P(Y=1|x, S=0): the posterior of rows that are known to have no label.

        Parameters
        ----------
        X : array-like, sparse matrix, frame or list
            Rows.

        Returns
        -------
        posterior : ndarray of shape (n_rows,)
            `posterior_if_unlabeled_at` of their scores. After a fit with answers, or with
            knowledge of the labeling, that of their scores and features.
        """
        if not self.is_mended:
            return self.posterior_if_unlabeled_at(self.positive_score(X))
        check_is_fitted(self, "threshold_")
        return self._mended_.of_rows(*self._label_score(X)).missed

    @property
    def _along(self) -> tuple[np.ndarray, np.ndarray] | None:
        return self._mended_.along if self.is_mended else super()._along

    @property
    def _follows_answers(self) -> bool:
        return self.is_mended

    def _keep(self, decision: Decision) -> None:
        """Set what a decision says."""
        if decision.prior.estimator is not None:
            self.class_prior_estimator_ = decision.prior.estimator
        self.class_prior_, self.label_frequency_ = decision.class_prior, decision.label_frequency
        self.class_prior_density_ = decision.prior.density
        self._design_effect_ = decision.effects.label
        # A plain tuple, for model files.
        self.posterior_line_ = (float(decision.line.intercept), float(decision.line.slope))
        self.observed_cuts_, self.cuts_ = decision.observed, decision.cuts
        if self.undecided_share < 1:
            self._undecided_cuts_ = decision.scored.cuts
        self.cut_ = decision.cut

    def class_prior_interval(
        self,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        *,
        confidence_level: float = 0.95,
        of: IntervalOf = "table",
    ) -> Interval:
        """Compute an interval of the share of positive rows, from the held-out scores.

        Assumes SCAR, and a posterior that rises with the score. The interval is as long as the
        curves along the held-out scores disagree. Its lower end reaches down to the smallest share
        that the labels do not reject; see `label_frequency.class_prior_density`. Of a linear
        classifier all curves go along one line: if classes are not linear, use `PUEnsemble`, which
        also averages over scores.

        Parameters
        ----------
        X : array-like, sparse matrix or frame, optional
            The training rows. Leave them out: the fit has their scores. Others are rejected.
        y : array-like of shape (n_rows,), optional
            Labels of the training rows.
        sample_weight : array-like of shape (n_rows,), optional
            Their weights, as in `fit`.
        confidence_level : float, default=0.95
            Coverage of the interval.
        of : {"table", "population"}, default="table"
            Whether the interval is about the rows of the fit, or about the population that they
            were drawn from at random.

        Returns
        -------
        interval : Interval
            An interval around `class_prior_`: ``lower, upper = model.class_prior_interval()``.
        """
        density = self._estimated_density()
        self._check_rows_of_fit(X, y, sample_weight)
        return density.interval(confidence_level, of).with_estimate(self.class_prior_)

    def label_frequency_interval(
        self,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        *,
        confidence_level: float = 0.95,
        of: IntervalOf = "table",
    ) -> Interval:
        """Compute an interval of the label frequency: the labeled share of the positive rows.

        Parameters
        ----------
        X : array-like, sparse matrix or frame, optional
            The training rows. Leave them out: the fit has their scores. Others are rejected.
        y : array-like of shape (n_rows,), optional
            Labels of the training rows.
        sample_weight : array-like of shape (n_rows,), optional
            Their weights, as in `fit`.
        confidence_level : float, default=0.95
            Coverage of the interval.
        of : {"table", "population"}, default="table"
            Whether the class prior is that of the rows of the fit, or of their population.

        Returns
        -------
        interval : Interval
            The labeled share over the ends of `class_prior_interval`.
        """
        of_prior = self.class_prior_interval(
            X, y, sample_weight, confidence_level=confidence_level, of=of
        )
        sampling = Sampling.of_model(self)
        share = sampling.labeled_share(self.label_frequency_, self.class_prior_)
        interval = of_prior.map(lambda end: min(1.0, sampling.label_frequency(end, share)))
        return interval.with_estimate(self.label_frequency_)

    def _check_rows_of_fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        """Reject rows that cannot be the training rows, whose scores were stored."""
        if X is None and y is None:
            return
        words, advice = "`X` and `y` must be the rows of the fit, or None", "Leave them out."
        if X is None or y is None:
            raise ValueError(f"{words}; got one of them. {advice}")
        known = getattr(self, "_fingerprint_", None)
        if known is None:
            raise ValueError(f"{words}; got rows, and this fit does not know its own. {advice}")
        labeled = (np.asarray(y) == self.positive_class_).astype(np.float64)
        is_same = fingerprint_rows(indexable(X)) == known
        if is_same and "observed_cuts_" in vars(self):
            weight = validate_weight(sample_weight, len(labeled))
            score = getattr(self, "held_out_score_", labeled)
            there = np.isfinite(score)  # the others were not counted
            weight = None if weight is None else weight[there]
            share = weighted_mean(labeled[there], weight)
            is_same = bool(np.isclose(share, self.observed_cuts_.labeled_share))
        if not is_same:
            raise ValueError(f"{words}; got other features, labels or weights. {advice}")

    def posterior_range(
        self, score: Any, *, confidence_level: float = 0.95
    ) -> tuple[np.ndarray, np.ndarray]:
        """Estimate P(Y=1|score) for the ends of the interval of the class prior.

        Parameters
        ----------
        score : float or array-like of shape (n_rows,)
            Values of `positive_score`.
        confidence_level : float, default=0.95
            Coverage of the interval of the class prior.

        Returns
        -------
        lower, upper : ndarray of the shape of `score`
            What `posterior_at` would be with the smallest and with the largest class prior. It
            is not an interval for the posterior of one row, which also depends on the curve.
        """
        interval = self.class_prior_interval(confidence_level=confidence_level)
        score = self._known_scores(score)
        lower, upper = (self._posterior_given(score, end) for end in interval)
        return np.minimum(lower, upper), np.maximum(lower, upper)

    def posterior_given(self, score: Any, class_prior: float) -> np.ndarray:
        """Estimate P(Y=1|score) for a class prior.

        Parameters
        ----------
        score : float or array-like of shape (n_rows,)
            Values of `positive_score`.
        class_prior : float
            The share of positives.

        Returns
        -------
        posterior : ndarray of the shape of `score`
            What `posterior_at` would be with this class prior.
        """
        check_fraction("class_prior", class_prior)
        if class_prior >= self.undecided_share:
            raise ValueError(
                "`class_prior` must be below the share of rows that were not recorded as negative, "
                f"{self.undecided_share:.4g}; got {class_prior!r}. Give a smaller one."
            )
        return self._posterior_given(self._known_scores(score), class_prior)

    def _known_scores(self, score: Any) -> np.ndarray:
        """Check scores that another class prior is asked for."""
        check_is_fitted(self)
        if "observed_cuts_" not in vars(self):
            raise AttributeError(
                f"Another class prior needs a {type(self).__name__} with `observed_cuts_`; got one "
                "without. A fit has them, a model file does not."
            )
        reject_matrix(score)
        known = np.asarray(score)
        if known.dtype.kind not in "fiu" or not np.all(np.isfinite(known)):
            raise ValueError(
                "`score` must hold finite numbers; got NaN, inf or something else. Pass values of "
                "`positive_score`."
            )
        return known.astype(np.float64)

    def _posterior_given(self, score: np.ndarray, class_prior: float) -> np.ndarray:
        cuts, scale = self.observed_cuts_, self.posterior_scale
        if self.undecided_share < 1:
            cuts = self._undecided_cuts_
            class_prior = class_prior / self.undecided_share
        if self._follows_answers:  # the logit moves as far as the mean asks for
            intercept, slope = self.posterior_line_
            of_cuts, logits = intercept + slope * cuts.score, intercept + slope * score
            shift = shift_to_mean(of_cuts, class_prior, np.diff(cuts.total, prepend=0))
            return softplus_and_sigmoid(logits + shift)[1]
        frequency = frequency_given(cuts, class_prior)
        line = calibrated_line(ScoredRows.of_cuts(cuts), scale, frequency)
        return posterior_along(line, scale, score, frequency)

    def _estimated_density(self) -> PriorDensity:
        """Return the distribution of the class prior; reject a fit that has none."""
        check_is_fitted(self)
        if self.class_prior_density_ is not None:
            return self.class_prior_density_
        n_checked = getattr(self, "n_checked_", 0)
        if n_checked and self.class_prior is None:  # along a line
            raise ValueError(
                "An interval from held-out scores needs a fit without `checked`; this one had "
                f"{n_checked} checked rows. Draw rows by `unlabeled.audit.draw_audit` for "
                "intervals from checked rows, or use JointLogistic."
            )
        raise ValueError(
            "`class_prior` must be None for an interval of it; it was given as "
            f"{self.class_prior!r}. Fit without it."
        )

    @property
    def held_out_posterior_(self) -> np.ndarray:
        """P(Y=1|x) of every training row, by a fit without that row."""
        return self.posterior_at(self._held_out_score("held_out_posterior_", "posterior_at"))

    @property
    def held_out_posterior_if_unlabeled_(self) -> np.ndarray:
        """P(Y=1|x, S=0) of every training row, by a fit without that row.

        Of unlabeled rows, that is: neither labels nor answers of the rows are looked at. It is 0
        for rows that were recorded as negative.
        """
        score = self._held_out_score(
            "held_out_posterior_if_unlabeled_", "posterior_if_unlabeled_at"
        )
        if self.is_mended:
            return self._held_out_missed_
        missed = self.posterior_if_unlabeled_at(score, self._held_out_propensity_)
        negative = self._held_out_negative_
        return missed if negative is None else np.where(negative, 0.0, missed)

    # P(S=1|Y=1,x) of every training row, if it is not the same for all.
    _held_out_propensity_: np.ndarray | None = None

    def _held_out_score(self, asked: str, instead: str) -> np.ndarray:
        """Return the held-out scores of the training rows, or raise."""
        check_is_fitted(self, "threshold_")
        if "held_out_score_" not in vars(self):
            raise AttributeError(
                f"`{asked}` needs a {type(self).__name__} with `held_out_score_`; got one without. "
                "A fit with held-out scores has it; a model file and a fit to many rows do not: "
                f"use `{instead}` of `held_out_scores` where there is one."
            )
        return self.held_out_score_


@dataclass(frozen=True)
class _OfChunk:
    """A method of a fitted classifier on one chunk."""

    method: str
    dtype: Any
    n_columns: int | None
    model: PUClassifier
    prepare: Callable[[Any], Any] | None

    @property
    def __name__(self) -> str:
        """Name of the task in Dask."""
        return self.method

    def __call__(self, chunk: Any) -> Any:
        if chunk.shape[0] == 0:  # scikit-learn rejects a table without rows
            return np.empty((0,) if self.n_columns is None else (0, self.n_columns), self.dtype)
        X = chunk if self.prepare is None else self.prepare(chunk)
        return getattr(self.model, self.method)(X)


def held_out_label_logit(model: Any) -> np.ndarray | None:
    """Return held-out scores of the labels, as logits of P(S=1|x) if they are some.

    None if a classifier keeps none. Of a score that follows more than labels it is what they say.
    """
    if getattr(model, "is_mended", False):
        return np.asarray(model._mended_.label_logit(model._held_out_label_score_))
    score = getattr(model, "held_out_score_", None)
    return None if score is None else np.asarray(model.posterior_scale.logits(score))


def follows_answers(model: Any) -> bool:
    """Whether answers, or knowledge of the labeling, say what unlabeled rows are."""
    return bool(getattr(model, "_follows_answers", False))


def mended_rows(model: Any, X: Any) -> MendedRows:
    """Return what the score of rows follows, if that is more than labels."""
    score, rows = model._label_score(X)
    mended = model._mended_
    return MendedRows(
        score, rows, mended.is_probability, mended.columns.positions, mended.with_known(rows)
    )

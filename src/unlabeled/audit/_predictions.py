"""What a model, or plain scores, say about every row of a table: what an audit judges."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit, logit
from sklearn.utils.validation import check_is_fitted

from .. import rates
from ..engine.estimators import (
    fitted_model,
    held_out_scores,
    positive_class_of,
    reject_other_labels,
    reject_weighted_fit,
    rows_of_last_step,
    score_method,
    scores_of,
)
from ..engine.rows import (
    Chunks,
    check_features,
    chunks_of,
    encode_labels,
    fingerprint_rows,
    score_column,
)
from ..engine.sampling import ONE_SAMPLE, Sampling, SamplingWord
from ..scores import logit_given_unlabeled
from ._table import HEADLINES

Array = np.ndarray[Any, np.dtype[Any]]

# Logits of probabilities are kept within these ends: the rest of the code needs finite numbers.
_LARGEST_LOGIT = 12.0
_WITHOUT_WEIGHTS = (
    "To audit the rows, not the population that weights stand for, pass `positive_score(X)` and "
    "its threshold."
)


@dataclass(frozen=True)
class TablePredictions:
    """What a model says about every row of a table.

    Attributes
    ----------
    score : ndarray
        By fits that have not seen the row, if it was fitted to and the model keeps such scores.
    predicted, labeled : ndarray of bool
        Whether the score is above the threshold, and whether the row is labeled.
    logit : ndarray or None
        Logit of P(Y=1|x, S=0), or None if the model has no posterior.
    threshold : float or None
    logistic : bool
        Whether scores are probabilities, whose logit is the scale of curves.
    held_out : bool
        Whether the scores of labeled rows are known not to have seen their labels.
    claimed : dict
        What labels alone say, by the names of `HEADLINES`.
    fingerprint : str
    sampling : Sampling
        Whether the unlabeled rows alone are a sample of the population.
    in_groups : bool
        Whether the model was fitted to rows in groups.
    by_features : bool
        Whether labeling follows features in the model.
    by_checked : bool
        Whether the model was fitted to checked rows too.
    """

    score: Array
    predicted: Array
    labeled: Array
    logit: Array | None
    threshold: float | None
    logistic: bool
    held_out: bool
    claimed: dict[str, float | None]
    fingerprint: str
    sampling: Sampling = Sampling.ONE
    in_groups: bool = False
    by_features: bool = False
    by_checked: bool = False


def judge(
    model: Any,
    X: Any,
    y: Any,
    threshold: float | None = None,
    sampling: SamplingWord | None = None,
    held_out: Array | None = None,
) -> TablePredictions:
    """Let a classifier, or plain scores, say what they say about the rows of a table.

    `held_out` are scores of the rows by fits without them, for a classifier that has not kept them.
    They count only if it was fitted to these rows.
    """
    if hasattr(model, "predict"):
        if threshold is not None:
            raise ValueError(
                f"`threshold` must be None for a classifier; got {threshold!r}. A classifier is "
                "judged by its own cut; pass its scores instead of it to judge another cut."
            )
        own = getattr(fitted_model(model), "sampling", None)
        if None not in (own, sampling) and own != sampling:
            raise ValueError(
                f"`sampling` must be that of the classifier, {own!r}; got {sampling!r}. Leave it "
                "out."
            )
        how = Sampling.of(own or sampling or ONE_SAMPLE)
        return _judge_classifier(model, X, y, how, held_out)
    return _judge_scores(model, y, threshold, Sampling.of(sampling or ONE_SAMPLE))


def _judge_scores(
    scores: Any, y: Any, threshold: float | None, sampling: Sampling
) -> TablePredictions:
    column = np.asarray(scores)
    labeled = _labeled(y, None, len(column) if column.ndim else 0)
    score = score_column(scores, labeled, "estimator").astype(np.float64)
    if threshold is not None and not np.isfinite(threshold):
        raise ValueError(f"`threshold` must be a finite number or None; got {threshold!r}.")
    predicted = score > (np.inf if threshold is None else threshold)
    found = hashlib.sha256(fingerprint_rows(np.column_stack([score, labeled])).encode())
    nothing: dict[str, float | None] = dict.fromkeys(HEADLINES)
    return TablePredictions(
        score=score,
        predicted=predicted,
        labeled=labeled,
        logit=None,
        threshold=None if threshold is None else float(threshold),
        logistic=False,
        held_out=True,
        claimed=nothing,
        fingerprint=found.hexdigest(),
        sampling=sampling,
    )


def _judge_classifier(
    estimator: Any, X: Any, y: Any, sampling: Sampling, held_out: Array | None
) -> TablePredictions:
    check_is_fitted(estimator)
    if X is None:
        raise ValueError("`X` must be the rows that `estimator` is judged on; got None. Pass them.")
    inner = fitted_model(estimator)
    positive = positive_class_of(estimator)
    predictions = RowPredictions(
        estimator, estimator.classes_[-1] if positive is None else positive
    )
    chunks = chunks_of(X) if y is None else chunks_of(X, y)
    if chunks is None:
        score, predicted, frequency = predictions(X)
    else:
        check_features(estimator, X)
        (score, predicted, frequency), y = predictions.of_chunks(chunks)
    reject_other_labels(estimator, y)
    labeled = _labeled(y, predictions.positive, len(score))
    if chunks is not None:  # whether it was fitted to these rows is not known
        cells, is_held_out = fingerprint_rows(score[:, None]), False
    else:
        X_numeric = rows_of_last_step(estimator, X)
        fitted_to = getattr(inner, "_fingerprint_", None)
        cells = fingerprint_rows(X_numeric)
        if cells == fitted_to:
            reject_weighted_fit(inner, "an audit of the same rows", _WITHOUT_WEIGHTS)
        is_held_out = fitted_to is not None and cells != fitted_to
        if cells == fitted_to and held_out is None:
            held_out = held_out_scores(inner, X_numeric, y)
        if cells == fitted_to and held_out is not None:
            has_one = np.isfinite(held_out)
            is_held_out = bool(has_one[labeled].all())
            score = np.where(has_one, held_out, score)
            predicted = np.where(has_one, held_out > inner.threshold_, predicted)
    threshold = getattr(inner, "threshold_", None)
    logit_f, claimed = _claims(inner, score, labeled, predicted, sampling, frequency)
    return TablePredictions(
        score=score,
        predicted=predicted,
        labeled=labeled,
        logit=logit_f,
        threshold=None if threshold is None else float(threshold),
        logistic=scores_are_probabilities(inner),
        held_out=is_held_out,
        claimed=claimed,
        fingerprint=_fingerprint(cells, labeled),
        sampling=sampling,
        in_groups=getattr(inner, "n_groups_", None) is not None,
        by_features=frequency is not None,
        by_checked=getattr(inner, "n_checked_", 0) > 0,
    )


class RowPredictions(NamedTuple):
    """What a fitted classifier says about single rows: score, prediction and propensity."""

    estimator: Any
    positive: Any

    def __call__(self, X: Any) -> tuple[Array, Array, Array | None]:
        """Return the columns of rows in memory; no propensity if it is the same for all rows."""
        inner = fitted_model(self.estimator)
        offset = 0.0
        if hasattr(inner, "positive_score"):
            offset = float(getattr(inner, "threshold_", 0.0))
        score = np.asarray(scores_of(self.estimator, X, self.positive), dtype=np.float64) + offset
        predicted = np.asarray(self.estimator.predict(X)) == self.positive
        by_features = len(getattr(inner, "propensity_features_", ())) > 0
        frequency = inner.propensity(rows_of_last_step(self.estimator, X)) if by_features else None
        return score, predicted, frequency

    def of_chunks(self, chunks: Chunks) -> tuple[tuple[Array, Array, Array | None], Any]:
        """Return the columns, and the labels, of rows in chunks."""
        found = [one for one in chunks.each([self.of_chunk] * len(chunks)) if one is not None]
        if not found:
            raise ValueError("`X` must have rows; got none in any chunk.")
        score, predicted, *others = zip(*found, strict=True)
        frequency, labels = (None if one[0] is None else np.concatenate(one) for one in others)
        return (np.concatenate(score), np.concatenate(predicted), frequency), labels

    def of_chunk(self, parts: Any) -> tuple[Any, ...] | None:
        """Return columns and labels of a loaded chunk; None if it is empty."""
        if parts[0].shape[0] == 0:
            return None
        return *self(parts[0]), np.asarray(parts[1]).ravel() if len(parts) > 1 else None


def scores_are_probabilities(model: Any) -> bool:
    """Whether the score of a fitted classifier is a probability: that of the model inside it."""
    if getattr(model, "is_mended", False):  # it is the logit of the posterior
        return False
    return score_method(getattr(model, "estimator_", model)) == "predict_proba"


def _labeled(y: Any, positive: Any, n_rows: int) -> Array:
    if y is None:
        return np.zeros(n_rows, dtype=bool)
    column = np.asarray(y)
    if column.ndim == 1 and positive is not None and not np.any(column == positive):
        labeled = np.zeros(len(column), dtype=bool)
    else:
        labeled = encode_labels(y, positive)[0].astype(bool)
    if len(labeled) != n_rows:
        raise ValueError(
            f"`y` must have one label for each of the {n_rows} rows; got {len(labeled)}."
        )
    return labeled


def _fingerprint(cells: str, labeled: Array) -> str:
    """Checksum of the table: of its cells, which have one already, and its labels."""
    found = hashlib.sha256(np.packbits(labeled).tobytes() + str(len(labeled)).encode())
    found.update(cells.encode())
    return found.hexdigest()


def _claims(
    model: Any,
    score: Array,
    labeled: Array,
    predicted: Array,
    sampling: Sampling,
    propensity: Array | None,
) -> tuple[Array | None, dict[str, float | None]]:
    """Return logits of P(Y=1|x, S=0), and what the model says about this table."""
    claimed: dict[str, float | None] = dict.fromkeys(HEADLINES)
    if not hasattr(model, "posterior_at") or not hasattr(model, "label_frequency_"):
        return None, claimed
    posterior = np.asarray(model.posterior_at(score), dtype=np.float64)
    any_labeled = bool(labeled.any())
    prior = float(model.class_prior_) if any_labeled else float(posterior.mean())
    population = ~labeled if sampling.is_two else np.ones(len(score), dtype=bool)
    share = float(predicted[population].mean())
    recall = float(predicted[labeled].mean()) if any_labeled else None
    if hasattr(model, "cut_"):
        recall = float(model.cut_.recall)
    count = prior * float(population.sum())
    claimed |= {"count": count, "class_prior": prior, "recall": recall}
    if recall is not None:
        claimed["precision"] = float(rates.precision(recall, share, prior))
        claimed["f1"] = float(rates.f1(recall, share, prior))
    # In two samples the posterior is that of unlabeled rows. If labeling follows features, each
    # row has its own propensity instead of c.
    frequency = model.label_frequency_ if propensity is None else propensity
    if sampling.is_two or not any_labeled:
        frequency = 0.0
    if getattr(model, "is_mended", False):
        unlabeled = _logit(np.asarray(model.posterior_if_unlabeled_at(score)))
    else:
        unlabeled = logit_given_unlabeled(_logit(posterior), frequency)
    logits = np.clip(unlabeled, -_LARGEST_LOGIT, _LARGEST_LOGIT)
    return logits, claimed


def _logit(probability: Array) -> Array:
    tiny = float(expit(-_LARGEST_LOGIT))
    return np.asarray(logit(np.clip(probability, tiny, 1 - tiny)))

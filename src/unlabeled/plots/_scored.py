"""What a fitted classifier says of rows: labels as s, scores or posteriors, its cut."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from ..labels import encode_labels, fitted_model, positive_class_of
from ..meta import score_method, scores_of
from ..parameters import check_fraction


class ScoredRows(NamedTuple):
    """Labels in {0, 1}, scores towards the positive class, and the cut of the classifier."""

    s: np.ndarray
    score: np.ndarray
    cut: float


def labels_for(estimator: Any, y: Any, positive_label: Any = None) -> tuple[np.ndarray, Any]:
    """Return s in {0, 1}, and the label value the classifier takes as positive."""
    check_is_fitted(estimator)
    positive = positive_class_of(estimator)
    if positive is None:
        positive = positive_label
    elif positive_label is not None and positive_label != positive:
        raise ValueError(
            f"`positive_label` must be the class the estimator takes as positive, {positive!r}; "
            f"got {positive_label!r}. Leave it out."
        )
    s, encoding = encode_labels(y, positive)
    positive = encoding.classes[1]
    if positive not in list(estimator.classes_):
        known = ", ".join(repr(value) for value in np.asarray(estimator.classes_).tolist())
        raise ValueError(
            f"`y` must hold the labels the estimator was fitted to, {known}; got {positive!r}. "
            "Pass the same label column as in `fit`."
        )
    return s, positive


def scored_rows(estimator: Any, X: Any, y: Any, positive_label: Any = None) -> ScoredRows:
    """Score rows by a fitted classifier, before its intercept or threshold is taken off."""
    s, positive = labels_for(estimator, y, positive_label)
    score = scores_of(estimator, X, positive)
    check_consistent_length(score, s)
    if score_method(estimator) == "predict_proba":
        return ScoredRows(s, score, 0.5)
    cut = _cut_of(fitted_model(estimator), positive)
    return ScoredRows(s, score + cut, cut)


def _cut_of(model: Any, positive: Any) -> float:
    """The classifier's own threshold; of scikit-learn's linear classifiers minus the intercept."""
    if hasattr(model, "positive_score"):
        return model.threshold_
    if hasattr(model, "coef_") and np.size(getattr(model, "intercept_", ())) == 1:
        return -sign_towards(model, positive) * float(np.ravel(model.intercept_)[0])
    return 0.0


def sign_towards(model: Any, positive: Any) -> float:
    """1 where scikit-learn's signs point to `positive`, else -1."""
    return 1.0 if positive == model.classes_[1] else -1.0


def posterior_of(estimator: Any, X: Any, positive: Any) -> np.ndarray:
    """Return the column of `predict_proba` that belongs to the positive class."""
    if not hasattr(estimator, "predict_proba"):
        raise ValueError(
            "`estimator` must have `predict_proba`; "
            f"got {type(fitted_model(estimator)).__name__}, which has none. Use its score."
        )
    column = list(estimator.classes_).index(positive)
    return np.asarray(estimator.predict_proba(X))[:, column]


def known_fraction(name: str, given: Any, estimator: Any) -> float | None:
    """Return the class prior or label frequency given, or else the estimator's own, if any."""
    check_fraction(name, given, none_allowed=True)
    found = getattr(fitted_model(estimator), f"{name}_", None) if given is None else given
    return None if found is None else float(found)

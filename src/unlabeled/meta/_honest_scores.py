"""Scores of the training rows by models that did not see them, or did."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import logit
from sklearn.base import clone, is_classifier
from sklearn.utils.metaestimators import _safe_split
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import _check_method_params

from ..labels import join_folds, refuse_one_kind
from ._fit_arguments import FitArguments

# Forests give probabilities of exactly 0 and 1, which have no logit.
_SMALLEST_PROBABILITY = 1e-3


def refuse_other_estimators(estimator: Any) -> None:
    """Raise where an estimator is no classifier."""
    if not is_classifier(estimator):
        raise ValueError(
            f"`estimator` must be a classifier; got {type(estimator).__name__}. Use one with "
            "`decision_function` or `predict_proba`."
        )


def refuse_other_classes(fitted: Any, classes: np.ndarray) -> None:
    """Raise where a classifier was fitted to other label values than these."""
    known = np.asarray(fitted.classes_).tolist()
    if known != classes.tolist():
        raise ValueError(
            f"`estimator` must be fitted to the label values of `y`, {classes.tolist()}; "
            f"{type(fitted).__name__} was fitted to {known}. Fit it to the same values."
        )


def score_method(estimator: Any) -> str:
    """Name of the method that gives the score of a classifier."""
    for method in ("decision_function", "predict_proba"):
        if hasattr(estimator, method):
            return method
    raise ValueError(
        "`estimator` must have `decision_function` or `predict_proba`; "
        f"got {type(estimator).__name__}, which has neither."
    )


def scores_of(estimator: Any, X: Any, positive: Any = 1) -> np.ndarray:
    """Score of each row by a fitted classifier, larger meaning more probably `positive`."""
    method = score_method(estimator)
    column = _column_of(estimator, positive)
    raw = np.asarray(getattr(estimator, method)(X))
    if method == "predict_proba":
        return raw[:, column]
    return raw if column == 1 else -raw


def on_logit_scale(score: np.ndarray, method: str) -> np.ndarray:
    """Score on which a posterior may be logistic: the logit of a probability, or the score."""
    if method != "predict_proba":
        return score
    return logit(np.clip(score, _SMALLEST_PROBABILITY, 1 - _SMALLEST_PROBABILITY))


def out_of_fold_scores(
    estimator: Any, passed: FitArguments, splits: Any, n_jobs: int | None
) -> np.ndarray:
    """Score every row by a clone fitted to the other folds."""
    of_fold = delayed(_scores_of_fold)
    scores = Parallel(n_jobs=n_jobs)(
        of_fold(clone(estimator), passed, train, test) for train, test in splits
    )
    tests = (test for _, test in splits)
    return join_folds(len(passed.y), zip(tests, scores, strict=True))


def _scores_of_fold(
    estimator: Any, passed: FitArguments, train: np.ndarray, test: np.ndarray
) -> np.ndarray:
    X = passed.rows.X
    refuse_one_kind(passed.rows.s[train])
    seen, y = _safe_split(estimator, X, passed.y, train)
    new, _ = _safe_split(estimator, X, passed.y, test, train)
    fitted = estimator.fit(seen, y, **_check_method_params(X, passed.fit, train))
    return scores_of(fitted, new, passed.positive)


def out_of_bag_scores(fitted: Any, positive: Any) -> np.ndarray:
    """Scores a bagged ensemble gives to rows its members did not draw; NaN where all did."""
    votes = getattr(fitted, "oob_decision_function_", None)
    if votes is None:
        raise ValueError(
            f"`estimator` must have out-of-bag scores with cv='oob'; {type(fitted).__name__} has "
            "none. Use a bagged ensemble with oob_score=True (and bootstrap=True)."
        )
    return np.asarray(votes)[:, _column_of(fitted, positive)]


def _column_of(fitted: Any, positive: Any) -> int:
    return int(np.flatnonzero(fitted.classes_ == positive)[0])

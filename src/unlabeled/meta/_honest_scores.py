"""Scores of the training rows by models that did not see them, or did."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import logit
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from ..solvers import LinearFit, leave_one_out_predictor

# Forests give probabilities of exactly 0 and 1, which have no logit.
_SMALLEST_PROBABILITY = 1e-3


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
    column = int(np.flatnonzero(estimator.classes_ == positive)[0])
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
    estimator: Any, X: Any, s: np.ndarray, cv: Any, random_state: Any, params: dict[str, Any]
) -> np.ndarray:
    """Score every row by a clone fitted to the other folds."""
    method = score_method(estimator)
    if isinstance(cv, int):
        most = int(min(s.sum(), len(s) - s.sum()))
        if not 2 <= cv <= most:
            raise ValueError(
                f"`cv` must be at least 2 and at most the number of labelled and of unlabelled "
                f"rows ({most}); got {cv}. Use fewer folds."
            )
        cv = StratifiedKFold(cv, shuffle=True, random_state=random_state)
    raw = cross_val_predict(estimator, X, s, cv=cv, method=method, params=params or None)
    return np.asarray(raw[:, 1] if raw.ndim == 2 else raw)


def out_of_bag_scores(fitted: Any) -> np.ndarray:
    """Scores a bagged ensemble gives to rows its members did not draw; NaN where all did."""
    votes = getattr(fitted, "oob_decision_function_", None)
    if votes is None:
        raise ValueError(
            f"`estimator` must have out-of-bag scores with cv='oob'; {type(fitted).__name__} has "
            "none. Use a bagged ensemble with oob_score=True (and bootstrap=True)."
        )
    return np.asarray(votes)[:, 1]


def leave_one_out_scores(
    fitted: Any, X: Any, s: np.ndarray, sample_weight: np.ndarray | None
) -> np.ndarray:
    """Closed-form leave-one-out scores of a logistic model, or a pipeline that ends in one."""
    model = fitted
    if hasattr(fitted, "steps"):
        X, model = fitted[:-1].transform(X), fitted[-1]
    needed = ("coef_", "intercept_", "C", "fit_intercept")
    if (
        not all(hasattr(model, name) for name in needed)
        or getattr(model, "class_weight", None) is not None
    ):
        raise ValueError(
            "`estimator` must be a logistic regression with a ridge or no penalty for cv='loo', "
            f"without class weights; got {type(model).__name__}. Use a number of folds."
        )
    fitted_intercept = float(getattr(model, "naive_intercept_", model.intercept_[0]))
    theta = np.append(model.coef_[0], [fitted_intercept] * bool(model.fit_intercept))
    fit = LinearFit.at(
        theta, _as_float(X), s.astype(np.float64), sample_weight, model.C, model.fit_intercept
    )
    left_out = leave_one_out_predictor(fit, hold_intercept=True)
    # The deployed score has the model's own intercept, which may be another one.
    used = fitted_intercept if model.fit_intercept else 0.0
    return left_out + (float(model.intercept_[0]) - used)


def _as_float(X: Any) -> Any:
    if hasattr(X, "tocsr"):
        X = X.tocsr()
        return X if X.dtype.kind == "f" else X.astype(np.float64)
    return np.asarray(X, dtype=np.float64)

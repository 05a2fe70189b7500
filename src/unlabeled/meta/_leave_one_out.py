"""Leave-one-out scores in closed form, for the models that have one."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

from ..linear_model import EnhancedLogistic, NaiveLogistic
from ..solvers import LinearFit, leave_one_out_predictor


def leave_one_out_scores(
    fitted: Any, X: Any, s: np.ndarray, sample_weight: np.ndarray | None, positive: Any
) -> np.ndarray:
    """Closed-form leave-one-out scores of a logistic model, or a pipeline that ends in one."""
    model = fitted
    while hasattr(model, "steps"):
        X = model[:-1].transform(X) if len(model.steps) > 1 else X
        model = model[-1]
    _check_has_closed_form(model)
    sign = 1.0 if model.classes_[1] == positive else -1.0
    deployed = sign * float(model.intercept_[0])
    intercept = sign * float(getattr(model, "naive_intercept_", model.intercept_[0]))
    theta = np.append(sign * model.coef_[0], [intercept] * bool(model.fit_intercept))
    fit = LinearFit.at(
        theta,
        _as_float(X),
        s.astype(np.float64),
        sample_weight,
        _inverse_strength(model),
        model.fit_intercept,
    )
    left_out = leave_one_out_predictor(fit, hold_intercept=True)
    # The deployed score has the model's own intercept, which may be another one.
    return left_out + (deployed - (intercept if model.fit_intercept else 0.0))


def _check_has_closed_form(model: Any) -> None:
    # Not of subclasses, such as LogisticRegressionCV, which fit something else.
    if type(model) is LogisticRegression:
        fine = _has_plain_ridge(model) and model.class_weight is None
    else:
        fine = type(model) in (NaiveLogistic, EnhancedLogistic)
    if not fine:
        raise ValueError(
            "`estimator` must be a logistic regression with a ridge or no penalty for cv='loo': "
            "scikit-learn's without class weights and not by liblinear, which penalises the "
            f"intercept, NaiveLogistic or EnhancedLogistic; got {model!r}. Use a number of folds."
        )


def _has_plain_ridge(model: LogisticRegression) -> bool:
    # Since scikit-learn 1.8 `l1_ratio` says what `penalty` said.
    by_ratio = model.penalty in ("deprecated", "elasticnet") and not model.l1_ratio
    return (by_ratio or model.penalty in ("l2", None)) and model.solver != "liblinear"


def _inverse_strength(model: Any) -> float:
    return np.inf if getattr(model, "penalty", "l2") is None else float(model.C)


def _as_float(X: Any) -> Any:
    if hasattr(X, "tocsr"):
        X = X.tocsr()
        return X if X.dtype.kind == "f" else X.astype(np.float64)
    return np.asarray(X, dtype=np.float64)

"""Held-out scores of the training rows of any classifier."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.utils.metaestimators import _safe_split
from sklearn.utils.validation import _check_method_params

from ..codes import ignore_codes
from ..engine.estimators import scores_of
from ..engine.linear_fits import LinearFit, leave_one_out_predictors
from ..engine.parallel import delayed, in_parallel
from ..engine.rows import join_folds, reject_one_kind
from ..linear_model import EnhancedLogistic, NaiveLogistic
from ._fit_arguments import FitArguments


def out_of_fold_scores(
    estimator: Any, passed: FitArguments, splits: Any, n_jobs: int | None, keep: bool = False
) -> tuple[np.ndarray, list[Any]]:
    """Score every row by a clone fitted to the other folds; also return the clones to `keep`."""
    of_fold = delayed(_scores_of_fold)
    tasks = (of_fold(clone(estimator), passed, train, test, keep) for train, test in splits)
    found = list(in_parallel(tasks, n_jobs))
    parts = ((test, score) for (_, test), (score, _) in zip(splits, found, strict=True))
    return join_folds(len(passed.y), parts), [fitted for _, fitted in found if keep]


def _scores_of_fold(
    estimator: Any, passed: FitArguments, train: np.ndarray, test: np.ndarray, keep: bool
) -> tuple[np.ndarray, Any]:
    X = passed.rows.X
    reject_one_kind(passed.rows.s[train])
    seen, y = _safe_split(estimator, X, passed.y, train)
    new, _ = _safe_split(estimator, X, passed.y, test, train)
    # The fit to all rows warns, and knows their numbers.
    with ignore_codes("PU106", "PU129", "PU131", "PU204"):
        fitted = estimator.fit(seen, y, **_check_method_params(X, passed.fit, train))
    return scores_of(fitted, new, passed.positive), fitted if keep else None


def leave_one_out_scores(
    fitted: Any, X: Any, s: np.ndarray, sample_weight: np.ndarray | None, positive: Any
) -> np.ndarray:
    """Closed-form leave-one-out scores of a logistic model, or a pipeline that ends in one."""
    model = fitted
    while hasattr(model, "steps"):
        X = model[:-1].transform(X) if len(model.steps) > 1 else X
        model = model[-1]
    _reject_without_closed_form(model)
    sign = 1.0 if model.classes_[1] == positive else -1.0
    deployed = sign * float(model.intercept_[0])
    intercept = sign * float(getattr(model, "naive_intercept_", model.intercept_[0]))
    theta = np.append(sign * model.coef_[0], [intercept] * bool(model.fit_intercept))
    unpenalized = getattr(model, "penalty", "l2") is None
    fit = LinearFit.at(
        theta,
        _as_float(X),
        s.astype(np.float64),
        sample_weight,
        np.inf if unpenalized else float(model.C),
        model.fit_intercept,
    )
    left_out = leave_one_out_predictors(fit, hold_intercept=True)[0]
    # The score of the model uses `intercept_`, which may differ from the fitted intercept.
    return left_out + (deployed - (intercept if model.fit_intercept else 0.0))


def _reject_without_closed_form(model: Any) -> None:
    # Subclasses, such as LogisticRegressionCV, fit something else.
    if type(model) is LogisticRegression:
        fine = _has_plain_ridge(model) and model.class_weight is None
    else:
        fine = type(model) in (NaiveLogistic, EnhancedLogistic)
    if not fine:
        raise ValueError(
            "`estimator` must be a logistic regression with a ridge or no penalty if cv='loo': "
            "NaiveLogistic, EnhancedLogistic, or scikit-learn's LogisticRegression without class "
            "weights and without liblinear, which penalizes the intercept; "
            f"got {model!r}. Use a number of folds."
        )


def _has_plain_ridge(model: LogisticRegression) -> bool:
    # Since scikit-learn 1.8 `l1_ratio` replaces `penalty`.
    by_ratio = model.penalty in ("deprecated", "elasticnet") and not model.l1_ratio
    return (by_ratio or model.penalty in ("l2", None)) and model.solver != "liblinear"


def _as_float(X: Any) -> Any:
    if hasattr(X, "tocsr"):
        X = X.tocsr()
        return X if X.dtype.kind == "f" else X.astype(np.float64)
    return np.asarray(X, dtype=np.float64)

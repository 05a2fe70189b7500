"""Scores of the training rows by models that did not see them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import logit
from sklearn.base import clone, is_classifier
from sklearn.linear_model import LogisticRegression
from sklearn.utils import indexable
from sklearn.utils.metadata_routing import _routing_enabled, process_routing
from sklearn.utils.metaestimators import _safe_split
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import _check_method_params

from ..engine.linear_fits import LinearFit, leave_one_out_predictor
from ..engine.rows import (
    LabelledRows,
    encode_labels,
    join_folds,
    reject_one_class,
    reject_one_kind,
    validate_weight,
)
from ..linear_model import EnhancedLogistic, NaiveLogistic

# What a meta-estimator's `fit` was passed: checked rows, and what goes on to the estimator.


class FitArguments(NamedTuple):
    """Rows of a weight above 0, and what is passed on with them.

    Attributes
    ----------
    rows : LabelledRows
        X in whatever form the estimator takes it.
    y : ndarray of shape (n_rows,)
        Their label values, as they were given.
    fit : dict
        For the estimator's `fit`.
    split : dict
        For the splitter's `split`, such as groups.
    """

    rows: LabelledRows
    y: np.ndarray
    fit: dict[str, Any]
    split: dict[str, Any]

    @property
    def positive(self) -> Any:
        """The label value that marks labelled rows."""
        return self.rows.encoding.classes[1]


def fit_arguments(
    owner: Any, X: Any, y: Any, sample_weight: Any, params: dict[str, Any]
) -> FitArguments:
    """Check rows, labels and weights; route the rest; drop rows of weight 0.

    Without scikit-learn's metadata routing the estimator gets the weights.
    """
    s, encoding = encode_labels(y, owner.positive_label)
    X, s = indexable(X, s)
    weight = validate_weight(sample_weight, len(s))
    fit, split = _routed(owner, weight, params)
    rows = LabelledRows(X, s, weight, encoding)
    if weight is not None:
        reject_one_class(s, weight)
        if not np.all(weight > 0):
            rows, fit, split = _without_zeros(owner.estimator, rows, fit, split)
    return FitArguments(rows, encoding.decode(rows.s == 1), fit, split)


def _routed(
    owner: Any, weight: np.ndarray | None, params: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    if weight is not None:
        params = {"sample_weight": weight, **params}
    if not _routing_enabled():
        return params, {}
    routed = process_routing(owner, "fit", **params)
    return dict(routed.estimator.fit), dict(routed.splitter.split)


def _without_zeros(
    estimator: Any, rows: LabelledRows, *passed_on: dict[str, Any]
) -> tuple[LabelledRows, dict[str, Any], dict[str, Any]]:
    kept = rows.weight > 0
    numbers = np.flatnonzero(kept)
    fit, split = (_check_method_params(rows.X, params, numbers) for params in passed_on)
    X, s = _safe_split(estimator, rows.X, rows.s, numbers, numbers)
    return LabelledRows(X, s, rows.weight[kept], rows.encoding, kept), fit, split


# Scores of the training rows by models that did not see them, or did.

# Forests give probabilities of exactly 0 and 1, which have no logit.
_SMALLEST_PROBABILITY = 1e-3


def reject_other_estimators(estimator: Any) -> None:
    """Raise where an estimator is no classifier."""
    if not is_classifier(estimator):
        raise ValueError(
            f"`estimator` must be a classifier; got {type(estimator).__name__}. Use one with "
            "`decision_function` or `predict_proba`."
        )


def reject_other_classes(fitted: Any, classes: np.ndarray) -> None:
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
    reject_one_kind(passed.rows.s[train])
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


# Leave-one-out scores in closed form, for the models that have one.


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

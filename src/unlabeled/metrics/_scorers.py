"""PU metrics as scikit-learn scorers, for cross-validation and grid search."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from sklearn.metrics import make_scorer

from ..engine.parameters import listed
from ..engine.rows import fitted_model, positive_class_of
from ..engine.sampling import ONE_SAMPLE, Sampling
from ._boyce import boyce_index_score
from ._corrected import (
    corrected_accuracy_score,
    corrected_balanced_accuracy_score,
    corrected_f1_score,
    corrected_fowlkes_mallows_score,
    corrected_mcc_score,
    corrected_precision_score,
    proxy_accuracy_score,
)
from ._corrected_of_scores import (
    corrected_auc_score,
    corrected_average_precision_score,
    corrected_precision_at_k_score,
)
from ._label_auc import label_auc_score
from ._label_only import f1_pu_score, lift_score, predicted_share, pu_recall_score
from ._sample_rates import check_class_prior

_LABEL_ONLY: dict[str, Callable[..., float]] = {
    "f1_pu": f1_pu_score,
    "recall": pu_recall_score,
    "lift": lift_score,
    "label_auc": label_auc_score,
    "boyce": boyce_index_score,
}
_CORRECTED: dict[str, Callable[..., float]] = {
    "precision": corrected_precision_score,
    "f1": corrected_f1_score,
    "fowlkes_mallows": corrected_fowlkes_mallows_score,
    "accuracy": corrected_accuracy_score,
    "balanced_accuracy": corrected_balanced_accuracy_score,
    "mcc": corrected_mcc_score,
    "proxy_accuracy": proxy_accuracy_score,
    "auc": corrected_auc_score,
    "average_precision": corrected_average_precision_score,
    "precision_at_k": corrected_precision_at_k_score,
}


def make_pu_scorer(
    metric: str | Callable[..., float],
    *,
    positive_label: Any = None,
    class_prior: float | None = None,
    sampling: str | None = None,
    **options: Any,
) -> Any:
    """Turn a PU metric into a scorer for scikit-learn's model selection.

    Makes the assumptions of the metric; all metrics listed below assume SCAR. The scorer
    compares the result of ``predict`` with the label column, so ``cross_val_score`` and
    ``GridSearchCV`` need only ``(X, y)``. Metrics of a score compare the score instead:
    ``decision_function``, or ``predict_proba`` if the classifier has none.

    Parameters
    ----------
    metric : str or callable
        Of predictions: "f1_pu", "recall", "lift" (labels alone); "precision", "f1",
        "fowlkes_mallows", "accuracy", "balanced_accuracy", "mcc", "proxy_accuracy" (with
        `class_prior`). Of a score: "label_auc", "boyce" (labels alone); "auc",
        "average_precision", "precision_at_k" (with `class_prior`). Or a function
        ``metric(y, y_pred, **options)`` of predictions for which larger is better.
    positive_label : optional
        The value that marks labelled rows. By default the one that the scored
        classifier uses, if it is one of this package (also in a pipeline or a
        search); otherwise the larger value.
    class_prior : float, optional
        P(Y=1) in the whole sample, for the metrics that need it. In two samples, P(Y=1) in the
        population of the unlabelled rows.
    sampling : {"one-sample", "two-sample"}, optional
        Which rows are the population: all of them, or only the unlabelled ones because the
        labelled rows come from elsewhere. By default as the scored classifier has it.
    **options
        Further arguments of the metric: `k` of "precision_at_k", which needs it; `windows`,
        `width` and `n_windows` of "boyce".

    Returns
    -------
    scorer : callable
        With the signature ``scorer(estimator, X, y)``.

    See Also
    --------
    sklearn.metrics.make_scorer : The function it builds on.
    unlabeled.metrics.f1_pu_score : The metric to start with.

    Notes
    -----
    **What breaks it:** a test fold without labelled rows has no recall: the scorer raises
    ValueError, which scikit-learn turns into a score of NaN and a warning with the reason (or
    an error, with ``error_score="raise"``). Stratified folds, the default of scikit-learn for
    classifiers, avoid it. "recall" is largest if everything is predicted positive, "lift" if
    hardly anything is: do not select models by them.

    ``TunedThresholdClassifierCV`` calls the metric directly, so the scorer cannot read the
    positive label from the classifier. If labels are strings, pass `positive_label`; otherwise
    the metric guesses it at every threshold, with the warning PU101.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_val_score
    >>> from unlabeled.metrics import make_pu_scorer
    >>> X = np.repeat([[0.0], [5.0]], 10, axis=0)
    >>> y = np.repeat(["none", "labelled"], 10)
    >>> scorer = make_pu_scorer("f1_pu", positive_label="labelled")
    >>> cross_val_score(LogisticRegression(), X, y, scoring=scorer, cv=2)
    array([2., 2.])
    """
    Sampling.of(sampling or ONE_SAMPLE)  # rejects any other value
    function = _metric_function(metric, class_prior)
    check_options(metric, function, options)
    if positive_label is not None:
        options["positive_label"] = positive_label
    if class_prior is not None:
        options["class_prior"] = check_class_prior(class_prior, sampling or ONE_SAMPLE)
    if sampling is not None and function not in _SAME_FUNCTIONS:
        options["sampling"] = sampling
    response = ("decision_function", "predict_proba") if function in _OF_SCORE else "predict"
    return _PUScorer.of(make_scorer(function, response_method=response, **options))


def _metric_function(metric: Any, class_prior: float | None) -> Callable[..., float]:
    known = _LABEL_ONLY | _CORRECTED
    if not callable(metric) and (not isinstance(metric, str) or metric not in known):
        listing = ", ".join(repr(name) for name in known)
        raise ValueError(f"`metric` must be one of {listing} or a function; got {metric!r}.")
    function: Callable[..., float] = metric if callable(metric) else known[metric]
    needs_prior = function in _CORRECTED.values()
    if function in METRICS.values() and needs_prior != (class_prior is not None):
        allowed = "a number in (0, 1)" if needs_prior else "None"
        advice = (
            "Pass P(Y=1), or use 'f1_pu', which does not need it."
            if needs_prior
            else "This metric needs only the labels."
        )
        shown = metric if isinstance(metric, str) else function.__name__
        raise ValueError(
            f"`class_prior` must be {allowed} for the metric {shown!r}; got {class_prior!r}. "
            f"{advice}"
        )
    return function


def _own_options(function: Callable[..., float]) -> dict[str, bool]:
    """Return the arguments that only this metric of ours has, and whether it needs them."""
    found = inspect.signature(function).parameters.values()
    return {
        one.name: one.default is one.empty
        for one in found
        if one.kind is one.KEYWORD_ONLY and one.name not in _SHARED_OPTIONS
    }


def check_options(metric: Any, function: Callable[..., float], options: dict[str, Any]) -> None:
    """Reject an argument that a metric of ours does not have, or the lack of one it needs."""
    if function not in _METRICS:
        return
    own, shown = _own_options(function), metric if isinstance(metric, str) else function.__name__
    for name in options:
        if name not in own:
            allowed = f"one of {listed(own)}" if own else "left out"
            raise ValueError(f"`{name}` must be {allowed} for the metric {shown!r}; got a value.")
    for name, is_needed in own.items():
        if is_needed and name not in options:
            raise ValueError(f"`{name}` must be given for the metric {shown!r}; got none.")


class _PUScorer(type(make_scorer(f1_pu_score))):  # type: ignore[misc]
    """scikit-learn's scorer, which takes positive label value and sampling from the classifier."""

    @classmethod
    def of(cls, scorer: Any) -> _PUScorer:
        own = cls.__new__(cls)
        own.__dict__.update(scorer.__dict__)
        return own

    def _score(
        self, method_caller: Any, estimator: Any, X: Any, y_true: Any, **kwargs: Any
    ) -> float:
        if "positive_label" not in self._kwargs and self._score_func in _METRICS:
            positive = positive_class_of(estimator)
            if positive is not None:
                kwargs["positive_label"] = positive
        if "sampling" not in self._kwargs and self._score_func in _METRICS - _SAME_FUNCTIONS:
            kwargs["sampling"] = getattr(fitted_model(estimator), "sampling", ONE_SAMPLE)
        if self._score_func in _OF_SCORE:
            positive = (self._kwargs | kwargs).get("positive_label")
            method_caller = _Towards(positive, method_caller)
        return float(super()._score(method_caller, estimator, X, y_true, **kwargs))


class _Towards:
    """Turns scikit-learn's scores, which point to `classes_[1]`, to the positive label value."""

    def __init__(self, positive: Any, method_caller: Any) -> None:
        self.positive, self.method_caller = positive, method_caller

    def __call__(self, estimator: Any, method: str, X: Any, pos_label: Any = None) -> Any:
        score = self.method_caller(estimator, method, X, pos_label=pos_label)
        if self.positive is None or self.positive != estimator.classes_[0]:
            return score
        return -score


METRICS = _LABEL_ONLY | {"share": predicted_share} | _CORRECTED
"""Every metric, by name."""

NEED_PRIOR = frozenset(_CORRECTED)
"""The names of those that need a class prior."""

_METRICS = frozenset(METRICS.values())
_OF_SCORE = frozenset(
    {
        label_auc_score,
        boyce_index_score,
        corrected_auc_score,
        corrected_average_precision_score,
        corrected_precision_at_k_score,
    }
)
"""The metrics that take a score; the others take predictions."""

_SAME_FUNCTIONS = frozenset({pu_recall_score, label_auc_score})
OF_SCORE, SAME_IN_TWO_SAMPLES = (
    frozenset(name for name, function in METRICS.items() if function in some)
    for some in (_OF_SCORE, _SAME_FUNCTIONS)
)
"""The names of those that take a score, and of those without `sampling`."""

_SHARED_OPTIONS = frozenset({"class_prior", "sampling", "positive_label", "sample_weight"})

f1_pu_scorer = make_pu_scorer("f1_pu")
"""Scorer of :func:`f1_pu_score`; it reads the positive label value from the classifier.

This object is global. To set metadata requests, create your own scorer with
:func:`make_pu_scorer`.
"""

label_auc_scorer = make_pu_scorer("label_auc")
"""Scorer of :func:`label_auc_score`; it reads the positive label value from the classifier.

This object is global. To set metadata requests, create your own scorer with
:func:`make_pu_scorer`.
"""

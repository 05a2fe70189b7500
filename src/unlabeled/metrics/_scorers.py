"""PU metrics as scikit-learn scorers, for cross-validation and grid search."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.metrics import make_scorer

from ..engine.estimators import fitted_model, positive_class_of
from ..engine.sampling import ONE_SAMPLE, Sampling, SamplingWord, check_class_prior
from ._label_only import f1_pu_score
from ._metric import METRICS, Metric, metric_of


def make_pu_scorer(
    metric: str | Callable[..., float],
    *,
    pos_label: Any = None,
    class_prior: float | None = None,
    sampling: SamplingWord | None = None,
    **options: Any,
) -> Any:
    """Turn a PU metric into a scorer for scikit-learn's model selection.

    Makes the assumptions of the metric; all metrics of this library assume SCAR. The scorer
    compares the result of ``predict`` with the label column, so ``cross_val_score`` and
    ``GridSearchCV`` need only ``(X, y)``. Metrics of a score compare the score instead:
    ``decision_function``, or ``predict_proba`` if the classifier has none.

    Parameters
    ----------
    metric : str or callable
        The name of a metric, such as "f1_pu", or "f1" with `class_prior`; the
        reference lists them. Or a function ``metric(y, y_pred, **options)`` of predictions for
        which larger is better.
    pos_label : optional
        The value that marks labeled rows. By default the one that the scored
        classifier uses, if it is one of this package (also in a pipeline or a
        search); otherwise the larger of two numbers, or the text that says it.
    class_prior : float, optional
        P(Y=1) in the whole sample, for the metrics that need it. In two samples, P(Y=1) in the
        population of the unlabeled rows.
    sampling : {"one-sample", "two-sample"}, optional
        Which rows are the population: all of them, or only the unlabeled ones because the
        labeled rows come from elsewhere. By default as the scored classifier has it.
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
    **What breaks it:** a test fold without labeled rows has no recall: the scorer raises
    ValueError, which scikit-learn turns into a score of NaN and a warning with the reason (or
    an error, with ``error_score="raise"``). Stratified folds, the default of scikit-learn for
    classifiers, avoid it. "recall" is largest if everything is predicted positive, "lift" if
    hardly anything is: do not select models by them.

    ``TunedThresholdClassifierCV`` calls the metric directly, so the scorer cannot read the
    positive label from the classifier. If labels are text that does not say which value is
    positive, pass `pos_label`.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_val_score
    >>> from unlabeled.metrics import make_pu_scorer
    >>> X = np.repeat([[0.0], [5.0]], 10, axis=0)
    >>> y = np.repeat(["none", "labeled"], 10)
    >>> scorer = make_pu_scorer("f1_pu", pos_label="labeled")
    >>> cross_val_score(LogisticRegression(), X, y, scoring=scorer, cv=2)
    array([2., 2.])
    """
    Sampling.of(sampling or ONE_SAMPLE)  # rejects any other value
    ours = _known_metric(metric, class_prior)
    if ours is not None:
        ours.check_options(options)
    if pos_label is not None:
        options["pos_label"] = pos_label
    if class_prior is not None:
        options["class_prior"] = check_class_prior(class_prior, sampling or ONE_SAMPLE)
    if sampling is not None and (ours is None or ours.has_sampling):
        options["sampling"] = sampling
    of_score = ours is not None and ours.of_score
    response = ("decision_function", "predict_proba") if of_score else "predict"
    function = metric if ours is None else ours.function
    return _PUScorer.of(make_scorer(function, response_method=response, **options))


def _known_metric(metric: Any, class_prior: float | None) -> Metric | None:
    """Return our metric of this name or function; None for a function that is not ours."""
    ours = metric_of(metric)
    if not callable(metric) and (ours is None or not ours.ranks):
        listing = ", ".join(repr(name) for name, known in sorted(METRICS.items()) if known.ranks)
        raise ValueError(f"`metric` must be one of {listing} or a function; got {metric!r}.")
    if ours is not None and ours.needs_prior != (class_prior is not None):
        allowed = "a number in (0, 1)" if ours.needs_prior else "None"
        advice = (
            "Pass P(Y=1), or use 'f1_pu', which does not need it."
            if ours.needs_prior
            else "This metric needs only the labels."
        )
        raise ValueError(
            f"`class_prior` must be {allowed} for the metric {ours.name!r}; got {class_prior!r}. "
            f"{advice}"
        )
    return ours


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
        ours = metric_of(self._score_func)
        if ours is not None and "pos_label" not in self._kwargs:
            positive = positive_class_of(estimator)
            if positive is not None:
                kwargs["pos_label"] = positive
        if ours is not None and ours.has_sampling and "sampling" not in self._kwargs:
            kwargs["sampling"] = getattr(fitted_model(estimator), "sampling", ONE_SAMPLE)
        if ours is not None and ours.of_score:
            # scikit-learn turns scores to a `pos_label` that it is given beforehand.
            positive, caller = (self._kwargs | kwargs).get("pos_label"), method_caller

            def method_caller(*of: Any, **_: Any) -> Any:
                return caller(*of, pos_label=positive)

        return float(super()._score(method_caller, estimator, X, y_true, **kwargs))


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

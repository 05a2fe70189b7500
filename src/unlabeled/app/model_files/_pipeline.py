"""Reduce a fitted pipeline to what `transform` and `predict` need, without training rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from ...classifier import PUClassifier
from ...engine.estimators import boosters_in
from ...thresholds import Rule
from ..tables import TableFeatures
from ._nodes import ModelFileError
from ._trees import TreeStore, holds_trees
from ._trusted import TRUSTED, StoredTrees

# Scores of training rows, and what computes them; predictions do not need them.
_OF_ROWS = (
    "cuts_",
    "observed_cuts_",
    "held_out_score_",
    "_held_out_label_score_",
    "_held_out_missed_",
    "_held_out_negative_",
    "_undecided_cuts_",
    "_held_out_propensity_",
    "_left_out_",
    "_missed_along_",
    "labeling_found_",
)
# Settings that may be estimators; only a fit uses them.
_USED_IN_THE_FIT = ("class_prior", "label_frequency")


def fitted_steps(pipeline: Any) -> tuple[TableFeatures, Any]:
    """Return the two fitted steps of a `table_pipeline`; reject anything else."""
    names = [name for name, _ in pipeline.steps] if isinstance(pipeline, Pipeline) else None
    if names != ["table", "classifier"] or not isinstance(pipeline["table"], TableFeatures):
        what = type(pipeline).__name__ if names is None else f"steps {', '.join(names)}"
        raise ModelFileError(
            "`pipeline` must be a fitted table_pipeline, with the steps table and classifier; "
            f"got {what}. Use unlabeled.app.table_pipeline."
        )
    features, classifier = pipeline["table"], pipeline["classifier"]
    if not hasattr(features, "features_") or not hasattr(classifier, "classes_"):
        raise ModelFileError("`pipeline` must be fitted; got one that is not. Call fit first.")
    return features, classifier


def fitted_parts(model: Any) -> tuple[TableFeatures | None, Any]:
    """Return the features of a table, if a pipeline begins with them, and the classifier."""
    steps = [step for _, step in model.steps] if isinstance(model, Pipeline) else [model]
    classifier = steps[-1]
    if not isinstance(classifier, PUClassifier):
        raise ModelFileError(
            "`model` must be a classifier of this library, or a pipeline that ends in one; got "
            f"{type(classifier).__name__}. PUThresholdClassifier makes one of any classifier."
        )
    features = steps[0] if isinstance(steps[0], TableFeatures) else None
    fitted = features is None or hasattr(features, "features_")
    if not fitted or not hasattr(classifier, "classes_"):
        raise ModelFileError("`model` must be fitted; got one that is not. Call fit first.")
    return features, classifier


def check_settings(classifier: Any) -> None:
    """Reject what a file cannot hold: boosting of others, functions, and row indices in `cv`."""
    for name in boosters_in(classifier).values():
        raise ModelFileError(
            "`model` must hold no classifier of LightGBM, XGBoost or CatBoost to be saved, because "
            f"a file holds lines, and trees of scikit-learn, alone; got {name}. Keep the object "
            "with joblib, and open such a file only if you trust its author: it can run code."
        )
    for name, value in classifier.get_params(deep=True).items():
        if isinstance(value, Rule):
            raise ModelFileError(
                f"`{name}` of the classifier must be text to be saved; got a Rule, which holds "
                f"functions. Fit with {name}={value.name!r}."
            )
        is_cv = name.rpartition("__")[2] == "cv"
        if is_cv and not isinstance(value, int | np.integer | str | None):
            raise ModelFileError(
                f"`{name}` of the classifier must be a number or text to be saved; got "
                f"{type(value).__name__}, which may hold row numbers. Fit with a number of folds."
            )


def _check_steps(model: Any) -> None:
    """Reject a pipeline with a step before the classifier that a file cannot hold."""
    steps = model.steps[:-1] if isinstance(model, Pipeline) else []
    for name, step in steps:
        kind = type(step)
        if not (
            isinstance(step, TableFeatures | str | None)
            or ("ObjectNode", kind.__module__, kind.__name__) in TRUSTED
        ):
            raise ModelFileError(
                f"`model` must have no step that a model file cannot hold; got {name!r}, of type "
                f"{kind.__name__}. A file holds a StandardScaler, or the first step of "
                "unlabeled.app.table_pipeline, which turns columns of any kind into numbers and "
                "fills missing cells."
            )


def without_rows(model: Any) -> Any:
    """Return a copy that predicts the same and has no data about individual rows.

    It shares its fitted parts with `model`, which is not changed.
    """
    _, classifier = fitted_parts(model)
    _check_steps(model)
    check_settings(classifier)
    return _slim_classifier(model, TreeStore())


def _slim_classifier(estimator: Any, trees: TreeStore) -> Any:
    if holds_trees(estimator):
        return trees.store(estimator)
    slim = copy(estimator)
    for name in _OF_ROWS:
        vars(slim).pop(name, None)
    for name in _USED_IN_THE_FIT:
        given = getattr(slim, name, None)
        if hasattr(given, "fit"):
            setattr(slim, name, clone(given))
    fitted_before = getattr(slim, "cv", "prefit")  # an AuditedClassifier has no `cv`
    prefit = isinstance(fitted_before, str) and fitted_before == "prefit"
    _replace_inner(
        slim,
        lambda fitted: _slim_classifier(fitted, trees),
        lambda given: slim.estimator_ if prefit else _slim_classifier(clone(given), trees),
    )
    return slim


def restore_trees(estimator: Any, trees: TreeStore) -> Any:
    """Return the estimator with trees where `_slim_classifier` stored them as arrays."""
    if isinstance(estimator, StoredTrees):
        return trees.read(estimator)

    def restored(inner: Any) -> Any:
        return restore_trees(inner, trees)

    _replace_inner(estimator, restored, restored)
    return estimator


def _replace_inner(
    model: Any, of_fitted: Callable[[Any], Any], of_given: Callable[[Any], Any]
) -> None:
    """Replace the models inside a model: those that it fitted, and those that it was given."""
    if isinstance(model, Pipeline):
        last, step = model.steps[-1]
        model.steps = [*model.steps[:-1], (last, of_fitted(step))]
    if hasattr(model, "estimator_"):
        model.estimator_ = of_fitted(model.estimator_)
        model.estimator = of_given(model.estimator)
    if hasattr(model, "members_"):
        model.members_ = {name: of_fitted(member) for name, member in model.members_.items()}
    if getattr(model, "members", None) is not None:
        model.members = [(name, of_given(member)) for name, member in model.members]


def tree_models(estimator: Any) -> Iterator[Any]:
    """Yield the fitted models of trees inside a classifier."""
    if holds_trees(estimator):
        yield estimator
        return
    inner = [estimator.steps[-1][1]] if isinstance(estimator, Pipeline) else []
    inner += [estimator.estimator_] if hasattr(estimator, "estimator_") else []
    inner += getattr(estimator, "members_", {}).values()
    for model in inner:
        yield from tree_models(model)

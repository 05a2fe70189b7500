"""Reduce a fitted pipeline to what `transform` and `predict` need, without training rows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import copy
from datetime import timedelta, timezone, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from ...thresholds import Rule
from ..tables import TableFeatures
from ._nodes import ModelFileError
from ._trees import TreeStore, holds_trees
from ._trusted import TYPE_OF_DATES, StoredTrees

# Scores of training rows, and what computes them; predictions do not need them.
_OF_ROWS = ("cuts_", "observed_cuts_", "held_out_score_", "_left_out")
# Settings that may be estimators; only a fit uses them.
_USED_IN_THE_FIT = ("class_prior", "label_frequency")
# Steps of the vectoriser that are also in its pipeline.
_STEPS_HELD_TWICE = (
    "_preprocessors",
    "_encoders",
    "_named_encoders",
    "_specific_transformers",
    "_postprocessors",
    "all_processing_steps_",
)
_BETWEEN_WORDS = "\n"
_MOST_WORDS = 2_000_000

_TIMEZONE_DTYPE = re.compile(TYPE_OF_DATES, flags=re.ASCII)
_SECOND = timedelta(seconds=1)


def parts(pipeline: Any) -> tuple[TableFeatures, Any]:
    """Return the two fitted steps of a `table_pipeline`; reject anything else."""
    names = [name for name, _ in pipeline.steps] if isinstance(pipeline, Pipeline) else None
    if names != ["table", "classifier"] or not isinstance(pipeline["table"], TableFeatures):
        what = type(pipeline).__name__ if names is None else f"steps {', '.join(names)}"
        raise ModelFileError(
            "`pipeline` must be a fitted table_pipeline, with the steps table and classifier; "
            f"got {what}. Use unlabeled.app.tables.table_pipeline."
        )
    features, classifier = pipeline["table"], pipeline["classifier"]
    if not hasattr(features, "vectoriser_") or not hasattr(classifier, "classes_"):
        raise ModelFileError("`pipeline` must be fitted; got one that is not. Call fit first.")
    return features, classifier


def check_settings(classifier: Any) -> None:
    """Reject settings that a file cannot hold: functions, and row indices in `cv`."""
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


def without_rows(pipeline: Any) -> Pipeline:
    """Return a copy that predicts the same and has no data about individual rows.

    It shares its fitted parts with `pipeline`, which is not changed.
    """
    features, classifier = parts(pipeline)
    check_settings(classifier)
    slim = copy(features)
    slim.vectoriser_ = _slim_vectoriser(features.vectoriser_)
    return Pipeline([("table", slim), ("classifier", _slim_classifier(classifier, TreeStore()))])


def _slim_classifier(estimator: Any, trees: TreeStore) -> Any:
    if holds_trees(estimator):
        return trees.store(estimator)
    slim = copy(estimator)
    if isinstance(slim, Pipeline):
        last, step = slim.steps[-1]
        slim.steps = [*slim.steps[:-1], (last, _slim_classifier(step, trees))]
    for name in _OF_ROWS:
        vars(slim).pop(name, None)
    for name in _USED_IN_THE_FIT:
        given = getattr(slim, name, None)
        if hasattr(given, "fit"):
            setattr(slim, name, clone(given))
    if hasattr(slim, "estimator_"):
        slim.estimator_ = _slim_classifier(slim.estimator_, trees)
        fitted_before = getattr(slim, "cv", "prefit")  # an AuditedClassifier has no `cv`
        prefit = isinstance(fitted_before, str) and fitted_before == "prefit"
        slim.estimator = (
            slim.estimator_ if prefit else _slim_classifier(clone(slim.estimator), trees)
        )
    if hasattr(slim, "members_"):
        slim.members_ = {name: _slim_classifier(one, trees) for name, one in slim.members_.items()}
    if getattr(slim, "members", None) is not None:
        slim.members = [(name, _slim_classifier(clone(one), trees)) for name, one in slim.members]
    return slim


def tree_models(estimator: Any) -> Iterator[Any]:
    """Yield the fitted models of trees inside a classifier."""
    if holds_trees(estimator):
        yield estimator
        return
    inner = [estimator.steps[-1][1]] if isinstance(estimator, Pipeline) else []
    inner += [estimator.estimator_] if hasattr(estimator, "estimator_") else []
    inner += getattr(estimator, "members_", {}).values()
    for one in inner:
        yield from tree_models(one)


def restore_trees(estimator: Any, trees: TreeStore) -> Any:
    """Return the estimator with trees where `_slim_classifier` stored them as arrays."""
    if isinstance(estimator, StoredTrees):
        return trees.read(estimator)
    if isinstance(estimator, Pipeline):
        last, step = estimator.steps[-1]
        estimator.steps = [*estimator.steps[:-1], (last, restore_trees(step, trees))]
    for name in ("estimator", "estimator_"):
        if hasattr(estimator, name):
            setattr(estimator, name, restore_trees(getattr(estimator, name), trees))
    if hasattr(estimator, "members_"):
        fitted = estimator.members_.items()
        estimator.members_ = {name: restore_trees(one, trees) for name, one in fitted}
    if getattr(estimator, "members", None) is not None:
        estimator.members = [(name, restore_trees(one, trees)) for name, one in estimator.members]
    return estimator


def _slim_vectoriser(vectoriser: Any) -> Any:
    """Return a copy without column selectors, and with vocabularies and time zones as text.

    Selectors hold functions and references to earlier steps. With them a file would be unsafe,
    and would contain every word about thirty times.
    """
    slim = copy(vectoriser)
    for name in _STEPS_HELD_TWICE:
        vars(slim).pop(name, None)
    replaced: dict[int, Any] = {}
    steps = []
    for name, step in vectoriser._pipeline.steps:
        step = copy(step)
        if hasattr(step, "transformers_"):
            step.cols = list(step.transformers_)
            step.transformers_ = _as_written(step.transformers_, replaced)
        steps.append((name, step))
    slim._pipeline = Pipeline(steps)
    slim.transformers_ = _as_written(slim.transformers_, replaced)
    return slim


def restore_vectoriser(vectoriser: Any) -> None:
    """Restore the vocabularies of encoders of text, and the types of dates, from text."""
    numbers_of: dict[str, dict[str, int]] = {}  # cache: many encoders may share one vocabulary
    for one in vectoriser.transformers_.values():
        words = getattr(getattr(one, "vectorizer_", None), "vocabulary_", None)
        if isinstance(words, str):
            if words not in numbers_of:
                numbers_of[words] = _numbers_of_words(words)
            one.vectorizer_.vocabulary_ = numbers_of[words]
    for _, step in vectoriser._pipeline.steps:
        for one in getattr(step, "transformers_", {}).values():
            if isinstance(getattr(one, "output_dtype_", None), str):
                one.output_dtype_ = timezone_dtype_from_text(one.output_dtype_)


def _numbers_of_words(words: str) -> dict[str, int]:
    if words.count(_BETWEEN_WORDS) >= _MOST_WORDS:
        raise ValueError(f"a text has more than {_MOST_WORDS} pieces")
    return {word: number for number, word in enumerate(words.split(_BETWEEN_WORDS))}


def _as_written(transformers: dict[str, Any], replaced: dict[int, Any]) -> dict[str, Any]:
    """Replace text encoders and date parsers; `replaced` maps each object to its replacement."""
    for one in transformers.values():
        if id(one) not in replaced:
            replaced[id(one)] = _with_zone_as_text(_with_vocabulary_as_text(one))
    return {name: replaced[id(one)] for name, one in transformers.items()}


def _with_vocabulary_as_text(one: Any) -> Any:
    words = getattr(getattr(one, "vectorizer_", None), "vocabulary_", None)
    if not isinstance(words, dict) or not _can_be_joined(words):
        return one
    encoder = copy(one)
    encoder.vectorizer_ = copy(one.vectorizer_)
    encoder.vectorizer_.vocabulary_ = _BETWEEN_WORDS.join(sorted(words, key=words.get))  # type: ignore[arg-type]
    return encoder


def _with_zone_as_text(one: Any) -> Any:
    dtype = getattr(one, "output_dtype_", None)
    if getattr(dtype, "tz", None) is None:
        return one
    reader = copy(one)
    reader.output_dtype_ = timezone_dtype_as_text(dtype)
    return reader


def _can_be_joined(words: dict[str, int]) -> bool:
    in_order = sorted(words.values()) == list(range(len(words)))
    return (
        0 < len(words) <= _MOST_WORDS
        and in_order
        and not any(_BETWEEN_WORDS in word for word in words)
    )


# The type of a column of dates with a time zone, as text. Zones come in several kinds: pandas
# before 3 makes those of pytz, which skops cannot write, and older versions of skops lose those
# of the standard library.


def timezone_dtype_as_text(dtype: Any) -> str:
    """Write the type as its unit and the name of its zone, or the seconds from UTC."""
    text = f"datetime64[{dtype.unit}, {_zone_as_text(dtype.tz)}]"
    if not _TIMEZONE_DTYPE.fullmatch(text):
        raise ModelFileError(
            "`pipeline` must be fitted to dates in time zones that have a name; got "
            f"{str(dtype.tz)[:80]}. Convert the dates before the fit, for example to UTC."
        )
    return text


def timezone_dtype_from_text(text: str) -> Any:
    """Return the type, with a zone of the standard library, which looks up names only."""
    import pandas as pd

    found = _TIMEZONE_DTYPE.fullmatch(text)
    if found is None:
        raise ValueError(f"{text[:40]!r} is not a type of dates")
    unit, name, seconds = found.groups()
    return pd.DatetimeTZDtype(unit, ZoneInfo(name) if name else timezone(int(seconds) * _SECOND))


def _zone_as_text(zone: tzinfo) -> str:
    # Zones of pytz have `zone`, those of the standard library have `key`, offsets have neither.
    name = getattr(zone, "zone", None) or getattr(zone, "key", None)
    if name:
        return str(name)
    offset = zone.utcoffset(None)
    return "" if offset is None or offset % _SECOND else f"{offset // _SECOND:+d} s"

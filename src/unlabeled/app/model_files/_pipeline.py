"""A fitted pipeline as written: what `transform` and `predict` need, no numbers of single rows."""

from __future__ import annotations

import re
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
from ._trusted import TYPE_OF_DATES

# The type of a column of dates with a time zone, as text.
# There are several kinds of zones: pandas before 3 makes those of pytz, which skops cannot
# write, and older versions of skops lose those of the standard library. A name will do.

_WRITTEN = re.compile(TYPE_OF_DATES, flags=re.ASCII)
_SECOND = timedelta(seconds=1)


def has_zone(dtype: Any) -> bool:
    """Tell whether this is the type of dates with a time zone."""
    return getattr(dtype, "tz", None) is not None


def type_as_text(dtype: Any) -> str:
    """Write the type as its unit and the name of its zone, or the seconds from UTC."""
    text = f"datetime64[{dtype.unit}, {_name(dtype.tz)}]"
    if not _WRITTEN.fullmatch(text):
        raise ModelFileError(
            "`pipeline` must be fitted to dates in time zones that have a name; got "
            f"{str(dtype.tz)[:80]}. Convert them before the fit, for example to UTC."
        )
    return text


def type_from_text(text: str) -> Any:
    """Make the type again, with a zone of the standard library, which looks up names only."""
    import pandas as pd

    found = _WRITTEN.fullmatch(text)
    if found is None:
        raise ValueError(f"{text[:40]!r} is no type of dates")
    unit, name, seconds = found.groups()
    return pd.DatetimeTZDtype(unit, ZoneInfo(name) if name else timezone(int(seconds) * _SECOND))


def _name(zone: tzinfo) -> str:
    # Zones of pytz have a `zone`, those of the standard library a `key`, offsets neither.
    name = getattr(zone, "zone", None) or getattr(zone, "key", None)
    if name:
        return str(name)
    offset = zone.utcoffset(None)
    return "" if offset is None or offset % _SECOND else f"{offset // _SECOND:+d} s"


# Skrub's fitted vectoriser as it is written: what `transform` needs, and that once.

# The steps of the vectoriser, which its pipeline has as well.
_SAID_TWICE = (
    "_preprocessors",
    "_encoders",
    "_named_encoders",
    "_specific_transformers",
    "_postprocessors",
    "all_processing_steps_",
)
_BETWEEN_WORDS = "\n"
_MOST_WORDS = 2_000_000


def only_for_transform(vectoriser: Any) -> Any:
    """Return a copy without the selectors of columns; words of a text and time zones are text.

    Selectors are functions that point to the steps before them: with them a file would hold
    functions, and every word some thirty times.
    """
    slim = copy(vectoriser)
    for name in _SAID_TWICE:
        vars(slim).pop(name, None)
    put: dict[int, Any] = {}
    steps = []
    for name, step in vectoriser._pipeline.steps:
        step = copy(step)
        if hasattr(step, "transformers_"):
            step.cols = list(step.transformers_)
            step.transformers_ = _as_written(step.transformers_, put)
        steps.append((name, step))
    slim._pipeline = Pipeline(steps)
    slim.transformers_ = _as_written(slim.transformers_, put)
    return slim


def complete(vectoriser: Any) -> None:
    """Give the encoders of text their dictionaries again, and dates their types."""
    numbers_of: dict[str, dict[str, int]] = {}  # a file may give a text to many encoders
    for one in vectoriser.transformers_.values():
        words = getattr(getattr(one, "vectorizer_", None), "vocabulary_", None)
        if isinstance(words, str):
            if words not in numbers_of:
                numbers_of[words] = _numbers_of_words(words)
            one.vectorizer_.vocabulary_ = numbers_of[words]
    for _, step in vectoriser._pipeline.steps:
        for one in getattr(step, "transformers_", {}).values():
            if isinstance(getattr(one, "output_dtype_", None), str):
                one.output_dtype_ = type_from_text(one.output_dtype_)


def _numbers_of_words(words: str) -> dict[str, int]:
    if words.count(_BETWEEN_WORDS) >= _MOST_WORDS:
        raise ValueError(f"a text has more than {_MOST_WORDS} pieces")
    return {word: number for number, word in enumerate(words.split(_BETWEEN_WORDS))}


def _as_written(transformers: dict[str, Any], put: dict[int, Any]) -> dict[str, Any]:
    """Replace encoders of text and readers of dates; `put` has what each was replaced by."""
    for one in transformers.values():
        if id(one) not in put:
            put[id(one)] = _with_zone_as_text(_with_words_together(one))
    return {name: put[id(one)] for name, one in transformers.items()}


def _with_words_together(one: Any) -> Any:
    words = getattr(getattr(one, "vectorizer_", None), "vocabulary_", None)
    if not isinstance(words, dict) or not _can_be_joined(words):
        return one
    encoder = copy(one)
    encoder.vectorizer_ = copy(one.vectorizer_)
    encoder.vectorizer_.vocabulary_ = _BETWEEN_WORDS.join(sorted(words, key=words.get))  # type: ignore[arg-type]
    return encoder


def _with_zone_as_text(one: Any) -> Any:
    dtype = getattr(one, "output_dtype_", None)
    if not has_zone(dtype):
        return one
    reader = copy(one)
    reader.output_dtype_ = type_as_text(dtype)
    return reader


def _can_be_joined(words: dict[str, int]) -> bool:
    in_order = sorted(words.values()) == list(range(len(words)))
    return (
        0 < len(words) <= _MOST_WORDS
        and in_order
        and not any(_BETWEEN_WORDS in word for word in words)
    )


# A fitted pipeline without the numbers of single rows, and without what only a fit needs.

# Scores of every row of the fit, for pictures and reports; predictions do not need them.
_OF_ROWS = ("cuts_", "observed_cuts_")
# Settings that may be estimators, used in the fit only.
_USED_IN_THE_FIT = ("class_prior", "label_frequency")


def parts(pipeline: Any) -> tuple[TableFeatures, Any]:
    """Return the two fitted steps of a `table_pipeline`."""
    names = [name for name, _ in pipeline.steps] if isinstance(pipeline, Pipeline) else None
    if names != ["table", "classifier"] or not isinstance(pipeline["table"], TableFeatures):
        what = type(pipeline).__name__ if names is None else f"steps {', '.join(names)}"
        raise ModelFileError(
            f"`pipeline` must be a fitted table_pipeline, with the steps table and classifier; "
            f"got {what}. Use unlabeled.app.tables.table_pipeline."
        )
    features, classifier = pipeline["table"], pipeline["classifier"]
    if not hasattr(features, "vectoriser_") or not hasattr(classifier, "classes_"):
        raise ModelFileError("`pipeline` must be fitted; got one that is not. Call fit first.")
    return features, classifier


def check_settings(classifier: Any) -> None:
    """Reject settings that a file cannot hold: functions, and numbers of rows."""
    for name, value in classifier.get_params(deep=True).items():
        _check_setting(name, value)


def without_rows(pipeline: Any) -> Pipeline:
    """Return a copy that predicts the same and holds no numbers of single rows.

    The fitted parts that are kept are shared with `pipeline`, which is not changed.
    """
    features, classifier = parts(pipeline)
    check_settings(classifier)
    slim = copy(features)
    slim.vectoriser_ = only_for_transform(features.vectoriser_)
    return Pipeline([("table", slim), ("classifier", _slim(classifier))])


def _slim(estimator: Any) -> Any:
    slim = copy(estimator)
    if isinstance(slim, Pipeline):
        last, step = slim.steps[-1]
        slim.steps = [*slim.steps[:-1], (last, _slim(step))]
    for name in _OF_ROWS:
        vars(slim).pop(name, None)
    for name in _USED_IN_THE_FIT:
        given = getattr(slim, name, None)
        if hasattr(given, "fit"):
            setattr(slim, name, clone(given))
    if hasattr(slim, "estimator_"):
        slim.estimator_ = _slim(slim.estimator_)
        prefit = isinstance(slim.cv, str) and slim.cv == "prefit"
        slim.estimator = slim.estimator_ if prefit else clone(slim.estimator)
    return slim


def _check_setting(name: str, value: Any) -> None:
    if isinstance(value, Rule):
        raise ModelFileError(
            f"`{name}` of the classifier must be text to be saved; got a Rule, which holds "
            f"functions. Fit with {name}={value.name!r}."
        )
    at_end = name.rpartition("__")[2]
    if at_end == "cv" and not isinstance(value, int | np.integer | str | None):
        raise ModelFileError(
            f"`{name}` of the classifier must be a number or text to be saved; got "
            f"{type(value).__name__}, which may hold numbers of rows. Fit with a number of folds."
        )

"""Skrub's fitted vectoriser as it is written: what `transform` needs, and that once."""

from __future__ import annotations

from copy import copy
from typing import Any

from sklearn.pipeline import Pipeline

from ._zones import has_zone, type_as_text, type_from_text

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

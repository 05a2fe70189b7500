"""Skrub's fitted vectoriser as it is written: what `transform` needs, and that once."""

from __future__ import annotations

from copy import copy
from typing import Any

from sklearn.pipeline import Pipeline

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


def only_for_transform(vectoriser: Any) -> Any:
    """Return a copy without the selectors of columns, and with the words of a text as one.

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
            step.transformers_ = _with_words_together(step.transformers_, put)
        steps.append((name, step))
    slim._pipeline = Pipeline(steps)
    slim.transformers_ = _with_words_together(slim.transformers_, put)
    return slim


def take_words_apart(vectoriser: Any) -> None:
    """Give the encoders of text their dictionaries again."""
    for one in vectoriser.transformers_.values():
        words = getattr(getattr(one, "vectorizer_", None), "vocabulary_", None)
        if isinstance(words, str):
            numbered = enumerate(words.split(_BETWEEN_WORDS))
            one.vectorizer_.vocabulary_ = {word: number for number, word in numbered}


def _with_words_together(transformers: dict[str, Any], put: dict[int, Any]) -> dict[str, Any]:
    """Replace encoders of text; `put` has those that were replaced before."""
    for one in transformers.values():
        words = getattr(getattr(one, "vectorizer_", None), "vocabulary_", None)
        if isinstance(words, dict) and id(one) not in put and _can_be_joined(words):
            encoder = copy(one)
            encoder.vectorizer_ = copy(one.vectorizer_)
            encoder.vectorizer_.vocabulary_ = _BETWEEN_WORDS.join(sorted(words, key=words.get))  # type: ignore[arg-type]
            put[id(one)] = encoder
    return {name: put.get(id(one), one) for name, one in transformers.items()}


def _can_be_joined(words: dict[str, int]) -> bool:
    in_order = sorted(words.values()) == list(range(len(words)))
    return bool(words) and in_order and not any(_BETWEEN_WORDS in word for word in words)

"""Words describe the features of text: those of rows in which a feature is large or small."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from unlabeled.app.tables import TableFeatures, topics_of
from unlabeled.app.tables._features import _correlation, _topics, _words


@pytest.fixture(scope="module")
def notes() -> pd.DataFrame:
    rng, n = np.random.default_rng(0), 400
    place = rng.choice(["chest pain", "itching skin"], n)
    days = rng.integers(1, 400, n)
    texts = [f"{one} for {day} days" for one, day in zip(place, days, strict=True)]
    return pd.DataFrame({"notes": texts, "age": rng.normal(size=n)})


@pytest.fixture(scope="module")
def fitted(notes):
    features = TableFeatures(text_components=3)
    return features, features.fit_transform(notes)


def test_words_of_the_first_direction_separate_the_two_kinds_of_notes(notes, fitted):
    features, numbers = fitted
    topics = topics_of(features, notes, numbers)
    sides = [({*topic.large[:2]}, {*topic.small[:2]}) for topic in topics.values()]
    chest, skin = {"chest", "pain"}, {"itching", "skin"}
    assert (chest, skin) in sides or (skin, chest) in sides


def test_only_features_of_text_have_words(notes, fitted):
    features, numbers = fitted
    assert all(name.startswith("notes (text ") for name in topics_of(features, notes, numbers))
    ages = TableFeatures().fit(notes[["age"]])
    assert topics_of(ages, notes[["age"]], ages.transform(notes[["age"]])) == {}


def test_a_word_that_few_rows_have_is_never_shown():
    texts = pd.Series(["Mrs Rosenthal came"] * 9 + ["somebody came"] * 91)
    large = (np.arange(100) < 9).astype(float)[:, None]
    (topic,) = _topics(texts, large)
    assert topic == ((), ("somebody",))


def test_correlation_is_that_of_numpy():
    rng = np.random.default_rng(1)
    texts = pd.Series(rng.choice(["red", "green red", "blue green", "red blue"], 300))
    numbers = rng.normal(size=(300, 2))
    words, has = _words(texts)
    found = _correlation(has, numbers)
    for j in range(2):
        for k in range(len(words)):
            by_numpy = np.corrcoef(has.toarray()[:, k], numbers[:, j])[0, 1]
            assert found[k, j] == pytest.approx(by_numpy, abs=1e-12)


def test_a_word_in_every_row_describes_nothing():
    (topic,) = _topics(pd.Series(["day one", "day two"] * 20), np.array([[0.0], [1.0]] * 20))
    assert topic == (("two",), ("one",))


def test_missing_cells_and_columns_without_frequent_words_have_no_words():
    numbers = np.arange(60.0)[:, None]
    assert _topics(pd.Series([None, "a"] * 30), numbers) == [((), ())]
    assert _topics(pd.Series([f"word{k}" for k in range(60)]), numbers) == [((), ())]

"""No classifier is silent and wrong about odd input; the table of the documentation says so."""

from __future__ import annotations

import csv

import pytest
import sklearn

import unlabeled
from tests.contracts.odd_inputs import (
    CLASSIFIERS,
    FILE,
    NEAR,
    ODD,
    SAYS,
    Numbers,
    S,
    Table,
    X,
    found,
    is_right,
    plain,
)

with FILE.open(newline="") as file:
    LINES = {line[""]: line for line in csv.DictReader(file)}

# Cells in which numbers are off and nothing says so. They are on the page as WRONG.
STILL_WRONG: dict[str, tuple[str, ...]] = {
    "heavy tails": (
        "PULogistic",
        "PUThresholdClassifier over a line",
        "WeightedLogistic",
    ),
    "a column that is the label": ("PUThresholdClassifier over a tree",),
    "a column that tells the label": ("PUThresholdClassifier over a tree",),
    "labels the wrong way round": ("WeightedLogistic",),
    "labels that a line separates": (
        "PULogistic",
        "PUEnsemble",
        "PUThresholdClassifier over a line",
        "PUThresholdClassifier over a tree",
        "PropensityLogistic",
    ),
    "labels that have nothing to do with X": (
        "EnhancedLogistic",
        "NaiveLogistic",
    ),
}

newest = pytest.mark.skipif(
    tuple(map(int, sklearn.__version__.split(".")[:2])) < (1, 9),
    reason="the table has the sentences and numbers of scikit-learn 1.9",
)


def test_the_table_has_every_odd_input_and_every_classifier():
    assert list(LINES) == list(ODD)
    assert len(ODD) >= 51
    public = {name for name in unlabeled.__all__ if hasattr(getattr(unlabeled, name), "fit")}
    assert {name.split()[0] for name in CLASSIFIERS} == public
    assert all(set(line) == {"", SAYS, *CLASSIFIERS} for line in LINES.values())


def test_the_page_hides_no_wrong_cell():
    wrong = {
        odd: tuple(name for name in CLASSIFIERS if line[name] == "WRONG")
        for odd, line in LINES.items()
    }
    assert {odd: names for odd, names in wrong.items() if names} == STILL_WRONG


@newest
@pytest.mark.filterwarnings("ignore:the matrix subclass")
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_a_classifier_makes_of_odd_input_what_the_table_says(name):
    """After a change on purpose: ``python -m tests.contracts.odd_inputs``."""
    cells = {odd: found(name, make()) for odd, make in ODD.items()}
    assert {odd: one.word for odd, one in cells.items()} == {
        odd: line[name] for odd, line in LINES.items()
    }
    for odd, one in cells.items():
        assert one.says in LINES[odd][SAYS]


def test_numbers_that_are_off_are_seen():
    """The judge itself: it finds a score, a class prior and a choice that are off."""
    known, score, _ = plain("NaiveLogistic", Table(X, S))
    same, other = Table(X, S), Table(X, S, is_other=True)
    assert is_right(same, known, score, known, score)
    assert not is_right(same, known, score + 1e-4, known, score)
    assert not is_right(same, known._replace(class_prior=0.9), score, known, score)
    for field in Numbers._fields:
        off = known._replace(**{field: getattr(known, field) + 1.01 * getattr(NEAR, field)})
        assert not is_right(other, off, score, known, score)
        inside = known._replace(**{field: getattr(known, field) + 0.99 * getattr(NEAR, field)})
        assert is_right(other, inside, score, known, score)

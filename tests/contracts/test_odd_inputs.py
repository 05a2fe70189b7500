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
    Y_TRUE,
    Numbers,
    S,
    Table,
    X,
    found,
    is_as_true,
    is_right,
    plain,
)

with FILE.open(newline="") as file:
    LINES = {line[""]: line for line in csv.DictReader(file)}

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


def test_no_cell_is_silent_and_wrong():
    wrong = [
        (odd, name) for odd, line in LINES.items() for name in CLASSIFIERS if "WRONG" in line[name]
    ]
    assert wrong == []


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


def test_a_misleading_table_has_the_right_numbers_only_if_they_are_as_near_to_the_truth():
    known = Numbers(auc=0.8, class_prior=Y_TRUE.mean() + 0.05, selected=Y_TRUE.mean() - 0.1)
    same = Numbers(0.8, class_prior=Y_TRUE.mean() - 0.0499, selected=Y_TRUE.mean() + 0.0999)
    assert is_as_true(same, known, Y_TRUE)
    for field, away in {"auc": -1.01 * NEAR.auc, "class_prior": -0.01, "selected": 0.01}.items():
        assert not is_as_true(same._replace(**{field: getattr(same, field) + away}), known, Y_TRUE)

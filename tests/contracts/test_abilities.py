"""The table of abilities in the documentation says what the code does."""

from __future__ import annotations

import csv

import pytest

import unlabeled
from tests.contracts.abilities import ABILITIES, CLASSIFIERS, FILE, WHY, answer

with FILE.open(newline="") as file:
    LINES = {line[""]: line for line in csv.DictReader(file)}


def test_the_table_has_every_ability_and_every_classifier():
    assert list(LINES) == list(ABILITIES)
    public = {name for name in unlabeled.__all__ if hasattr(getattr(unlabeled, name), "fit")}
    assert set(CLASSIFIERS) == public
    assert all(set(line) == {"", WHY, *public} for line in LINES.values())


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_a_classifier_can_what_the_table_says_and_refuses_the_rest_for_that_reason(classifier):
    """After a change on purpose: ``python -m tests.contracts.abilities``."""
    for name, line in LINES.items():
        found = answer(name, CLASSIFIERS[classifier])
        assert ("yes" if found.has else "no") == line[classifier], name
        assert found.why in line[WHY], name

"""Importance of columns: the numbers of the result, cut to the largest."""

import numpy as np
import pytest

from unlabeled.inspection import LabelImportance
from unlabeled.plots import ImportanceDisplay


@pytest.fixture
def importance():
    falls = np.array([0.1, 0.3, 0.2])[:, None, None] + np.zeros((3, 2, 2))
    falls[:, 1] += 0.02
    return LabelImportance(("age", "dose", "ward"), falls, np.array([0.8, 0.9]), 1.0)


def test_the_largest_are_kept_and_sorted(importance):
    numbers = ImportanceDisplay.from_importance(importance, top=2).to_frame()
    assert numbers["name"].tolist() == ["dose", "ward"]
    np.testing.assert_allclose(numbers["importance"], [0.31, 0.21])
    every = ImportanceDisplay.from_importance(importance, top=None).to_frame()
    assert every["name"].tolist() == ["dose", "ward", "age"]


def test_bars_are_one_standard_error_long(importance):
    ax = ImportanceDisplay.from_importance(importance).ax_
    (bars,) = ax.collections
    error = importance.to_frame()["standard_error"]
    ends = [segment[:, 0] for segment in bars.get_segments()]
    np.testing.assert_allclose(np.ptp(ends, axis=1), 2 * error)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["dose", "ward", "age"]


def test_the_label_says_how_many_are_shown(importance):
    ax = ImportanceDisplay.from_importance(importance, top=1).ax_
    assert "the 1 largest of 3" in ax.get_xlabel()


def test_a_bad_number_is_rejected(importance):
    with pytest.raises(ValueError, match="`top` must be .* got 0"):
        ImportanceDisplay.from_importance(importance, top=0)

"""The picture of a test: every draw is in a bar, and on the right side of the statistic."""

from types import SimpleNamespace

import numpy as np
import pytest

from unlabeled.plots import ScarTestDisplay


def result(statistic=5.0, null=(), p_value=0.25):
    return SimpleNamespace(statistic=statistic, null_statistics=np.array(null), p_value=p_value)


def test_every_draw_is_counted_once_on_its_side(rng):
    null = rng.chisquare(3, 500)
    numbers = ScarTestDisplay.from_test(result(4.0, null)).to_frame()
    assert numbers["as_large"].sum() == np.sum(null >= 4)
    assert numbers["smaller"].sum() == np.sum(null < 4)
    assert numbers["as_large"][numbers["right"] < 4].sum() == 0
    assert numbers["left"][0] == null.min()


def test_a_statistic_beyond_all_draws_is_in_the_picture():
    display = ScarTestDisplay.from_test(result(50.0, np.arange(20), 1 / 21))
    assert display.to_frame()["right"].iloc[-1] == 50
    assert display.to_frame()["as_large"].sum() == 0
    words = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert any("Observed 50, p = 0.048" in word for word in words)


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (SimpleNamespace(statistic=1.0), "without null_statistics, p_value"),
        (result(), "`null_statistics` must hold .*got 0 draws"),
        (result(null=[1, np.nan]), "got 2 draws, 1 of them not finite"),
    ],
)
def test_other_objects_than_results_are_rejected(bad, words):
    with pytest.raises(ValueError, match=words):
        ScarTestDisplay.from_test(bad)

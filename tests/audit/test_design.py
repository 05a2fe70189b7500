"""Which rows are drawn."""

import numpy as np
import pytest

from unlabeled.audit._design import design_rows, size_of_rows, tilted_deviation


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    logit = rng.normal(-2, 2, 1500)
    return logit, logit > 0.3


@pytest.mark.parametrize("size", [10, 50, 100, 137, 1500])
def test_exactly_as_many_rows_as_asked_and_strata_on_one_side(table, size):
    logit, predicted = table
    design = design_rows(logit, size_of_rows(logit, 1500), predicted, size)
    drawn = design.draw(np.random.RandomState(0))
    assert len(drawn) == len(set(drawn.tolist())) == size == design.drawn.sum()
    np.testing.assert_array_equal(
        np.bincount(design.stratum[drawn], minlength=len(design.drawn)), design.drawn
    )
    for stratum in range(len(design.drawn)):
        assert len(set(predicted[design.stratum == stratum].tolist())) == 1
    assert np.all(design.drawn <= design.rows)
    assert len(design.drawn) <= max(2, size // 12)


def test_strata_are_ranges_of_the_score(table):
    logit, predicted = table
    design = design_rows(logit, size_of_rows(logit, 1500), predicted, 100)
    for side in (False, True):
        order = np.argsort(logit[predicted == side])
        assert np.all(np.diff(design.stratum[predicted == side][order]) >= 0)


def test_every_row_of_a_stratum_is_equally_likely(table):
    """2000 draws: counts of rows within a stratum are binomial, up to the fixed total."""
    logit, predicted = table
    design = design_rows(logit[:120], np.ones(120), predicted[:120], 24)
    random, n = np.random.RandomState(3), 2000
    times = np.bincount(np.concatenate([design.draw(random) for _ in range(n)]), minlength=120)
    expected = n * (design.drawn / design.rows)[design.stratum]
    spread = np.sqrt(expected * (1 - expected / n))
    off = (times - expected) / spread
    assert np.max(np.abs(off)) < 4.2
    assert np.mean(off**2) == pytest.approx(1, abs=0.35)


def test_uncertain_rows_are_larger_but_no_row_is_small():
    logit = np.array([-10.0, -3.0, 0.0, 3.0, 10.0])
    size = size_of_rows(logit, 5)
    assert size.mean() == pytest.approx(1)
    assert size.min() > 0.75
    assert size[2] == size.max()
    by_hand = [1 / (1 + np.exp(-t)) for t in (-3.0, -1.5, -1.5, 0.0)]  # b = 1, 1/2; a = 0, 1.5
    deviation = np.mean([np.sqrt(f * (1 - f)) for f in by_hand])
    assert tilted_deviation(np.array([-3.0]))[0] == pytest.approx(deviation)


def test_plain_scores_make_all_rows_alike():
    np.testing.assert_array_equal(size_of_rows(None, 4), np.ones(4))


def test_nothing_above_the_cut(table):
    logit, _ = table
    design = design_rows(logit, np.ones(1500), np.zeros(1500, dtype=bool), 60)
    assert design.drawn.sum() == 60
    assert len(design.drawn) == 5

"""The search for a column that labels follow."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit

from unlabeled.scores import followed_column, propensity_prior, standardized_column


def table(rng, n=3000, stretch=0.0, n_columns=3):
    """A score, columns beside it, and labels whose logit of the propensity rises with column 1."""
    score, *columns = rng.normal(size=(1 + n_columns, n))
    y = rng.random(n) < expit(4 * score - 1)
    s = y & (rng.random(n) < expit(-0.5 + stretch * columns[1]))
    return score, columns, s.astype(int), y


@pytest.mark.parametrize("stretch", [-1.5, 1.5])
def test_it_finds_the_column_and_the_direction_and_the_count_with_its_name(rng, stretch):
    score, columns, s, y = table(rng, stretch=stretch)
    found = followed_column(score, columns, s)
    assert (found.position, found.n_tried) == (1, 3)
    assert found.p_value < 1e-6
    assert found.prior.stretch == pytest.approx(stretch, abs=0.4)
    assert found.prior.density.mean == pytest.approx(y.mean(), abs=0.04)
    outcomes = np.column_stack([s, 0 * s, 1 - s]).astype(float)
    column = standardized_column(columns[1])
    again = propensity_prior(score, column, outcomes, stretch_deviation=3)
    assert found.prior.density.mean == pytest.approx(again.density.mean, abs=1e-3)


def test_a_column_that_only_matters_for_the_class_is_not_found(rng):
    score, *columns = rng.normal(size=(4, 4000))
    y = rng.random(4000) < expit(3 * score + columns[1] - 1)
    s = (y & (rng.random(4000) < 0.4)).astype(int)
    found = followed_column(score, columns, s)
    assert found.p_value > 0.05
    # The score lacks that column: it predicts the label beside it.
    assert abs(np.corrcoef(columns[1], s)[0, 1]) > 0.1


@pytest.mark.slow
def test_the_statistic_is_a_chi_squared_one_if_labels_are_random():
    rng = np.random.default_rng(1)
    statistics = [followed_column(*table(rng, 600, n_columns=2)[:3]).statistic for _ in range(400)]
    # The larger of two.
    test = stats.kstest(statistics, lambda x: stats.chi2.cdf(x, 1) ** 2)
    assert test.pvalue > 0.001


def test_the_p_value_counts_equal_columns_once(rng):
    score, columns, s, _ = table(rng, 1000)
    found = followed_column(score, [columns[0]], s)
    copies = followed_column(score, [columns[0]] * 5, s)
    assert copies.statistic == pytest.approx(found.statistic)
    assert (copies.n_tried, copies.n_independent) == (5, pytest.approx(1))
    assert copies.p_value == pytest.approx(found.p_value)
    assert found.p_value == pytest.approx(stats.chi2.sf(found.statistic, 1))


def test_units_and_far_cells_of_the_score_do_not_matter(rng):
    score, columns, s, _ = table(rng, 1500, stretch=1.5)
    found = followed_column(score, columns, s)
    other = followed_column(score, [1000 + 3 * one for one in columns], s)
    assert other.statistic == pytest.approx(found.statistic, rel=1e-6)
    assert other.prior.stretch == pytest.approx(found.prior.stretch, rel=1e-6)
    far = score.copy()
    far[np.argmax(score)] = 1e6
    assert followed_column(far, columns, s).statistic == pytest.approx(found.statistic, rel=0.05)


def test_of_many_columns_those_that_go_with_the_score_are_tried(rng, monkeypatch):
    monkeypatch.setattr("unlabeled.scores._followed_column._MOST_COLUMNS", 2)
    score, columns, s, _ = table(rng, 500)
    near = score + columns[0]
    found = followed_column(score, [columns[0], near, columns[2], score], s)
    assert found.n_tried == 2
    assert found.position in (1, 3)
    assert followed_column(score, [np.zeros(500)], s) is None

"""Counts of scores in bins: in one pass by several scores, and what stands for the rows."""

import numpy as np
import pytest

from unlabeled.engine.score_bins import ScoreCounter, bin_score, first_grid, score_range


def table(n=5000):
    rng = np.random.default_rng(0)
    scores = np.column_stack([rng.normal(size=n), np.round(rng.normal(size=n), 1), rng.random(n)])
    return scores, (rng.random(n) < 0.3).astype(float), rng.integers(1, 4, n).astype(float)


@pytest.mark.parametrize("weighted", [False, True])
def test_counts_of_parts_add_up_to_those_of_all_rows(weighted):
    scores, s, weight = table()
    weight = weight if weighted else None
    counter = ScoreCounter.around(scores[:800])
    parts = [slice(0, 800), slice(800, 4000), slice(4000, 5000)]
    answers = [counter(scores[k], s[k], None if weight is None else weight[k]) for k in parts]
    before = [np.copy(one) for one in answers[0][0][5:]]
    found = counter.bins(counter.both(counter.both(answers[0], answers[1]), answers[2]))
    for one, other in zip(answers[0][0][5:], before, strict=True):
        np.testing.assert_array_equal(one, other)  # neither was changed
    for column, (bins, ends) in zip(scores.T, found, strict=True):
        wanted = bin_score(column, s, weight, bins.grid)
        for name in ("labeled", "total", "n_rows", "labeled_score", "total_score"):
            np.testing.assert_allclose(getattr(bins, name), getattr(wanted, name), rtol=1e-12)
        assert ends == pytest.approx(score_range(column, weight))


def test_rows_beyond_the_grid_are_counted_in_the_cells_outside():
    counter = ScoreCounter.around(np.linspace(0, 1, 50)[:, None])
    scores = np.array([[-100.0], [0.5], [100.0], [200.0]])
    ((bins, ends),) = counter.bins(counter(scores, np.array([0.0, 1, 1, 1]), None))
    assert (bins.total[0], bins.total[-1], bins.total.sum()) == (1, 2, 4)
    assert (ends.low, ends.high) == (-100, 200)


def test_scores_that_are_not_finite_are_named():
    counter = ScoreCounter.around(np.arange(4.0)[:, None])
    with pytest.raises(ValueError, match="finite numbers; got NaN or inf"):
        counter(np.array([[np.nan]]), np.ones(1), None)


def test_rows_with_one_score_are_represented_by_one_score():
    values = np.array([0.1, 0.2, 0.7, 1 / 3])
    score = np.repeat(values, 1000)
    rng = np.random.default_rng(1)
    s, weight = (rng.random(4000) < 0.4).astype(float), rng.random(4000) + 0.1
    bins = bin_score(score, s, weight, first_grid(score_range(score, weight)))
    place, label, mass = bins.as_rows()
    assert len(np.unique(place)) == 4
    np.testing.assert_allclose(np.unique(place), np.unique(values), rtol=1e-12)
    assert mass[label == 1].sum() == pytest.approx(weight[s == 1].sum())

"""DEDPUL: densities of the score among labeled and unlabeled rows."""

import numpy as np
import pytest
from scipy.stats import gaussian_kde, norm

from unlabeled.label_frequency._dedpul import (
    _density,
    _mean_posterior,
    density_ratio,
    negative_share,
)


def estimated_share(labeled, unlabeled):
    score = np.append(labeled, unlabeled)
    s = np.repeat([1.0, 0.0], [len(labeled), len(unlabeled)])
    return 1 - negative_share(density_ratio(score, s, None))


@pytest.mark.parametrize("share", [0.1, 0.4, 0.8])
def test_no_overlap_gives_the_true_share(share, rng):
    n_positive = round(3000 * share)
    unlabeled = np.append(rng.normal(20, 1, n_positive), rng.normal(0, 1, 3000 - n_positive))
    # The sd of a density at 3000 rows and these widths is a few percent.
    assert estimated_share(rng.normal(20, 1, 1000), unlabeled) == pytest.approx(share, abs=0.05)


def test_labeled_rows_like_all_others_leave_hardly_any_negatives(rng):
    assert estimated_share(rng.normal(size=2000), rng.normal(size=4000)) > 0.85


def test_a_constant_score_leaves_no_negatives():
    assert estimated_share(np.zeros(5), np.zeros(20)) == 1.0


def test_one_labeled_row_is_no_obstacle(rng):
    assert 0 < estimated_share(np.array([2.0]), rng.normal(size=50)) <= 1


def test_the_grid_density_is_scipys(rng):
    values = rng.normal(size=300)
    density = _density(values, np.ones(300), 0.1, 1.0, (values.min(), values.max()))
    points = np.linspace(-2, 2, 50)
    expected = gaussian_kde(values, 0.1 * np.sqrt(299 / 300))(points)
    np.testing.assert_allclose(density(points), expected, rtol=0.01, atol=1e-3)


def test_the_ratio_of_two_normals(rng):
    labeled, unlabeled = rng.normal(1, 1, 20_000), rng.normal(0, 1, 20_000)
    s = np.repeat([1.0, 0.0], 20_000)
    ratio = density_ratio(np.append(labeled, unlabeled), s, None)
    points = norm.ppf((np.arange(1000) + 0.5) / 1000)
    middle = slice(100, 900)  # the running medians are one-sided at the ends
    expected = norm.pdf(points, 1) / norm.pdf(points)
    np.testing.assert_allclose(ratio[middle], expected[middle], rtol=0.2)
    assert np.all(np.diff(ratio[points > 1]) >= 0)


def test_a_known_ratio_gives_its_share():
    # Half the unlabeled rows have density ratio 2, the others 0: half are positive.
    assert negative_share(np.repeat([2.0, 0.0], 500)) == pytest.approx(0.5, abs=1e-3)


def test_mean_posteriors_from_partial_sums(rng):
    ratio, shares = rng.exponential(size=200), np.linspace(0, 0.99, 30)
    direct = np.maximum(0, 1 - ratio * (1 - shares[:, None])).mean(axis=1)
    np.testing.assert_allclose(_mean_posterior(ratio, shares), direct, rtol=1e-12)

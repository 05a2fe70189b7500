"""P(Y=1|S=0) from P(Y=1): its limits, its closed form, and that nothing overflows."""

import numpy as np
from scipy.special import expit, logit

from unlabeled.scores import given_unlabeled, logit_given_unlabeled

Y = np.array([0.0, 1e-300, 0.2, 0.5, 0.9, 1 - 1e-12])


def test_it_is_the_posterior_without_labels_and_0_if_every_positive_is_labeled():
    np.testing.assert_array_equal(given_unlabeled(Y, 0.0), Y)
    assert given_unlabeled(np.array([0.0, 0.5, 1.0]), 1.0).tolist() == [0.0, 0.0, 0.0]


def test_it_is_bayes_rule_with_a_frequency_for_each_row():
    rng = np.random.default_rng(0)
    y, c = rng.random((2, 50))
    np.testing.assert_allclose(given_unlabeled(y, c), (1 - c) * y / (1 - c * y), rtol=1e-14)


def test_labels_and_the_rest_add_up_to_the_posterior():
    rng = np.random.default_rng(1)
    y, c = rng.random((2, 50))
    p = c * y
    np.testing.assert_allclose(p + (1 - p) * given_unlabeled(y, c), y, rtol=1e-14)


def test_its_slope_is_that_of_finite_differences():
    y, c, step = np.linspace(0.05, 0.95, 7), 0.3, 1e-6
    slope = (given_unlabeled(y + step, c) - given_unlabeled(y - step, c)) / (2 * step)
    np.testing.assert_allclose(slope, (1 - c) / (1 - c * y) ** 2, rtol=1e-8)


def test_its_logit_is_moved_by_the_share_of_positives_that_is_missed():
    y = Y[1:]
    np.testing.assert_allclose(
        expit(logit_given_unlabeled(logit(y), 0.4)), given_unlabeled(y, 0.4), rtol=1e-9
    )
    assert np.isfinite(logit_given_unlabeled(logit(y), 1.0)).all()

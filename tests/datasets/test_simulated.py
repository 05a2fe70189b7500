"""The simulated samples have the moments, the sums and the classes they promise."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from scipy.special import expit

from unlabeled.datasets import make_paper_gaussian, make_quasirandom_gaussian

CLASS_PRIOR = 0.2064803545
N = 200_000


@pytest.fixture(scope="module")
def large():
    return make_paper_gaussian(N, label_frequency=0.3, random_state=7)


def test_features_have_the_papers_mean_and_covariance(large):
    np.testing.assert_allclose(large.X.mean(axis=0), [1, 1, -1], atol=4 / np.sqrt(N))
    expected = [[1, 0.2, -0.2], [0.2, 1, 0], [-0.2, 0, 1]]
    np.testing.assert_allclose(np.cov(large.X.T), expected, atol=4 * np.sqrt(2 / N))


def test_classes_have_the_known_prior(large):
    error = np.sqrt(CLASS_PRIOR * (1 - CLASS_PRIOR) / N)
    assert abs(large.y_true.mean() - CLASS_PRIOR) < 4 * error


def test_classes_follow_the_posterior_of_beta(large):
    posterior = expit(large.beta[0] + large.X @ large.beta[1:])
    score = (large.y_true - posterior) @ np.column_stack([np.ones(N), large.X])
    weight = posterior * (1 - posterior)
    error = np.sqrt(weight @ np.column_stack([np.ones(N), large.X]) ** 2)
    assert np.all(np.abs(score) < 4 * error)


def test_labels_have_frequency_c_and_mark_only_positives(large):
    labeled = large.s[large.y_true == 1]
    assert abs(labeled.mean() - 0.3) < 4 * np.sqrt(0.3 * 0.7 / len(labeled))
    assert large.s[large.y_true == 0].sum() == 0


def test_types_are_floats_and_ints(large):
    assert large.X.dtype == np.float64
    assert large.s.dtype.kind == large.y_true.dtype.kind == "i"
    assert large.beta.tolist() == [-1, -1, 1, 1]


def test_one_seed_gives_one_sample():
    first, second = (make_paper_gaussian(50, 0.5, random_state=3) for _ in range(2))
    np.testing.assert_array_equal(first.X, second.X)
    np.testing.assert_array_equal(first.s, second.s)
    assert not np.array_equal(first.X, make_paper_gaussian(50, 0.5, random_state=4).X)


def test_labels_only_grow_with_c():
    few, many = (make_paper_gaussian(500, c, random_state=3) for c in (0.2, 0.7))
    np.testing.assert_array_equal(few.X, many.X)
    assert np.all(few.s <= many.s)


def test_noise_features_change_nothing_else():
    plain = make_paper_gaussian(100, 0.5, random_state=3)
    noisy = make_paper_gaussian(100, 0.5, random_state=3, n_noise_features=2)
    np.testing.assert_array_equal(noisy.X[:, :3], plain.X)
    np.testing.assert_array_equal(noisy.s, plain.s)
    assert noisy.X.shape == (100, 5)
    assert noisy.beta.tolist() == [-1, -1, 1, 1, 0, 0]


def test_a_sample_is_frozen():
    with pytest.raises(FrozenInstanceError):
        make_paper_gaussian(5, 0.5, random_state=0).s = None


def test_golden_data_have_their_sums():
    golden = make_quasirandom_gaussian()
    assert golden.X.sum() == pytest.approx(1993.084954784, abs=1e-8)
    assert (golden.X**2).sum() == pytest.approx(12017.160719903, abs=1e-8)
    assert (golden.y_true.sum(), golden.s.sum()) == (406, 241)


def test_golden_labels_are_the_classes_at_c_one():
    golden = make_quasirandom_gaussian(label_frequency=1.0)
    np.testing.assert_array_equal(golden.s, golden.y_true)


def test_fewer_golden_rows_are_the_first_ones():
    short, full = make_quasirandom_gaussian(100), make_quasirandom_gaussian(2000)
    np.testing.assert_array_equal(short.X, full.X[:100])
    np.testing.assert_array_equal(short.s, full.s[:100])


@pytest.mark.parametrize("n", [0, -1, 2.5, "10", True])
def test_a_bad_number_of_rows_is_rejected(n):
    with pytest.raises(ValueError, match=f"`n` must be .*got {n!r}"):
        make_paper_gaussian(n, 0.5)
    with pytest.raises(ValueError, match=f"`n` must be .*got {n!r}"):
        make_quasirandom_gaussian(n)


@pytest.mark.parametrize("c", [0, -0.1, 1.1, np.nan, "0.5", None, True])
def test_a_bad_frequency_is_rejected(c):
    with pytest.raises(ValueError, match=f"`label_frequency` must be .*got {c!r}"):
        make_paper_gaussian(10, c)
    with pytest.raises(ValueError, match=f"`label_frequency` must be .*got {c!r}"):
        make_quasirandom_gaussian(10, c)


@pytest.mark.parametrize("count", [-1, 0.0, False])
def test_a_bad_number_of_noise_features_is_rejected(count):
    with pytest.raises(ValueError, match=f"`n_noise_features` must be .*got {count!r}"):
        make_paper_gaussian(10, 0.5, n_noise_features=count)

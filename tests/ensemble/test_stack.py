"""Weights of members: closed forms, limits and an independent solver."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, logit

from unlabeled.ensemble._stack import probabilities_of_members, stack_weights
from unlabeled.scores import fit_line, label_log_likelihood


@pytest.fixture(scope="module")
def sample() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Two noisy views of one logit, labels, and weights."""
    rng = np.random.RandomState(0)
    truth = rng.normal(-1, 1.5, 800)
    s = (rng.random_sample(800) < expit(truth)).astype(float)
    views = np.column_stack([truth + rng.normal(0, scale, 800) for scale in (0.7, 1.5)])
    return views, s, rng.uniform(0.5, 2, 800)


def test_log_likelihood_of_a_label_is_the_logarithm_of_its_probability() -> None:
    t, s = np.array([-2.0, 0.5, 800.0, -800.0]), np.array([1.0, 0.0, 1.0, 1.0])
    expected = [np.log(expit(-2)), np.log(1 - expit(0.5)), 0.0, -800.0]
    np.testing.assert_allclose(label_log_likelihood(t, s), expected, rtol=1e-12)


@pytest.mark.parametrize("ridge", [0.0, 3.0, 30.0])
def test_weights_maximize_the_penalized_likelihood_as_another_solver_finds_it(
    sample: tuple[np.ndarray, ...], ridge: float
) -> None:
    views, s, weight = sample
    base = logit(weight @ s / weight.sum())

    def loss(w: np.ndarray) -> float:
        p = expit(base + (views - base) @ w)
        likelihood = weight @ (s * np.log(p) + (1 - s) * np.log(1 - p))
        return float(-likelihood + 0.5 * ridge * np.sum((w - 0.5) ** 2))

    other = minimize(loss, [0.2, 0.2], method="Nelder-Mead", options={"xatol": 1e-8}).x
    np.testing.assert_allclose(stack_weights(views, s, weight, ridge), other, atol=1e-5)


def test_a_strong_ridge_gives_equal_weights_and_no_weight_is_negative(
    sample: tuple[np.ndarray, ...],
) -> None:
    views, s, weight = sample
    np.testing.assert_allclose(stack_weights(views, s, weight, 1e9), 0.5, atol=1e-5)
    against = np.column_stack([views[:, 0], -views[:, 0]])
    assert stack_weights(against, s, weight, 0.0)[1] == 0


def test_row_weights_count_copies(sample: tuple[np.ndarray, ...]) -> None:
    views, s, _ = sample
    twice = np.where(np.arange(len(s)) < 100, 2.0, 1.0)
    order = np.concatenate([np.arange(100), np.arange(len(s))])
    copies = stack_weights(views[order], s[order], np.ones(len(order)), 30.0)
    np.testing.assert_allclose(stack_weights(views, s, twice, 30.0), copies, atol=1e-6)


def test_a_line_undoes_a_distortion_of_the_logit() -> None:
    rng = np.random.RandomState(1)
    truth = rng.normal(-1, 1.5, 200_000)
    s = (rng.random_sample(200_000) < expit(truth)).astype(float)
    line = fit_line(0.5 * truth + 1, s, np.ones_like(s))
    np.testing.assert_allclose(line, [-2.0, 2.0], atol=0.03)


def test_a_member_that_knows_nothing_is_flattened_to_the_labeled_share() -> None:
    """The ridge does not punish a line that turns around the labeled share."""
    rng = np.random.RandomState(3)
    s = (np.arange(20_000) < 200).astype(float)
    line = fit_line(rng.normal(-5, 1.5, 20_000), s, np.ones_like(s))
    assert line.slope < 0.15
    mean = expit(line(rng.normal(-5, 1.5, 200_000))).mean()
    assert mean == pytest.approx(0.01, rel=0.05)


def test_few_rows_hardly_move_a_line() -> None:
    line = fit_line(np.array([-3.0, 1.0]), np.array([0.0, 1.0]), np.ones(2))
    np.testing.assert_allclose(line, [0.0, 1.0], atol=0.1)


def test_probabilities_of_members_without_noise_are_a_softmax() -> None:
    """If members differ by the same number on every row, there is no sampling noise."""
    rows = np.random.RandomState(0).normal(size=(50, 1))
    by_row = rows + np.array([0.0, 0.02, -0.05])
    likely = probabilities_of_members(by_row, np.ones(50))
    expected = np.exp([0.0, 1.0, -2.5])
    np.testing.assert_allclose(likely, expected / expected.sum(), rtol=1e-9)


def test_noise_makes_the_better_member_less_certain() -> None:
    """P(A better than B) averaged over noise lies between 1/2 and the softmax."""
    rng = np.random.RandomState(2)
    by_row = np.zeros((400, 2))
    by_row[:, 0] = rng.normal(0.02, 1, 400)
    gain = by_row[:, 0].sum()
    likely = probabilities_of_members(by_row, np.ones(400))
    draws = rng.normal(gain, np.sqrt(400) * by_row[:, 0].std(), 100_000)
    assert likely[0] == pytest.approx(expit(draws).mean(), abs=0.06)
    assert likely.sum() == pytest.approx(1)

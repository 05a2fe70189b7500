"""Intervals of the class prior and of the cut."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit, logit

from unlabeled import JointLogistic
from unlabeled.datasets import make_paper_gaussian
from unlabeled.engine.losses import ProductLoss
from unlabeled.engine.objective import CONSTANT, FEATURES, Objective
from unlabeled.inference import FrequencyInterval, cut_interval, prior_interval, share_correlation


@pytest.fixture(scope="module")
def data():
    return make_paper_gaussian(4000, c=0.5, random_state=2)


def objective_of(data):
    return Objective(ProductLoss(), (FEATURES, CONSTANT), data.X, data.s.astype(float))


def by_hand(data, beta, c):
    """Correlation from the influence of every row, matrix by matrix."""
    design = np.column_stack([data.X, np.ones(len(data.X))])
    posterior = expit(design @ beta)
    probability = c * posterior
    derivative = np.column_stack([(probability * (1 - posterior))[:, None] * design, posterior])
    information = derivative.T @ (derivative / (probability * (1 - probability))[:, None])
    covariance = np.linalg.inv(information)
    share = data.s.mean()
    with_share = covariance[-1] @ derivative.sum(axis=0) / len(data.s)
    return with_share / np.sqrt(covariance[-1, -1] * share * (1 - share) / len(data.s))


@pytest.mark.parametrize("c", [0.5, 0.9])
def test_the_correlation_is_that_of_the_influences(c, data):
    beta = np.append(data.beta[1:], data.beta[0])
    theta = np.append(beta, logit(c))
    assert share_correlation(objective_of(data), theta) == pytest.approx(by_hand(data, beta, c))


def test_the_correlation_exists_at_the_boundary(data):
    beta = np.append(data.beta[1:], data.beta[0])
    at_one = share_correlation(objective_of(data), np.append(beta, np.inf))
    near = share_correlation(objective_of(data), np.append(beta, 20.0))
    assert at_one == pytest.approx(near, abs=1e-6)


@pytest.mark.slow
def test_the_correlation_is_that_seen_in_simulations():
    pairs = []
    for seed in range(150):
        data = make_paper_gaussian(4000, c=0.6, random_state=seed)
        joint = JointLogistic().fit(data.X, data.s)
        pairs.append((data.s.mean(), joint.label_frequency_))
    seen = np.corrcoef(np.array(pairs).T)[0, 1]
    theta = np.append(np.append(data.beta[1:], data.beta[0]), logit(0.6))
    expected = share_correlation(objective_of(data), theta)
    assert np.arctanh(seen) == pytest.approx(np.arctanh(expected), abs=3 / np.sqrt(147))


def test_without_uncertainty_of_c_the_prior_is_as_sure_as_the_share():
    frequency = FrequencyInterval(0.5, 0.5, False, 0.5, 0.95)
    interval = prior_interval(frequency, 0.1, 1000, 0.0)
    half = 1.959964 * np.sqrt(0.9 / (0.1 * 1000))
    assert interval.estimate == pytest.approx(0.2)
    assert interval.lower == pytest.approx(0.2 * np.exp(-half), rel=1e-6)
    assert interval.upper == pytest.approx(0.2 * np.exp(half), rel=1e-6)


def test_without_uncertainty_of_the_share_the_ends_are_those_of_c():
    frequency = FrequencyInterval(0.25, 0.8, False, 0.5, 0.95)
    interval = prior_interval(frequency, 0.1, 1e12, 0.3)
    assert interval.lower == pytest.approx(0.1 / 0.8, rel=1e-4)
    assert interval.upper == pytest.approx(0.1 / 0.25, rel=1e-4)


def test_the_interval_ends_at_one_and_lies_around_the_estimate(data):
    joint = JointLogistic().fit(data.X, data.s)
    interval = joint.class_prior_interval(data.X, data.s)
    assert interval.lower < joint.class_prior_ < interval.upper <= 1
    narrow = joint.class_prior_interval(data.X, data.s, level=0.5)
    assert interval.lower < narrow.lower < narrow.upper < interval.upper
    frequency = FrequencyInterval(0.11, 0.9, False, 0.15, 0.95)
    assert prior_interval(frequency, 0.1, 50, 0.0).upper == 1.0


@pytest.mark.parametrize("estimate", [0.7, 0.95, 1.0])
def test_where_c_may_be_one_the_lower_end_is_at_most_that_of_the_labelled_share(estimate):
    frequency = FrequencyInterval(0.5, 1.0, True, estimate, 0.95)
    interval = prior_interval(frequency, 0.2, 1000, 0.8)
    of_share = 0.2 * np.exp(-1.959964 * np.sqrt(0.8 / (0.2 * 1000)))
    assert interval.lower <= of_share * (1 + 1e-6)
    # With c known to be below 1 it may lie above it.
    below = prior_interval(FrequencyInterval(0.5, 0.9, False, 0.7, 0.95), 0.2, 1e6, 0.8)
    assert below.lower > 0.2


def test_a_known_frequency_has_no_interval(data):
    joint = JointLogistic(label_frequency=0.5).fit(data.X, data.s)
    with pytest.raises(ValueError, match="must be None for an interval"):
        joint.class_prior_interval(data.X, data.s)


def test_the_cut_is_the_middle_and_its_interval_holds_the_best_cut(data):
    score = data.X @ data.beta[1:]
    interval = cut_interval(score, data.s, random_state=0)
    assert interval.lower < -0.142482 < interval.upper
    assert interval.estimate == pytest.approx((interval.lower + interval.upper) / 2)


def test_the_interval_of_the_cut_follows_the_score(data):
    score = data.X @ data.beta[1:]
    plain = cut_interval(score, data.s, "balanced_accuracy", random_state=0)
    moved = cut_interval(3 * score + 5, data.s, "balanced_accuracy", random_state=0)
    assert moved.lower == pytest.approx(3 * plain.lower + 5)
    assert moved.upper == pytest.approx(3 * plain.upper + 5)


def best_cut(score, s):
    """Middle between the last row above the best F1_PU cut and the next."""
    order = np.argsort(-score)
    f1_pu = np.cumsum(s[order]) ** 2 / np.arange(1, len(s) + 1)
    k = int(np.argmax(f1_pu))
    return score[order[k : k + 2]].mean()


def test_distances_of_smaller_resamples_are_scaled_by_the_cube_root(data):
    score, s, n_rows, m = data.X @ data.beta[1:], data.s, len(data.s), 500
    interval = cut_interval(score, s, n_drawn=m, n_resamples=20, level=0.8, random_state=4)
    distances = []
    for seed in np.random.RandomState(4).randint(np.iinfo(np.int32).max, size=20):
        drawn = np.random.RandomState(seed).randint(n_rows, size=m)
        kept, copies = np.unique(drawn, return_counts=True)
        tied = np.repeat(score[kept], copies), np.repeat(s[kept], copies)
        last_of_ties = best_cut_with_ties(*tied)
        distances.append(abs(last_of_ties - best_cut(score, s)))
    half = (m / n_rows) ** (1 / 3) * np.quantile(distances, 0.8)
    assert interval.upper - interval.estimate == pytest.approx(half)


def best_cut_with_ties(score, s):
    """Find the same where rows come several times: a cut lies between distinct scores."""
    places = np.unique(score)[::-1]
    above = score[None, :] >= places[:, None]
    f1_pu = (above @ s) ** 2 / above.sum(axis=1)
    k = int(np.argmax(f1_pu))
    return places[k : k + 2].mean()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_drawn": 2}, "`n_drawn` must be at least 4"),
        ({"level": 95}, "`level` must be between 0 and 1"),
        ({"rule": "best"}, "`rule`"),
    ],
)
def test_wrong_arguments_of_the_cut_are_named(arguments, message, data):
    with pytest.raises(ValueError, match=message):
        cut_interval(data.X[:, 0], data.s, **arguments)

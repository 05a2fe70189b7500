"""Profile-likelihood intervals: of the label frequency and the class prior."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit, logit

from unlabeled import JointLogistic
from unlabeled.datasets import make_paper_gaussian
from unlabeled.engine.losses import ProductLoss
from unlabeled.engine.objective import CONSTANT, FEATURES, Objective
from unlabeled.inference import (
    Interval,
    frequency_facts,
    frequency_interval,
    prior_interval,
)


def test_a_normal_likelihood_gives_the_normal_interval():
    found = frequency_interval(lambda c: -0.5 * ((c - 0.5) / 0.01) ** 2, 0.5, 0.1)
    assert (found.lower, found.upper) == pytest.approx((0.5 - 0.0196, 0.5 + 0.0196), abs=1e-5)
    assert 1.0 not in found


@pytest.mark.parametrize(
    ("height_at_one", "upper", "contains_one"),
    [(2.0, 1.0, True), (3.0, 1.0, False), (5.0, None, False)],
)
def test_the_edge_is_tested_more_sharply(height_at_one, upper, contains_one):
    """Twice the difference at c = 1 is 2, 3 and 5; the limits are 2.71 there and 3.84 below."""
    found = frequency_interval(lambda c: -0.5 * height_at_one * ((c - 0.8) / 0.2) ** 2, 0.8, 0.1)
    assert (1.0 in found) is contains_one
    assert found.upper == 1.0 if upper else found.upper < 1.0


def test_nothing_known_is_everything_possible():
    found = frequency_interval(lambda c: 0.0, 0.5, 0.2)
    assert (found.lower, found.upper, 1.0 in found) == (0.2, 1.0, True)


@pytest.fixture(scope="module")
def data():
    return make_paper_gaussian(4000, label_frequency=0.5, random_state=2)


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
    assert frequency_facts(objective_of(data), theta).correlation == pytest.approx(
        by_hand(data, beta, c)
    )


def test_the_correlation_exists_at_the_boundary(data):
    beta = np.append(data.beta[1:], data.beta[0])
    at_one = frequency_facts(objective_of(data), np.append(beta, np.inf)).correlation
    near = frequency_facts(objective_of(data), np.append(beta, 20.0)).correlation
    assert at_one == pytest.approx(near, abs=1e-6)


@pytest.mark.slow
def test_the_correlation_is_that_seen_in_simulations():
    pairs = []
    for seed in range(150):
        data = make_paper_gaussian(4000, label_frequency=0.6, random_state=seed)
        joint = JointLogistic().fit(data.X, data.s)
        pairs.append((data.s.mean(), joint.label_frequency_))
    seen = np.corrcoef(np.array(pairs).T)[0, 1]
    theta = np.append(np.append(data.beta[1:], data.beta[0]), logit(0.6))
    expected = frequency_facts(objective_of(data), theta).correlation
    assert np.arctanh(seen) == pytest.approx(np.arctanh(expected), abs=3 / np.sqrt(147))


def interval_of_c(estimate, lower, upper):
    return Interval(estimate, lower, upper, 0.95, "")


def test_without_uncertainty_of_c_the_prior_is_as_sure_as_the_share():
    frequency = interval_of_c(0.5, 0.5, 0.5)
    interval = prior_interval(frequency, 0.1, 1000, 0.0)
    half = 1.959964 * np.sqrt(0.9 / (0.1 * 1000))
    assert interval.estimate == pytest.approx(0.2)
    assert interval.lower == pytest.approx(0.2 * np.exp(-half), rel=1e-6)
    assert interval.upper == pytest.approx(0.2 * np.exp(half), rel=1e-6)


def test_without_uncertainty_of_the_share_the_ends_are_those_of_c():
    frequency = interval_of_c(0.5, 0.25, 0.8)
    interval = prior_interval(frequency, 0.1, 1e12, 0.3)
    assert interval.lower == pytest.approx(0.1 / 0.8, rel=1e-4)
    assert interval.upper == pytest.approx(0.1 / 0.25, rel=1e-4)


def test_the_interval_ends_at_one_and_lies_around_the_estimate(data):
    joint = JointLogistic().fit(data.X, data.s)
    interval = joint.class_prior_interval(data.X, data.s)
    assert interval.lower < joint.class_prior_ < interval.upper <= 1
    narrow = joint.class_prior_interval(data.X, data.s, confidence_level=0.5)
    assert interval.lower < narrow.lower < narrow.upper < interval.upper
    frequency = interval_of_c(0.15, 0.11, 0.9)
    assert prior_interval(frequency, 0.1, 50, 0.0).upper == 1.0


@pytest.mark.parametrize("estimate", [0.7, 0.95, 1.0])
def test_where_c_may_be_one_the_lower_end_is_at_most_that_of_the_labeled_share(estimate):
    frequency = interval_of_c(estimate, 0.5, 1.0)
    interval = prior_interval(frequency, 0.2, 1000, 0.8)
    of_share = 0.2 * np.exp(-1.959964 * np.sqrt(0.8 / (0.2 * 1000)))
    assert interval.lower <= of_share * (1 + 1e-6)
    # With c known to be below 1 it may lie above it.
    below = prior_interval(interval_of_c(0.7, 0.5, 0.9), 0.2, 1e6, 0.8)
    assert below.lower > 0.2


def test_an_interval_shorter_than_the_search_resolves_is_not_empty():
    found = frequency_interval(lambda c: -1e12 * (1 - c) ** 2, 1.0, 0.2)
    assert 0.9999 < found.lower < found.estimate == found.upper == 1


KNOWN = interval_of_c(0.5, 0.4, 0.6)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: frequency_interval(lambda c: 0.0, 1.5, 0.2), "`estimate` must.*1.5"),
        (lambda: frequency_interval(lambda c: 0.0, 0.5, 0), "`labeled_share` must.*got 0"),
        (lambda: prior_interval(KNOWN, 20, 1000, 0.0), "`labeled_share` must.*20"),
        (lambda: prior_interval(KNOWN, 0.2, 0, 0.0), "`total` must.*got 0"),
        (lambda: prior_interval(KNOWN, 0.2, 1000, 2.0), "`correlation` must.*2.0"),
    ],
)
def test_bad_numbers_for_an_interval_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()

"""Labelling mechanisms reach their mean frequency and keep their shape."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit, logit

from unlabeled.datasets import (
    hide_labels,
    logistic_propensity,
    make_paper_gaussian,
    posterior_propensity,
)


@pytest.fixture(scope="module")
def sample():
    return make_paper_gaussian(5000, 1.0, random_state=11)


@pytest.fixture(scope="module")
def posterior(sample):
    return expit(sample.beta[0] + sample.X @ sample.beta[1:])


@pytest.mark.parametrize("target", [0.001, 0.3, 0.6, 0.999])
@pytest.mark.parametrize("coef", [[0, 0, 0], [1, -2, 0.5], [50, 0, 0]])
def test_logistic_propensity_has_the_mean_frequency(sample, coef, target):
    e = logistic_propensity(sample.X, coef, mean_frequency=target, y_true=sample.y_true)
    assert e[sample.y_true == 1].mean() == pytest.approx(target, abs=1e-9)
    assert e.shape == sample.y_true.shape
    assert 0 <= e.min() <= e.max() <= 1


def test_logistic_propensity_is_logistic_in_the_features(sample):
    coef = np.array([0.5, -1.0, 0.25])
    e = logistic_propensity(sample.X, coef, mean_frequency=0.4, y_true=sample.y_true)
    intercept = logit(e) - sample.X @ coef
    np.testing.assert_allclose(intercept, intercept[0], atol=1e-9)


def test_zero_coefficients_give_scar(sample):
    e = logistic_propensity(sample.X, [0, 0, 0], mean_frequency=0.4, y_true=sample.y_true)
    np.testing.assert_allclose(e, 0.4, atol=1e-12)


@pytest.mark.parametrize("power", [0, 0.5, 1, 3])
def test_posterior_propensity_has_the_mean_frequency_and_order(sample, posterior, power):
    e = posterior_propensity(posterior, power=power, mean_frequency=0.1, y_true=sample.y_true)
    assert e[sample.y_true == 1].mean() == pytest.approx(0.1, abs=1e-12)
    assert np.all(np.diff(e[np.argsort(posterior)]) >= 0)
    np.testing.assert_allclose(e * posterior.max() ** power, e.max() * posterior**power)


def test_posterior_propensity_takes_a_function(sample, posterior):
    kwargs = {"mean_frequency": 0.2, "y_true": sample.y_true}
    np.testing.assert_allclose(
        posterior_propensity(posterior, function=np.square, **kwargs),
        posterior_propensity(posterior, power=2, **kwargs),
    )
    step = posterior_propensity(posterior, function=lambda p: 1 + (p > 0.5), **kwargs)
    assert len(np.unique(step)) == 2


def test_the_highest_possible_mean_frequency_is_reached(posterior, sample):
    highest = posterior[sample.y_true == 1].mean() / posterior.max()
    e = posterior_propensity(posterior, mean_frequency=highest, y_true=sample.y_true)
    assert e.max() == pytest.approx(1.0)


def test_an_impossible_mean_frequency_is_refused_in_one_sentence(sample, posterior):
    with pytest.raises(ValueError, match="`mean_frequency` must be at most 0\\.[0-9]+") as caught:
        posterior_propensity(posterior, power=4, mean_frequency=0.9, y_true=sample.y_true)
    assert "since no propensity may exceed 1; got 0.9." in str(caught.value)


def test_drawn_labels_have_the_mean_frequency(sample):
    e = logistic_propensity(sample.X, [1, 0, 0], mean_frequency=0.3, y_true=sample.y_true)
    labelled = hide_labels(sample.y_true, propensity=e, random_state=0)[sample.y_true == 1]
    assert abs(labelled.mean() - 0.3) < 4 * np.sqrt(0.21 / len(labelled))


@pytest.mark.parametrize("target", [0, 1, -0.2, np.nan, "a"])
def test_logistic_propensity_refuses_a_mean_outside_its_range(sample, target):
    with pytest.raises(ValueError, match=r"`mean_frequency` must be a number in \(0, 1\); got"):
        logistic_propensity(sample.X, [0, 0, 0], mean_frequency=target, y_true=sample.y_true)


def test_mechanisms_refuse_a_sample_without_positives():
    with pytest.raises(ValueError, match="`y_true` must have at least one positive row"):
        logistic_propensity([[1.0], [2.0]], [1], mean_frequency=0.5, y_true=[0, 0])
    with pytest.raises(ValueError, match="`y_true` must have at least one positive row"):
        posterior_propensity([0.5, 0.5], mean_frequency=0.5, y_true=[0, 0])


def test_mechanisms_refuse_wrong_lengths():
    with pytest.raises(ValueError, match="`coef` must have one value a column, 1; got 2"):
        logistic_propensity([[1.0], [2.0]], [1, 2], mean_frequency=0.5, y_true=[0, 1])
    with pytest.raises(ValueError, match="`X` must have one row a class, 3; got 2 rows"):
        logistic_propensity([[1.0], [2.0]], [1], mean_frequency=0.5, y_true=[0, 1, 1])
    with pytest.raises(ValueError, match="`posterior` must have one value a row, 2; got 1"):
        posterior_propensity([0.5], mean_frequency=0.5, y_true=[0, 1])


@pytest.mark.parametrize("power", [-1, np.inf, np.nan, "2"])
def test_a_bad_power_is_refused(power):
    with pytest.raises(ValueError, match="`power` must be a finite number of at least 0; got"):
        posterior_propensity([0.5, 0.5], power=power, mean_frequency=0.5, y_true=[0, 1])


def test_a_power_beside_a_function_is_refused():
    with pytest.raises(ValueError, match="`power` must be left out when `function` is given"):
        posterior_propensity(
            [0.5, 0.5], power=1, function=np.sqrt, mean_frequency=0.5, y_true=[0, 1]
        )


@pytest.mark.parametrize("function", [lambda p: 1 - p, lambda p: p - 1])
def test_a_decreasing_or_negative_function_is_refused(function):
    with pytest.raises(ValueError, match="`function` must be non-negative and must not decrease"):
        posterior_propensity([0.2, 0.8], function=function, mean_frequency=0.5, y_true=[0, 1])


def test_a_posterior_of_zero_on_all_positives_is_refused():
    with pytest.raises(ValueError, match="positive for at least one positive row"):
        posterior_propensity([0.5, 0.0], mean_frequency=0.5, y_true=[0, 1])

"""Hidden labels have their frequency and never mark a negative; propensities have their mean."""

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

N = 100_000
Y = (np.arange(N) % 4 == 0).astype(int)


@pytest.mark.parametrize("c", [0.1, 0.5, 0.9])
def test_scar_labels_have_frequency_c(c):
    labelled = hide_labels(Y, c, random_state=0)[Y == 1]
    assert abs(labelled.mean() - c) < 4 * np.sqrt(c * (1 - c) / len(labelled))


def test_every_positive_is_labelled_at_c_one():
    np.testing.assert_array_equal(hide_labels(Y, 1, random_state=0), Y)


def test_sar_labels_follow_the_propensity():
    propensity = np.where(np.arange(N) < N // 2, 0.2, 0.8)
    s = hide_labels(Y, propensity=propensity, random_state=0)
    for value in (0.2, 0.8):
        labelled = s[(Y == 1) & (propensity == value)]
        assert abs(labelled.mean() - value) < 4 * np.sqrt(0.16 / len(labelled))


def test_a_negative_is_never_labelled():
    assert hide_labels(Y, 0.9, random_state=1)[Y == 0].sum() == 0
    assert hide_labels(Y, propensity=np.ones(N), random_state=1)[Y == 0].sum() == 0


def test_propensity_zero_is_never_and_one_always_labelled():
    s = hide_labels([1, 1, 1, 1], propensity=[0, 1, 0, 1], random_state=0)
    assert s.tolist() == [0, 1, 0, 1]


def test_one_seed_gives_one_draw():
    np.testing.assert_array_equal(
        hide_labels(Y, 0.5, random_state=5), hide_labels(Y, 0.5, random_state=5)
    )
    assert np.any(hide_labels(Y, 0.5, random_state=5) != hide_labels(Y, 0.5, random_state=6))


def test_a_constant_propensity_is_scar():
    np.testing.assert_array_equal(
        hide_labels(Y, 0.3, random_state=2),
        hide_labels(Y, propensity=np.full(N, 0.3), random_state=2),
    )


@pytest.mark.parametrize("kind", [bool, float, np.int8, list])
def test_classes_of_any_numeric_type_give_int_labels(kind):
    y = Y[:100].tolist() if kind is list else Y[:100].astype(kind)
    s = hide_labels(y, 0.5, random_state=0)
    assert s.dtype.kind == "i"
    np.testing.assert_array_equal(s, hide_labels(Y[:100], 0.5, random_state=0))


def test_neither_or_both_mechanisms_are_rejected():
    with pytest.raises(ValueError, match="`c` or `propensity` must .*got neither"):
        hide_labels(Y)
    with pytest.raises(ValueError, match="`c` or `propensity` must .*got both"):
        hide_labels(Y, 0.5, propensity=np.ones(N))


@pytest.mark.parametrize("y", [[-1, 1], [1, 2], ["a", "b"], [0.5, 1], [np.nan, 1], [None, 1]])
def test_other_classes_than_zero_and_one_are_rejected(y):
    with pytest.raises(ValueError, match="`y_true` must hold .*got"):
        hide_labels(y, 0.5)


@pytest.mark.parametrize("c", [0, 1.5, -1, np.nan, "a"])
def test_a_frequency_outside_its_range_is_rejected(c):
    with pytest.raises(ValueError, match=f"`c` must be .*got {c!r}"):
        hide_labels([0, 1], c)


def test_bad_propensities_are_rejected():
    with pytest.raises(ValueError, match="`propensity` must have .*2; got 3"):
        hide_labels([0, 1], propensity=[0.1, 0.2, 0.3])
    with pytest.raises(ValueError, match="`propensity` must .*got 1.2 in row 1"):
        hide_labels([0, 1], propensity=[0.1, 1.2])
    with pytest.raises(ValueError, match="`propensity` must hold finite.*got 1"):
        hide_labels([0, 1], propensity=[0.1, np.nan])


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


def test_an_impossible_mean_frequency_is_rejected(sample, posterior):
    with pytest.raises(ValueError, match=r"`mean_frequency` must be at most 0\.[0-9]+.*got 0\.9"):
        posterior_propensity(posterior, power=4, mean_frequency=0.9, y_true=sample.y_true)


def test_drawn_labels_have_the_mean_frequency(sample):
    e = logistic_propensity(sample.X, [1, 0, 0], mean_frequency=0.3, y_true=sample.y_true)
    labelled = hide_labels(sample.y_true, propensity=e, random_state=0)[sample.y_true == 1]
    assert abs(labelled.mean() - 0.3) < 4 * np.sqrt(0.21 / len(labelled))


@pytest.mark.parametrize("target", [0, 1, -0.2, np.nan, "a"])
def test_logistic_propensity_rejects_a_mean_outside_its_range(sample, target):
    with pytest.raises(ValueError, match=f"`mean_frequency` must be .*got {target!r}"):
        logistic_propensity(sample.X, [0, 0, 0], mean_frequency=target, y_true=sample.y_true)


def test_mechanisms_reject_a_sample_without_positives():
    with pytest.raises(ValueError, match="`y_true` must have .*got 0"):
        logistic_propensity([[1.0], [2.0]], [1], mean_frequency=0.5, y_true=[0, 0])
    with pytest.raises(ValueError, match="`y_true` must have .*got 0"):
        posterior_propensity([0.5, 0.5], mean_frequency=0.5, y_true=[0, 0])


def test_mechanisms_reject_wrong_lengths():
    with pytest.raises(ValueError, match="`coef` must have .*1; got 2"):
        logistic_propensity([[1.0], [2.0]], [1, 2], mean_frequency=0.5, y_true=[0, 1])
    with pytest.raises(ValueError, match="`X` must have .*3; got 2 rows"):
        logistic_propensity([[1.0], [2.0]], [1], mean_frequency=0.5, y_true=[0, 1, 1])
    with pytest.raises(ValueError, match="`posterior` must have .*2; got 1"):
        posterior_propensity([0.5], mean_frequency=0.5, y_true=[0, 1])


@pytest.mark.parametrize("power", [-1, np.inf, np.nan, "2"])
def test_a_bad_power_is_rejected(power):
    with pytest.raises(ValueError, match=f"`power` must be .*got {power!r}"):
        posterior_propensity([0.5, 0.5], power=power, mean_frequency=0.5, y_true=[0, 1])


def test_a_power_beside_a_function_is_rejected():
    with pytest.raises(ValueError, match="`power` must be .*got both"):
        posterior_propensity(
            [0.5, 0.5], power=1, function=np.sqrt, mean_frequency=0.5, y_true=[0, 1]
        )


@pytest.mark.parametrize("function", [lambda p: 1 - p, lambda p: p - 1])
def test_a_decreasing_or_negative_function_is_rejected(function):
    with pytest.raises(ValueError, match="`function` must be .*got a negative or decreasing"):
        posterior_propensity([0.2, 0.8], function=function, mean_frequency=0.5, y_true=[0, 1])


def test_a_posterior_of_zero_on_all_positives_is_rejected():
    with pytest.raises(ValueError, match="`posterior` must be above 0"):
        posterior_propensity([0.5, 0.0], mean_frequency=0.5, y_true=[0, 1])

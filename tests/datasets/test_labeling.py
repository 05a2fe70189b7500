"""Hidden labels have their frequency and never mark a negative; propensities have their mean."""

from __future__ import annotations

from functools import partial
from itertools import permutations

import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import t as student_t

from unlabeled.datasets import draw_labels, hide_labels, make_paper_gaussian, propensity

N = 100_000
Y = (np.arange(N) % 4 == 0).astype(int)


@pytest.mark.parametrize("c", [0.1, 0.5, 0.9])
def test_scar_labels_have_frequency_c(c):
    labeled = hide_labels(Y, c, random_state=0)[Y == 1]
    assert abs(labeled.mean() - c) < 4 * np.sqrt(c * (1 - c) / len(labeled))


def test_every_positive_is_labeled_at_c_one():
    np.testing.assert_array_equal(hide_labels(Y, 1, random_state=0), Y)


def test_sar_labels_follow_the_propensity():
    propensity = np.where(np.arange(N) < N // 2, 0.2, 0.8)
    s = hide_labels(Y, propensity=propensity, random_state=0)
    for value in (0.2, 0.8):
        labeled = s[(Y == 1) & (propensity == value)]
        assert abs(labeled.mean() - value) < 4 * np.sqrt(0.16 / len(labeled))


def test_a_negative_is_never_labeled():
    assert hide_labels(Y, 0.9, random_state=1)[Y == 0].sum() == 0
    assert hide_labels(Y, propensity=np.ones(N), random_state=1)[Y == 0].sum() == 0


def test_propensity_zero_is_never_and_one_always_labeled():
    s = hide_labels([1, 1, 1, 1], propensity=[0, 1, 0, 1], random_state=0)
    assert s.tolist() == [0, 1, 0, 1]


def test_one_seed_gives_one_draw():
    np.testing.assert_array_equal(
        hide_labels(Y, 0.5, random_state=5), hide_labels(Y, 0.5, random_state=5)
    )
    assert np.any(hide_labels(Y, 0.5, random_state=5) != hide_labels(Y, 0.5, random_state=6))


def test_a_constant_mechanism_is_scar():
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
    with pytest.raises(ValueError, match="`label_frequency` or `propensity` must .*got neither"):
        hide_labels(Y)
    with pytest.raises(ValueError, match="`label_frequency` or `propensity` must .*got both"):
        hide_labels(Y, 0.5, propensity=np.ones(N))


@pytest.mark.parametrize("y", [[-1, 1], [1, 2], ["a", "b"], [0.5, 1], [np.nan, 1], [None, 1]])
def test_other_classes_than_zero_and_one_are_rejected(y):
    with pytest.raises(ValueError, match="`y_true` must hold .*got"):
        hide_labels(y, 0.5)


@pytest.mark.parametrize("c", [0, 1.5, -1, np.nan, "a"])
def test_a_frequency_outside_its_range_is_rejected(c):
    with pytest.raises(ValueError, match=f"`label_frequency` must be .*got {c!r}"):
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
def test_logistic_mechanism_has_the_mean_frequency(sample, coef, target):
    e = propensity("logistic", sample.X, coef=coef, label_frequency=target, y_true=sample.y_true)
    assert e[sample.y_true == 1].mean() == pytest.approx(target, abs=1e-9)
    assert e.shape == sample.y_true.shape
    assert 0 <= e.min() <= e.max() <= 1


def test_logistic_mechanism_is_logistic_in_the_features(sample):
    coef = np.array([0.5, -1.0, 0.25])
    e = propensity("logistic", sample.X, coef=coef, label_frequency=0.4, y_true=sample.y_true)
    intercept = logit(e) - sample.X @ coef
    np.testing.assert_allclose(intercept, intercept[0], atol=1e-9)


def test_zero_coefficients_give_scar(sample):
    e = propensity("logistic", sample.X, coef=[0, 0, 0], label_frequency=0.4, y_true=sample.y_true)
    np.testing.assert_allclose(e, 0.4, atol=1e-12)


@pytest.mark.parametrize("power", [0, 0.5, 1, 3])
def test_posterior_mechanism_has_the_mean_frequency_and_order(sample, posterior, power):
    e = propensity("posterior", posterior, power=power, label_frequency=0.1, y_true=sample.y_true)
    assert e[sample.y_true == 1].mean() == pytest.approx(0.1, abs=1e-12)
    assert np.all(np.diff(e[np.argsort(posterior)]) >= 0)
    np.testing.assert_allclose(e * posterior.max() ** power, e.max() * posterior**power)


def test_posterior_mechanism_takes_a_function(sample, posterior):
    kwargs = {"label_frequency": 0.2, "y_true": sample.y_true}
    np.testing.assert_allclose(
        propensity("posterior", posterior, function=np.square, **kwargs),
        propensity("posterior", posterior, power=2, **kwargs),
    )
    step = propensity("posterior", posterior, function=lambda p: 1 + (p > 0.5), **kwargs)
    assert len(np.unique(step)) == 2


def test_the_highest_possible_mean_frequency_is_reached(posterior, sample):
    highest = posterior[sample.y_true == 1].mean() / posterior.max()
    e = propensity("posterior", posterior, label_frequency=highest, y_true=sample.y_true)
    assert e.max() == pytest.approx(1.0)


def test_an_impossible_mean_frequency_is_rejected(sample, posterior):
    with pytest.raises(ValueError, match=r"`label_frequency` must be at most 0\.[0-9]+.*got 0\.9"):
        propensity("posterior", posterior, power=4, label_frequency=0.9, y_true=sample.y_true)


def test_drawn_labels_have_the_mean_frequency(sample):
    e = propensity("logistic", sample.X, coef=[1, 0, 0], label_frequency=0.3, y_true=sample.y_true)
    labeled = hide_labels(sample.y_true, propensity=e, random_state=0)[sample.y_true == 1]
    assert abs(labeled.mean() - 0.3) < 4 * np.sqrt(0.21 / len(labeled))


@pytest.mark.parametrize("target", [0, 1, -0.2, np.nan, "a"])
def test_logistic_mechanism_rejects_a_mean_outside_its_range(sample, target):
    with pytest.raises(ValueError, match=f"`label_frequency` must be .*got {target!r}"):
        propensity(
            "logistic", sample.X, coef=[0, 0, 0], label_frequency=target, y_true=sample.y_true
        )


def test_mechanisms_reject_a_sample_without_positives():
    with pytest.raises(ValueError, match="`y_true` must have .*got 0"):
        propensity("logistic", [[1.0], [2.0]], coef=[1], label_frequency=0.5, y_true=[0, 0])
    with pytest.raises(ValueError, match="`y_true` must have .*got 0"):
        propensity("posterior", [0.5, 0.5], label_frequency=0.5, y_true=[0, 0])


def test_mechanisms_reject_wrong_lengths():
    with pytest.raises(ValueError, match="`coef` must have .*1; got 2"):
        propensity("logistic", [[1.0], [2.0]], coef=[1, 2], label_frequency=0.5, y_true=[0, 1])
    with pytest.raises(ValueError, match="`X` must have .*3; got 2 rows"):
        propensity("logistic", [[1.0], [2.0]], coef=[1], label_frequency=0.5, y_true=[0, 1, 1])
    with pytest.raises(ValueError, match="`posterior` must have .*2; got 1"):
        propensity("posterior", [0.5], label_frequency=0.5, y_true=[0, 1])


@pytest.mark.parametrize("power", [-1, np.inf, np.nan, "2", True])
def test_a_bad_power_is_rejected(power):
    with pytest.raises(ValueError, match=f"`power` must be .*got {power!r}"):
        propensity("posterior", [0.5, 0.5], power=power, label_frequency=0.5, y_true=[0, 1])


@pytest.mark.parametrize("power", [-1, 0, 0.09, 1001, np.inf, np.nan, "2", True])
def test_a_bad_power_of_a_link_is_rejected(power):
    kwargs = {"power": power, "label_frequency": 0.5, "y_true": [0, 1]}
    for link in ("logit", "cauchy"):
        with pytest.raises(ValueError, match=f"`power` must be .*0.1 to 1000; got {power!r}"):
            propensity("posterior", [0.5, 0.5], link=link, **kwargs)
    with pytest.raises(ValueError, match=f"`power` must be .*0.1 to 1000; got {power!r}"):
        propensity("logistic", [[1.0], [2.0]], coef=[1], **kwargs)


def test_a_power_beside_a_function_is_rejected():
    with pytest.raises(ValueError, match="`power` must be .*got both"):
        propensity(
            "posterior", [0.5, 0.5], power=1, function=np.sqrt, label_frequency=0.5, y_true=[0, 1]
        )


@pytest.mark.parametrize("function", [lambda p: 1 - p, lambda p: p - 1])
def test_a_decreasing_or_negative_function_is_rejected(function):
    with pytest.raises(ValueError, match="`function` must be .*got a negative or decreasing"):
        propensity("posterior", [0.2, 0.8], function=function, label_frequency=0.5, y_true=[0, 1])


def test_a_posterior_of_zero_on_all_positives_is_rejected():
    with pytest.raises(ValueError, match="`posterior` must be above 0"):
        propensity("posterior", [0.5, 0.0], label_frequency=0.5, y_true=[0, 1])


def test_the_link_multiplies_the_odds_of_the_posterior():
    # Odds 1/3, 1 and 4 times 1/2 are 1/6, 1/2 and 2: propensities 1/7, 1/3 and 2/3.
    e = propensity(
        "posterior", [0.25, 0.5, 0.8], link="logit", label_frequency=1 / 2, y_true=[0, 1, 1]
    )
    np.testing.assert_allclose(e, [1 / 7, 1 / 3, 2 / 3], rtol=1e-9)


@pytest.mark.parametrize("target", [0.01, 0.4, 0.99])
def test_the_link_is_a_shift_of_the_logit_with_the_mean_frequency(sample, posterior, target):
    e = propensity(
        "posterior", posterior, link="logit", label_frequency=target, y_true=sample.y_true
    )
    assert e[sample.y_true == 1].mean() == pytest.approx(target, abs=1e-9)
    shift = logit(e) - logit(posterior)
    np.testing.assert_allclose(shift, shift[0], atol=1e-8)


def test_the_link_labels_posterior_zero_never_and_posterior_one_always():
    # The two positives in the middle need a mean of 1/4 for a mean of 3/8 over all four.
    e = propensity(
        "posterior",
        [0.0, 0.5, 0.5, 1.0, 0.0],
        link="logit",
        label_frequency=3 / 8,
        y_true=[1, 1, 1, 1, 0],
    )
    np.testing.assert_allclose(e, [0, 1 / 4, 1 / 4, 1, 0], rtol=1e-9)
    for target in (0.25, 0.75):
        with pytest.raises(ValueError, match=r"`label_frequency` .*0\.25 and below 0\.75.*got"):
            propensity(
                "posterior",
                [0.0, 0.5, 0.5, 1.0],
                link="logit",
                label_frequency=target,
                y_true=[1, 1, 1, 1],
            )


def test_bad_links_are_rejected():
    kwargs = {"label_frequency": 0.5, "y_true": [0, 1]}
    with pytest.raises(ValueError, match="`link` must be None, .*'cauchy'; got 'probit'"):
        propensity("posterior", [0.2, 0.8], link="probit", **kwargs)
    with pytest.raises(ValueError, match="`link` must be None, .*got \\['logit'\\]"):
        propensity("posterior", [0.2, 0.8], link=["logit"], **kwargs)
    with pytest.raises(ValueError, match="`function` must be None if `link` .*got both"):
        propensity("posterior", [0.2, 0.8], link="logit", function=np.sqrt, **kwargs)
    with pytest.raises(ValueError, match="`label_frequency` must be in .*`link` .*got None"):
        propensity("posterior", [0.2, 0.8], link="logit", label_frequency=None, y_true=[0, 1])
    with pytest.raises(ValueError, match="`label_frequency` must be below 1; got 1"):
        propensity("posterior", [0.2, 0.8], link="logit", label_frequency=1, y_true=[0, 1])


def test_the_cauchy_link_has_the_values_of_its_distribution_function():
    # A posterior of 1/2 has logit 0, and F(1) = 3/4: so the shift is 1. Then F(0) = 1/2, and
    # F(sqrt 3) = 1/2 + 1/3.
    posterior = [0.5, expit(-1), expit(np.sqrt(3) - 1), 0.0, 1.0]
    e = propensity(
        "posterior", posterior, link="cauchy", label_frequency=0.75, y_true=[1, 0, 0, 0, 0]
    )
    np.testing.assert_allclose(e, [3 / 4, 1 / 2, 5 / 6, 0, 1], rtol=1e-12)


@pytest.mark.parametrize("target", [1e-6, 0.01, 0.4, 0.99])
@pytest.mark.parametrize("power", [None, 0.5, 10])
def test_the_cauchy_link_is_a_shift_of_the_logit_with_the_mean_frequency(
    sample, posterior, target, power
):
    e = propensity(
        "posterior",
        posterior,
        link="cauchy",
        power=power,
        label_frequency=target,
        y_true=sample.y_true,
    )
    assert e[sample.y_true == 1].mean() == pytest.approx(target, rel=1e-9)
    cauchy = student_t(1)  # `scipy.stats.cauchy` before SciPy 1.15 loses the digits of a far tail
    shift = cauchy.ppf(e[0] ** (1 / (power or 1))) - logit(posterior[0])
    expected = cauchy.cdf(logit(posterior) + shift) ** (power or 1)
    np.testing.assert_allclose(e, expected, rtol=1e-7)


@pytest.mark.parametrize("link", ["logit", "cauchy"])
@pytest.mark.parametrize("power", [0.1, 1, 1000])
@pytest.mark.parametrize("target", [1e-20, 0.001, 1 - 1e-9])
def test_links_have_their_mean_where_the_shift_is_far_out(sample, posterior, link, power, target):
    e = propensity(
        "posterior", posterior, link=link, power=power, label_frequency=target, y_true=sample.y_true
    )
    assert e[sample.y_true == 1].mean() == pytest.approx(target, rel=1e-9)
    assert 0 <= e.min() <= e.max() <= 1


def test_the_cauchy_link_labels_clear_negatives_more_often_than_the_logit():
    # At the logit -10 the tails are 1/(10 pi), up to a term of third order, and e^-10.
    kwargs = {"label_frequency": 0.5, "y_true": [1, 0]}
    heavy = propensity("posterior", [0.5, expit(-10)], link="cauchy", **kwargs)
    light = propensity("posterior", [0.5, expit(-10)], link="logit", **kwargs)
    assert heavy[1] == pytest.approx(1 / (10 * np.pi) - 1 / (3000 * np.pi), rel=1e-4)
    assert light[1] == pytest.approx(np.exp(-10), rel=1e-4)


def test_the_link_to_a_power_of_ten_has_the_shift_that_its_mean_needs():
    # (1/2)^10 is the mean: no shift, and so e is the posterior to the power of ten.
    posterior = np.array([0.5, 0.9, 0.1, 0.0, 1.0])
    e = propensity(
        "posterior",
        posterior,
        link="logit",
        power=10,
        label_frequency=2**-10,
        y_true=[1, 0, 0, 0, 0],
    )
    np.testing.assert_allclose(e, posterior**10, rtol=1e-9)


@pytest.mark.parametrize("target", [0.001, 0.3, 0.99])
@pytest.mark.parametrize("power", [0.1, 10, 1000])
def test_powers_of_a_logistic_function_have_the_mean_frequency(sample, posterior, power, target):
    kwargs = {"power": power, "label_frequency": target, "y_true": sample.y_true}
    coef = np.array([0.5, 0.5, 0.5])
    for e, score in (
        (propensity("posterior", posterior, link="logit", **kwargs), logit(posterior)),
        (propensity("logistic", sample.X, coef=coef, **kwargs), sample.X.sum(axis=1) / 2),
    ):
        assert e[sample.y_true == 1].mean() == pytest.approx(target, rel=1e-9)
        row = np.argmin(np.abs(e - 0.5))  # where e tells the shift best
        shift = logit(e[row] ** (1 / power)) - score[row]
        expected = (1 / (1 + np.exp(-score - shift))) ** power
        np.testing.assert_allclose(e, expected, rtol=1e-7, atol=1e-12)


def test_a_power_of_one_is_the_logistic_function_itself(sample, posterior):
    kwargs = {"label_frequency": 0.3, "y_true": sample.y_true}
    coef = [1, -2, 0.5]
    np.testing.assert_array_equal(
        propensity("logistic", sample.X, coef=coef, power=1, **kwargs),
        propensity("logistic", sample.X, coef=coef, **kwargs),
    )
    np.testing.assert_array_equal(
        propensity("posterior", posterior, link="logit", power=1, **kwargs),
        propensity("posterior", posterior, link="logit", **kwargs),
    )


def test_no_mean_frequency_gives_the_largest_possible_one():
    # The largest posterior, that of a negative, gets 1.
    posterior = np.array([0.1, 0.5, 0.8, 0.9])
    kwargs = {"label_frequency": None, "y_true": [0, 1, 1, 0]}
    e = propensity("posterior", posterior, power=20, **kwargs)
    np.testing.assert_allclose(e, [(1 / 9) ** 20, (5 / 9) ** 20, (8 / 9) ** 20, 1], rtol=1e-12)
    e = propensity("posterior", posterior, function=lambda p: 2 + 2 * p, **kwargs)
    np.testing.assert_allclose(e, [2.2 / 3.8, 3 / 3.8, 3.6 / 3.8, 1], rtol=1e-12)
    np.testing.assert_array_equal(propensity("posterior", posterior, power=0, **kwargs), np.ones(4))


def test_no_mean_frequency_is_the_bound_of_the_message(sample, posterior):
    largest = propensity(
        "posterior", posterior, power=3, label_frequency=None, y_true=sample.y_true
    )
    bound = largest[sample.y_true == 1].mean()
    e = propensity("posterior", posterior, power=3, label_frequency=bound, y_true=sample.y_true)
    np.testing.assert_allclose(e, largest, rtol=1e-12)
    with pytest.raises(ValueError, match=f"`label_frequency` must be at most {bound:.6g}"):
        propensity(
            "posterior", posterior, power=3, label_frequency=bound + 1e-6, y_true=sample.y_true
        )


def test_a_largest_mean_frequency_of_zero_is_rejected():
    with pytest.raises(ValueError, match="`posterior` must be above 0"):
        propensity("posterior", [0.5, 0.0], label_frequency=None, y_true=[0, 1])


def test_step_mechanism_is_a_step_and_its_value_lies_above():
    X = np.array([[5.0, -1.0], [5.0, 0.999], [6.0, 1.0], [7.0, 1.001], [8.0, 3.0]])
    assert propensity("step", X, column=1, at=1).tolist() == [0.1, 0.1, 0.95, 0.95, 0.95]
    down = propensity("step", X, column=0, at=6.5, lower=1, upper=0)
    assert down.tolist() == [1, 1, 1, 0, 0]


def test_a_step_outside_the_values_is_scar():
    X = [[1.0], [2.0], [3.0]]
    assert (
        propensity("step", X, column=0, at=1).tolist() == [0.95] * 3
    )  # no value lies below its minimum
    assert propensity("step", X, column=0, at=3).tolist() == [0.1, 0.1, 0.95]
    assert propensity("step", X, column=0, at=3.5).tolist() == [0.1] * 3


def test_step_mechanism_rejects_bad_input():
    X = [[1.0, 2.0], [1.0, 3.0]]
    for at in (np.nan, np.inf, "1", True):
        with pytest.raises(ValueError, match=f"`at` must be a finite number; got {at!r}"):
            propensity("step", X, column=1, at=at)
    with pytest.raises(ValueError, match="`column` must be from 0 to 1.*got 2"):
        propensity("step", X, column=2, at=1)
    with pytest.raises(ValueError, match="`column` must name .*got column 0, which is constant"):
        propensity("step", X, column=0, at=1)
    with pytest.raises(ValueError, match=r"`lower` and `upper` must lie in .*got -0\.1"):
        propensity("step", X, column=1, at=1, lower=-0.1)


def test_top_mechanism_labels_the_largest_values_only():
    X = np.array([[0.0, 4.0], [0.0, 1.0], [1.0, 3.0], [1.0, 2.0], [1.0, 2.5], [1.0, 9.0]])
    y_true = [1, 1, 1, 1, 0, 0]
    # Half of the positives: those with 4 and 3. Negatives have the value of their side.
    e = propensity("top", X, column=1, label_frequency=0.5, y_true=y_true)
    assert e.tolist() == [1, 0, 1, 0, 0, 1]
    # Two and a half of four positives: the third, with 2, gets the half.
    e = propensity("top", X, column=1, label_frequency=5 / 8, y_true=y_true)
    assert e.tolist() == [1, 0, 1, 0.5, 1, 1]
    # Every positive, but not a row below all of them.
    e = propensity("top", [[0.0], [1.0], [2.0]], column=0, label_frequency=1, y_true=[0, 1, 1])
    assert e.tolist() == [0, 1, 1]


def test_ties_at_the_threshold_share_what_is_left():
    X = [[9.0], [5.0], [5.0], [5.0], [1.0], [5.0]]
    # Two of five positives: one above, so the three ties share one; the tied negative has theirs.
    e = propensity("top", X, column=0, label_frequency=0.4, y_true=[1, 1, 1, 1, 1, 0])
    np.testing.assert_allclose(e, [1, 1 / 3, 1 / 3, 1 / 3, 0, 1 / 3], rtol=1e-12)
    # Four of five: all of the ties.
    e = propensity("top", X, column=0, label_frequency=0.8, y_true=[1, 1, 1, 1, 1, 0])
    assert e.tolist() == [1, 1, 1, 1, 0, 1]


@pytest.mark.parametrize("target", [1e-6, 0.07, 0.29, 0.5, 0.999, 1])
@pytest.mark.parametrize("decimals", [0, 1, 8])
def test_top_mechanism_has_the_mean_frequency(sample, target, decimals):
    X = sample.X.round(decimals)
    e = propensity("top", X, column=0, label_frequency=target, y_true=sample.y_true)
    assert e[sample.y_true == 1].mean() == pytest.approx(target, rel=1e-12)
    assert np.all(np.diff(e[np.argsort(X[:, 0])]) >= 0)
    assert len(np.unique(e[(e > 0) & (e < 1)])) <= 1


def test_top_mechanism_has_no_fraction_for_a_whole_number_of_positives():
    # In floating point 0.07 * 100 lies above 7, and 0.29 * 100 below 29.
    X = np.arange(100.0)[:, None]
    for target, n_labeled in ((0.07, 7), (0.29, 29)):
        e = propensity("top", X, column=0, label_frequency=target, y_true=np.ones(100))
        assert e.tolist() == [0] * (100 - n_labeled) + [1] * n_labeled


def test_top_mechanism_rejects_bad_input():
    X = [[1.0, 2.0], [1.0, 3.0]]
    for target in (0, 1.1, np.nan, None):
        with pytest.raises(ValueError, match=f"`label_frequency` must be .*got {target!r}"):
            propensity("top", X, column=1, label_frequency=target, y_true=[0, 1])
    with pytest.raises(ValueError, match="`column` must name .*got column 0, which is constant"):
        propensity("top", X, column=0, label_frequency=0.5, y_true=[0, 1])
    with pytest.raises(ValueError, match="`y_true` must have .*got 0"):
        propensity("top", X, column=1, label_frequency=0.5, y_true=[0, 0])
    with pytest.raises(ValueError, match="`X` must have .*3; got 2 rows"):
        propensity("top", X, column=1, label_frequency=0.5, y_true=[0, 1, 1])


def sequential_chances(weights, n_drawn):
    """Return the chance of each set of rows, by adding up every order in which it can be drawn."""
    chances = {}
    for order in permutations(range(len(weights)), n_drawn):
        chance, left = 1.0, float(sum(weights))
        for row in order:
            chance *= weights[row] / left
            left -= weights[row]
        chances[frozenset(order)] = chances.get(frozenset(order), 0.0) + chance
    return chances


@pytest.mark.parametrize("weights", [[1, 1, 1, 1], [1, 2, 3, 14]])
def test_drawn_labels_have_the_chances_of_one_draw_after_the_other(weights):
    repeats = 2000
    generator = np.random.RandomState(0)
    counts = dict.fromkeys(sequential_chances(weights, 2), 0)
    for _ in range(repeats):
        # The third row is negative: the largest weight of all does not help it.
        s = draw_labels(
            [1, 1, 0, 1, 1], 2, weights=[*weights[:2], 99, *weights[2:]], random_state=generator
        )
        counts[frozenset(np.flatnonzero(np.delete(s, 2)))] += 1
    for rows, chance in sequential_chances(weights, 2).items():
        error = np.sqrt(chance * (1 - chance) / repeats)
        assert abs(counts[rows] / repeats - chance) < 4 * error


@pytest.mark.parametrize("design", ["A", "B"])
def test_one_label_of_the_lbe_designs_has_their_chances(design):
    y_true = np.array([1, 0, 1, 1, 0])
    posterior = np.array([0.9, 0.95, 0.7, 0.2, 0.1])
    powers = {i: posterior[i] ** 10 for i in (0, 2, 3)}
    if design == "A":
        weights = 0.9 * posterior**10 / (0.9**10 + 0.7**10 + 0.2**10) + 0.1 / 3
        chances = {i: 0.9 * power / sum(powers.values()) + 0.1 / 3 for i, power in powers.items()}
    else:
        weights = (1.5 + 1 - posterior) ** 10
        chances = {0: 1.6**10, 2: 1.8**10, 3: 2.3**10}
        chances = {i: chance / sum(chances.values()) for i, chance in chances.items()}
    repeats = 2000
    generator = np.random.RandomState(1)
    drawn = sum(
        draw_labels(y_true, 1, weights=weights, random_state=generator) for _ in range(repeats)
    )
    assert drawn[[1, 4]].sum() == 0
    for i, chance in chances.items():
        assert abs(drawn[i] / repeats - chance) < 4 * np.sqrt(chance * (1 - chance) / repeats)


def test_drawn_labels_have_their_number_and_mark_positives_only():
    weights = np.random.RandomState(0).uniform(size=N)
    for n_labeled in (1, 100, N // 8, N // 4):
        s = draw_labels(Y, n_labeled, weights=weights, random_state=3)
        assert s.dtype.kind == "i"
        assert s.sum() == s[Y == 1].sum() == n_labeled
        assert set(np.unique(s)) == {0, 1}
    np.testing.assert_array_equal(s, Y)  # all positives are drawn in the end


def test_a_larger_number_keeps_the_labels_of_a_smaller_one():
    weights = np.linspace(0.1, 9, 400)
    few, many = (draw_labels(Y[:400], n, weights=weights, random_state=4) for n in (10, 30))
    assert few.sum() == 10
    assert np.all(many[few == 1] == 1)


def test_one_seed_gives_one_draw_of_a_fixed_number():
    draws = [draw_labels(Y[:400], 20, random_state=seed) for seed in (5, 5, 6)]
    np.testing.assert_array_equal(draws[0], draws[1])
    assert np.any(draws[0] != draws[2])


def test_only_ratios_of_weights_matter():
    weights = np.linspace(0.1, 9, 400)
    kwargs = {"random_state": 4}
    expected = draw_labels(Y[:400], 20, weights=weights, **kwargs)
    for factor in (1e-300, 1e300):
        np.testing.assert_array_equal(
            draw_labels(Y[:400], 20, weights=weights * factor, **kwargs), expected
        )
    np.testing.assert_array_equal(
        draw_labels(Y[:400], 20, weights=np.full(400, 7.0), **kwargs),
        draw_labels(Y[:400], 20, **kwargs),
    )


def test_a_weight_of_zero_is_never_drawn_and_a_tiny_one_last():
    for seed in range(20):
        s = draw_labels([1, 1, 1, 1], 2, weights=[1, 0, 1e-320, 1], random_state=seed)
        assert s.tolist() == [1, 0, 0, 1]
        s = draw_labels([1, 1, 1, 1], 3, weights=[1, 0, 1e-320, 1], random_state=seed)
        assert s.tolist() == [1, 0, 1, 1]


@pytest.mark.parametrize("n_labeled", [0, 3, -1, 1.0, True, None, np.nan, "1"])
def test_a_number_of_labels_that_cannot_be_drawn_is_rejected(n_labeled):
    with pytest.raises(ValueError, match=f"`n_labeled` must be .*above 0, 2; got {n_labeled!r}"):
        draw_labels([1, 1, 0, 1], n_labeled, weights=[1, 2, 3, 0])


def test_bad_weights_are_rejected():
    with pytest.raises(ValueError, match="`weights` must have .*2; got 3"):
        draw_labels([0, 1], 1, weights=[1, 2, 3])
    with pytest.raises(ValueError, match=r"`weights` must be at least 0; got -0\.5 in row 1"):
        draw_labels([0, 1], 1, weights=[1, -0.5])
    with pytest.raises(ValueError, match="`weights` must hold finite .*got 1"):
        draw_labels([0, 1], 1, weights=[1, np.inf])
    with pytest.raises(ValueError, match="`y_true` must have .*got 0"):
        draw_labels([0, 0], 1)
    with pytest.raises(ValueError, match="`y_true` must hold .*got"):
        draw_labels([0, 2], 1)


def test_feature_mechanism_is_logistic_in_the_standardized_feature():
    # Column 1 has mean 3 and variance 5. The positives lie symmetrically: no shift at 1/2.
    X = np.array([[9.0, 0.0], [8.0, 2.0], [7.0, 4.0], [5.0, 6.0]])
    z = np.array([-3.0, -1.0, 1.0, 3.0]) / np.sqrt(5)
    e = propensity("feature", X, column=1, slope=0.7, label_frequency=0.5, y_true=[1, 0, 0, 1])
    np.testing.assert_allclose(e, 1 / (1 + np.exp(-0.7 * z)), rtol=1e-9)
    default = propensity("feature", X, column=1, label_frequency=0.5, y_true=[1, 0, 0, 1])
    np.testing.assert_allclose(default, 1 / (1 + np.exp(-2 * z)), rtol=1e-9)


def test_feature_mechanism_has_the_mean_frequency(sample):
    e = propensity(
        "feature", sample.X, column=2, slope=-1, label_frequency=0.4, y_true=sample.y_true
    )
    assert e[sample.y_true == 1].mean() == pytest.approx(0.4, abs=1e-9)
    assert np.corrcoef(e, sample.X[:, 2])[0, 1] < -0.9


@pytest.mark.parametrize("feature", [2, -1, 1.5, "a", True])
def test_a_feature_outside_the_table_is_rejected(feature):
    with pytest.raises(ValueError, match=f"`column` must be from 0 to 1.*got {feature!r}"):
        propensity(
            "feature", [[1.0, 2], [2, 3]], column=feature, label_frequency=0.5, y_true=[0, 1]
        )


def test_a_constant_feature_or_an_infinite_slope_is_rejected():
    kwargs = {"label_frequency": 0.5, "y_true": [0, 1]}
    with pytest.raises(ValueError, match="`column` must name .*got column 0, which is constant"):
        propensity("feature", [[1.0, 2], [1, 3]], column=0, **kwargs)
    with pytest.raises(ValueError, match="`slope` must be a finite number; got inf"):
        propensity("feature", [[1.0, 2], [1, 3]], column=1, slope=np.inf, **kwargs)


def test_product_mechanism_is_the_geometric_mean_of_its_factors():
    X = np.array([[0.0, 5.0, -1.0], [2.0, 5.0, 3.0], [4.0, 6.0, 1.0]])
    # Places of columns 0 and 2 between minimum and maximum: (0, 0), (1/2, 1), (1, 1/2).
    e = propensity("product", X, columns=[0, 2])
    np.testing.assert_allclose(e, [0.2, np.sqrt(0.5 * 0.8), np.sqrt(0.8 * 0.5)])
    # All three columns, factors from .9 down to .1: the places of column 1 are 0, 0, 1.
    e = propensity("product", X, lower=0.9, upper=0.1)
    np.testing.assert_allclose(
        e, np.array([0.9**3, 0.5 * 0.9 * 0.1, 0.1 * 0.1 * 0.5]) ** (1 / 3), rtol=1e-12
    )


def test_product_mechanism_scales_to_the_mean_frequency(sample):
    plain = propensity("product", sample.X, columns=[0, 1])
    e = propensity("product", sample.X, columns=[0, 1], label_frequency=0.3, y_true=sample.y_true)
    assert e[sample.y_true == 1].mean() == pytest.approx(0.3, abs=1e-12)
    np.testing.assert_allclose(e / e[0], plain / plain[0])
    with pytest.raises(ValueError, match=r"`label_frequency` must be at most 0\.[0-9]+.*got 0\.95"):
        propensity("product", sample.X, columns=[0, 1], label_frequency=0.95, y_true=sample.y_true)


def test_product_mechanism_rejects_bad_input():
    X = [[1.0, 2.0, 3.0], [2.0, 3.0, 3.0]]
    with pytest.raises(ValueError, match="`columns` must be from 0 to 2.*got 3"):
        propensity("product", X, columns=[0, 3])
    with pytest.raises(ValueError, match="`columns` .*got column 2, which is constant"):
        propensity("product", X)
    with pytest.raises(ValueError, match="`columns` must name at least one column.*got none"):
        propensity("product", X, columns=[])
    with pytest.raises(ValueError, match=r"`lower` and `upper` must lie in .*got 1\.2"):
        propensity("product", X, columns=[0], upper=1.2)
    with pytest.raises(ValueError, match="`label_frequency` and `y_true` must be given together"):
        propensity("product", X, columns=[0], label_frequency=0.3)
    with pytest.raises(ValueError, match="`X` must have .*3; got 2 rows"):
        propensity("product", X, columns=[0], label_frequency=0.3, y_true=[0, 1, 1])
    with pytest.raises(ValueError, match="`label_frequency` must be at most 0 .*got"):
        propensity("product", X, columns=[0], lower=0, upper=0, label_frequency=0.3, y_true=[0, 1])


def test_what_a_mechanism_needs_or_does_not_take_is_named():
    X = [[1.0], [2.0]]
    with pytest.raises(ValueError, match="`mechanism` must be one of .*; got 'line'"):
        propensity("line", X)
    with pytest.raises(ValueError, match="`at` must be given for the mechanism 'step'; got None"):
        propensity("step", X, column=0)
    with pytest.raises(ValueError, match="`slope` must be left out for the mechanism 'step'"):
        propensity("step", X, column=0, at=1, slope=2)


@pytest.mark.parametrize(
    "draw", [lambda y, **how: hide_labels(y, 0.3, **how), partial(draw_labels, n_labeled=9)]
)
def test_labels_are_drawn_by_a_generator_too(draw):
    y_true = np.ones(100, dtype=int)
    one, again = (draw(y_true, random_state=np.random.default_rng(7)) for _ in range(2))
    generator = np.random.default_rng(7)
    first, second = (draw(y_true, random_state=generator) for _ in range(2))
    assert one.tolist() == again.tolist() == first.tolist() != second.tolist()

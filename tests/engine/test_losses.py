"""Every loss against finite differences, closed forms and the far tails."""

import numpy as np
import pytest

from unlabeled.engine.losses import (
    KnownFrequencyLoss,
    KnownPropensityLoss,
    LogisticLoss,
    ProductLoss,
    shift_to_mean,
    softplus_and_sigmoid,
)

LOSSES = [
    pytest.param(LogisticLoss(), id="logistic"),
    pytest.param(KnownFrequencyLoss(0.3), id="frequency-.3"),
    pytest.param(KnownFrequencyLoss(1.0), id="frequency-1"),
    pytest.param(ProductLoss(), id="product"),
]
TARGETS = np.array([0.0, 1.0, 0.0, 1.0, 0.0, 1.0])
# Labeled, found positive, found negative, unknown, unknown, and a part of each.
CHECKED = np.array(
    [[1, 0, 0], [0, 1, 0], [0, 0, 0], [0, 0, 1], [0, 0, 1], [0.3, 0.2, 0.1]], dtype=float
)
WITH_CHECKED = [
    *(pytest.param(*one.values, TARGETS, id=one.id) for one in LOSSES),
    pytest.param(KnownFrequencyLoss(0.3), CHECKED, id="checked, frequency-.3"),
    pytest.param(ProductLoss(), CHECKED, id="checked, product"),
    pytest.param(
        KnownPropensityLoss(),
        np.column_stack([CHECKED, [-2.0, -1.0, 0.0, 0.5, 1.0, 3.0]]),
        id="known propensity",
    ),
]


def predictors(loss, rng, scale=2.0):
    return tuple(rng.normal(scale=scale, size=len(TARGETS)) for _ in range(loss.n_predictors))


def shifted(etas, k, h):
    return tuple(eta + h if j == k else eta for j, eta in enumerate(etas))


@pytest.mark.parametrize(("loss", "targets"), WITH_CHECKED)
def test_gradient_is_the_finite_difference_of_the_value(loss, targets, rng):
    etas, h = predictors(loss, rng), 1e-5
    rows = loss.derivatives(etas, targets, second=False)
    for k in range(loss.n_predictors):
        up = loss.derivatives(shifted(etas, k, h), targets, second=False).value
        down = loss.derivatives(shifted(etas, k, -h), targets, second=False).value
        np.testing.assert_allclose(rows.gradient[k], (up - down) / (2 * h), rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize(("loss", "targets"), WITH_CHECKED)
def test_hessian_is_the_finite_difference_of_the_gradient(loss, targets, rng):
    etas, h = predictors(loss, rng), 1e-5
    hessian = iter(loss.derivatives(etas, targets, second=True).hessian)
    for j in range(loss.n_predictors):
        for k in range(j, loss.n_predictors):
            up = loss.derivatives(shifted(etas, k, h), targets, second=False).gradient[j]
            down = loss.derivatives(shifted(etas, k, -h), targets, second=False).gradient[j]
            difference = (up - down) / (2 * h)
            np.testing.assert_allclose(next(hessian), difference, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize(("loss", "targets"), WITH_CHECKED)
@pytest.mark.parametrize("far", [-1000.0, 1000.0])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_everything_is_finite_in_the_tails(loss, targets, far, dtype):
    for other in (-1000.0, 0.0, 1000.0):
        etas = (np.full(6, far, dtype), np.full(6, other, dtype))[: loss.n_predictors]
        rows = loss.derivatives(etas, targets.astype(dtype), second=True)
        for array in (rows.value, *rows.gradient, *rows.hessian):
            assert np.all(np.isfinite(array))
            assert array.dtype == dtype


def test_losses_are_minus_the_log_likelihood_they_name(rng):
    t, u = rng.normal(size=6), rng.normal(size=6)
    sigma_t, sigma_u = 1 / (1 + np.exp(-t)), 1 / (1 + np.exp(-u))

    def likelihood(p):
        return -np.where(TARGETS == 1, np.log(p), np.log(1 - p))

    for loss, etas, p in (
        (LogisticLoss(), (t,), sigma_t),
        (KnownFrequencyLoss(0.3), (t,), 0.3 * sigma_t),
        (ProductLoss(), (t, u), sigma_t * sigma_u),
    ):
        value = loss.derivatives(etas, TARGETS, second=False).value
        np.testing.assert_allclose(value, likelihood(p), rtol=1e-12)


def test_losses_of_checked_rows_are_minus_the_log_likelihood_they_name(rng):
    t, u = rng.normal(size=6), rng.normal(size=6)
    y, e = 1 / (1 + np.exp(-t)), 1 / (1 + np.exp(-u))

    def likelihood(e):
        each = np.log([e * y, (1 - e) * y, 1 - e * y, 1 - y])
        shares = np.column_stack([CHECKED, 1 - CHECKED.sum(axis=1)])
        return -np.sum(shares * each.T, axis=1)

    for loss, etas, propensity in (
        (KnownFrequencyLoss(0.3), (t,), np.full(6, 0.3)),
        (ProductLoss(), (t, u), e),
    ):
        value = loss.derivatives(etas, CHECKED, second=False).value
        np.testing.assert_allclose(value, likelihood(propensity), rtol=1e-12)


def test_every_row_checked_is_the_logistic_loss_of_the_truth(rng):
    t, y = rng.normal(size=4), np.array([1.0, 1.0, 0.0, 0.0])
    answers = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 0], [0, 0, 0]], dtype=float)
    known = KnownFrequencyLoss(0.3).derivatives((t,), answers, second=True)
    logistic = LogisticLoss().derivatives((t,), y, second=True)
    constant = -np.log([0.3, 0.7, 1.0, 1.0])
    np.testing.assert_allclose(known.value, logistic.value + constant, rtol=1e-14)
    np.testing.assert_allclose(known.gradient, logistic.gradient, rtol=1e-14)
    np.testing.assert_allclose(known.hessian, logistic.hessian, rtol=1e-14)


def test_a_row_found_positive_is_impossible_if_every_positive_is_labeled():
    etas, one = (np.zeros(6),), KnownFrequencyLoss(1.0)
    value = one.derivatives(etas, CHECKED, second=False).value
    assert np.isinf(value).tolist() == [False, True, False, False, False, True]
    assert not np.isnan(value).any()


@pytest.mark.parametrize("loss", [KnownFrequencyLoss(0.3), ProductLoss()], ids=["known", "product"])
def test_three_columns_without_an_answer_are_the_labels(loss, rng):
    etas, second = predictors(loss, rng), True
    columns = np.column_stack([TARGETS, np.zeros(6), 1 - TARGETS])
    for ours, labels in zip(
        loss.derivatives(etas, columns, second),
        loss.derivatives(etas, TARGETS, second),
        strict=True,
    ):
        np.testing.assert_array_equal(ours, labels)


def test_product_with_constant_frequency_is_the_known_frequency_loss(rng):
    t, c = rng.normal(size=6), 0.37
    logit = np.float64(np.log(c / (1 - c)))
    product = ProductLoss().derivatives((t, logit), TARGETS, second=True)
    known = KnownFrequencyLoss(c).derivatives((t,), TARGETS, second=True)
    np.testing.assert_allclose(product.value, known.value, rtol=1e-12)
    np.testing.assert_allclose(product.gradient[0], known.gradient[0], rtol=1e-12)
    np.testing.assert_allclose(product.hessian[0], known.hessian[0], rtol=1e-11, atol=1e-14)


def test_a_constant_propensity_is_a_known_frequency(rng):
    eta = rng.normal(scale=3, size=len(CHECKED))
    target = np.column_stack([CHECKED, np.full(len(CHECKED), np.log(0.3 / 0.7))])
    one = KnownPropensityLoss().derivatives((eta,), target, second=True)
    other = KnownFrequencyLoss(0.3).derivatives((eta,), CHECKED, second=True)
    np.testing.assert_allclose(one.value, other.value, rtol=1e-12)
    np.testing.assert_allclose(one.gradient[0], other.gradient[0], atol=1e-14)
    np.testing.assert_allclose(one.hessian[0], other.hessian[0], atol=1e-14)


def test_product_loss_is_symmetric_in_its_predictors(rng):
    t, u = rng.normal(size=6), rng.normal(size=6)
    one = ProductLoss().derivatives((t, u), TARGETS, second=True)
    other = ProductLoss().derivatives((u, t), TARGETS, second=True)
    np.testing.assert_allclose(one.value, other.value, rtol=1e-12)
    np.testing.assert_allclose(one.gradient, other.gradient[::-1], rtol=1e-12)
    np.testing.assert_allclose(one.hessian, other.hessian[::-1], rtol=1e-10, atol=1e-14)


def test_frequency_one_is_the_logistic_loss(rng):
    t = rng.normal(size=6)
    one = KnownFrequencyLoss(1.0).derivatives((t,), TARGETS, second=True)
    logistic = LogisticLoss().derivatives((t,), TARGETS, second=True)
    for a, b in zip(one, logistic, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-15)


def test_gradient_of_the_likelihood_has_the_two_published_forms(rng):
    """sigma - y_hat equals -(1 - sigma)(s - c sigma) / (1 - c sigma)."""
    t, c = rng.normal(size=6), 0.4
    sigma = 1 / (1 + np.exp(-t))
    gradient = KnownFrequencyLoss(c).derivatives((t,), TARGETS, second=False).gradient[0]
    other_form = -(1 - sigma) * (TARGETS - c * sigma) / (1 - c * sigma)
    np.testing.assert_allclose(gradient, other_form, rtol=1e-12)


def test_product_hessian_is_at_most_a_quarter(rng):
    etas = tuple(rng.normal(scale=4, size=5000) for _ in range(2))
    target = (rng.random(5000) < 0.3).astype(float)
    first, cross, second = ProductLoss().derivatives(etas, target, second=True).hessian
    largest = (first + second) / 2 + np.sqrt(((first - second) / 2) ** 2 + cross**2)
    assert np.all(largest <= 0.25 + 1e-12)


def test_softplus_and_sigmoid_at_the_infinities():
    softplus, sigmoid = softplus_and_sigmoid(np.array([-np.inf, np.inf]))
    assert softplus.tolist() == [0.0, np.inf]
    assert sigmoid.tolist() == [0.0, 1.0]


@pytest.mark.parametrize("mean", [1e-9, 0.03, 0.5, 0.999])
def test_shifted_logits_have_the_mean_that_was_asked_for(mean, rng):
    logits, weight = rng.normal(scale=5, size=40), rng.uniform(size=40)
    for one in (None, weight):
        sigmoids = softplus_and_sigmoid(logits + shift_to_mean(logits, mean, one))[1]
        assert np.average(sigmoids, weights=one) == pytest.approx(mean, rel=1e-9)


def test_a_mean_that_no_shift_reaches_is_an_infinite_shift():
    logits = np.array([-1.0, 2.0])
    assert shift_to_mean(logits, 1.0) == np.inf
    assert shift_to_mean(logits, 0.0) == -np.inf


def test_equal_logits_are_shifted_in_closed_form():
    assert shift_to_mean(np.full(3, 2.0), 0.25) == pytest.approx(np.log(0.25 / 0.75) - 2.0)

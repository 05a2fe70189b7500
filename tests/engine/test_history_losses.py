"""Losses of delays and sources: finite differences, other packages, closed forms, convexity."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit

from unlabeled.engine.history_losses import FAMILIES, CaptureLoss, DelayLoss
from unlabeled.engine.solvers import newton

N_ROWS = 7
FROZEN = {
    "exponential": lambda location, scale: stats.expon(scale=np.exp(location)),
    "Weibull": lambda location, scale: stats.weibull_min(1 / scale, scale=np.exp(location)),
    "lognormal": lambda location, scale: stats.lognorm(scale, scale=np.exp(location)),
    "log-logistic": lambda location, scale: stats.fisk(1 / scale, scale=np.exp(location)),
}


def delays(rng):
    within = rng.uniform(0.5, 5, N_ROWS)
    return np.log(np.column_stack([within * rng.uniform(0.05, 1, N_ROWS), within]))


def some_sources(rng, n_sources):
    target = rng.integers(0, 2, (N_ROWS, n_sources)).astype(float)
    target[:, 0] = np.maximum(target[:, 0], 1 - target[:, 1:].max(axis=1))
    return target


CASES = [
    *(pytest.param(DelayLoss(family), delays, id=family) for family in FAMILIES),
    *(
        pytest.param(CaptureLoss(j), lambda rng, j=j: some_sources(rng, j), id=f"{j} sources")
        for j in (2, 3)
    ),
]


def predictors(loss, rng):
    return tuple(rng.normal(scale=0.7, size=N_ROWS) for _ in range(loss.n_predictors))


def shifted(etas, k, h):
    return tuple(eta + h if j == k else eta for j, eta in enumerate(etas))


@pytest.mark.parametrize(("loss", "targets"), CASES)
def test_derivatives_are_finite_differences(loss, targets, rng):
    target, etas, h = targets(rng), predictors(loss, rng), 1e-5
    rows = loss.derivatives(etas, target, second=True)
    hessian = iter(rows.hessian)
    for j in range(loss.n_predictors):
        up, down = (
            loss.derivatives(shifted(etas, j, sign * h), target, second=False) for sign in (1, -1)
        )
        np.testing.assert_allclose(
            rows.gradient[j], (up.value - down.value) / (2 * h), rtol=1e-6, atol=1e-8
        )
        for k in range(j, loss.n_predictors):
            difference = (up.gradient[k] - down.gradient[k]) / (2 * h)
            np.testing.assert_allclose(next(hessian), difference, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("family", FAMILIES)
def test_delays_have_the_distributions_of_scipy(family, rng):
    target, loss = delays(rng), DelayLoss(family)
    etas = predictors(loss, rng)
    time, within = np.exp(target).T
    log_scale = etas[1] if len(etas) > 1 else np.zeros(N_ROWS)
    for row in range(N_ROWS):
        known = FROZEN[family](etas[0][row], np.exp(log_scale[row]))
        value = loss.derivatives(etas, target, second=False).value[row]
        expected = -known.logpdf(time[row]) + known.logcdf(within[row])
        assert value == pytest.approx(expected, rel=1e-9)
        log_chance = loss.log_cumulative(etas, target[:, 1])[row]
        assert log_chance == pytest.approx(known.logcdf(within[row]), rel=1e-9)


@pytest.mark.parametrize("family", FAMILIES)
def test_nothing_is_labeled_at_once_and_everything_in_the_end(family):
    loss = DelayLoss(family)
    etas = (np.zeros(2),) * loss.n_predictors
    with np.errstate(divide="ignore"):
        found = loss.log_cumulative(etas, np.array([-np.inf, 60.0]))
    assert found[0] == -np.inf
    assert found[1] == pytest.approx(0)


class Intercepts:
    """The mean loss of rows that all have the same predictors."""

    def __init__(self, loss, target, ridge=0.0):
        self.loss, self.target, self.ridge = loss, target, ridge
        self.n_parameters = loss.n_predictors

    def value_gradient(self, z):
        return self.value_gradient_hessian(z)[:2]

    def value_gradient_hessian(self, z):
        etas = tuple(np.full(len(self.target), one) for one in z)
        rows = self.loss.derivatives(etas, self.target, second=True)
        hessian = np.zeros((len(z), len(z)))
        pairs = [(j, k) for j in range(len(z)) for k in range(j, len(z))]
        for (j, k), one in zip(pairs, rows.hessian, strict=True):
            hessian[j, k] = hessian[k, j] = one.mean()
        value = rows.value.mean() + 0.5 * self.ridge * z @ z
        gradient = np.array([one.mean() for one in rows.gradient]) + self.ridge * z
        return value, gradient, hessian + self.ridge * np.eye(len(z))


def test_exponential_delays_with_endless_exposure_have_their_mean_as_estimate(rng):
    time = rng.exponential(3.0, 50)
    target = np.column_stack([np.log(time), np.full(50, 60.0)])
    found = newton(Intercepts(DelayLoss("exponential"), target), np.zeros(1), 1e-12, 100).z
    assert np.exp(found[0]) == pytest.approx(time.mean(), rel=1e-9)


def test_exponential_delays_cut_off_at_one_time_have_the_mean_of_cut_off_ones(rng):
    # The likelihood equation of a truncated exponential: mean = m - v / (exp(v/m) - 1).
    time = rng.exponential(3.0, 4000)
    time = time[time < 4]
    target = np.log(np.column_stack([time, np.full(len(time), 4.0)]))
    found = newton(Intercepts(DelayLoss("exponential"), target), np.zeros(1), 1e-12, 100).z
    mean = np.exp(found[0])
    assert time.mean() == pytest.approx(mean - 4 / np.expm1(4 / mean), rel=1e-8)
    assert mean == pytest.approx(3.0, rel=0.2)


@pytest.mark.parametrize("n_sources", [2, 3])
def test_chances_of_all_histories_add_up_to_one(n_sources, rng):
    histories = np.array(list(product([0.0, 1.0], repeat=n_sources))[1:])
    etas = tuple(np.full(len(histories), eta) for eta in rng.normal(size=n_sources))
    loss = CaptureLoss(n_sources).derivatives(etas, histories, second=False)
    assert np.exp(-loss.value).sum() == pytest.approx(1)


@pytest.mark.parametrize("n_sources", [2, 3])
def test_the_loss_of_sources_is_convex(n_sources, rng):
    etas = tuple(rng.normal(scale=4, size=500) for _ in range(n_sources))
    target = np.ones((500, n_sources))
    hessian = np.zeros((500, n_sources, n_sources))
    pairs = [(j, k) for j in range(n_sources) for k in range(j, n_sources)]
    found = CaptureLoss(n_sources).derivatives(etas, target, second=True).hessian
    for (j, k), one in zip(pairs, found, strict=True):
        hessian[:, j, k] = hessian[:, k, j] = one
    assert np.linalg.eigvalsh(hessian).min() > -1e-12


def test_two_sources_alike_for_all_rows_give_lincoln_and_petersen():
    both, first, second = 30, 50, 90
    target = np.array([[1.0, 1]] * both + [[1.0, 0]] * first + [[0.0, 1]] * second)
    found = newton(Intercepts(CaptureLoss(2), target, 1e-12), np.zeros(2), 1e-12, 100).z
    chances = expit(found)
    np.testing.assert_allclose(chances, [both / (both + second), both / (both + first)], rtol=1e-6)
    count = len(target) / (1 - np.prod(1 - chances))
    assert count == pytest.approx((both + first) * (both + second) / both, rel=1e-6)


def test_a_row_of_a_source_that_hardly_has_any_is_finite():
    etas = (np.array([-40.0, -700.0]), np.array([-40.0, -700.0]))
    rows = CaptureLoss(2).derivatives(etas, np.array([[1.0, 0.0], [1.0, 0.0]]), second=True)
    assert all(np.isfinite(one).all() for one in (rows.value, *rows.gradient, *rows.hessian))
    assert rows.value[0] == pytest.approx(np.log(2))

"""The double logistic model and JOINT inside it, against generic optimizers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from unlabeled import JointLogistic
from unlabeled.diagnostics._double_logistic import NestedModels


def null_of(models, s):
    return models.fit_null(s, models.starts(s, (0.1, 0.4, 0.8)))


def log_likelihood(probability, s):
    return float(np.sum(np.log(np.where(s == 1, probability, 1 - probability))))


def test_the_null_fit_is_joint(honest):
    s = honest.s.astype(float)
    null = null_of(NestedModels(honest.X), s)
    joint = JointLogistic(tol=1e-8).fit(honest.X, s)
    # The ridge of a tenth changes the third digit.
    assert null.label_frequency == pytest.approx(joint.label_frequency_, rel=0.02)
    value = joint.mean_log_likelihood_ * len(s)
    assert -null.loss == pytest.approx(value, abs=0.5)
    assert -null.loss < value


def test_probabilities_are_those_the_loss_is_made_of(honest):
    s, models = honest.s.astype(float), NestedModels(honest.X)
    null = null_of(models, s)
    penalty = 0.05 * float(null.theta[:-2] @ null.theta[:-2])
    assert -null.loss == pytest.approx(log_likelihood(models.probability(null), s) - penalty)


def test_the_known_frequency_of_the_estimate_gives_the_same_fit(honest):
    s, models = honest.s.astype(float), NestedModels(honest.X)
    null = null_of(models, s)
    again = models.fit_null_at(null.label_frequency, s, null)
    assert again.loss == pytest.approx(null.loss, abs=1e-5)
    assert models.fit_null_at(0.95, s, null).loss > null.loss


def test_features_and_their_whitened_selves_give_the_same_statistic(honest):
    s = honest.s.astype(float)
    mixed = honest.X @ np.array([[3.0, 1, 0], [0, 0.1, 2], [0, 0, 50]]) + 7
    values = []
    for X in (honest.X, mixed):
        models = NestedModels(X)
        values.append(models.departure(s, null_of(models, s)))
    assert values[0] == pytest.approx(values[1], rel=1e-3)


def test_the_statistic_is_twice_the_gain_of_the_double_logistic_model(dependent):
    """A generic optimizer on the formula reaches the same value."""
    X, s = dependent
    models = NestedModels(X)
    null = null_of(models, s.astype(float))
    Z = models.Z

    def loss(theta):
        b, g = theta[:4], theta[4:]
        p = expit(Z @ b[:3] + b[3]) * expit(Z @ g[:3] + g[3])
        p = np.clip(p, 1e-300, 1 - 1e-16)
        return -log_likelihood(p, s) + 0.05 * (b[:3] @ b[:3] + g[:3] @ g[:3])

    starts = [np.concatenate([null.theta[:4], g]) for g in ([1, 0, 0, 0], [-1, 0, 0, 0])]
    starts += [
        np.concatenate([null.theta[:4], np.roll(g, 1)]) for g in ([1, 0, 0, 0], [0, 1, 0, 0])
    ]
    best = min(minimize(loss, start, method="BFGS").fun for start in starts)
    statistic = models.departure(s.astype(float), null)
    assert statistic == pytest.approx(2 * (null.loss - best), abs=0.05)


def test_one_feature_gains_at_most_what_all_do_and_what_its_own_model_does(dependent):
    X, s = dependent
    s, models = s.astype(float), NestedModels(X)
    null = null_of(models, s)
    whole = models.departure(s, null)
    readings = [models.read(s, null, j) for j in range(3)]
    assert all(reading.statistic <= whole + 0.01 for reading in readings)
    # By hand: the first feature alone in the propensity.
    feature = (X[:, 0] - X[:, 0].mean()) / X[:, 0].std()
    theta = np.append(null.theta[:-1], [readings[0].slope, 0.0])

    def loss(theta):
        p = expit(models.Z @ theta[:3] + theta[3]) * expit(theta[4] * feature + theta[5])
        p = np.clip(p, 1e-300, 1 - 1e-16)
        return -log_likelihood(p, s) + 0.05 * (theta[:3] @ theta[:3] + theta[4] ** 2)

    best = minimize(loss, theta, method="BFGS")
    assert readings[0].statistic == pytest.approx(2 * (null.loss - best.fun), abs=0.05)
    assert readings[0].slope == pytest.approx(best.x[4], rel=0.05)


def test_the_score_is_the_slope_of_the_likelihood_in_the_propensity(honest):
    """By finite differences of P(S=1|x) = c (1 + d z) sigma(t), cleared of JOINT's parameters."""
    s, models = honest.s.astype(float), NestedModels(honest.X)
    null = null_of(models, s)
    score, variance = models._efficient_score(s, null)
    c, theta, Z = null.label_frequency, null.theta, models.Z

    def value(parameters):
        b, c, d = parameters[:4], parameters[4], parameters[5:]
        return c * (1 + Z @ d) * expit(Z @ b[:3] + b[3])

    here = np.concatenate([theta[:4], [c], np.zeros(3)])
    steps = 1e-6 * np.eye(8)
    jacobian = np.column_stack([(value(here + h) - value(here - h)) / 2e-6 for h in steps])
    p = value(here)
    weight = 1 / (p * (1 - p))
    information = jacobian.T @ (weight[:, None] * jacobian)
    raw = jacobian.T @ (weight * (s - p))
    solved = np.linalg.solve(information[:5, :5], information[:5, 5:])
    np.testing.assert_allclose(score, raw[5:] - solved.T @ raw[:5], rtol=1e-5, atol=1e-6)
    expected = information[5:, 5:] - information[5:, :5] @ solved
    np.testing.assert_allclose(variance, expected, rtol=1e-5)


def test_the_larger_fit_finds_a_strong_dependence_beside_a_local_maximum():
    """From one start along the score the gain was 6.6 here, instead of 188."""
    rng = np.random.RandomState(795)
    X = rng.standard_t(3, size=(1000, 6))
    b, g = rng.normal(size=6) * 1.5, np.zeros(6)
    g[: rng.randint(0, 6)] = rng.normal() * 2
    s = (rng.uniform(size=1000) < expit(X @ b - 1) * expit(X @ g + rng.normal())).astype(float)
    models = NestedModels(X)
    assert models.departure(s, null_of(models, s)) > 180

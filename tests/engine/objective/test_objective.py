"""The sum over blocks: derivatives, weights, backends, block sizes."""

import numpy as np
import pytest
from scipy import sparse

from unlabeled.engine.losses import KnownFrequencyLoss, LogisticLoss, ProductLoss
from unlabeled.engine.objective import (
    CONSTANT,
    FEATURES,
    FEATURES_WITHOUT_INTERCEPT,
    Design,
    Objective,
)
from unlabeled.engine.rows import _blocks

CASES = [
    pytest.param(LogisticLoss(), (FEATURES,), id="logistic"),
    pytest.param(LogisticLoss(), (FEATURES_WITHOUT_INTERCEPT,), id="no-intercept"),
    pytest.param(KnownFrequencyLoss(0.4), (FEATURES,), id="known-frequency"),
    pytest.param(ProductLoss(), (FEATURES, CONSTANT), id="joint"),
    pytest.param(ProductLoss(), (FEATURES, FEATURES), id="double-logistic"),
    pytest.param(ProductLoss(), (FEATURES, Design(True, True, (2, 0))), id="some-columns"),
    pytest.param(
        ProductLoss(), (Design(True, True, (0, 1)), Design(True, False, (3,))), id="other-columns"
    ),
]


def problem(loss, designs, rng, n=200, p=4, **options):
    X = rng.normal(size=(n, p))
    X[rng.random(size=X.shape) < 0.4] = 0.0
    s = (rng.random(n) < 0.3).astype(float)
    objective = Objective(loss, designs, X, s, **options)
    return objective, rng.normal(size=objective.n_parameters)


@pytest.mark.parametrize(("loss", "designs"), CASES)
@pytest.mark.parametrize("weighted", [False, True])
def test_derivatives_are_finite_differences(loss, designs, weighted, rng):
    weight = rng.random(200) if weighted else None
    objective, theta = problem(loss, designs, rng, weight=weight, ridge=0.3)
    value, gradient, hessian = objective.value_gradient_hessian(theta)
    assert objective.value_gradient(theta)[0] == pytest.approx(value, rel=1e-14)
    h = 1e-5
    for k in range(objective.n_parameters):
        step = h * (np.arange(objective.n_parameters) == k)
        up, up_gradient = objective.value_gradient(theta + step)
        down, down_gradient = objective.value_gradient(theta - step)
        assert gradient[k] == pytest.approx((up - down) / (2 * h), rel=1e-6, abs=1e-9)
        difference = (up_gradient - down_gradient) / (2 * h)
        np.testing.assert_allclose(hessian[k], difference, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize(("loss", "designs"), CASES)
def test_csr_equals_dense(loss, designs, rng):
    objective, theta = problem(loss, designs, rng, weight=rng.random(200), ridge=0.1)
    in_csr = Objective(
        loss, designs, sparse.csr_matrix(objective.X), objective.target, objective.weight, 0.1
    )
    for a, b in zip(
        objective.value_gradient_hessian(theta), in_csr.value_gradient_hessian(theta), strict=True
    ):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(("loss", "designs"), CASES)
def test_block_size_changes_nothing(loss, designs, rng, monkeypatch):
    objective, theta = problem(loss, designs, rng, n=1000, weight=rng.random(1000))
    whole = objective.value_gradient_hessian(theta)
    monkeypatch.setattr(_blocks, "rows_in_a_block", lambda X: 7)
    for a, b in zip(whole, objective.value_gradient_hessian(theta), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(("loss", "designs"), CASES)
def test_weight_two_is_a_row_twice(loss, designs, rng):
    objective, theta = problem(loss, designs, rng, weight=rng.integers(1, 4, 200).astype(float))
    repeated = np.repeat(np.arange(200), objective.weight.astype(int))
    twice = Objective(loss, designs, objective.X[repeated], objective.target[repeated])
    for a, b in zip(
        objective.value_gradient_hessian(theta), twice.value_gradient_hessian(theta), strict=True
    ):
        np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-13)


def test_intercept_is_a_column_of_ones_without_its_penalty(rng):
    objective, theta = problem(LogisticLoss(), (FEATURES,), rng)
    X_one = np.column_stack([objective.X, np.ones(200)])
    as_column = Objective(LogisticLoss(), (FEATURES_WITHOUT_INTERCEPT,), X_one, objective.target)
    for a, b in zip(
        objective.value_gradient_hessian(theta),
        as_column.value_gradient_hessian(theta),
        strict=True,
    ):
        np.testing.assert_allclose(a, b, rtol=1e-12)


def test_penalty_leaves_intercepts_alone(rng):
    plain, theta = problem(ProductLoss(), (FEATURES, CONSTANT), np.random.default_rng(1))
    ridge, _ = problem(ProductLoss(), (FEATURES, CONSTANT), np.random.default_rng(1), ridge=2.0)
    difference = ridge.value_gradient(theta)[1] - plain.value_gradient(theta)[1]
    np.testing.assert_allclose(difference[:4], 2.0 * theta[:4], rtol=1e-12)
    np.testing.assert_allclose(difference[4:], 0.0, atol=1e-15)


def test_a_design_of_some_columns_is_a_design_of_these_columns_alone(rng):
    designs = (Design(True, True, (2, 0)),)
    objective, theta = problem(LogisticLoss(), designs, rng, ridge=0.3)
    alone = Objective(
        LogisticLoss(), (FEATURES,), objective.X[:, [2, 0]], objective.target, None, 0.3
    )
    for one, other in zip(
        objective.value_gradient_hessian(theta), alone.value_gradient_hessian(theta), strict=True
    ):
        np.testing.assert_allclose(one, other, rtol=1e-13)


def test_no_columns_are_a_constant(rng):
    objective, theta = problem(ProductLoss(), (FEATURES, Design(True, True, ())), rng)
    joint = Objective(ProductLoss(), (FEATURES, CONSTANT), objective.X, objective.target)
    for one, other in zip(
        objective.value_gradient_hessian(theta), joint.value_gradient_hessian(theta), strict=True
    ):
        np.testing.assert_allclose(one, other, rtol=1e-13)


def test_a_penalty_of_each_parameter(rng):
    strength = rng.random(6)
    plain, theta = problem(ProductLoss(), (FEATURES, CONSTANT), np.random.default_rng(1))
    ridge, _ = problem(
        ProductLoss(), (FEATURES, CONSTANT), np.random.default_rng(1), ridge=strength
    )
    for k, expected in enumerate((0.5 * strength @ theta**2, strength * theta, np.diag(strength))):
        there, here = (one.value_gradient_hessian(theta)[k] for one in (ridge, plain))
        np.testing.assert_allclose(there - here, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
def test_a_penalty_of_an_intercept_at_the_means_is_that_of_centered_rows(rng, kind):
    designs, mean = (FEATURES, Design(True, True, (2, 0))), np.array([3.0, -1.0, 0.5, 20.0])
    centered, theta = problem(ProductLoss(), designs, rng, ridge=rng.random(8))
    moved = Objective(
        ProductLoss(), designs, kind(centered.X + mean), centered.target, None, centered.ridge, mean
    )
    # The parameters with the same predictors: each intercept goes to where the rows went.
    back = np.eye(8)
    back[4, :4], back[7, 5:7] = -mean, -mean[[2, 0]]
    value, gradient, hessian = moved.value_gradient_hessian(back @ theta)
    found = value, back.T @ gradient, back.T @ hessian @ back
    for one, other in zip(found, centered.value_gradient_hessian(theta), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-11)
    part = moved.subsample(3)
    np.testing.assert_array_equal(part.ridge_at, mean)


def test_float32_stays_float32_inside_a_block(rng):
    seen = []

    class Spy(LogisticLoss):
        def derivatives(self, predictors, target, second):
            seen.append(predictors[0].dtype)
            return super().derivatives(predictors, target, second)

    X = rng.normal(size=(50, 3)).astype(np.float32)
    objective = Objective(Spy(), (FEATURES,), X, np.ones(50))
    _, gradient = objective.value_gradient(rng.normal(size=4))
    assert seen == [np.float32]
    assert gradient.dtype == np.float64


def test_inputs_are_left_unchanged(rng):
    objective, theta = problem(ProductLoss(), (FEATURES, CONSTANT), rng, weight=np.ones(200))
    before = [array.copy() for array in (objective.X, objective.target, objective.weight, theta)]
    objective.value_gradient_hessian(theta)
    after = (objective.X, objective.target, objective.weight, theta)
    for a, b in zip(before, after, strict=True):
        np.testing.assert_array_equal(a, b)

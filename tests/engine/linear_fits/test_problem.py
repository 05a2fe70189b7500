"""Rows, a loss and a solver put together."""

import pytest

from unlabeled.engine.linear_fits import LinearProblem
from unlabeled.engine.losses import softplus_and_sigmoid
from unlabeled.engine.objective import Objective


def test_a_fit_says_how_far_it_is_from_its_optimum_without_another_pass(rng, monkeypatch):
    X = rng.normal(size=(30_000, 10))
    s = (rng.random(30_000) < softplus_and_sigmoid(X[:, 0] - 1)[1]).astype(float)
    problem, passes = LinearProblem.of(X, None), []
    sums = Objective.value_gradient
    monkeypatch.setattr(
        Objective,
        "value_gradient",
        lambda self, theta: passes.append(self.X.shape[0]) or sums(self, theta),
    )
    fit = problem.fit_logistic(s, 1e-4, 100)
    assert 0 < fit.result.distance < 0.01
    assert passes.count(30_000) == fit.result.n_iter + 1
    assert passes.count(3000) > 0


def test_whitened_fit_is_the_plain_fit(golden):
    data = golden(label_frequency=0.6)
    fit = LinearProblem.of(data.X, None).fit_logistic(data.s.astype(float), 1e-11, 100)
    _, g = softplus_and_sigmoid(data.X @ fit.coef + fit.intercept)
    assert g.mean() == pytest.approx(data.s.mean(), abs=1e-12)

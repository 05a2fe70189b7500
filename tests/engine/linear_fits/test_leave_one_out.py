"""Closed-form leave-one-out scores against refits."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from unlabeled.engine.linear_fits import LinearFit, LinearProblem, leave_one_out_predictors
from unlabeled.engine.losses import ProductLoss
from unlabeled.engine.objective import CONSTANT, Design
from unlabeled.engine.solvers import minimize


def refitted(X, s, weight, C, intercept, rows):
    scores = []
    for i in rows:
        kept = np.arange(len(s)) != i
        problem = LinearProblem.of(X[kept], None if weight is None else weight[kept], C, intercept)
        fit = problem.fit_logistic(s[kept], 1e-9, 1000)
        scores.append(float(X[i] @ fit.coef + fit.intercept))
    return np.array(scores)


@pytest.mark.parametrize("C", [np.inf, 0.1])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("weighted", [False, True])
def test_it_is_the_refit_to_first_order(rng, C, intercept, weighted):
    X = rng.normal(size=(300, 4)) @ rng.normal(size=(4, 4)) + 1
    s = (rng.random(300) < 1 / (1 + np.exp(1 - X[:, 0]))).astype(float)
    weight = rng.uniform(0.5, 2, 300) if weighted else None
    # C is scikit-learn's: left with one row fewer, the ridge on the mean loss is a trifle larger.
    fit = LinearProblem.of(X, weight, C, intercept).fit_logistic(s, 1e-9, 1000)
    rows = np.arange(0, 300, 17)
    closed = leave_one_out_predictors(fit)[0][rows]
    exact = refitted(X, s, weight, C, intercept, rows)
    in_sample = fit.predictor()[rows]
    assert np.max(np.abs(closed - exact)) < 0.05 * np.max(np.abs(in_sample - exact))


def test_a_labeled_row_loses_and_an_unlabeled_one_gains(rng):
    X = rng.normal(size=(100, 20))
    s = (rng.random(100) < 0.3).astype(float)
    fit = LinearProblem.of(X, None, 1.0).fit_logistic(s, 1e-8, 1000)
    change = leave_one_out_predictors(fit)[0] - fit.predictor()
    assert np.all(change[s == 1] < 0)
    assert np.all(change[s == 0] > 0)


def test_sparse_is_dense(rng):
    X = rng.normal(size=(200, 5)) * (rng.random((200, 5)) < 0.4)
    s = (rng.random(200) < 0.3).astype(float)
    dense = LinearProblem.of(X, None, 1.0).fit_logistic(s, 1e-9, 1000)
    in_csr = LinearProblem.of(sparse.csr_matrix(X), None, 1.0).fit_logistic(s, 1e-9, 1000)
    np.testing.assert_allclose(
        leave_one_out_predictors(dense)[0], leave_one_out_predictors(in_csr)[0], atol=1e-6
    )


@pytest.mark.parametrize("C", [np.inf, 0.1])
def test_a_held_intercept_stays_where_the_rows_are(rng, C):
    """Only the coefficients are those of the refit; the predictor at the rows' center stays."""
    X = rng.normal(size=(300, 4)) @ rng.normal(size=(4, 4)) + 1
    s = (rng.random(300) < 1 / (1 + np.exp(1 - X[:, 0]))).astype(float)
    fit = LinearProblem.of(X, None, C).fit_logistic(s, 1e-9, 1000)
    probability = 1 / (1 + np.exp(-fit.predictor()))
    center = np.average(X, axis=0, weights=probability * (1 - probability))
    held = leave_one_out_predictors(fit, hold_intercept=True)[0]
    exact, plain = [], leave_one_out_predictors(fit)[0]
    rows = np.arange(0, 300, 17)
    for i in rows:
        kept = np.arange(300) != i
        refit = LinearProblem.of(X[kept], None, C).fit_logistic(s[kept], 1e-9, 1000)
        exact.append((X[i] - center) @ refit.coef + center @ fit.coef + fit.intercept)
    shift = np.max(np.abs(plain - held))
    assert np.max(np.abs(held[rows] - exact)) < 0.1 * shift


def double_fit(X, s, weight, ridge=0.01):
    problem = replace(LinearProblem.of(X, weight), ridge=ridge)
    whole = problem.objective(ProductLoss(), s, Design(True, True, (1,)))
    start = np.zeros(whole.n_parameters)
    return LinearFit(whole, minimize(whole, start, 1e-11, 2000, polish_tol=1e-11))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("in_csr", [False, True])
def test_two_predictors_are_those_of_the_refit(rng, weighted, in_csr):
    X = rng.normal(size=(400, 3)) + 0.5
    chance = 1 / (1 + np.exp(-2 * X[:, 0])) / (1 + np.exp(-2 * X[:, 1]))
    s = (rng.random(400) < chance).astype(float)
    weight = rng.uniform(0.5, 2, 400) if weighted else None
    fit = double_fit(sparse.csr_matrix(X) if in_csr else X, s, weight)
    parts, designs = fit.problem.objective.parts, fit.problem.objective.designs
    rows = np.arange(0, 400, 13)
    closed = np.array(leave_one_out_predictors(fit))[:, rows]
    exact, inside = [], []
    for i in rows:
        kept = np.arange(400) != i
        # The same penalty on the sum of the losses, which has one row fewer.
        total, less = (400, 399) if weight is None else (weight.sum(), weight[kept].sum())
        less_weight = None if weight is None else weight[kept]
        refit = double_fit(X[kept], s[kept], less_weight, 0.01 * total / less)
        for into, one in ((exact, refit), (inside, fit)):
            into.append(
                [d.predictor(X[[i]], one.theta[p])[0] for d, p in zip(designs, parts, strict=True)]
            )
    exact, inside = np.array(exact).T, np.array(inside).T
    for k in range(2):
        assert np.max(np.abs(closed[k] - exact[k])) < 0.1 * np.max(np.abs(inside[k] - exact[k]))


def test_held_intercepts_of_two_predictors_move_no_prediction_at_the_center(rng):
    """Without features nothing is left to move. Answers tell the two intercepts apart."""
    outcome = np.repeat(np.eye(4)[:, :3], [15, 10, 15, 10], axis=0)
    whole = LinearProblem.of(np.zeros((50, 1)), None, 1.0).objective(
        ProductLoss(), outcome, CONSTANT
    )
    fit = LinearFit(whole, minimize(whole, np.zeros(whole.n_parameters), 1e-8, 100))
    held = leave_one_out_predictors(fit, hold_intercept=True)
    plain = leave_one_out_predictors(fit)
    np.testing.assert_allclose(held[0], fit.predictor(), atol=1e-9)
    assert np.ptp(plain[0]) > 1e-3

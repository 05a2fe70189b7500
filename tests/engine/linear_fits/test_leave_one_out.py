"""Closed-form leave-one-out scores against refits."""

import numpy as np
import pytest
from scipy import sparse

from unlabeled.engine.linear_fits import LinearProblem, leave_one_out_predictors


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


def test_a_labelled_row_loses_and_an_unlabelled_one_gains(rng):
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

"""Whitened coordinates: unit covariance, rank, and translation there and back; column ranges."""

import numpy as np
import pytest
from scipy import sparse

from unlabeled import NaiveLogistic
from unlabeled.datasets import make_paper_gaussian
from unlabeled.engine.losses import LogisticLoss, ProductLoss
from unlabeled.engine.objective import (
    CONSTANT,
    FEATURES,
    Design,
    Moments,
    Objective,
    WhitenedObjective,
    Whitening,
    _whitening,
    column_range,
)


def correlated(rng, n=500, p=5):
    return rng.normal(size=(n, p)) @ rng.normal(size=(p, p)) * [1, 10, 0.1, 1e4, 1] + [
        0,
        5,
        1e3,
        -9,
        2,
    ]


def whitening_of(X, weight=None, intercept=True, ridge=0.0):
    return Whitening.of_moments(Moments.of(X, weight, intercept), ridge)


def score_covariance(X, whitening, weight=None):
    scores = X @ whitening.basis
    return np.atleast_2d(np.cov(scores.T, aweights=weight, bias=True))


@pytest.mark.parametrize("weighted", [False, True])
def test_scores_in_whitened_coordinates_have_unit_covariance(rng, weighted):
    X = correlated(rng)
    weight = rng.random(500) if weighted else None
    covariance = score_covariance(X, whitening_of(X, weight), weight)
    np.testing.assert_allclose(covariance, np.eye(5), atol=1e-6)


def test_sparse_and_dense_whitening_agree(rng):
    X = rng.normal(size=(300, 4)) * (rng.random((300, 4)) < 0.3)
    dense, in_csr = whitening_of(X), whitening_of(sparse.csr_matrix(X))
    np.testing.assert_allclose(dense.center, in_csr.center, atol=1e-14)
    np.testing.assert_allclose(dense.basis, in_csr.basis, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("limit", [1000, 2], ids=["matrix", "scales"])
@pytest.mark.parametrize("intercept", [True, False])
def test_translation_there_and_back(rng, monkeypatch, limit, intercept):
    monkeypatch.setattr(_whitening, "MOST_FEATURES", limit)
    X, s = correlated(rng), (rng.random(500) < 0.3).astype(float)
    whitened = WhitenedObjective(
        Objective(ProductLoss(), (FEATURES, CONSTANT), X, s), whitening_of(X, None, intercept)
    )
    theta = rng.normal(size=7)
    np.testing.assert_allclose(whitened.theta(whitened.coordinates(theta)), theta, rtol=1e-8)


@pytest.mark.parametrize("limit", [1000, 2], ids=["matrix", "scales"])
def test_some_columns_have_their_own_coordinates(rng, monkeypatch, limit):
    monkeypatch.setattr(_whitening, "MOST_FEATURES", limit)
    X, s = correlated(rng), (rng.random(500) < 0.3).astype(float)
    designs, columns = (FEATURES, Design(True, True, (3, 1))), [3, 1]
    whitening = whitening_of(X)
    whitened = WhitenedObjective(Objective(ProductLoss(), designs, X, s), whitening)
    theta = rng.normal(size=whitened.objective.n_parameters)
    np.testing.assert_allclose(whitened.theta(whitened.coordinates(theta)), theta, rtol=1e-8)
    own = whitening.of_columns((3, 1))
    if limit == 1000:
        score = (X[:, columns] - own.center) @ own.basis
        np.testing.assert_allclose(score.T @ score / 500, np.eye(2), atol=1e-9)
    else:
        np.testing.assert_allclose(own.basis, whitening.basis[columns])
    np.testing.assert_array_equal(own.center, whitening.center[columns])


@pytest.mark.parametrize("limit", [1000, 2], ids=["matrix", "scales"])
def test_whitened_derivatives_are_finite_differences(rng, monkeypatch, limit):
    monkeypatch.setattr(_whitening, "MOST_FEATURES", limit)
    X, s = correlated(rng), (rng.random(500) < 0.3).astype(float)
    whitened = WhitenedObjective(
        Objective(ProductLoss(), (FEATURES, CONSTANT), X, s, ridge=0.1), whitening_of(X)
    )
    z, h = rng.normal(size=7), 1e-5
    _, gradient, hessian = whitened.value_gradient_hessian(z)
    for k in range(7):
        step = h * (np.arange(7) == k)
        up, up_gradient = whitened.value_gradient(z + step)
        down, down_gradient = whitened.value_gradient(z - step)
        assert gradient[k] == pytest.approx((up - down) / (2 * h), rel=1e-5, abs=1e-8)
        difference = (up_gradient - down_gradient) / (2 * h)
        np.testing.assert_allclose(hessian[k], difference, rtol=1e-4, atol=1e-7)


def test_rank_and_constant_columns_are_found(rng):
    X = rng.normal(size=(200, 3))
    X = np.column_stack([X, X[:, 0] + 2 * X[:, 1], np.full(200, 7.3), X[:, 2]])
    whitening = whitening_of(X)
    assert whitening.rank == 3
    assert whitening.constant.tolist() == [4]


@pytest.mark.parametrize(("name", "deficiency"), [("adult", 1), ("credit-a", 4)])
def test_rank_of_the_paper_sets(data_home, name, deficiency):
    from unlabeled.datasets import load_uci

    X = load_uci(name, data_home).X
    assert X.shape[1] - whitening_of(X).rank == deficiency


def test_mm_bound_is_a_quarter_of_the_identity(rng):
    """In whitened coordinates no Hessian of the logistic loss exceeds I / 4."""
    X, s = correlated(rng), (rng.random(500) < 0.3).astype(float)
    for ridge in (0.0, 0.05):
        whitened = WhitenedObjective(
            Objective(LogisticLoss(), (FEATURES,), X, s, ridge=ridge),
            whitening_of(X, ridge=ridge),
        )
        for _ in range(5):
            hessian = whitened.value_gradient_hessian(rng.normal(scale=0.5, size=6))[2]
            assert np.linalg.eigvalsh(hessian)[-1] <= 0.25 + 1e-10


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csr_array])
def test_wide_sparse_columns_far_from_zero_have_the_moments_of_dense_ones(rng, weighted, kind):
    X = rng.normal(size=(80, 1200)) * (rng.random((80, 1200)) < 0.1)
    X[:, 0], X[:, 1], X[:, 2] = 7.0, 1e6 + rng.normal(size=80), 0.0
    weight = rng.random(80) + 0.1 if weighted else None
    dense, found = (Moments.of(rows, weight, intercept=True) for rows in (X, kind(X)))
    np.testing.assert_allclose(found.center, dense.center, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(found.second, dense.second, rtol=1e-7, atol=1e-12)
    np.testing.assert_array_equal(found.constant, [0, 2])
    np.testing.assert_array_equal(dense.constant, [0, 2])


def test_enough_rows_give_the_moments(rng):
    X = rng.normal(size=(60_000, 5)) @ rng.normal(size=(5, 5)) + 3
    some, every = (f(X, None, intercept=True) for f in (Moments.about, Moments.of))
    spread = np.sqrt(np.diag(every.second))
    assert not np.array_equal(some.second, every.second)
    np.testing.assert_allclose(some.center, every.center, atol=0.05 * spread.max())
    np.testing.assert_allclose(some.second, every.second, atol=0.1 * spread.max() ** 2)


@pytest.mark.parametrize("rare", ["constant in the part", "dependent in the part"])
def test_all_rows_are_used_where_a_part_does_not_give_the_rank(rng, rare):
    X = rng.normal(size=(60_000, 3))
    X[:, 2] = 0.0 if rare.startswith("constant") else X[:, 0]
    X[1, 2] += 5.0  # this row is in no part, and it makes the difference
    np.testing.assert_array_equal(
        Moments.about(X, None, intercept=True).second, Moments.of(X, None, intercept=True).second
    )
    assert Whitening.of_moments(Moments.about(X, None, intercept=True), 0.0).rank == 3


def test_a_fit_by_a_part_of_the_moments_is_the_fit(monkeypatch):
    data = make_paper_gaussian(50_000, label_frequency=0.5, random_state=0)
    some = NaiveLogistic(tol=1e-8).fit(data.X, data.s)
    monkeypatch.setattr(Moments, "about", Moments.of)
    every = NaiveLogistic(tol=1e-8).fit(data.X, data.s)
    np.testing.assert_allclose(some.coef_, every.coef_, rtol=1e-6)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix, sparse.csr_array])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_zeros_that_are_not_stored_count_and_rows_can_be_chosen(rng, kind, dtype):
    X = rng.normal(size=(60, 5)) * (rng.random((60, 5)) < 0.5)
    X[:, 1], X[:, 2], X[:, 3] = 0, np.abs(X[:, 2]) + 1, -np.abs(X[:, 3]) - 1
    X = X.astype(dtype)
    for rows in (None, rng.random(60) < 0.3, np.arange(60) == 7):
        low, high = column_range(kind(X), rows)
        chosen = X if rows is None else X[rows]
        np.testing.assert_array_equal(low, chosen.min(axis=0))
        np.testing.assert_array_equal(high, chosen.max(axis=0))
        assert low.dtype == dtype

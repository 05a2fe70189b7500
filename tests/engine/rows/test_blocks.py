"""One row of every stride stands in for all rows; reductions on several threads."""

import numpy as np
import pytest

from unlabeled import EnhancedLogistic, NaiveLogistic
from unlabeled.datasets import make_paper_gaussian
from unlabeled.engine.parallel import blas_threads
from unlabeled.engine.rows import _blocks, reduce_rows, subsample
from unlabeled.engine.rows._dask import subsample_index


@pytest.mark.parametrize(("n", "stride"), [(10, 1), (10, 3), (10, 10), (99_999, 17)])
def test_one_row_of_every_stretch(n, stride):
    numbers = subsample_index(n, stride)
    np.testing.assert_array_equal(numbers // stride, np.arange(n // stride))
    np.testing.assert_array_equal(numbers, subsample_index(n, stride))


def test_the_part_does_not_follow_a_period_of_the_rows(rng):
    X = np.zeros((50_000, 1))
    X[::50] = 1.0
    (part,) = subsample(50, X)
    assert 0 < part.mean() < 0.1


def test_rows_with_a_period_give_the_fit_of_shuffled_rows(rng):
    n = 200_000
    X = rng.normal(size=(n, 4))
    X[:, 0] *= 1e-3
    X[::20, 0] *= 1e3
    s = (rng.random(n) < 1 / (1 + np.exp(2 - X.sum(axis=1)))).astype(int)
    order = rng.permutation(n)
    fits = [NaiveLogistic().fit(X[rows], s[rows]) for rows in (slice(None), order)]
    exact = NaiveLogistic(tol=1e-10).fit(X, s).coef_
    for fit in fits:
        assert np.sqrt(np.mean((X @ (fit.coef_ - exact)[0]) ** 2)) < 1e-3


def use_threads(monkeypatch, number):
    monkeypatch.setattr(_blocks, "blas_threads", lambda: number)
    monkeypatch.setattr(_blocks, "_FEWEST_NUMBERS", 1)


def sums(X, weight):
    return X.sum(axis=0), X.T @ X, 0.0 if weight is None else weight.sum()


@pytest.fixture
def three_threads(monkeypatch):
    use_threads(monkeypatch, 3)


@pytest.mark.usefixtures("three_threads")
@pytest.mark.parametrize("n", [1, 2, 300, 100_001])
@pytest.mark.parametrize("weighted", [False, True])
def test_threads_take_every_row_once(n, weighted, rng):
    X = rng.integers(0, 5, size=(n, 30)).astype(float)
    weight = rng.integers(1, 4, n).astype(float) if weighted else None
    for found, expected in zip(reduce_rows(sums, X, weight), sums(X, weight), strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.usefixtures("three_threads")
def test_answers_are_combined_in_the_order_of_the_rows():
    X = np.arange(200_000.0).reshape(-1, 2)
    (found,) = reduce_rows(
        lambda block: (block[:, 0],), X, combine=lambda a, b: (np.concatenate([a[0], b[0]]),)
    )
    np.testing.assert_array_equal(found, X[:, 0])


@pytest.mark.usefixtures("three_threads")
def test_an_error_on_a_thread_is_raised_and_blas_gets_its_threads_back():
    before = blas_threads()

    def fails(block):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        reduce_rows(fails, np.ones((100_000, 30)))
    assert blas_threads() == before


def test_a_fit_on_threads_is_the_fit_without(monkeypatch):
    data = make_paper_gaussian(100_000, label_frequency=0.5, random_state=0)
    alone = EnhancedLogistic().fit(data.X, data.s)
    use_threads(monkeypatch, 2)
    together = EnhancedLogistic().fit(data.X, data.s)
    np.testing.assert_allclose(together.coef_, alone.coef_, rtol=1e-10)
    np.testing.assert_array_equal(together.predict(data.X), alone.predict(data.X))


def test_threads_are_only_for_many_numbers(monkeypatch):
    monkeypatch.setattr(_blocks, "blas_threads", lambda: 4)
    monkeypatch.setattr(_blocks, "_FEWEST_NUMBERS", 10)
    shares = [len(_blocks._in_shares(len, 1, np.zeros(10 * k), ())) for k in (1, 2, 100)]
    assert shares == [1, 2, 4]

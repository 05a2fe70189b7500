"""Reductions on several threads."""

import numpy as np
import pytest

from unlabeled import EnhancedLogistic
from unlabeled.datasets import make_paper_gaussian
from unlabeled.engine.rows import _threads, one_blas_thread, reduce_rows


def allowed():
    libraries = _threads._controller().lib_controllers
    return [each.num_threads for each in libraries if each.user_api == "blas"]


def sums(X, weight):
    return X.sum(axis=0), X.T @ X, 0.0 if weight is None else weight.sum()


@pytest.fixture
def three_threads(monkeypatch):
    monkeypatch.setattr("unlabeled.engine.rows._blocks.n_threads", lambda n_numbers: 3)


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
    before = allowed()

    def fails(block):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        reduce_rows(fails, np.ones((100_000, 30)))
    assert allowed() == before


def test_a_fit_on_threads_is_the_fit_without(monkeypatch):
    data = make_paper_gaussian(100_000, c=0.5, random_state=0)
    alone = EnhancedLogistic().fit(data.X, data.s)
    monkeypatch.setattr("unlabeled.engine.rows._blocks.n_threads", lambda n_numbers: 2)
    together = EnhancedLogistic().fit(data.X, data.s)
    np.testing.assert_allclose(together.coef_, alone.coef_, rtol=1e-10)
    np.testing.assert_array_equal(together.predict(data.X), alone.predict(data.X))


def test_threads_are_those_of_blas_and_only_for_many_numbers(monkeypatch):
    class Library:
        user_api, num_threads = "blas", 4

    class Controller:
        lib_controllers = (Library,)

    monkeypatch.setattr(_threads, "_controller", Controller)
    few = _threads._FEWEST_NUMBERS
    assert [_threads.n_threads(k * few) for k in (0, 1, 2, 100)] == [1, 1, 2, 4]
    Library.num_threads = 1
    assert _threads.n_threads(100 * few) == 1


def test_one_blas_thread_ends():
    before = allowed()
    with one_blas_thread():
        assert set(allowed()) <= {1}
    assert allowed() == before


def test_fits_that_overlap_leave_blas_its_threads():
    before = allowed()
    first, second = one_blas_thread(), one_blas_thread()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert set(allowed()) == {1}
    second.__exit__(None, None, None)
    assert allowed() == before

"""One row of every stride stands in for all rows."""

import numpy as np
import pytest

from unlabeled import NaiveLogistic
from unlabeled.engine.rows import subsample
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

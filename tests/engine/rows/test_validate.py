"""Weights count copies of rows in the fit of the named estimator, and only there."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator

from unlabeled.engine.rows import validate_rows, weights_are_copies

X, Y = np.arange(8.0).reshape(4, 2), np.array([0, 1, 0, 1])


def are_copies(estimator):
    return validate_rows(estimator, X, Y, np.array([1.0, 2, 1, 3])).are_copies


def test_weights_are_copies_for_the_named_estimator_only():
    named, other = BaseEstimator(), BaseEstimator()
    assert not are_copies(named)
    with weights_are_copies(named):
        assert are_copies(named)
        assert not are_copies(other)
        with weights_are_copies(other):
            assert are_copies(other)
        assert are_copies(named)
    assert not are_copies(named)


def test_a_fit_that_fails_leaves_nothing_behind():
    estimator = BaseEstimator()
    with pytest.raises(KeyboardInterrupt), weights_are_copies(estimator):
        raise KeyboardInterrupt
    assert not are_copies(estimator)

"""Weights that count copies of rows say so, whatever passes them on."""

import pickle

import numpy as np
from sklearn.base import BaseEstimator

from unlabeled.engine.rows import CopyCounts, validate_rows

X, Y = np.arange(8.0).reshape(4, 2), np.array([0, 1, 0, 1])
COUNTS = CopyCounts.of([1, 2, 1, 3])


def rows_of(weight):
    return validate_rows(BaseEstimator(), X, Y, weight)


def test_weights_are_copies_if_they_say_so_also_in_a_slice_and_in_another_process():
    for weight in (COUNTS, COUNTS[np.arange(4)], pickle.loads(pickle.dumps(COUNTS))):
        assert rows_of(weight).are_copies
    assert not rows_of(np.asarray(COUNTS)).are_copies
    assert not rows_of(None).are_copies


def test_validated_weights_are_plain_numbers():
    weight = rows_of(COUNTS).weight
    assert type(weight) is np.ndarray
    assert weight.tolist() == [1, 2, 1, 3]

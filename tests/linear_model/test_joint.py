"""JOINT: the label likelihood and its best label frequency."""

import numpy as np
import pytest

from unlabeled.linear_model._joint_fit import best_label_frequency


@pytest.mark.parametrize("weighted", [False, True])
def test_best_label_frequency_is_the_root_of_the_derivative(weighted, rng):
    posterior = rng.random(500)
    s = (rng.random(500) < 0.4 * posterior).astype(float)
    weight = rng.random(500) if weighted else None
    c = best_label_frequency(posterior, s, weight)
    w = np.ones(500) if weight is None else weight
    slope = np.sum(w * s) / c - np.sum(w * (1 - s) * posterior / (1 - c * posterior))
    assert abs(slope) < 1e-8 * 500
    assert 0 < c < 1


def test_best_label_frequency_at_the_boundary():
    assert best_label_frequency(np.full(10, 0.3), np.r_[np.ones(9), 0.0], None) == 1.0

"""The published SCAR test, a baseline."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.coverage.published_scar_test import (
    _divergence,
    _taken_for_positive,
    published_scar_test,
)
from unlabeled.datasets import make_paper_gaussian


def test_published_divergence_is_that_of_normal_distributions():
    rng = np.random.default_rng(0)
    features, labeled = rng.normal(size=(50, 2)), np.arange(50) < 20
    first, second = features[labeled], features
    expected = 0
    for j in range(2):
        m1, m2 = first[:, j].mean(), second[:, j].mean()
        v1, v2 = first[:, j].var(), second[:, j].var()
        expected += 0.5 * np.log(v2 / v1) + (v1 + (m1 - m2) ** 2) / (2 * v2) - 0.5
    assert _divergence(features, labeled) == pytest.approx(expected)


def test_published_test_takes_the_best_unlabeled_rows_for_positive():
    s = np.array([1.0] * 10 + [0.0] * 90)
    score = np.arange(100.0)
    taken = _taken_for_positive(score, s, 0.4)  # 10 / .4 - 10 = 15 rows more
    np.testing.assert_array_equal(taken, [*range(10), *range(85, 100)])
    assert len(_taken_for_positive(score, s, 0.99)) == 20


def test_published_test_rejects_honest_overlapping_classes():
    """Its known defect, and the reason why it is only a baseline."""
    honest = make_paper_gaussian(1500, label_frequency=0.6, random_state=5)
    assert published_scar_test(honest.X, honest.s, 0.6, random_state=0) < 0.05
    shuffled = np.random.default_rng(1).permutation(honest.s)
    p_value = published_scar_test(honest.X, shuffled, 0.9, score=np.ones(1500), random_state=0)
    assert p_value > 0.01

"""Metrics of the label column alone."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from reproduction.theory import optimal_cut
from unlabeled import metrics

Y = np.array([1, 1, 1, 0, 0, 0, 0, 0, 0, 0])
PRED = np.array([1, 1, 0, 1, 1, 0, 0, 0, 0, 0])


def test_hand_computed_scores():
    recall, share = 2 / 3, 0.4
    assert metrics.pu_recall_score(Y, PRED) == pytest.approx(recall)
    assert metrics.METRICS["share"].function(Y, PRED) == pytest.approx(share)
    assert metrics.f1_pu_score(Y, PRED) == pytest.approx(recall**2 / share)
    assert metrics.lift_score(Y, PRED) == pytest.approx(recall / share)


def test_predicting_nothing_positive_scores_zero():
    assert metrics.f1_pu_score(Y, np.zeros(10, int)) == 0
    assert metrics.lift_score(Y, np.zeros(10, int)) == 0


def test_predicting_everything_positive_has_f1_pu_one_under_any_weights():
    weight = np.random.default_rng(3).random(10)
    assert metrics.f1_pu_score(Y, np.ones(10, int), sample_weight=weight) == 1


def test_f1_pu_of_a_large_sample_is_its_population_value():
    """On the paper's design, the index N(-1, 3) with the posterior sigma(-1 + index)."""
    rng = np.random.default_rng(6)
    index = rng.normal(-1, np.sqrt(3), 200_000)
    s = (rng.random(200_000) < 0.4 * expit(-1 + index)).astype(int)
    truth = optimal_cut("f1_pu", beta0=-1, mean=-1, var=3)
    score = metrics.f1_pu_score(s, (index > truth.threshold).astype(int))
    recall_error = np.sqrt(truth.recall * (1 - truth.recall) / s.sum())
    error = 2 * truth.recall / truth.share * recall_error
    assert score == pytest.approx(truth.f1_pu, abs=4 * error)

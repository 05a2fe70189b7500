"""Corrected metrics on simulated PU data: unbiased, and optimised by the true posterior."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from unlabeled import metrics, rates
from unlabeled.paper.theory import class_prior, cut_properties, optimal_cut

PAPER = {"beta0": -1, "mean": -1, "var": 3}
PRIOR = class_prior(**PAPER)
CRITERIA = ("f1", "f1_pu", "balanced_accuracy", "accuracy", "mcc")
SCORES = {
    "precision": metrics.corrected_precision_score,
    "f1": metrics.corrected_f1_score,
    "accuracy": metrics.corrected_accuracy_score,
    "balanced_accuracy": metrics.corrected_balanced_accuracy_score,
    "mcc": metrics.corrected_mcc_score,
}


def draw(rng, n, c=0.4):
    """Draw an index, hidden classes and SCAR labels of the paper's design."""
    index = rng.normal(-1, np.sqrt(3), n)
    y_true = rng.random(n) < expit(-1 + index)
    return index, y_true, (y_true & (rng.random(n) < c)).astype(int)


def sample_curve(criterion, score, s):
    """Values of a corrected criterion at every cut of a score, the score sorted down."""
    order = np.argsort(-score)
    labelled = np.cumsum(s[order])
    recall, share = labelled / labelled[-1], np.arange(1, len(s) + 1) / len(s)
    arguments = (recall, share) if criterion == "f1_pu" else (recall, share, PRIOR)
    return score[order], getattr(rates, criterion)(*arguments)


@pytest.mark.parametrize("c", [0.3, 0.8])
def test_corrected_metrics_are_centred_on_the_truth(c):
    """Means of 300 samples of 2000 rows, within 4 Monte-Carlo standard errors."""
    truth = cut_properties(0.2, **PAPER)
    rng = np.random.default_rng(4)
    values = {name: [] for name in SCORES}
    for _ in range(300):
        index, _, s = draw(rng, 2000, c)
        y_pred = (index > 0.2).astype(int)
        for name, score in SCORES.items():
            values[name].append(score(s, y_pred, class_prior=PRIOR))
    for name, sample in values.items():
        error = np.std(sample, ddof=1) / np.sqrt(len(sample))
        bias = np.mean(sample) - getattr(truth, name)
        assert abs(bias) < 4 * error, (name, bias, error)
        assert error < 0.004, name  # the check has teeth


def test_clipping_would_bias_a_metric_at_its_bound():
    """A perfect rule: unclipped precision is centred at 1 up to 1/n, clipped precision is not."""
    shares = np.random.default_rng(5).binomial(500, 0.3, size=2000) / 500
    values = rates.precision(1.0, shares, 0.3)
    error = np.std(values) / np.sqrt(len(values))
    # E[.3/q] exceeds 1 by about (1 - .3)/(500 · .3): a ratio, of bias of order 1/n
    assert np.mean(values) == pytest.approx(1 + 0.7 / 150, abs=4 * error)
    assert np.mean(np.minimum(values, 1)) < 1 - 4 * error


@pytest.fixture(scope="module")
def large_sample():
    rng = np.random.default_rng(6)
    index, _, s = draw(rng, 200_000)
    return index, rng.normal(0, 1, len(index)), s


@pytest.mark.parametrize("criterion", CRITERIA)
def test_the_true_posterior_optimises_every_corrected_metric(criterion, large_sample):
    index, noise, s = large_sample
    best = sample_curve(criterion, index, s)[1].max()
    blurred = sample_curve(criterion, index + 0.7 * noise, s)[1].max()
    folded = sample_curve(criterion, np.abs(index + 1), s)[1].max()
    assert best > blurred + 0.003
    assert best > folded + 0.003


@pytest.mark.parametrize("criterion", CRITERIA)
def test_the_best_sample_cut_is_the_population_cut(criterion, large_sample):
    index, _, s = large_sample
    cuts, values = sample_curve(criterion, index, s)
    truth = optimal_cut(criterion, **PAPER)
    assert cuts[np.argmax(values)] == pytest.approx(truth.threshold, abs=0.25)
    assert values.max() == pytest.approx(getattr(truth, criterion), abs=0.015)


def test_f1_pu_score_of_a_large_sample_is_its_population_value(large_sample):
    index, _, s = large_sample
    truth = optimal_cut("f1_pu", **PAPER)
    score = metrics.f1_pu_score(s, (index > truth.threshold).astype(int))
    recall_error = np.sqrt(truth.recall * (1 - truth.recall) / s.sum())
    error = 2 * truth.recall / truth.share * recall_error
    assert score == pytest.approx(truth.f1_pu, abs=4 * error)

"""Corrected metrics: by hand, against scikit-learn, and on simulated PU data."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.special import expit
from sklearn import metrics as sk

from reproduction.theory import class_prior, cut_properties, optimal_cut
from unlabeled import metrics, rates
from unlabeled.codes import PUWarning

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

CORRECTED = (
    metrics.corrected_precision_score,
    metrics.corrected_f1_score,
    metrics.corrected_fowlkes_mallows_score,
    metrics.corrected_accuracy_score,
    metrics.corrected_balanced_accuracy_score,
    metrics.corrected_mcc_score,
    metrics.METRICS["proxy_accuracy"].function,
)
Y = np.array([1, 1, 1, 0, 0, 0, 0, 0, 0, 0])
PRED = np.array([1, 1, 0, 1, 1, 0, 0, 0, 0, 0])


def test_hand_computed_scores():
    assert metrics.corrected_precision_score(Y, PRED, class_prior=0.45) == pytest.approx(0.75)
    assert metrics.corrected_f1_score(Y, PRED, class_prior=0.45) == pytest.approx(0.6 / 0.85)
    assert metrics.corrected_accuracy_score(Y, PRED, class_prior=0.45) == pytest.approx(0.75)


def test_predicting_nothing_or_everything_positive_scores_zero():
    assert metrics.corrected_f1_score(Y, np.zeros(10, int), class_prior=0.4) == 0
    weight = np.random.default_rng(3).random(10)
    everything = {"y_pred": np.ones(10, int), "sample_weight": weight}
    assert metrics.corrected_mcc_score(Y, class_prior=0.4, **everything) == 0


def test_with_every_positive_labeled_scores_are_those_of_scikit_learn():
    rng = np.random.default_rng(1)
    y = (rng.random(400) < 0.3).astype(int)
    y_pred = (rng.random(400) < np.where(y == 1, 0.8, 0.1)).astype(int)
    prior = y.mean()
    expected = {
        metrics.corrected_precision_score: sk.precision_score,
        metrics.corrected_f1_score: sk.f1_score,
        metrics.corrected_accuracy_score: sk.accuracy_score,
        metrics.corrected_balanced_accuracy_score: sk.balanced_accuracy_score,
        metrics.corrected_mcc_score: sk.matthews_corrcoef,
    }
    for ours, theirs in expected.items():
        assert ours(y, y_pred, class_prior=prior) == pytest.approx(theirs(y, y_pred), abs=1e-12)
    precision, recall = sk.precision_score(y, y_pred), sk.recall_score(y, y_pred)
    index = metrics.corrected_fowlkes_mallows_score(y, y_pred, class_prior=prior)
    assert index == pytest.approx(np.sqrt(precision * recall), abs=1e-12)
    assert metrics.f1_pu_score(y, y_pred) == pytest.approx(precision * recall / prior, abs=1e-12)
    assert metrics.pu_recall_score(y, y_pred) == pytest.approx(recall, abs=1e-12)


def test_perfect_predictions_at_the_true_prior_do_not_warn():
    y = np.repeat([0, 1], [70, 30])
    assert metrics.corrected_precision_score(y, y, class_prior=0.3) == pytest.approx(1)
    assert metrics.corrected_mcc_score(y, y, class_prior=0.3) == pytest.approx(1)


@pytest.mark.parametrize("n", [37, 49, 98, 103])
def test_rounding_alone_is_not_a_prior_too_large(n):
    for positives in range(2, n - 1):
        y = (np.arange(n) < positives).astype(int)
        y_pred = (np.arange(n) < positives // 2).astype(int)  # precision 1, recall about half
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            score = metrics.corrected_precision_score(y, y_pred, class_prior=positives / n)
        assert score == pytest.approx(1)


def test_a_prior_too_large_for_the_labels_warns_and_nothing_is_clipped():
    y_pred = Y.copy()  # recall 1 and share .3 allow a prior of at most .3
    with pytest.warns(PUWarning, match=r"PU112.* class prior 0\.6 .* at most 0\.3") as caught:
        score = metrics.corrected_precision_score(Y, y_pred, class_prior=0.6)
    assert score == pytest.approx(2.0)
    assert caught[0].message.code == "PU112"


@pytest.mark.parametrize("metric", CORRECTED)
def test_every_corrected_metric_checks_the_prior_against_the_labels(metric):
    with pytest.warns(PUWarning, match="PU112"):
        metric(Y, Y, class_prior=0.6)


@pytest.mark.parametrize("prior", [0, 1, -0.1, 1.5, float("nan"), None, "half"])
@pytest.mark.parametrize("metric", CORRECTED)
def test_class_prior_outside_its_range_is_rejected(metric, prior):
    with pytest.raises(ValueError, match=r"`class_prior` must be a number strictly between 0 and"):
        metric(Y, PRED, class_prior=prior)


def draw(rng, n, c=0.4):
    """Draw an index, hidden classes and SCAR labels of the paper's design."""
    index = rng.normal(-1, np.sqrt(3), n)
    y_true = rng.random(n) < expit(-1 + index)
    return index, y_true, (y_true & (rng.random(n) < c)).astype(int)


def sample_curve(criterion, score, s):
    """Values of a corrected criterion at every cut of a score, the score sorted down."""
    order = np.argsort(-score)
    labeled = np.cumsum(s[order])
    recall, share = labeled / labeled[-1], np.arange(1, len(s) + 1) / len(s)
    arguments = (recall, share) if criterion == "f1_pu" else (recall, share, PRIOR)
    return score[order], getattr(rates, criterion)(*arguments)


@pytest.mark.parametrize("c", [0.3, 0.8])
def test_corrected_metrics_are_centered_on_the_truth(c):
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
    """A perfect rule: unclipped precision is centered at 1 up to 1/n, clipped precision is not."""
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
def test_the_true_posterior_optimizes_every_corrected_metric(criterion, large_sample):
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

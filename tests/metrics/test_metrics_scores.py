"""Metrics of a label column: against scikit-learn, encodings, weights, errors."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics as sk

from unlabeled import metrics
from unlabeled.codes import PUWarning

LABEL_ONLY = (
    metrics.f1_pu_score,
    metrics.pu_recall_score,
    metrics.lift_score,
    metrics.predicted_share,
)
CORRECTED = (
    metrics.corrected_precision_score,
    metrics.corrected_f1_score,
    metrics.corrected_fowlkes_mallows_score,
    metrics.corrected_accuracy_score,
    metrics.corrected_balanced_accuracy_score,
    metrics.corrected_mcc_score,
)
Y = np.array([1, 1, 1, 0, 0, 0, 0, 0, 0, 0])
PRED = np.array([1, 1, 0, 1, 1, 0, 0, 0, 0, 0])


def all_scores(y, y_pred, **options):
    plain = [metric(y, y_pred, **options) for metric in LABEL_ONLY]
    return plain + [metric(y, y_pred, class_prior=0.4, **options) for metric in CORRECTED]


def test_hand_computed_scores():
    recall, share = 2 / 3, 0.4
    assert metrics.pu_recall_score(Y, PRED) == pytest.approx(recall)
    assert metrics.predicted_share(Y, PRED) == pytest.approx(share)
    assert metrics.f1_pu_score(Y, PRED) == pytest.approx(recall**2 / share)
    assert metrics.lift_score(Y, PRED) == pytest.approx(recall / share)
    assert metrics.corrected_precision_score(Y, PRED, class_prior=0.45) == pytest.approx(0.75)
    assert metrics.corrected_f1_score(Y, PRED, class_prior=0.45) == pytest.approx(0.6 / 0.85)
    assert metrics.corrected_accuracy_score(Y, PRED, class_prior=0.45) == pytest.approx(0.75)


def test_with_every_positive_labelled_scores_are_those_of_scikit_learn():
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


def test_integer_weights_equal_repeated_rows():
    weight = np.array([1, 2, 3, 1, 1, 4, 2, 3, 1, 2])
    repeated = all_scores(np.repeat(Y, weight), np.repeat(PRED, weight))
    assert all_scores(Y, PRED, sample_weight=weight) == pytest.approx(repeated, abs=1e-14)
    assert all_scores(Y, PRED, sample_weight=np.full(10, 0.3)) == pytest.approx(all_scores(Y, PRED))


def test_row_order_does_not_matter():
    order = np.random.default_rng(2).permutation(len(Y))
    assert all_scores(Y[order], PRED[order]) == pytest.approx(all_scores(Y, PRED), abs=1e-14)


@pytest.mark.parametrize(
    ("values", "positive_label"),
    [
        ((0.0, 1.0), None),
        ((-1, 1), None),
        ((False, True), None),
        ((1, 0), 0),
        (("unlabeled", "labeled"), "labeled"),
        (("no", "yes"), "yes"),
    ],
)
def test_any_two_label_values_give_the_same_scores(values, positive_label):
    y, y_pred = np.array(values)[Y], np.array(values)[PRED]
    expected = all_scores(Y, PRED)
    assert all_scores(y, y_pred, positive_label=positive_label) == pytest.approx(expected)
    y = pd.Series(y, index=np.arange(len(y))[::-1])
    assert all_scores(y, y_pred, positive_label=positive_label) == pytest.approx(expected)


def test_text_labels_without_positive_label_are_announced():
    with pytest.warns(PUWarning, match="PU101"):
        metrics.f1_pu_score(np.where(Y, "yes", "no"), np.where(PRED, "yes", "no"))


def test_predicting_nothing_positive_scores_zero():
    assert metrics.f1_pu_score(Y, np.zeros(10, int)) == 0
    assert metrics.lift_score(Y, np.zeros(10, int)) == 0
    assert metrics.corrected_f1_score(Y, np.zeros(10, int), class_prior=0.4) == 0


def test_predicting_everything_positive_has_f1_pu_one_under_any_weights():
    weight = np.random.default_rng(3).random(10)
    assert metrics.f1_pu_score(Y, np.ones(10, int), sample_weight=weight) == 1
    assert (
        metrics.corrected_mcc_score(Y, np.ones(10, int), sample_weight=weight, class_prior=0.4) == 0
    )


def test_a_prior_too_large_for_the_labels_is_announced_and_nothing_is_clipped():
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
def test_class_prior_outside_its_range_is_refused(metric, prior):
    with pytest.raises(ValueError, match=r"`class_prior` must be a number strictly between 0 and"):
        metric(Y, PRED, class_prior=prior)


@pytest.mark.parametrize("value", [0, 1])
@pytest.mark.parametrize("metric", LABEL_ONLY)
def test_a_label_column_with_one_value_cannot_be_scored(metric, value):
    with pytest.raises(ValueError, match=rf"labelled and unlabelled rows .* value {value}\. Hold"):
        metric(np.full(4, value), np.array([0, 1, 0, 1]))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"y_pred": PRED[:-1]}, "inconsistent numbers of samples"),
        ({"y_pred": PRED * 2}, r"`y_pred` must hold the values of `y`, 0, 1; got 0, 2\."),
        ({"y_pred": PRED * 0.7}, "Pass the label column, not a score"),
        ({"positive_label": 7}, r"`positive_label` must be one of the values of `y`"),
        ({"sample_weight": -np.ones(10)}, r"`sample_weight` must hold .* got -1\.0\."),
        ({"sample_weight": np.full(10, np.nan)}, r"`sample_weight` must hold .* got nan\."),
        ({"sample_weight": 1 - Y}, r"`sample_weight` must be positive for some labelled row"),
        ({"sample_weight": np.ones(3)}, "inconsistent numbers of samples"),
    ],
)
def test_wrong_arguments_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        metrics.f1_pu_score(**({"y": Y, "y_pred": PRED} | arguments))

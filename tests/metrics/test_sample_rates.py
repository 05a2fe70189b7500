"""What all metrics share: label values, weights, errors."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from unlabeled import metrics

LABEL_ONLY = (
    metrics.f1_pu_score,
    metrics.pu_recall_score,
    metrics.lift_score,
    metrics.METRICS["share"].function,
)
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


def all_scores(y, y_pred, **options):
    plain = [metric(y, y_pred, **options) for metric in LABEL_ONLY]
    return plain + [metric(y, y_pred, class_prior=0.4, **options) for metric in CORRECTED]


def two_samples(y, y_pred, **options):
    """All metrics but recall, which is the same in one sample and in two."""
    plain = [one for one in LABEL_ONLY if one is not metrics.pu_recall_score]
    given = options | {"sampling": "two-sample"}
    values = [metric(y, y_pred, **given) for metric in plain]
    return values + [metric(y, y_pred, class_prior=0.1, **given) for metric in CORRECTED]


def test_in_two_samples_the_share_counts_unlabeled_rows_only():
    # Recall 2/3; two of the seven unlabeled rows are predicted positive.
    share = metrics.METRICS["share"].function(Y, PRED, sampling="two-sample")
    assert share == pytest.approx(2 / 7)
    assert metrics.lift_score(Y, PRED, sampling="two-sample") == pytest.approx((2 / 3) / (2 / 7))
    found = metrics.f1_pu_score(Y, PRED, sampling="two-sample")
    assert found == pytest.approx((2 / 3) ** 2 / (2 / 7))
    expected = {  # of recall 2/3, share 2/7 and class prior .4
        metrics.corrected_precision_score: 0.4 * (2 / 3) / (2 / 7),
        metrics.corrected_f1_score: 2 * 0.4 * (2 / 3) / (0.4 + 2 / 7),
        metrics.corrected_fowlkes_mallows_score: (2 / 3) * np.sqrt(0.4 / (2 / 7)),
        metrics.corrected_accuracy_score: 1 - 0.4 - 2 / 7 + 2 * 0.4 * (2 / 3),
        metrics.corrected_balanced_accuracy_score: (1 + (2 / 3 - 2 / 7) / 0.6) / 2,
        metrics.corrected_mcc_score: np.sqrt(0.4 / 0.6) * (2 / 3 - 2 / 7) / np.sqrt(10 / 49),
        metrics.METRICS["proxy_accuracy"].function: 2 * 0.4 * (2 / 3) - 2 / 7,
    }
    for metric, value in expected.items():
        found = metric(Y, PRED, class_prior=0.4, sampling="two-sample")
        assert found == pytest.approx(value), metric


def test_in_two_samples_the_class_prior_may_be_below_the_share_of_labeled_rows():
    found = metrics.corrected_precision_score(Y, PRED, class_prior=0.1, sampling="two-sample")
    assert found == pytest.approx(0.1 * (2 / 3) / (2 / 7))


def test_two_samples_are_the_labeled_rows_and_the_population_stacked():
    """Recall of the labeled rows, and the share of the population as a sample of its own."""
    rng = np.random.default_rng(9)
    population, labeled = rng.integers(0, 2, 300), rng.integers(0, 2, 40)
    y, y_pred = np.repeat([0, 1], [300, 40]), np.append(population, labeled)
    assert metrics.METRICS["share"].function(y, y_pred, sampling="two-sample") == population.mean()
    assert metrics.pu_recall_score(y, y_pred) == labeled.mean()


def test_weights_are_copies_in_two_samples_too():
    weight = np.array([1, 2, 3, 1, 1, 4, 2, 3, 1, 2])
    repeated = two_samples(np.repeat(Y, weight), np.repeat(PRED, weight))
    assert two_samples(Y, PRED, sample_weight=weight) == pytest.approx(repeated, abs=1e-14)
    assert two_samples(1 - Y, 1 - PRED, pos_label=0) == two_samples(Y, PRED)


def test_two_samples_in_chunks_are_as_in_memory():
    dask_array = pytest.importorskip("dask.array")
    weight = np.arange(1.0, 11)
    columns = [dask_array.from_array(one, chunks=3) for one in (Y, PRED, weight)]
    found = two_samples(columns[0], columns[1], sample_weight=columns[2])
    assert found == pytest.approx(two_samples(Y, PRED, sample_weight=weight), abs=1e-14)


def test_integer_weights_equal_repeated_rows():
    weight = np.array([1, 2, 3, 1, 1, 4, 2, 3, 1, 2])
    repeated = all_scores(np.repeat(Y, weight), np.repeat(PRED, weight))
    assert all_scores(Y, PRED, sample_weight=weight) == pytest.approx(repeated, abs=1e-14)
    assert all_scores(Y, PRED, sample_weight=np.full(10, 0.3)) == pytest.approx(all_scores(Y, PRED))


def test_row_order_does_not_matter():
    order = np.random.default_rng(2).permutation(len(Y))
    assert all_scores(Y[order], PRED[order]) == pytest.approx(all_scores(Y, PRED), abs=1e-14)


@pytest.mark.parametrize(
    ("values", "pos_label"),
    [
        ((0.0, 1.0), None),
        ((-1, 1), None),
        ((False, True), None),
        ((1, 0), 0),
        (("unlabeled", "labeled"), "labeled"),
        (("no", "yes"), "yes"),
    ],
)
def test_any_two_label_values_give_the_same_scores(values, pos_label):
    y, y_pred = np.array(values)[Y], np.array(values)[PRED]
    expected = all_scores(Y, PRED)
    assert all_scores(y, y_pred, pos_label=pos_label) == pytest.approx(expected)
    y = pd.Series(y, index=np.arange(len(y))[::-1])
    assert all_scores(y, y_pred, pos_label=pos_label) == pytest.approx(expected)


def test_text_labels_that_do_not_say_which_is_labeled_are_rejected():
    with pytest.raises(ValueError, match="`pos_label` must be.*'fraud', 'ok'"):
        metrics.f1_pu_score(np.where(Y, "fraud", "ok"), np.where(PRED, "fraud", "ok"))


@pytest.mark.parametrize("value", [0, 1])
@pytest.mark.parametrize("metric", LABEL_ONLY)
def test_a_label_column_with_one_value_cannot_be_scored(metric, value):
    with pytest.raises(ValueError, match=rf"`y` must .* got only the value {value}\."):
        metric(np.full(4, value), np.array([0, 1, 0, 1]))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"y_pred": PRED[:-1]}, "inconsistent numbers of samples"),
        ({"y_pred": PRED * 2}, r"`y_pred` must hold the values of `y`, 0, 1; got 0, 2\."),
        ({"y_pred": PRED * 0.7}, "`y_pred` must .*fractional"),
        ({"pos_label": 7}, r"`pos_label` must be one of the values of `y`"),
        ({"sample_weight": -np.ones(10)}, r"`sample_weight` must hold .* got -1\.0\."),
        ({"sample_weight": np.full(10, np.nan)}, r"`sample_weight` must hold .* got nan\."),
        ({"sample_weight": 1 - Y}, r"`sample_weight` must be positive for some labeled row"),
        ({"sample_weight": np.ones(3)}, "inconsistent numbers of samples"),
        ({"sampling": "case-control"}, r"`sampling` must be one of .*; got 'case-control'\."),
        (
            {"sample_weight": Y, "sampling": "two-sample"},
            "`sample_weight` must be positive for some unlabeled row",
        ),
    ],
)
def test_wrong_arguments_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        metrics.f1_pu_score(**({"y": Y, "y_pred": PRED} | arguments))

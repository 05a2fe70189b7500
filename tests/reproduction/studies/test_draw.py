"""The rows of a task: the same in every process; splits shared, labels by each mechanism."""

from __future__ import annotations

import math

import numpy as np
import pytest

from reproduction.studies import Cell, Task
from reproduction.studies.draw import (
    MECHANISMS,
    TEN_LABELS,
    draw_labels,
    draw_sample,
    fitted_posterior,
    label_ten,
    load_rows,
    seed_of,
)


def task_of(dataset="paper_gaussian", n=300, c=0.5, mechanism="scar", repeat=0) -> Task:
    return Task("synthetic", Cell(dataset, mechanism, n, c), repeat)


def test_seeds_are_spread_and_do_not_change():
    assert seed_of("split", "real", "adult", 0) == 2176453763
    seeds = {seed_of("split", name, repeat) for name in "abcde" for repeat in range(200)}
    assert len(seeds) == 1000
    assert all(0 <= seed < 2**32 for seed in seeds)


@pytest.mark.parametrize("c", [0.3, 0.1 + 0.2])
def test_a_label_frequency_is_a_number_not_its_last_digit(c):
    assert seed_of("labels", c) == seed_of("labels", 0.3)


def test_all_label_frequencies_share_the_rows_and_not_the_labels():
    low, high = (draw_sample(task_of("breast_cancer", 0, c)) for c in (0.3, 0.6))
    assert np.array_equal(low.X, high.X)
    assert np.array_equal(low.y_test, high.y_test)
    assert low.s.sum() < high.s.sum()


def test_repeats_differ():
    first, second = (draw_sample(task_of(repeat=repeat)) for repeat in (0, 1))
    assert not np.array_equal(first.X, second.X)


def test_features_are_standardized_by_the_training_rows_alone():
    sample = draw_sample(task_of("breast_cancer", 0))
    assert np.allclose(sample.X.mean(axis=0), 0, atol=1e-9)
    assert np.allclose(sample.X.std(axis=0), 1)
    assert np.abs(sample.X_test.mean(axis=0)).max() > 1e-3
    assert len(sample.y_test) == math.ceil(0.2 * 569)


def test_a_draw_without_labeled_rows_is_drawn_again():
    # 30 rows with 6 positives, one in fifty labeled: most draws have no label.
    samples = [draw_sample(task_of(n=30, c=0.02, repeat=repeat)) for repeat in range(5)]
    assert all(sample.has_all_classes for sample in samples)


def test_breast_cancer_is_there_both_ways_round():
    malignant, benign = load_rows("breast_cancer"), load_rows("breast_cancer_benign")
    assert np.array_equal(malignant.X, benign.X)
    assert np.array_equal(malignant.y_true, 1 - benign.y_true)


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("c", [0.3, 0.6])
def test_every_mechanism_labels_positives_with_the_mean_frequency(mechanism, c):
    rows, posterior = load_rows("breast_cancer"), fitted_posterior("breast_cancer")
    labeled = np.mean(
        [
            draw_labels(mechanism, c, rows.X, rows.y_true, posterior, seed)[rows.y_true == 1]
            for seed in range(40)
        ]
    )
    assert labeled == pytest.approx(c, abs=0.02)


@pytest.mark.needs_data
@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("dataset", ["diabetes", "credit-a", "spambase"])
def test_every_mechanism_can_be_drawn_on_the_robustness_sets(dataset, mechanism, data_home):
    for c in (0.3, 0.6):
        sample = draw_sample(task_of(dataset, 0, c, mechanism=mechanism), str(data_home))
        assert sample.s.sum() / sample.y_true.sum() == pytest.approx(c, abs=0.1)


def test_ten_positives_of_the_training_rows_are_labeled():
    cell = Cell("breast_cancer", TEN_LABELS, 0, 0.0)
    first, second = (draw_sample(Task("ten", cell, repeat)) for repeat in (0, 1))
    assert first.s.sum() == second.s.sum() == 10
    assert np.all(first.y_true[first.s == 1] == 1)
    assert not np.array_equal(first.s, second.s)


def test_ten_positives_are_too_few_to_label_ten():
    with pytest.raises(ValueError, match="`y_true` must have.*got 10"):
        label_ten(np.repeat([0, 1], 10), seed=0)

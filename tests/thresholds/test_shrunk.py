"""Recall mixed with what a posterior expects."""

import numpy as np
import pytest

from unlabeled.thresholds import choose_cut, f1_pu, scan_cuts, shrink_recall

SCORE = np.array([4.0, 3.0, 2.0, 1.0])
LABELS = np.array([0.0, 1.0, 0.0, 1.0])
POSTERIOR = np.array([0.8, 0.6, 0.4, 0.2])


def test_it_is_the_mean_of_counted_and_expected_recall():
    cuts = scan_cuts(SCORE, LABELS)
    shrunk = shrink_recall(cuts, SCORE, POSTERIOR, worth=6)
    # Two labelled rows and a model worth six: a quarter of the first, three of the second.
    expected = np.array([0.8, 1.4, 1.8, 2.0]) / 2
    np.testing.assert_allclose(shrunk.recall, 0.25 * cuts.recall + 0.75 * expected)
    np.testing.assert_allclose(shrunk.share, cuts.share)
    assert shrunk.labelled[-1] == pytest.approx(2)


def test_worth_nothing_changes_nothing():
    cuts = scan_cuts(SCORE, LABELS)
    shrunk = shrink_recall(cuts, SCORE, POSTERIOR, worth=0)
    np.testing.assert_allclose(shrunk.labelled, cuts.labelled)


def test_weights_are_numbers_of_rows():
    weight = np.array([1.0, 3.0, 2.0, 1.0])
    again = np.repeat(np.arange(4), weight.astype(int))
    one = shrink_recall(scan_cuts(SCORE, LABELS, weight), SCORE, POSTERIOR, weight)
    other = shrink_recall(scan_cuts(SCORE[again], LABELS[again]), SCORE[again], POSTERIOR[again])
    np.testing.assert_allclose(one.recall, other.recall)
    np.testing.assert_allclose(one.share, other.share)


def test_one_labelled_row_on_top_does_not_win():
    score = np.linspace(3, -3, 1000)
    labels = np.zeros(1000)
    labels[[0, 300, 310, 320, 400, 500]] = 1
    posterior = 1 / (1 + np.exp(-score))
    cuts = scan_cuts(score, labels)
    assert choose_cut(cuts, f1_pu()).share == 0.001
    assert choose_cut(shrink_recall(cuts, score, posterior), f1_pu()).share > 0.2

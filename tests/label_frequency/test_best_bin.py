"""Best-bin estimation."""

import numpy as np
import pytest

from unlabeled.label_frequency import BestBin
from unlabeled.label_frequency._best_bin import best_bin
from unlabeled.thresholds import scan_cuts


def separable_top(rng, n=4000, share=0.4):
    """Unlabeled rows of which `share` are positive; half the positives lie above all else."""
    positive = rng.random(n) < share
    positives = np.where(rng.random(n) < 0.5, 2 + rng.random(n), rng.random(n))
    unlabeled = np.where(positive, positives, rng.random(n))
    labeled = np.where(rng.random(n) < 0.5, 2 + rng.random(n), rng.random(n))
    return np.append(labeled, unlabeled), np.repeat([1, 0], n)


def test_a_separable_top_gives_the_share_within_the_bound(rng):
    score, s = separable_top(rng)
    _, share = best_bin(scan_cuts(s, score))
    # Two bands of sqrt(log(40) / 8000) = .021, over a recall of one half.
    assert share == pytest.approx(0.4, abs=2 * 0.021 / 0.5)


def test_only_the_order_of_scores_matters(rng):
    score, s = separable_top(rng, n=500)
    cut, share = best_bin(scan_cuts(s, score))
    for transformed in (np.exp(score), 3 * score - 100, np.argsort(np.argsort(score)) * 1.0):
        assert best_bin(scan_cuts(s, transformed)) == (cut, share)


def test_no_overlap_gives_the_true_share():
    score = np.append(np.linspace(2, 3, 300), np.linspace(0, 1, 700))
    s = np.append(np.tile([1, 0, 0], 100), np.zeros(700))
    _, share = best_bin(scan_cuts(s, score))
    assert share == pytest.approx(200 / 900, abs=0.005)


def test_labeled_rows_like_all_others_give_a_share_near_one(rng):
    _, share = best_bin(scan_cuts(np.arange(4000) % 2, rng.random(4000)))
    assert 0.9 < share <= 1


def test_a_hand_computed_bin():
    # Above 9: recall 1/2, no unlabeled row; above 5: 1 of 4. The correction favors the latter.
    cuts = scan_cuts(np.array([1, 0, 1, 0, 0, 0]), np.array([9.0, 6, 5, 3, 2, 1]))
    assert best_bin(cuts) == (2, 0.25)
    assert best_bin(cuts, delta=1.0, gamma=0.0)[1] == 0.25


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (BestBin(delta=0), "`delta` must be .*got 0"),
        (BestBin(gamma=-1), "`gamma` must be .*got -1"),
    ],
)
def test_bad_parameters_are_named(model, message, golden):
    data = golden(label_frequency=0.6)
    with pytest.raises(ValueError, match=message):
        model.fit(data.X, data.s)

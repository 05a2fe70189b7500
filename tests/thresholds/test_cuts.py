"""Counts above every cut of a score, and recall shrunk toward a model's."""

import numpy as np
import pytest

from unlabeled.thresholds import choose_cut, count_above, scan_cuts, shrink_recall
from unlabeled.thresholds._rules import f1_pu

SCORE, LABELS = [5.0, 4.0, 4.0, 2.0], [1, 0, 1, 0]
FALLING = np.array([4.0, 3.0, 2.0, 1.0])
SOME = np.array([0.0, 1.0, 0.0, 1.0])
POSTERIOR = np.array([0.8, 0.6, 0.4, 0.2])


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.uint8])
@pytest.mark.parametrize("labels", [float, int, bool])
def test_every_cut_counts_the_rows_above_it(dtype, labels, rng):
    """Ties between labeled and unlabeled rows, -0 beside 0 and unsigned scores included."""
    score = rng.integers(0, 40, 500).astype(dtype)
    if np.issubdtype(dtype, np.floating):
        score = np.where(rng.random(500) < 0.5, score, -score).astype(dtype) / 8
    s = (rng.random(500) < 0.3).astype(labels)
    cuts = count_above(score, s)
    above = score[None, :] >= cuts.score[:, None]
    assert cuts.score.tolist() == sorted(set(score.tolist()), reverse=True)
    assert cuts.next_score.tolist() == [*cuts.score[1:].tolist(), -np.inf]
    assert cuts.labeled.tolist() == (above & s.astype(bool)).sum(axis=1).tolist()
    assert cuts.total.tolist() == above.sum(axis=1).tolist()
    assert cuts.labeled.dtype.kind == cuts.total.dtype.kind == "i"
    weighted = count_above(score, s, np.ones(500))
    assert weighted.labeled.tolist() == cuts.labeled.tolist()
    assert weighted.total.tolist() == cuts.total.tolist()


def test_rows_of_weight_zero_leave_the_scan():
    weighted = count_above(np.array([9.0, 5, 4]), np.array([0.0, 1, 0]), np.array([0.0, 1, 1]))
    assert weighted.score.tolist() == [5.0, 4.0]


def test_scores_that_differ_by_rounding_are_one_value():
    score = np.array([1.0, 1.0 + 1e-15, 0.0])
    assert count_above(score, np.array([1, 0, 0])).total.tolist() == [2, 3]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_near_neighbors_do_not_chain_into_one_value(dtype):
    """Each neighbor is within the tie width, the ends are not: an outlier widened the range."""
    score = np.linspace(0, 1, 5000).astype(dtype)
    score[-1] = 1e12 if dtype == np.float64 else 1e5
    cuts = count_above(score, np.arange(5000) % 2)
    groups = np.diff(cuts.total, prepend=0)
    width = score[-1] * (1e-12 if dtype == np.float64 else 5e-7)
    assert groups.max() <= width * 5000 + 2
    assert len(cuts.total) > 1 / width / 2


def test_lists_text_and_a_named_label_give_the_counts_of_arrays():
    wanted = scan_cuts(np.array(LABELS), np.array(SCORE))
    text = np.where(LABELS, "ill", "unknown")
    for cuts in (
        scan_cuts(LABELS, SCORE),
        scan_cuts(text, SCORE, pos_label="ill"),
        scan_cuts(LABELS, SCORE, [1, 1, 1, 1]),
    ):
        assert cuts.labeled.tolist() == wanted.labeled.tolist() == [1, 2, 2]
        assert cuts.total.tolist() == wanted.total.tolist() == [1, 3, 4]


def test_the_labeled_value_is_not_guessed():
    with pytest.raises(ValueError, match="`pos_label` must be.*'ill', 'well'"):
        scan_cuts(np.where(LABELS, "ill", "well"), SCORE)


@pytest.mark.parametrize(
    ("score", "labels", "message"),
    [
        ([0.1, 0.2, 0.3, 0.4], [0.5, 0.1, 0.2, 0.7], "`y` must hold labels"),
        ([1.0, 2.0], LABELS, "`score` must hold .*4 rows"),
        ([1.0, np.nan, 2.0, 3.0], LABELS, "`score` must hold finite numbers"),
        (SCORE, [0, 0, 0, 0], "`y` must have two classes"),
    ],
)
def test_bad_scores_and_labels_are_named(score, labels, message):
    with pytest.raises(ValueError, match=message):
        scan_cuts(labels, score)


def test_shrunk_recall_is_the_mean_of_counted_and_expected_recall():
    cuts = scan_cuts(SOME, FALLING)
    shrunk = shrink_recall(cuts, FALLING, POSTERIOR, worth=6)
    # Two labeled rows and a model worth six: a quarter of the first, three of the second.
    expected = np.array([0.8, 1.4, 1.8, 2.0]) / 2
    np.testing.assert_allclose(shrunk.recall, 0.25 * cuts.recall + 0.75 * expected)
    np.testing.assert_allclose(shrunk.share, cuts.share)
    assert shrunk.labeled[-1] == pytest.approx(2)


def test_a_model_worth_nothing_changes_no_recall():
    cuts = scan_cuts(SOME, FALLING)
    shrunk = shrink_recall(cuts, FALLING, POSTERIOR, worth=0)
    np.testing.assert_allclose(shrunk.labeled, cuts.labeled)


def test_weights_of_shrunk_recall_are_numbers_of_rows():
    weight = np.array([1.0, 3.0, 2.0, 1.0])
    again = np.repeat(np.arange(4), weight.astype(int))
    one = shrink_recall(scan_cuts(SOME, FALLING, weight), FALLING, POSTERIOR, weight)
    other = shrink_recall(scan_cuts(SOME[again], FALLING[again]), FALLING[again], POSTERIOR[again])
    np.testing.assert_allclose(one.recall, other.recall)
    np.testing.assert_allclose(one.share, other.share)


def test_with_shrunk_recall_one_labeled_row_on_top_does_not_win():
    score = np.linspace(3, -3, 1000)
    labels = np.zeros(1000)
    labels[[0, 300, 310, 320, 400, 500]] = 1
    posterior = 1 / (1 + np.exp(-score))
    cuts = scan_cuts(labels, score)
    assert choose_cut(cuts, f1_pu()).share == 0.001
    assert choose_cut(shrink_recall(cuts, score, posterior), f1_pu()).share > 0.2

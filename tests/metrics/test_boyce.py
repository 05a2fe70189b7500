"""The continuous Boyce index: by hand, invariances, and what it cannot measure."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import spearmanr

from unlabeled.metrics import boyce_index_score

RNG = np.random.default_rng(0)
SCORE = RNG.normal(size=400)
Y = (RNG.random(400) < 0.3 / (1 + np.exp(-2 * SCORE))).astype(int)
BOTH = ("one-sample", "two-sample")


def test_quantile_windows_by_hand():
    y, score = [0, 0, 0, 0, 0, 1, 0, 1, 1, 1], np.arange(10)
    # Pairs of rows: P/E = 0, 0, 1.25, 1.25, 2.5 has the ranks 1.5, 1.5, 3.5, 3.5, 5.
    found = boyce_index_score(y, score, width=0.2, n_windows=5)
    assert found == pytest.approx((3 + 1.5 + 0.5 + 4) / np.sqrt(9 * 10))


def test_rows_tied_at_an_edge_count_in_proportion():
    score, y = np.repeat([0, 1, 2], [4, 4, 2]), [1, 1, 0, 0, 1, 0, 0, 0, 1, 0]
    # Labeled share below .25, .5, .75 of the rows: .3125, .5625, .71875. The windows of half the
    # rows have P/E = 1.125, .8125, .875: ranks 3, 1, 2.
    assert boyce_index_score(y, score, width=0.5, n_windows=3) == pytest.approx(-0.5)


def test_labeled_rows_between_two_of_the_population_belong_half_to_each():
    score = np.array([1.0, 2, 3, 4, 0.5, 2.5, 4, 4.5])
    y = np.repeat([0, 1], 4)
    # Quarters of the population hold 1, .5, .5 and 2 labeled rows: ranks 3, 1.5, 1.5, 4.
    found = boyce_index_score(y, score, width=0.25, n_windows=4, sampling="two-sample")
    assert found == pytest.approx((-0.75 + 0.5 - 0.5 + 2.25) / np.sqrt(4.5 * 5))


def test_windows_of_the_score_by_hand_without_the_empty_ones():
    score, y = np.array([0.0, 0, 1, 5, 9, 10, 10]), [1, 0, 0, 0, 0, 1, 1]
    # Windows of length 2 from 0, 2, 4, 6, 8; two are empty. P/E is (1/3)/(3/7), 0, (2/3)/(3/7).
    found = boyce_index_score(y, score, windows="score", width=0.2, n_windows=5)
    assert found == pytest.approx(0.5)


def test_windows_of_the_score_reach_both_ends():
    """P/E by counting rows in closed windows, the last of which ends at the largest score."""
    begins = SCORE.min() + np.linspace(0, 0.9 * np.ptp(SCORE), 101)
    inside = (SCORE >= begins[:, None] - 1e-9) & (
        SCORE <= begins[:, None] + 0.1 * np.ptp(SCORE) + 1e-9
    )
    kept = inside.any(axis=1)
    ratio = (inside @ Y)[kept] / inside.sum(axis=1)[kept]
    assert inside[-1, np.argmax(SCORE)]
    known = spearmanr(np.round(ratio, 9), begins[kept]).statistic
    assert boyce_index_score(Y, SCORE, windows="score") == pytest.approx(known)


@pytest.mark.parametrize("sampling", BOTH)
def test_only_the_order_matters_for_quantile_windows(sampling):
    expected = boyce_index_score(Y, SCORE, sampling=sampling)
    assert 0.5 < expected < 1
    for same in (np.exp(3 * SCORE), SCORE**3, -1 / (SCORE + 9)):
        assert boyce_index_score(Y, same, sampling=sampling) == pytest.approx(expected)
    order = RNG.permutation(400)
    found = boyce_index_score(Y[order], SCORE[order], sampling=sampling)
    assert found == pytest.approx(expected)


@pytest.mark.parametrize("windows", ["quantile", "score"])
@pytest.mark.parametrize("sampling", BOTH)
def test_a_reversed_score_has_the_opposite_index(sampling, windows):
    options = {"sampling": sampling, "windows": windows}
    for score in (SCORE, np.round(SCORE)):
        found = boyce_index_score(Y, -score, **options)
        assert found == pytest.approx(-boyce_index_score(Y, score, **options))


@pytest.mark.parametrize("windows", ["quantile", "score"])
@pytest.mark.parametrize("sampling", BOTH)
def test_weights_are_copies_and_their_unit_does_not_matter(sampling, windows):
    options = {"sampling": sampling, "windows": windows}
    weight = RNG.integers(0, 4, 400)
    known = boyce_index_score(np.repeat(Y, weight), np.repeat(SCORE, weight), **options)
    for unit in (1, 0.3):
        found = boyce_index_score(Y, SCORE, sample_weight=unit * weight, **options)
        assert found == pytest.approx(known)


def test_any_two_label_values_give_the_same():
    expected = boyce_index_score(Y, SCORE)
    assert boyce_index_score(1 - Y, SCORE, pos_label=0) == expected
    text = np.where(Y == 1, "labeled", "other")
    assert boyce_index_score(text, SCORE, pos_label="labeled") == expected


def test_few_distinct_scores_do_not_depend_on_rounding():
    score = np.round(SCORE)
    expected = boyce_index_score(Y, score)
    for unit in (0.1, 3.0, 1 / 7):
        assert boyce_index_score(Y, score, sample_weight=np.full(400, unit)) == expected


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"score": np.zeros(400)}, "`score` must have windows with different shares"),
        (
            {"score": np.zeros(400), "windows": "score"},
            "`score` must have windows with different shares",
        ),
        (
            {"y": [0, 0, 1, 0, 1, 1], "score": [0, 0, 1, 9, 10, 10], "windows": "score"}
            | {"width": 0.2, "n_windows": 5},
            "at least 3 windows; got 2",
        ),
        ({"windows": "equal"}, "`windows` must be one of 'quantile', 'score'; got 'equal'"),
        ({"width": 1}, "`width` must be a number strictly between 0 and 1; got 1"),
        ({"n_windows": 2}, "`n_windows` must be a whole number of at least 3; got 2"),
        ({"sampling": "three"}, "`sampling` must be one of"),
        ({"score": SCORE[1:]}, "`score` must hold one number for each of the 400 rows"),
    ],
)
def test_what_has_no_index_is_said(options, message):
    with pytest.raises(ValueError, match=message):
        boyce_index_score(**({"y": Y, "score": SCORE} | options))

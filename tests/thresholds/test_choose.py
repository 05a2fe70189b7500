"""The cut with the largest F1_PU: tiny cases, brute force, integers, the population."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unlabeled.thresholds import Cuts, choose_cut, count_above, scan_cuts
from unlabeled.thresholds._rules import f1_pu

F1_PU = f1_pu()


def best(scores, s, weight=None):
    scores, s = np.array(scores, float), np.array(s, float)
    return choose_cut(count_above(scores, s, weight), F1_PU)


def test_plain_case_where_the_reference_script_drops_a_row():
    cut = best([5, 4, 3, 2, 1], [1, 0, 1, 0, 0])
    assert (cut.upper, cut.lower, cut.threshold) == (3, 2, 2.5)
    assert cut.value == pytest.approx(5 / 3, rel=1e-15)


def test_tied_top_group_is_one_cut():
    cut = best([3] * 5 + [2, 1, 0, -1, -2], [1, 0, 0, 0, 0, 1, 0, 0, 0, 0])
    assert (cut.upper, cut.threshold) == (2, 1.5)
    assert cut.share * 10 == 6
    assert cut.value == pytest.approx(5 / 3, rel=1e-15)


def test_everybody_is_a_candidate():
    cut = best([5, 4, 3, 2, 1], [0, 0, 0, 0, 1])
    assert cut.predicts_all
    assert cut.value == 1.0
    assert cut.threshold < 1
    assert cut.lower == -np.inf


def test_all_rows_labeled_gives_one():
    cut = best([4, 3, 2, 1], [1, 1, 1, 1])
    assert cut.value == 1.0
    assert cut.predicts_all


def test_of_equal_cuts_the_one_with_fewest_rows():
    # 1 labeled of 1 row, and 2 labeled of 4 rows: 1/1 = 4/4.
    cut = best([4, 3, 2, 1, 0], [1, 0, 0, 1, 0])
    assert cut.share * 5 == 1


def test_near_ties_are_decided_in_integers():
    """x^2 / (x + 1) < (x + 1)^2 / (x + 3), by 3e-16 of the value: floats cannot tell."""
    x = 10**8
    cuts = Cuts(
        score=np.array([3.0, 2.0, 1.0]),
        next_score=np.array([2.0, 1.0, -np.inf]),
        labeled=np.array([x, x + 1, x + 1]),
        total=np.array([x + 1, x + 3, 2 * x]),
    )
    floats = F1_PU.criterion(cuts.recall, cuts.share, None)
    assert floats[1] == pytest.approx(floats[0], rel=1e-15)
    assert choose_cut(cuts, F1_PU).index == 1
    labeled, total = cuts.labeled[[1, 0, 2]], cuts.total[[1, 0, 2]]
    assert choose_cut(replace(cuts, labeled=labeled, total=total), F1_PU).index == 0


labels_and_scores = st.lists(
    st.tuples(st.integers(-5, 5), st.booleans()), min_size=1, max_size=30
).filter(lambda rows: any(s for _, s in rows))


@given(labels_and_scores)
def test_exact_equals_brute_force(rows):
    scores = np.array([v for v, _ in rows], float)
    s = np.array([int(labeled) for _, labeled in rows])
    cut = choose_cut(count_above(scores, s), F1_PU)
    brute = {}
    for z in np.unique(np.concatenate([-scores - 0.25, -scores + 0.25])):
        positive = scores + z > 0
        if positive.any():
            value = Fraction(int(s[positive].sum()) ** 2, int(positive.sum()))
            brute[int(positive.sum())] = value
    largest = max(brute.values())
    fewest = min(k for k, value in brute.items() if value == largest)
    predicted = scores > cut.threshold
    assert predicted.sum() == fewest
    assert cut.value == pytest.approx(float(largest) * len(s) / s.sum() ** 2)
    # The last group of ties in an optimal cut contains a labeled row.
    assert s[scores == cut.upper].any()


@given(labels_and_scores, st.integers(1, 3))
def test_weights_are_repeated_rows(rows, times):
    scores = np.array([v for v, _ in rows], float)
    s = np.array([float(labeled) for _, labeled in rows])
    weight = 1.0 + np.arange(len(s)) % (times + 1)
    weighted = choose_cut(count_above(scores, s, weight), F1_PU)
    repeated = np.repeat(np.arange(len(s)), weight.astype(int))
    plain = choose_cut(count_above(scores[repeated], s[repeated]), F1_PU)
    assert weighted.threshold == plain.threshold
    assert weighted.value == pytest.approx(plain.value)


def test_f1_pu_without_signal_is_the_share():
    """r = q makes F1_PU = q, so everybody is best."""
    cuts = count_above(np.arange(10.0), np.ones(10))
    np.testing.assert_allclose(F1_PU.criterion(cuts.recall, cuts.share, None), cuts.share)


@pytest.mark.parametrize(
    ("distance", "prior", "threshold", "value"),
    [(1, 0.5, -0.382003, 1.073286), (2, 0.5, 0.805381, 1.428003), (1, 0.2, 0.244576, 1.257298)],
)
def test_the_sample_cut_tends_to_the_binormal_closed_form(distance, prior, threshold, value, rng):
    n = 400_000
    y = rng.random(n) < prior
    x = rng.normal(size=n) + distance * y
    s = (y & (rng.random(n) < 0.5)).astype(float)
    cut = choose_cut(count_above(x, s), F1_PU)
    # The value is flat at its maximum and is estimated with error 1/sqrt(n1); the
    # argmax converges at the cube-root rate only.
    assert cut.value == pytest.approx(value, abs=5 * value / np.sqrt(s.sum()))
    assert cut.threshold == pytest.approx(threshold, abs=4 * n ** (-1 / 3) * 2)


@pytest.mark.parametrize("prior", [-1, 2, float("nan"), "a", True])
def test_a_class_prior_that_is_none_is_rejected(prior):
    cuts = scan_cuts(np.array([1, 0, 1, 0, 0]), np.array([5.0, 4, 3, 2, 1]))
    with pytest.raises(ValueError, match="`class_prior` must be a number from 0 to 1; got"):
        choose_cut(cuts, "f1", prior)

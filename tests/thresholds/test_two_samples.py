"""Cuts that count the unlabeled rows alone, and rules about rows known to be unlabeled."""

import numpy as np
import pytest

from unlabeled.engine.sampling import Sampling
from unlabeled.thresholds import (
    PopulationLimits,
    choose_cut,
    count_above,
    get_rule,
    scan_cuts,
    summarize_score,
    with_enough_labeled,
)
from unlabeled.thresholds import _search as search
from unlabeled.thresholds._rules import accuracy, accuracy_if_unlabeled, share_equals_prior


def _rows(n=4000, seed=0, n_cases=1000):
    rng = np.random.default_rng(seed)
    score = np.concatenate([rng.normal(1.5, 1, n_cases), rng.normal(0, 1, n)])
    return score, np.repeat([1.0, 0.0], [n_cases, n])


def test_counts_by_hand():
    cuts = scan_cuts([1, 0, 1, 0, 0], [5, 4, 4, 3, 2], sampling="two-sample")
    assert cuts.labeled.tolist() == [1, 2, 2, 2]
    assert cuts.total.tolist() == [0, 1, 2, 3]
    assert cuts.unlabeled.tolist() == [0, 1, 2, 3]
    np.testing.assert_allclose(cuts.share, [0, 1 / 3, 2 / 3, 1])
    assert cuts.labeled_share == 2 / 5


def test_weights_of_one_change_nothing():
    score, s = _rows()
    plain, weighted = (count_above(score, s, one, Sampling.TWO) for one in (None, np.ones(len(s))))
    np.testing.assert_array_equal(plain.total, weighted.total)
    np.testing.assert_array_equal(plain.labeled, weighted.labeled)


def test_a_cut_has_at_least_as_many_rows_as_positives():
    # Four cases above every row of the population: recall over share would be infinite there.
    score, s = np.array([9, 8, 7, 6, 5, 4, 3, 2, 1.0]), np.array([1, 1, 1, 1, 0, 1, 0, 0, 0.0])
    cuts = count_above(score, s, None, Sampling.TWO)
    cut = choose_cut(cuts, "f1_pu", 0.5)
    # At 4: recall 1, share 1/4, but at least .5; 1/.5 = 2 is the largest.
    assert (cut.upper, cut.value) == (4, 2.0)
    assert cut.share == 0.25  # the share that was counted


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("prior", [0.02, 0.2, 0.7])
def test_the_search_in_bins_finds_the_same_cut(monkeypatch, prior, weighted):
    score, s = _rows(20_000, n_cases=5000)
    weight = np.random.default_rng(1).uniform(0.5, 2, len(s)) if weighted else None
    whole = choose_cut(count_above(score, s, weight, Sampling.TWO), "f1_pu", prior)
    monkeypatch.setattr(search, "_FEW_ROWS", 10)
    found = summarize_score(score, s, weight, PopulationLimits(prior))
    cut = choose_cut(found.cuts, "f1_pu", prior)
    assert cut.value == pytest.approx(whole.value, rel=1e-12)
    assert cut.threshold == pytest.approx(whole.threshold, rel=1e-9)
    assert found.bound >= cut.value * (1 - 1e-12)


def test_share_equals_prior():
    score, s = _rows()
    cuts = count_above(score, s)
    cut = choose_cut(cuts, share_equals_prior(), 0.3)
    assert cut.share == pytest.approx(0.3, abs=1 / len(s))
    two = choose_cut(count_above(score, s, None, Sampling.TWO), "share_equals_prior", 0.3)
    assert two.share == pytest.approx(0.3, abs=1 / np.sum(s == 0))
    with pytest.raises(ValueError, match="class_prior"):
        choose_cut(cuts, "share_equals_prior")


def test_accuracy_if_unlabeled_cuts_where_the_posterior_given_unlabeled_is_one_half():
    rng = np.random.default_rng(0)
    n, c = 400_000, 0.6
    t = rng.normal(size=n)
    y = rng.uniform(size=n) < 1 / (1 + np.exp(-2 * t))
    s = (y & (rng.uniform(size=n) < c)).astype(float)
    cut = choose_cut(count_above(t, s), accuracy_if_unlabeled(), y.mean())
    # P(Y=1|t, S=0) = (1-c) y / (1 - c y) = 1/2 at y = 1/(2 - c).
    at = 1 / (1 + np.exp(-2 * cut.threshold))
    assert at == pytest.approx(1 / (2 - c), abs=0.03)
    # It is more often right about the unlabeled rows than the cut of `accuracy`.
    hidden, other = s == 0, choose_cut(count_above(t, s), accuracy(), y.mean())
    right = [np.mean((t > one.threshold)[hidden] == y[hidden]) for one in (cut, other)]
    assert right[0] > right[1] + 0.01


def test_in_two_samples_it_is_accuracy():
    score, s = _rows()
    cuts = count_above(score, s, None, Sampling.TWO)
    for prior in (0.1, 0.5):
        one, other = (
            choose_cut(cuts, rule, prior) for rule in ("accuracy", "accuracy_if_unlabeled")
        )
        assert one.threshold == other.threshold


def test_the_search_never_settles_on_a_cut_with_too_few_rows(monkeypatch):
    rng = np.random.default_rng(0)
    positive = rng.normal(3, 1, 105)
    score = np.concatenate([positive, rng.normal(0, 1, 495)])
    s = np.repeat([1.0, 0.0], [100, 500])
    rule = with_enough_labeled(get_rule("f1_pu"), 100)
    known = PopulationLimits.of(0.01, 100, 500)
    whole = choose_cut(count_above(score, s, None, Sampling.TWO), rule, 0.01)
    summary = summarize_score(score, s, None, known)
    found = choose_cut(summary.cuts, rule, 0.01)
    assert found.value == pytest.approx(whole.value, rel=1e-12)
    assert found.share * 500 >= 5
    assert summary.bound == pytest.approx(whole.value, rel=1e-12)
    monkeypatch.setattr(search, "_FEW_ROWS", 10)
    zoomed = summarize_score(score, s, None, known)
    assert choose_cut(zoomed.cuts, rule, 0.01).value == pytest.approx(whole.value, rel=1e-12)

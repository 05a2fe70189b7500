"""The scan of a score on a device against the scan in memory."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unlabeled.engine.sampling import Sampling
from unlabeled.thresholds import (
    PopulationLimits,
    choose_cut,
    count_above,
    scan_cuts,
    summarize_score,
    with_enough_labeled,
)
from unlabeled.thresholds import _search as search
from unlabeled.thresholds._rules import f1_pu

xp = pytest.importorskip("array_api_strict")


@settings(max_examples=150, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(2, 400),
    levels=st.sampled_from([1, 2, 5, 50, 10**9]),
    weighted=st.booleans(),
    labels_first=st.booleans(),
)
def test_the_cut_is_the_one_of_a_scan_in_memory(seed, n, levels, weighted, labels_first):
    rng = np.random.default_rng(seed)
    score = rng.integers(0, levels, n) / 7.0
    s = (rng.random(n) < rng.choice([0.02, 0.3])).astype(float)
    s[0], s[-1] = 1.0, 0.0
    weight = rng.integers(1, 4, n).astype(float) if weighted else None
    if labels_first:
        order = np.argsort(-s, kind="stable")
        score, s = score[order], s[order]
    here = scan_cuts(s, score, weight)
    there = summarize_score(*(None if c is None else xp.asarray(c) for c in (score, s, weight)))
    a, b = choose_cut(here, f1_pu()), choose_cut(there.cuts, f1_pu())
    assert b.value == pytest.approx(a.value, rel=1e-12)
    assert (b.threshold, b.lower, b.upper) == pytest.approx((a.threshold, a.lower, a.upper))
    assert (b.recall, b.share) == pytest.approx((a.recall, a.share), rel=1e-12)
    assert there.bound == pytest.approx(a.value, rel=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_stand_ins_of_weighted_rows_lie_within_the_score(seed):
    rng = np.random.default_rng(seed)
    score, s = 1e3 + rng.normal(size=20_000), (rng.random(20_000) < 0.2).astype(float)
    weight = rng.lognormal(sigma=3, size=20_000)
    columns = (xp.asarray(column) for column in (score, s, weight))
    found, label, mass = summarize_score(*columns).rows
    room = 1e-5 * np.ptp(score)
    assert score.min() - room <= found.min()
    assert found.max() <= score.max() + room
    assert mass.sum() == pytest.approx(weight.sum(), rel=1e-9)
    assert mass @ label == pytest.approx(weight @ s, rel=1e-9)


def test_the_best_cuts_never_have_too_few_rows_of_two_samples():
    rng = np.random.default_rng(0)
    score = np.concatenate([rng.normal(3, 1, 105), rng.normal(0, 1, 495)])
    s = np.repeat([1.0, 0.0], [100, 500])
    rule = with_enough_labeled(f1_pu(), 100)
    whole = choose_cut(count_above(score, s, None, Sampling.TWO), rule, 0.01)
    ordered = search.SortedScore(xp.asarray(score), xp.asarray(s), None)
    found = choose_cut(ordered.best_cuts(PopulationLimits.of(0.01, 100, 500)), rule, 0.01)
    assert found.value == pytest.approx(whole.value, rel=1e-12)
    assert found.share * 500 >= 5

"""Bins within bins for many rows in memory."""

import numpy as np
import pytest

from unlabeled.scores import fit_score_joint
from unlabeled.thresholds import _search, choose_cut, scan_cuts, summarize_score
from unlabeled.thresholds._rules import f1_pu


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", ["normal", "cauchy", "few values", "rounded", "far from zero"])
def test_the_cut_of_many_rows_is_the_one_of_a_full_scan(kind, weighted, rng):
    n = _search._FEW_ROWS + 1234
    score = {
        "normal": rng.normal(size=n),
        "cauchy": rng.standard_cauchy(n),
        "few values": rng.integers(0, 7, n).astype(float),
        "rounded": np.round(rng.normal(size=n), 2),
        "far from zero": 1e3 + 1e-9 * rng.normal(size=n),
    }[kind]
    place = (score - np.median(score)) / score.std()
    s = (rng.random(n) < 0.3 / (1 + np.exp(2 - place))).astype(float)
    weight = rng.random(n) + 0.1 if weighted else None
    summary = summarize_score(score, s, weight)
    full, found = (choose_cut(c, f1_pu()) for c in (scan_cuts(s, score, weight), summary.cuts))
    assert (found.threshold, found.lower, found.upper) == (full.threshold, full.lower, full.upper)
    assert found.value == pytest.approx(full.value, rel=1e-12)
    assert summary.bound == pytest.approx(full.value, rel=1e-12)


def test_the_posterior_of_stand_ins_is_the_posterior_of_the_rows(rng):
    n = 100_000
    score = rng.normal(size=n)
    s = (rng.random(n) < 0.5 / (1 + np.exp(0.5 - 1.5 * score))).astype(float)
    of_rows = fit_score_joint(score, s)
    of_stand_ins = fit_score_joint(*summarize_score(score, s).rows)
    for name in ("label_frequency", "class_prior", "slope", "intercept"):
        assert getattr(of_stand_ins, name) == pytest.approx(getattr(of_rows, name), rel=1e-6)


def test_a_cut_in_bins_predicts_the_rows_that_it_counts_also_if_many_scores_are_equal():
    rng = np.random.default_rng(0)
    n = 40_000
    # Half of the rows have one of three scores, which lie between others.
    score = np.where(rng.random(n) < 0.5, rng.normal(size=n), rng.choice([-0.3, 0.1, 0.4], n))
    s = (rng.random(n) < 1 / (1 + np.exp(1 - 2 * score))).astype(float)
    cuts, _ = _search.bin_cuts(score, s)
    for k in range(0, len(cuts.score) - 1, 7):  # the last cut predicts all rows
        above = score > 0.5 * (cuts.score[k] + cuts.next_score[k])
        assert (above.sum(), s[above].sum()) == (cuts.total[k], cuts.labeled[k])

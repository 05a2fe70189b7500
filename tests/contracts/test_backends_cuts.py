"""The best cut of a score in chunks is the one a scan in memory finds, or is bounded by it."""

from unittest.mock import patch

import dask
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.contracts.backends import in_chunks, rows_of
from unlabeled.thresholds import _search, choose_cut, rows_or_stand_ins, summarize_score
from unlabeled.thresholds._rules import f1_pu

SCORES = {
    "continuous": lambda rng, n: rng.normal(size=n),
    "tied": lambda rng, n: rng.integers(-3, 4, n).astype(float),
    "heavy-tailed": lambda rng, n: rng.standard_cauchy(n),
    "constant": lambda rng, n: np.full(n, 2.5),
    "far from zero": lambda rng, n: 1e6 + rng.normal(size=n),
    "two clouds": lambda rng, n: rng.normal(size=n) * 1e-6 + 1e3 * rng.integers(0, 2, n),
}
cases = st.tuples(
    st.sampled_from(sorted(SCORES)), st.integers(6, 1500), st.booleans(), st.integers(0, 10**6)
)


@pytest.fixture(autouse=True)
def _one_thread():
    with dask.config.set(scheduler="sync"):
        yield


def first_column(X):
    return X[:, 0]


def scored(kind, n, weighted, seed):
    """Score, label and weight in memory, and the same in chunks."""
    rng = np.random.default_rng(seed)
    score = SCORES[kind](rng, n)
    s = (rng.random(n) < 0.1 + 0.5 * (score > np.median(score))).astype(float)
    s[:2] = 0, 1
    weight = rng.integers(1, 4, n).astype(float) if weighted else None
    ends = np.sort(rng.integers(0, n + 1, 3))
    chunks = tuple(int(length) for length in np.diff([0, *ends, n]))
    parts = (score[:, None], s, weight)
    rows = rows_of(*(None if part is None else in_chunks(part, chunks) for part in parts))
    return (score, s, weight), (rows.X.then(first_column), rows.s, rows.weight)


def best(summary):
    return choose_cut(summary.cuts, f1_pu())


@settings(max_examples=60)
@given(cases)
def test_the_cut_is_exact(case):
    here, chunked = scored(*case)
    expected, found = (best(summarize_score(*columns)) for columns in (here, chunked))
    assert found.value == pytest.approx(expected.value, rel=1e-12)
    assert (found.lower, found.upper) == pytest.approx((expected.lower, expected.upper), rel=1e-12)
    assert found.recall == pytest.approx(expected.recall, rel=1e-12)
    assert summarize_score(*chunked).bound == pytest.approx(expected.value, rel=1e-12)


@settings(max_examples=40)
@given(cases, st.sampled_from([1, 3, 10, 50]))
def test_with_few_rows_brought_here_the_bound_holds(case, most):
    here, chunked = scored(*case)
    true = best(summarize_score(*here)).value
    with patch.object(_search, "_MOST_ROWS", most):
        summary = summarize_score(*chunked)
    found = best(summary).value
    assert found <= true * (1 + 1e-12)
    assert summary.bound >= true * (1 - 1e-12)
    # Bins within bins end at groups of equal scores, which count as few.
    assert found >= 0.5 * true


@settings(max_examples=20)
@given(cases)
def test_the_value_is_that_of_the_rows_above_the_threshold(case):
    """Also where bins are cut into bins and none is fetched."""
    (score, s, weight), chunked = scored(*case)
    with patch.object(_search, "_MOST_ROWS", 1):
        cut = best(summarize_score(*chunked))
    above = score > cut.threshold
    recall = np.average(above[s == 1], weights=None if weight is None else weight[s == 1])
    share = np.average(above, weights=weight)
    assert cut.value == pytest.approx(recall**2 / share, rel=1e-9)


@settings(max_examples=20)
@given(cases)
def test_stand_ins_have_the_sums_of_the_rows(case):
    (score, s, weight), chunked = scored(*case)
    mass = np.ones(len(s)) if weight is None else weight
    stand_in, label, stand_mass = rows_or_stand_ins(*chunked)
    assert stand_mass.sum() == pytest.approx(mass.sum(), rel=1e-12)
    assert stand_mass @ label == pytest.approx(mass @ s, rel=1e-12)
    size = np.abs(score).max()
    assert stand_mass @ stand_in == pytest.approx(mass @ score, abs=1e-10 * size * len(s))
    assert score.min() - 1e-9 * size <= stand_in.min()
    assert stand_in.max() <= score.max() + 1e-9 * size

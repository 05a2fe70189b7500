"""Labels that follow named columns: r along any held-out score."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from unlabeled.labeling import FollowsColumns
from unlabeled.scores import LabeledScore, propensity_prior

STRETCH = 1.5


def labeled(seed, n=4000):
    """Rows whose labels follow the second column; the third is noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = rng.random(n) < expit(4 * X[:, 0] - 1)
    e = expit(-0.5 + STRETCH * X[:, 1])
    s = (y & (rng.random(n) < e)).astype(float)
    return X, y, e, s


def known_of(X, s, **others):
    """The score is what members would find: rough, as it was not told the true form."""
    rng = np.random.default_rng(9)
    score = 2 * X[:, 0] + 0.7 * X[:, 1] - 2 + 0.3 * rng.normal(size=len(X))

    def design(columns):
        return X if columns is None else X[:, np.atleast_1d(columns)]

    return LabeledScore(score, s, design, **others)


@pytest.fixture(scope="module")
def rows():
    return labeled(0)


@pytest.mark.parametrize("columns", [1, [1], [1, 2]])
def test_posterior_and_count_are_right_where_labels_follow_the_column(rows, columns):
    X, y, e, s = rows
    known = known_of(X, s)
    found = FollowsColumns(columns).missed(known)
    assert found.density.mean == pytest.approx(y.mean(), abs=0.04)
    assert y.mean() in found.density.interval(0.95)
    posterior, missed = found.of_rows
    p = expit(known.label_logit)
    assert posterior == pytest.approx(p + (1 - p) * missed)
    truth = (1 - e) * expit(4 * X[:, 0] - 1) / (1 - e * expit(4 * X[:, 0] - 1))
    at_random = missed.mean() * np.ones(len(y))
    assert np.abs(missed - truth).mean() < 0.5 * np.abs(at_random - truth).mean()
    slopes = found.found.slopes
    assert slopes["1"] == pytest.approx(STRETCH, abs=0.5)
    assert abs(slopes.get("2", 0.0)) < 0.4
    # What is expected of the rows adds up to the count.
    assert s.sum() + missed[s == 0].sum() == pytest.approx(len(y) * found.density.mean, rel=1e-3)


def test_one_column_is_the_average_along_score_and_column(rows):
    X, _, _, s = rows
    known = known_of(X, s)
    found = FollowsColumns(1).missed(known)
    outcomes = np.column_stack([s, 0 * s, 1 - s])
    column = np.clip(X[:, 1], -2.5, 2.5)
    prior = propensity_prior(known.label_logit, column, outcomes, stretch_deviation=3)
    assert found.density.mean == prior.density.mean
    assert found.found.slopes == {"1": prior.stretch}
    apart = found.of_rows.missed - prior.at(known.label_logit, column, column)
    assert np.abs(apart - apart.mean()).max() < 0.1  # one shift of the logits, and a grid


def test_new_rows_need_no_row_of_the_fit(rows):
    X, _, _, s = rows
    known = known_of(X, s)
    found = FollowsColumns([1, 2]).missed(known)
    some = np.arange(0, len(s), 7)
    again = found.new_rows.at(known.label_logit[some], lambda columns: X[some][:, columns])
    assert again.missed == pytest.approx(found.of_rows.missed[some])
    far = found.new_rows.at(np.array([-1e3, 1e3]), lambda _: np.full((2, 2), 1e3))
    assert np.isfinite(far.posterior).all()
    sizes = [np.size(value) for value in vars(found.new_rows).values()]
    assert max(sizes) < len(s)


def test_answers_settle_what_labels_cannot():
    """Labels follow the column that also makes rows positive, and so does the score."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(3000, 2))
    y = rng.random(3000) < expit(2 * X[:, 0] + X[:, 1])
    s = (y & (rng.random(3000) < expit(-1 + 1.5 * X[:, 0]))).astype(float)
    score = 2.5 * X[:, 0] + 0.7 * X[:, 1] - 2.5

    def design(columns):
        return X[:, np.atleast_1d(columns)]

    checked = np.full(3000, np.nan)
    looked = rng.permutation(np.flatnonzero(s == 0))[:200]
    checked[looked] = y[looked]
    labels = FollowsColumns(0).missed(LabeledScore(score, s, design))
    both = FollowsColumns(0).missed(LabeledScore(score, s, design, checked=checked))
    intervals = [one.density.interval(0.95) for one in (labels, both)]
    assert y.mean() in intervals[1]
    lengths = [one.upper - one.lower for one in intervals]
    assert lengths[1] < 0.6 * lengths[0]
    assert len(both.said) < len(labels.said)  # only labels are rough


def test_weights_are_numbers_of_rows(rows):
    X, _, _, s = (one[:800] for one in rows)
    twice = np.tile(X, (2, 1)), np.tile(s, 2)
    known = known_of(X, s)
    one = FollowsColumns(1).missed(known_of(X, s, weight=np.full(800, 2.0)))
    score = np.tile(known.label_logit, 2)
    copies = LabeledScore(score, twice[1], lambda columns: twice[0][:, np.atleast_1d(columns)])
    other = FollowsColumns(1).missed(copies)
    assert one.density.mean == pytest.approx(other.density.mean, rel=1e-3)


@pytest.mark.parametrize("columns", [None, 1.5, True, {"age"}, [], [None]])
def test_what_names_no_column_is_rejected(rows, columns):
    X, _, _, s = rows
    with pytest.raises(ValueError, match="`columns` must"):
        FollowsColumns(columns).missed(known_of(X, s))


def test_a_history_and_a_constant_column_are_rejected(rows):
    X, _, _, s = rows
    with pytest.raises(ValueError, match="`history` must be None"):
        FollowsColumns(1).missed(known_of(X, s, history=pd.DataFrame({"e": s})))
    constant = np.column_stack([X, np.zeros(len(s))])
    with pytest.raises(ValueError, match="columns that vary"):
        FollowsColumns(3).missed(known_of(constant, s))

"""The interval of the best cut."""

from __future__ import annotations

import numpy as np
import pytest

from unlabeled.datasets import make_paper_gaussian
from unlabeled.inference import (
    cut_interval,
)


@pytest.fixture(scope="module")
def data():
    return make_paper_gaussian(4000, c=0.5, random_state=2)


def test_the_cut_is_the_middle_and_its_interval_holds_the_best_cut(data):
    score = data.X @ data.beta[1:]
    interval = cut_interval(data.s, score, random_state=0)
    assert interval.lower < -0.142482 < interval.upper
    assert interval.estimate == pytest.approx((interval.lower + interval.upper) / 2)


def test_the_interval_of_the_cut_follows_the_score(data):
    score = data.X @ data.beta[1:]
    plain = cut_interval(data.s, score, "balanced_accuracy", random_state=0)
    moved = cut_interval(data.s, 3 * score + 5, "balanced_accuracy", random_state=0)
    assert moved.lower == pytest.approx(3 * plain.lower + 5)
    assert moved.upper == pytest.approx(3 * plain.upper + 5)


def best_cut(score, s):
    """Return the middle between the last row above the best F1_PU cut and the next row."""
    order = np.argsort(-score)
    f1_pu = np.cumsum(s[order]) ** 2 / np.arange(1, len(s) + 1)
    k = int(np.argmax(f1_pu))
    return score[order[k : k + 2]].mean()


def test_distances_of_smaller_resamples_are_scaled_by_the_cube_root(data):
    score, s, n_rows, m = data.X @ data.beta[1:], data.s, len(data.s), 500
    interval = cut_interval(s, score, n_drawn=m, n_resamples=20, level=0.8, random_state=4)
    distances = []
    for seed in np.random.RandomState(4).randint(np.iinfo(np.int32).max, size=20):
        drawn = np.random.RandomState(seed).randint(n_rows, size=m)
        kept, copies = np.unique(drawn, return_counts=True)
        tied = np.repeat(score[kept], copies), np.repeat(s[kept], copies)
        last_of_ties = best_cut_with_ties(*tied)
        distances.append(abs(last_of_ties - best_cut(score, s)))
    half = (m / n_rows) ** (1 / 3) * np.quantile(distances, 0.8)
    assert interval.upper - interval.estimate == pytest.approx(half)


def best_cut_with_ties(score, s):
    """Return the same for repeated rows: a cut lies between distinct scores."""
    places = np.unique(score)[::-1]
    above = score[None, :] >= places[:, None]
    f1_pu = (above @ s) ** 2 / above.sum(axis=1)
    k = int(np.argmax(f1_pu))
    return places[k : k + 2].mean()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_drawn": 2}, "`n_drawn` must be.*got 2"),
        ({"level": 95}, "`level` must be.*got 95"),
        ({"rule": "best"}, "`rule` must be.*'best'"),
    ],
)
def test_wrong_arguments_of_the_cut_are_named(arguments, message, data):
    with pytest.raises(ValueError, match=message):
        cut_interval(data.s, data.X[:, 0], **arguments)


def test_copies_in_groups_have_the_interval_of_single_rows(data):
    score, s = (data.X @ data.beta[1:])[:400], data.s[:400]
    rows = np.repeat(np.arange(400), 5)
    alone = cut_interval(s, score, random_state=0)
    copies = cut_interval(s[rows], score[rows], random_state=0, groups=rows)
    assert copies.estimate == pytest.approx(alone.estimate)
    assert (copies.lower, copies.upper) == pytest.approx((alone.lower, alone.upper))


def test_fewer_groups_are_drawn_than_there_are(data):
    with pytest.raises(ValueError, match="`n_drawn` must be from 4 to the number of groups, 10"):
        cut_interval(data.s, data.X[:, 0], n_drawn=11, groups=np.arange(4000) % 10)


@pytest.mark.parametrize("prior", [-1, 2, float("nan"), "a"])
def test_a_class_prior_that_is_none_is_rejected(prior):
    data = make_paper_gaussian(n=300, c=0.6, random_state=0)
    with pytest.raises(ValueError, match="`class_prior` must be a number from 0 to 1; got"):
        cut_interval(data.s, data.X[:, 0], "f1", class_prior=prior, n_resamples=5)

"""A refit to labels that an earlier fit found is noticed; honest new labels are not."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from unlabeled.app.table_model import report_relabeled
from unlabeled.codes import PUWarning


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    positive = rng.random(2000) < 0.3
    score = rng.normal(size=2000) + 1.5 * positive
    return rng, positive, score, (positive & (rng.random(2000) < 0.3)).astype(int)


def top_of_the_list(score, before, positive, n=100):
    unlabeled = np.flatnonzero(before == 0)
    top = unlabeled[np.argsort(-score[unlabeled])[:n]]
    now = before.copy()
    now[top[positive[top]]] = 1
    return now


def test_positives_of_the_top_marked_as_labeled_are_noticed(rows):
    _, positive, score, before = rows
    now = top_of_the_list(score, before, positive)
    with pytest.warns(PUWarning, match=r"PU119.*rows were labeled since.*top of its list"):
        report_relabeled(score, before, now)


def test_labels_given_at_random_raise_a_false_alarm_once_in_a_thousand(rows):
    rng, positive, score, _ = rows
    alarms = 0
    for _ in range(1000):
        before = (positive & (rng.random(len(score)) < 0.3)).astype(int)
        now = before | (positive & (rng.random(len(score)) < 0.3))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            report_relabeled(score, before, now)
        alarms += len(caught)
    assert alarms <= 5  # 1 is expected; more than 5 have a chance of .0006


def three(estimate, lower, upper):
    return {"estimate": estimate, "lower": lower, "upper": upper}


def test_a_count_that_falls_below_the_earlier_interval_is_noticed(rows):
    rng, positive, score, before = rows
    now = before | (positive & (rng.random(len(score)) < 0.3))
    with pytest.warns(PUWarning, match=r"fell from 600 \(500 to 700\) to 300 \(250 to 400\)"):
        report_relabeled(score, before, now, (three(600, 500, 700), three(300, 250, 400)))


@pytest.mark.parametrize("later", [three(550, 450, 501), three(300, None, None)])
def test_a_count_that_may_be_the_same_is_not(rows, later):
    rng, positive, score, before = rows
    now = before | (positive & (rng.random(len(score)) < 0.3))
    report_relabeled(score, before, now, (three(600, 500, 700), later))


def test_too_few_new_or_old_labels_say_nothing(rows):
    _, positive, score, before = rows
    report_relabeled(score, before, top_of_the_list(score, before, positive, n=4))
    report_relabeled(score, before * (np.cumsum(before) < 5), before)
    report_relabeled(score, before, before * 0)

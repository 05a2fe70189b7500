"""The adapter: labels in, 0 and 1 out, limits as errors; and the cast that is made of it."""

from __future__ import annotations

import sys
import time

import numpy as np
import pytest

from benchmarks.field import peer as peer_module
from benchmarks.field.cast import CAST, FIELD, PAPER, ROLES
from benchmarks.field.peer import Peer, SizeLimitError, TimeLimitError
from benchmarks.field.studies import FREQUENCIES, REAL, TEN_METHODS, field_plan
from reproduction.studies import paper_plan
from reproduction.studies.draw import draw_sample
from reproduction.studies.fit import load_methods
from reproduction.studies.methods import METHODS
from reproduction.studies.plan import Cell, Task

X, S = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0.0, 0.0, 1.0, 1.0])


class Signs:
    """A model of another package that says 1.0 and -1.0, as a column."""

    def predict(self, X):
        return np.where(X > 1, 1.0, -1.0)


def test_whatever_a_peer_says_becomes_zero_and_one():
    fitted = Peer(lambda X, s, seed, prior: Signs(), seed=3).fit(X, S)
    assert fitted.predict(X).tolist() == [0, 0, 1, 1]


def test_a_peer_gets_whole_labels_its_seed_and_only_a_prior_that_is_handed():
    calls = []

    def fit(X, s, seed, prior):
        calls.append((s.dtype.kind, seed, prior))
        return Signs()

    Peer(fit, seed=3).fit(X, S)
    Peer(fit, seed=3).fit(X, S, class_prior=0.4)
    assert calls == [("i", 3, None), ("i", 3, 0.4)]


def test_more_rows_than_the_limit_are_an_error_that_says_so():
    fit = Peer(lambda *arguments: Signs(), seed=0, max_rows=3).fit
    with pytest.raises(SizeLimitError, match="more than 3 training rows"):
        fit(X, S)


@pytest.mark.skipif(sys.platform == "win32", reason="needs alarms")
def test_a_fit_that_does_not_end_is_stopped(monkeypatch):
    monkeypatch.setattr(peer_module, "MOST_SECONDS", 1)
    with pytest.raises(TimeLimitError, match="stopped after 1 s"):
        Peer(lambda *arguments: time.sleep(5), seed=0).fit(X, S)


def test_importing_the_cast_imports_no_peer():
    assert load_methods(CAST) is FIELD
    assert not {"pulearn", "pu_toolbox", "torch"} & set(sys.modules)


def test_the_cast_has_all_of_the_papers_methods():
    assert {key: FIELD[key] for key in METHODS} == METHODS
    assert next(iter(FIELD)) == ("oracle", "-")


def test_neither_the_oracle_nor_who_is_handed_the_prior_is_a_rival():
    no_rivals = [role.name for role in ROLES.values() if not role.is_rival]
    assert "Oracle" in no_rivals
    handed = [name for name in no_rivals if name != "Oracle"]
    assert handed
    assert all(name.endswith("handed the prior") for name in handed)
    assert all(ROLES[key].is_rival for key in METHODS if key[0] != "oracle")
    assert ROLES["enhanced", "-"].side == PAPER


def test_the_nine_sets_are_drawn_as_in_the_reproduction():
    study = next(study for study in field_plan().studies if study.name == REAL)
    reproduced = paper_plan((REAL,)).studies[0]
    assert set(study.cells) < set(reproduced.cells)
    assert {cell.c for cell in study.cells} == set(FREQUENCIES)
    assert len(study.datasets) == 9


def test_the_other_studies_are_not_repeated_more_than_twenty_times():
    assert {study.name: study.repeats for study in field_plan().studies} == {
        "real": 50,
        "ensemble": 20,
        "real_forest": 50,
        "real_others": 50,
        "breast_cancer": 20,
        "ten_labels": 20,
    }
    assert {study.repeats for study in field_plan(3).studies} == {3}
    assert {study.repeats for study in field_plan(30, 25).studies} == {30, 25, 20}


def test_slow_methods_are_fitted_to_the_rows_of_the_others():
    real, *others = field_plan(quick=True).studies[:4]
    for study in others:
        for one, other in zip(real.batches(1), study.batches(1), strict=True):
            for task, slow in zip(one.tasks(), other.tasks(), strict=True):
                assert (slow.drawn_by, slow.cell, slow.repeat) == (REAL, task.cell, task.repeat)


def test_a_quick_sample_is_the_same_in_both_studies():
    tasks = [Task(name, Cell("breast_cancer", "scar", 0, 0.3), 1, "real") for name in ("real", "x")]
    one, other = (draw_sample(task) for task in tasks)
    np.testing.assert_array_equal(one.X, other.X)
    np.testing.assert_array_equal(one.s, other.s)


def test_the_ten_labels_study_has_known_methods():
    assert set(TEN_METHODS) <= set(FIELD)


def test_a_quick_plan_without_data_needs_none():
    plan = field_plan(quick=True, data=False)
    assert set(plan.real_datasets()) == {"breast_cancer", "breast_cancer_benign"}

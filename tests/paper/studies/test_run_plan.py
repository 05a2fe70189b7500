"""The plan: balanced at any moment, seeds from keys, a fingerprint of what decides numbers."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from unlabeled.cli._reproduce import STUDIES
from unlabeled.paper.studies import STUDY_NAMES, Cell, paper_plan, quick_plan
from unlabeled.paper.studies.draw import seed_of
from unlabeled.paper.studies.methods import METHODS


def test_the_command_line_knows_every_study():
    assert STUDIES == STUDY_NAMES


def test_batches_go_repeat_by_repeat():
    repeats = [batch.repeat for batch in paper_plan(repeats=3).batches()]
    assert repeats == sorted(repeats)


def test_the_full_plan_is_the_papers():
    tasks = Counter(task.study for batch in paper_plan().batches() for task in batch.tasks())
    assert tasks["real"] == 200 * 9 * 9
    assert tasks["synthetic"] == 200 * 6 * 2
    assert tasks["robustness"] == 50 * 4 * 4 * 2
    assert len(METHODS) == 11


def test_every_batch_has_its_own_key():
    keys = [batch.key for batch in paper_plan(repeats=2).batches()]
    assert len(keys) == len(set(keys))


def test_several_studies_are_not_repeated_more_often_than_usual():
    repeats = {study.name: study.repeats for study in paper_plan(repeats=150).studies}
    assert repeats == {"synthetic": 150, "real": 150, "timing": 20, "robustness": 50}
    assert paper_plan(("robustness",), 150).studies[0].repeats == 150


def test_the_quick_plan_needs_no_data_without_data():
    datasets = quick_plan(data=False).real_datasets()
    assert set(datasets) == {"breast_cancer", "adult_stand_in"}


def test_more_repeats_are_the_same_plan_and_other_cells_another():
    study = paper_plan(("real",)).studies[0]
    assert replace(study, repeats=7).fingerprint == study.fingerprint
    other = (Cell("adult", "scar", 0, 0.25), *study.cells[1:])
    assert replace(study, cells=other).fingerprint != study.fingerprint
    assert replace(study, methods=study.methods[1:]).fingerprint != study.fingerprint


def test_seeds_are_spread_and_do_not_change():
    assert seed_of("split", "real", "adult", 0) == 2176453763
    seeds = {seed_of("split", name, repeat) for name in "abcde" for repeat in range(200)}
    assert len(seeds) == 1000
    assert all(0 <= seed < 2**32 for seed in seeds)


@pytest.mark.parametrize("c", [0.3, 0.1 + 0.2])
def test_a_label_frequency_is_a_number_not_its_last_digit(c):
    assert seed_of("labels", c) == seed_of("labels", 0.3)

"""The studies: the paper's sizes and repeats, and a quick plan that needs no data."""

from __future__ import annotations

from collections import Counter

from reproduction.outcome import _records as outcome
from reproduction.studies import paper_plan, quick_plan
from reproduction.studies.draw import IN_EVERY_INSTALLATION
from reproduction.studies.methods import METHODS


def test_the_full_plan_is_the_papers():
    tasks = Counter(task.study for batch in paper_plan().batches() for task in batch.tasks())
    assert tasks["real"] == 200 * 9 * 9
    assert tasks["synthetic"] == 200 * 6 * 2
    assert tasks["robustness"] == 50 * 4 * 4 * 2
    assert tasks["ensemble"] == 20 * 9 * 4
    papers = {name for name, _ in METHODS} & set(outcome.COMPARED)
    assert papers == set(outcome.COMPARED)


def test_each_study_has_its_methods_and_those_that_share_a_fit_come_after_it():
    for study in paper_plan().studies:
        for place, key in enumerate(study.methods):
            shared = METHODS[key].fit_of
            assert shared is None or shared in study.methods[:place]
            assert key[0] in outcome.METHODS
        own = {name for name, _ in study.methods}
        assert ("pu_ensemble" in own) == (study.name == "ensemble")
        assert ("pu_logistic" in own) == (study.name != "ensemble")


def test_the_ensemble_is_fitted_to_the_rows_and_labels_of_the_real_study():
    ensemble = paper_plan(("ensemble",), 1).studies[0]
    task = next(next(iter(ensemble.batches(0))).tasks())
    assert task.drawn_by == "real"


def test_only_fits_are_timed():
    timing = paper_plan(("timing",)).studies[0]
    assert all(METHODS[key].fit_of is None for key in timing.methods)


def test_several_studies_are_not_repeated_more_often_than_usual():
    repeats = {study.name: study.repeats for study in paper_plan(repeats=150).studies}
    assert repeats == {
        "synthetic": 150,
        "real": 150,
        "ensemble": 20,
        "timing": 20,
        "robustness": 50,
    }
    assert paper_plan(("robustness",), 150).studies[0].repeats == 150


def test_the_quick_plan_needs_no_data_without_data():
    datasets = quick_plan(data=False).real_datasets()
    assert datasets
    assert set(datasets) <= set(IN_EVERY_INSTALLATION)

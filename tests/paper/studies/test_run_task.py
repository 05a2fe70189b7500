"""A task: the same rows whoever draws them, honest scores, failures as records."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, f1_score

from unlabeled.codes import PUWarning
from unlabeled.datasets import DatasetError
from unlabeled.paper.studies import Batch, Cell, ResultsError, Task
from unlabeled.paper.studies import fit as task_module
from unlabeled.paper.studies.draw import (
    MECHANISMS,
    draw_labels,
    draw_sample,
    fitted_posterior,
    load_rows,
)
from unlabeled.paper.studies.fit import run_batch, run_task
from unlabeled.paper.studies.methods import METHODS, Method, TunedWeightedLogistic

ORACLE, NAIVE, EN = ("oracle", "-"), ("naive", "-"), ("en", "published")


def task_of(dataset: str = "paper_gaussian", n: int = 300, c: float = 0.5, **more) -> Task:
    cell = Cell(dataset, more.pop("mechanism", "scar"), n, c)
    return Task(more.pop("study", "synthetic"), cell, more.pop("repeat", 0))


def test_all_label_frequencies_share_the_rows_and_not_the_labels():
    low, high = (draw_sample(task_of("breast_cancer", 0, c)) for c in (0.3, 0.6))
    assert np.array_equal(low.X, high.X)
    assert np.array_equal(low.y_test, high.y_test)
    assert low.s.sum() < high.s.sum()


def test_repeats_differ():
    first, second = (draw_sample(task_of(repeat=repeat)) for repeat in (0, 1))
    assert not np.array_equal(first.X, second.X)


def test_features_are_standardised_by_the_training_rows_alone():
    sample = draw_sample(task_of("breast_cancer", 0))
    assert np.allclose(sample.X.mean(axis=0), 0, atol=1e-9)
    assert np.allclose(sample.X.std(axis=0), 1)
    assert np.abs(sample.X_test.mean(axis=0)).max() > 1e-3
    assert len(sample.y_test) == math.ceil(0.2 * 569)


def test_a_draw_without_labelled_rows_is_drawn_again():
    # 30 rows with 6 positives, one in fifty labelled: most draws have no label.
    samples = [draw_sample(task_of(n=30, c=0.02, repeat=repeat)) for repeat in range(5)]
    assert all(sample.has_all_classes for sample in samples)


def test_scores_are_scikit_learns():
    sample = draw_sample(task_of("breast_cancer", 0))
    record = run_task(task_of("breast_cancer", 0), (ORACLE,))[0]
    oracle = LogisticRegression(C=np.inf, max_iter=3000).fit(sample.X, sample.y_true)
    predicted = oracle.predict(sample.X_test)
    assert record.f1 == pytest.approx(f1_score(sample.y_test, predicted), rel=1e-12)
    assert record.balanced_accuracy == pytest.approx(
        balanced_accuracy_score(sample.y_test, predicted), rel=1e-12
    )


def test_angles_are_to_the_truth_or_to_the_oracle():
    simulated = run_task(task_of(n=5000), (ORACLE, NAIVE))
    assert all(0 < record.angle < 15 for record in simulated)
    oracle, naive = run_task(task_of("breast_cancer", 0), (ORACLE, NAIVE))
    assert oracle.angle == 0
    assert naive.angle > 0


def test_warnings_become_codes():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        record = run_task(task_of(n=2000, c=0.3), (EN,))[0]
    assert "PU107" in record.warning_codes.split(",")
    assert not record.converged
    assert record.error == ""


def test_a_failing_method_is_a_record_and_the_others_go_on(monkeypatch):
    def fail(seed: int) -> None:
        raise FloatingPointError("no luck")

    monkeypatch.setitem(METHODS, NAIVE, Method("naive", "-", fail))
    oracle, naive, en = run_task(task_of(), (ORACLE, NAIVE, EN))
    assert naive.error == "FloatingPointError: no luck"
    assert math.isnan(naive.f1)
    assert naive.n == 300
    assert oracle.error == en.error == ""


def test_rows_that_cannot_be_drawn_are_records_too(monkeypatch):
    def fail(*arguments: object) -> None:
        raise ValueError("no rows")

    monkeypatch.setattr(task_module, "draw_sample", fail)
    assert [record.error for record in run_task(task_of(), (ORACLE, NAIVE))] == [
        "ValueError: no rows"
    ] * 2


def test_missing_data_are_no_failing_fit(tmp_path):
    batch = Batch("real", "haberman", 0, (Cell("haberman", "scar", 0, 0.5),), (NAIVE,))
    load_rows.cache_clear()
    with pytest.raises(DatasetError, match="haberman"):
        run_batch(batch, str(tmp_path), task_module.__version__)


def test_a_worker_of_another_version_is_refused():
    batch = Batch("synthetic", "paper_gaussian", 0, (task_of().cell,), (NAIVE,))
    with pytest.raises(ResultsError, match="every worker must have unlabeled 9.9"):
        run_batch(batch, None, "9.9")


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("c", [0.3, 0.6])
def test_every_mechanism_labels_positives_with_the_mean_frequency(mechanism, c):
    rows, posterior = load_rows("breast_cancer"), fitted_posterior("breast_cancer")
    labelled = np.mean(
        [
            draw_labels(mechanism, c, rows.X, rows.y_true, posterior, seed)[rows.y_true == 1]
            for seed in range(40)
        ]
    )
    assert labelled == pytest.approx(c, abs=0.02)


def test_a_propensity_above_one_is_cut_and_the_mean_kept():
    # The square of the paper's posterior cannot have the mean .6 over positives below 1.
    record = run_task(task_of(n=2000, c=0.6, mechanism="posterior_squared"), (ORACLE,))[0]
    assert record.error == ""


@pytest.mark.needs_data
@pytest.mark.parametrize("c", [0.1, 0.9])
@pytest.mark.parametrize("dataset", ["haberman", "credit-a", "ionosphere"])
def test_no_method_fails_on_the_small_sets(dataset, c, data_home):
    records = run_task(task_of(dataset, 0, c, study="real"), tuple(METHODS), str(data_home))
    assert [record.error for record in records] == [""] * len(METHODS)


@pytest.mark.needs_data
@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("dataset", ["diabetes", "credit-a", "spambase"])
def test_every_mechanism_can_be_drawn_on_the_robustness_sets(dataset, mechanism, data_home):
    for c in (0.3, 0.6):
        sample = draw_sample(task_of(dataset, 0, c, mechanism=mechanism), str(data_home))
        assert sample.s.sum() / sample.y_true.sum() == pytest.approx(c, abs=0.1)


def test_the_tuned_classifier_has_an_optimum_where_the_published_has_none():
    sample = draw_sample(task_of(n=2000, c=0.3))
    with pytest.warns(PUWarning, match="PU107"):
        tuned = TunedWeightedLogistic().fit(sample.X, sample.s)
    assert tuned.converged_
    assert tuned.C_ == pytest.approx(1 / (tuned.ridge_ * 2000))
    assert np.abs(tuned.coef_).max() < 10


@pytest.mark.filterwarnings("ignore::unlabeled.codes.PUWarning")
def test_the_tuned_classifier_bears_a_single_labelled_row():
    sample = draw_sample(task_of(n=200, c=0.5))
    s = np.zeros(200)
    s[np.flatnonzero(sample.s)[0]] = 1
    tuned = TunedWeightedLogistic(0.01).fit(sample.X, s)
    assert np.all(np.isfinite(tuned.coef_))

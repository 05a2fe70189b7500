"""One task: scores with the true classes, failures as records, any method registry."""

from __future__ import annotations

import math
import sys
import warnings
from dataclasses import replace
from types import ModuleType

import numpy as np
import pytest
from joblib import effective_n_jobs, parallel_config
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, f1_score
from threadpoolctl import threadpool_info, threadpool_limits

from reproduction.studies import (
    Batch,
    Cell,
    Plan,
    ResultsError,
    Study,
    Task,
    fit,
    read_records,
    run_plan,
)
from reproduction.studies.draw import draw_sample, load_rows
from reproduction.studies.fit import load_methods, run_batch, run_task
from reproduction.studies.methods import METHODS, Method
from unlabeled import NaiveLogistic, PUEnsemble, PULogistic, __version__
from unlabeled.datasets import DatasetError

ORACLE, NAIVE, EN = ("oracle", "-"), ("naive", "-"), ("en", "published")
REGISTRY = "a_registry_of_tests:METHODS"
CELL = Cell("breast_cancer", "scar", 0, 0.5)


def task_of(dataset="paper_gaussian", n=300, c=0.5, mechanism="scar", study="synthetic") -> Task:
    return Task(study, Cell(dataset, mechanism, n, c), 0)


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


@pytest.mark.parametrize(
    ("name", "classifier"), [("pu_logistic", PULogistic), ("pu_ensemble", PUEnsemble)]
)
def test_a_shared_fit_with_another_rule_is_the_classifier_with_that_rule(name, classifier):
    task = task_of("breast_cancer", 0, 0.3)
    own, recut = run_task(task, ((name, "-"), (f"{name}_ba", "-")))
    sample = draw_sample(task)
    fitted = classifier(rule="balanced_accuracy", random_state=own.seed).fit(sample.X, sample.s)
    predicted = fitted.predict(sample.X_test)
    assert recut.balanced_accuracy == balanced_accuracy_score(sample.y_test, predicted)
    assert recut.f1 == f1_score(sample.y_test, predicted)
    assert recut.f1 != own.f1
    assert (recut.fit_seconds, recut.class_prior) == (own.fit_seconds, own.class_prior)


def test_enhanced_with_the_rule_for_balanced_accuracy_cuts_the_naive_score_where_it_is_largest():
    task = task_of(n=2000, c=0.3)
    _, record = run_task(task, (("enhanced", "-"), ("enhanced_ba", "-")))
    sample = draw_sample(task)
    score = NaiveLogistic().fit(sample.X, sample.s).positive_score(sample.X)
    above = score > score[:, None]  # row i: the rows above the score of row i
    gain = above[:, sample.s == 1].mean(axis=1) - above.mean(axis=1)
    share = above[np.argmax(gain)].mean()
    assert record.predicted_share == pytest.approx(share, abs=0.03)  # on other rows


def test_a_method_that_shares_a_failed_fit_fails():
    _, recut = run_task(task_of(), (ORACLE, ("enhanced_ba", "-")))
    assert "enhanced" in recut.error
    assert math.isnan(recut.f1)


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

    monkeypatch.setattr(fit, "draw_sample", fail)
    assert [record.error for record in run_task(task_of(), (ORACLE, NAIVE))] == [
        "ValueError: no rows"
    ] * 2


def test_missing_data_raise_and_are_not_a_failed_fit(tmp_path):
    batch = Batch("real", "haberman", 0, (Cell("haberman", "scar", 0, 0.5),), (NAIVE,))
    load_rows.cache_clear()
    with pytest.raises(DatasetError, match="haberman"):
        run_batch(batch, str(tmp_path), __version__)


def test_a_worker_of_another_version_is_rejected():
    batch = Batch("synthetic", "paper_gaussian", 0, (task_of().cell,), (NAIVE,))
    with pytest.raises(ResultsError, match=rf"unlabeled 9\.9.*got {__version__}"):
        run_batch(batch, None, "9.9")


def test_a_propensity_above_one_is_cut_and_the_mean_kept():
    # The square of the paper's posterior cannot have the mean .6 over positives below 1.
    record = run_task(task_of(n=2000, c=0.6, mechanism="posterior_squared"), (ORACLE,))[0]
    assert record.error == ""


@pytest.mark.needs_data
@pytest.mark.parametrize(
    ("dataset", "c"),
    [
        ("haberman", 0.1),  # the fewest labeled rows
        ("credit-a", 0.9),  # categories and gaps
        ("ionosphere", 0.1),  # fewer labeled rows than features
        ("ionosphere", 0.9),  # nearly all positives labeled
    ],
)
def test_no_method_fails_on_the_small_sets(dataset, c, data_home):
    records = run_task(task_of(dataset, 0, c, study="real"), tuple(METHODS), str(data_home))
    assert [record.error for record in records] == [""] * len(METHODS)


class Constant:
    """Predicts one class; has neither slopes nor iterations."""

    def fit(self, X, s, class_prior=None):
        self.class_prior_ = math.nan if class_prior is None else class_prior
        return self

    def predict(self, X):
        return np.ones(len(X), dtype=int)


@pytest.fixture
def registry(monkeypatch):
    module = ModuleType("a_registry_of_tests")
    module.METHODS = {
        ("oracle", "-"): METHODS["oracle", "-"],
        ("constant", "-"): Method("constant", "-", lambda seed: Constant()),
        ("constant", "handed"): Method(
            "constant", "handed", lambda seed: Constant(), sees_prior=True
        ),
    }
    monkeypatch.setitem(sys.modules, "a_registry_of_tests", module)
    return module.METHODS


def test_a_method_without_slopes_has_scores_and_no_angle(registry):
    oracle, constant, _ = run_task(Task("real", CELL, 0), tuple(registry), cast=REGISTRY)
    assert constant.error == ""
    assert constant.balanced_accuracy == 0.5
    assert constant.predicted_share == 1.0
    assert math.isnan(constant.angle)
    assert 0 < oracle.predicted_share < 1


def test_only_a_method_that_is_marked_is_handed_the_prior(registry):
    _, own, handed = run_task(Task("real", CELL, 0), tuple(registry), cast=REGISTRY)
    assert math.isnan(own.class_prior)
    assert handed.class_prior == draw_sample(Task("real", CELL, 0)).y_true.mean()


def test_a_fit_gets_one_thread_and_no_workers(registry):
    class Asking(Constant):
        def fit(self, X, s):
            super().fit(X, s)
            self.label_frequency_ = float(effective_n_jobs(-1))
            self.class_prior_ = float(max(pool["num_threads"] for pool in threadpool_info()))
            return self

    registry["asking", "-"] = Method("asking", "-", lambda seed: Asking())
    batch = Batch("real", CELL.dataset, 0, (CELL,), (("asking", "-"),), REGISTRY)
    with parallel_config(backend="threading", n_jobs=2), threadpool_limits(2):
        _, (record,) = run_batch(batch, None, __version__)
        after = [pool["num_threads"] for pool in threadpool_info()]
    assert record.label_frequency == record.class_prior == 1.0
    assert set(after) == {2}


def test_a_plan_with_another_registry_runs_and_is_another_plan(registry, tmp_path):
    study = Study("real", (CELL,), tuple(registry), 2, REGISTRY)
    run_plan(Plan((study,)), tmp_path, backend="sequential")
    records = read_records(tmp_path)
    assert len(records) == 6
    assert not records["error"].any()
    other = replace(study, cast="elsewhere:METHODS")
    assert other.fingerprint != study.fingerprint
    with pytest.raises(ResultsError, match="real study"):
        run_plan(Plan((other,)), tmp_path, backend="sequential")


@pytest.mark.parametrize("name", ["no_such_module:METHODS", "math:METHODS", "math"])
def test_a_registry_that_cannot_be_imported_is_rejected(name):
    with pytest.raises(ResultsError, match=f"`cast` must.*{name}"):
        load_methods(name)

"""Other casts, other mechanisms: the runner takes them, and old results stay valid."""

from __future__ import annotations

import json
import math
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pyarrow as pa
import pytest
from joblib import effective_n_jobs, parallel_config

from unlabeled import __version__
from unlabeled.paper.studies import (
    Batch,
    Cell,
    Plan,
    ResultsError,
    Study,
    Task,
    paper_plan,
    read_records,
    run_plan,
)
from unlabeled.paper.studies.draw import TEN_LABELS, draw_sample, label_ten, load_rows
from unlabeled.paper.studies.fit import load_methods, run_batch, run_task
from unlabeled.paper.studies.methods import METHODS, Method
from unlabeled.paper.studies.records import SCHEMA
from unlabeled.paper.studies.store import read_part, write_part

CAST = "a_cast_of_tests:CAST"
CELL = Cell("breast_cancer", "scar", 0, 0.5)
MANIFEST = Path(__file__).parents[3] / "docs" / "reproduction" / "manifest.json"


class Constant:
    """Predicts one class; has neither slopes nor iterations."""

    def fit(self, X, s, class_prior=None):
        self.class_prior_ = math.nan if class_prior is None else class_prior
        return self

    def predict(self, X):
        return np.ones(len(X), dtype=int)


@pytest.fixture
def cast(monkeypatch):
    module = ModuleType("a_cast_of_tests")
    module.CAST = {
        ("oracle", "-"): METHODS["oracle", "-"],
        ("constant", "-"): Method("constant", "-", lambda seed: Constant()),
        ("constant", "handed"): Method(
            "constant", "handed", lambda seed: Constant(), sees_prior=True
        ),
    }
    monkeypatch.setitem(sys.modules, "a_cast_of_tests", module)
    return module.CAST


def test_a_method_without_slopes_has_scores_and_no_angle(cast):
    oracle, constant, _ = run_task(Task("real", CELL, 0), tuple(cast), cast=CAST)
    assert constant.error == ""
    assert constant.balanced_accuracy == 0.5
    assert constant.predicted_share == 1.0
    assert math.isnan(constant.angle)
    assert 0 < oracle.predicted_share < 1


def test_only_a_method_that_is_marked_is_handed_the_prior(cast):
    _, own, handed = run_task(Task("real", CELL, 0), tuple(cast), cast=CAST)
    assert math.isnan(own.class_prior)
    assert handed.class_prior == draw_sample(Task("real", CELL, 0)).y_true.mean()


def test_a_fit_gets_no_workers_of_its_own(cast):
    class Asking(Constant):
        def fit(self, X, s):
            self.label_frequency_ = float(effective_n_jobs(-1))
            return super().fit(X, s)

    cast["asking", "-"] = Method("asking", "-", lambda seed: Asking())
    batch = Batch("real", CELL.dataset, 0, (CELL,), (("asking", "-"),), CAST)
    with parallel_config(backend="threading", n_jobs=2):
        _, (record,) = run_batch(batch, None, __version__)
    assert record.label_frequency == 1.0


def test_a_plan_with_another_cast_runs_and_is_another_plan(cast, tmp_path):
    study = Study("real", (CELL,), tuple(cast), 2, CAST)
    run_plan(Plan((study,)), tmp_path, backend="sequential")
    records = read_records(tmp_path)
    assert len(records) == 6
    assert not records["error"].any()
    other = replace(study, cast="elsewhere:CAST")
    assert other.fingerprint != study.fingerprint
    with pytest.raises(ResultsError, match="results of this plan"):
        run_plan(Plan((other,)), tmp_path, backend="sequential")


def test_the_committed_reproduction_has_the_plan_of_today():
    studies = json.loads(MANIFEST.read_text("utf-8"))["studies"]
    for study in paper_plan(repeats=50).studies:
        assert study.fingerprint == studies[study.name]["fingerprint"]
    records = read_records(MANIFEST.parent)
    assert len(records) > 10_000
    assert list(records.columns) == SCHEMA.names


@pytest.mark.parametrize("name", ["no_such_module:CAST", "math:CAST", "math"])
def test_a_cast_that_cannot_be_imported_is_refused(name):
    with pytest.raises(ResultsError, match="`cast` must name methods"):
        load_methods(name)


def test_files_from_before_a_column_was_recorded_are_read(tmp_path):
    columns = {name: pa.array([], SCHEMA.field(name).type) for name in SCHEMA.names}
    table = pa.table(columns, schema=SCHEMA)
    write_part(tmp_path / "old.parquet", table.drop_columns("predicted_share"), {})
    write_part(tmp_path / "strange.parquet", table.drop_columns("f1"), {})
    content = read_part(tmp_path / "old.parquet")
    assert content is not None
    assert content[0].schema.names == SCHEMA.names
    assert read_part(tmp_path / "strange.parquet") is None


def test_ten_positives_of_the_training_rows_are_labelled():
    cell = Cell("breast_cancer", TEN_LABELS, 0, 0.0)
    first, second = (draw_sample(Task("ten", cell, repeat)) for repeat in (0, 1))
    assert first.s.sum() == second.s.sum() == 10
    assert np.all(first.y_true[first.s == 1] == 1)
    assert not np.array_equal(first.s, second.s)


def test_ten_cannot_be_labelled_where_there_are_no_more():
    with pytest.raises(ValueError, match="more than ten positives"):
        label_ten(np.repeat([0, 1], 10), seed=0)


def test_breast_cancer_is_there_both_ways_round():
    malignant, benign = load_rows("breast_cancer"), load_rows("breast_cancer_benign")
    assert np.array_equal(malignant.X, benign.X)
    assert np.array_equal(malignant.y_true, 1 - benign.y_true)

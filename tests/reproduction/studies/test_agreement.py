"""Runs outlive a version: code that computes the same numbers continues them, no other does."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import unlabeled
from reproduction.studies import (
    Cell,
    Plan,
    ResultsError,
    Study,
    agreement,
    paper_plan,
    read_records,
    records,
    run_plan,
)
from reproduction.studies.agreement import SECONDS, TOLERANCE, choose_tasks, recorded_tasks
from reproduction.studies.methods import METHODS, Method
from reproduction.studies.plan import PAPER_CAST
from reproduction.studies.store import read_part, write_part
from unlabeled import EnhancedLogistic, __version__

KEYS = (("oracle", "-"), ("naive", "-"), ("en", "published"))
REPRODUCTION = Path(__file__).parents[3] / "docs" / "reproduction"


def plan_of(repeats=2, study="synthetic", methods=KEYS, cast=PAPER_CAST):
    cells = tuple(Cell("paper_gaussian", "scar", 200, c) for c in (0.4, 0.7))
    cells += (Cell("breast_cancer", "scar", 0, 0.5),)
    return Plan((Study(study, cells, methods, repeats, cast),))


def manifest_of(folder):
    return json.loads((folder / "manifest.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def one_repeat(tmp_path_factory):
    """A folder with one repeat of the usual plan."""
    folder = tmp_path_factory.mktemp("one_repeat")
    run_plan(plan_of(repeats=1), folder, backend="sequential")
    return folder


@pytest.fixture
def folder(one_repeat, tmp_path):
    """A copy of it."""
    return shutil.copytree(one_repeat, tmp_path / "run")


@pytest.fixture
def old(folder):
    """The same, as if unlabeled 0.0.1 had written it."""
    pretend_another_version(folder)
    return folder


def pretend_another_version(folder):
    manifest = manifest_of(folder)
    for run in manifest["runs"]:
        run["source"] = "another"
        run["libraries"] |= {"unlabeled": "0.0.1"}
    manifest["package_version"] = "0.0.1"
    (folder / "manifest.json").write_text(json.dumps(manifest), "utf-8")


def alter(folder, field, change, method="naive", only=lambda row: True):
    """Change a field in the records of a method; the checksum stays right."""
    for path in (folder / "records").glob("*.parquet"):
        table, batches = read_part(path)
        rows = table.to_pylist()
        for row in rows:
            if row["method"] == method and only(row):
                row[field] = change(row[field])
        write_part(path, pa.Table.from_pylist(rows, schema=table.schema), batches)


def contents(folder):
    files = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    return {path.relative_to(folder): content for path, content in files.items()}


def go_on(folder, plan=None, **options):
    return run_plan(plan or plan_of(), folder, backend="sequential", **options)


@pytest.fixture
def computed(monkeypatch):
    """The batches that the check computes, by their keys."""
    batches, run_batch = [], agreement.run_batch

    def counted(batch, *args):
        batches.append(batch)
        return run_batch(batch, *args)

    monkeypatch.setattr(agreement, "run_batch", counted)
    return batches


def test_a_version_with_the_same_numbers_goes_on_and_says_so(old, tmp_path):
    told = []
    report = go_on(old, tell=told.append)
    assert (report.n_found, report.n_tasks) == (3, 6)
    run_plan(plan_of(), tmp_path / "whole", backend="sequential")
    continued, whole = (
        read_records(path).drop(columns="fit_seconds") for path in (old, tmp_path / "whole")
    )
    pd.testing.assert_frame_equal(continued, whole, check_exact=True)
    assert "unlabeled 0.0.1" in told[0]
    assert "2 of its tasks" in told[0]
    assert "6 fits" in told[1]


def test_the_manifest_has_the_version_the_date_and_the_check(old):
    go_on(old)
    manifest = manifest_of(old)
    first, last = manifest["runs"]
    assert manifest["package_version"] == first["libraries"]["unlabeled"] == "0.0.1"
    assert first["same_numbers"] is None
    assert last["libraries"]["unlabeled"] == __version__
    assert last["started"] >= first["started"]
    check = last["same_numbers"]
    assert {name.split()[1] for name in check["tasks"]} == {"paper_gaussian", "breast_cancer"}
    assert check["fits"] == 6
    assert 0 <= check["largest_difference"] <= check["tolerance"] == TOLERANCE
    assert check["left_to_rounding"] == []


def test_the_same_code_and_libraries_are_not_checked(folder, computed):
    go_on(folder)
    assert computed == []


def test_another_library_is_checked_too(folder, computed):
    manifest = manifest_of(folder)
    manifest["runs"][0]["libraries"]["scipy"] = "0.1"
    (folder / "manifest.json").write_text(json.dumps(manifest))
    told = []
    go_on(folder, tell=told.append)
    assert len(computed) == 2
    assert "scipy 0.1" in told[0]
    go_on(folder)
    assert len(computed) == 2


def test_a_study_is_checked_even_if_this_version_ran_another_one(old, computed):
    go_on(old, plan_of(repeats=1, study="robustness"))
    assert computed == []
    go_on(old)
    assert {batch.study for batch in computed} == {"synthetic"}


def test_a_folder_without_records_is_begun_again(old, computed):
    for path in (old / "records").iterdir():
        path.unlink()
    assert go_on(old).n_found == 0
    assert computed == []


@pytest.mark.parametrize(
    ("file", "decides"),
    [
        ("unlabeled/engine/losses.py", True),
        ("studies/draw.py", True),
        ("unlabeled/app/report/_page.py", False),
        ("unlabeled/cli/_fit.py", False),
    ],
)
def test_code_that_decides_numbers_has_another_sum(tmp_path, monkeypatch, file, decides):
    monkeypatch.setattr(unlabeled, "__file__", str(tmp_path / "unlabeled" / "__init__.py"))
    monkeypatch.setattr(records, "__file__", str(tmp_path / "studies" / "records.py"))
    path = tmp_path / file
    path.parent.mkdir(parents=True)
    sums = []
    for code in ("one = 1", "one = 2"):
        path.write_text(code)
        sums.append(records.describe_run("", 1, "loky")["source"])
    assert (sums[0] != sums[1]) == decides


@pytest.mark.parametrize("field", agreement.MEASURES)
def test_a_changed_number_is_rejected_with_both(old, field):
    alter(old, field, lambda value: value + 0.001)
    before = contents(old)
    recorded = read_records(old).query("method == 'naive'")[field].tolist()
    with pytest.raises(ResultsError) as caught:
        go_on(old)
    words = str(caught.value)
    assert f"{field} of naive in synthetic" in words
    assert any(f"recorded as {value}" in words for value in recorded)
    unaltered = [value - 0.001 for value in recorded]
    computed = float(words.split("computed as ")[1].split()[0].rstrip("."))
    assert min(abs(computed - value) for value in unaltered) < 1e-7
    assert contents(old) == before


@pytest.mark.parametrize(
    ("field", "change"),
    [("converged", lambda value: not value), ("error", lambda value: "ValueError: no")],
)
def test_a_changed_fact_is_rejected(old, field, change):
    alter(old, field, change)
    with pytest.raises(ResultsError, match=rf"{field} of naive in synthetic"):
        go_on(old)


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("fit_seconds", lambda value: value + 1),
        ("n_iter", lambda value: value + 1),
        ("warning_codes", lambda value: "PU199"),
        ("label_frequency", lambda value: value + TOLERANCE / 10),
    ],
)
def test_times_steps_warnings_and_last_digits_may_differ(old, field, change):
    alter(old, field, change)
    go_on(old)
    assert manifest_of(old)["runs"][-1]["same_numbers"]["fits"] == 6


def test_a_number_beyond_the_tolerance_is_rejected(old):
    alter(old, "label_frequency", lambda value: value + 10 * TOLERANCE)
    with pytest.raises(ResultsError, match="label_frequency of naive"):
        go_on(old)


def test_a_method_that_computes_something_else_is_rejected(old, monkeypatch):
    other = Method("naive", "-", lambda seed: EnhancedLogistic())
    monkeypatch.setitem(METHODS, ("naive", "-"), other)
    with pytest.raises(ResultsError, match="of naive in synthetic"):
        go_on(old)


def test_a_stopped_check_changes_nothing(old, monkeypatch):
    before, run_batch, seen = contents(old), agreement.run_batch, []

    def stopped(batch, *args):
        seen.append(batch)
        if len(seen) == 2:
            raise KeyboardInterrupt
        return run_batch(batch, *args)

    with monkeypatch.context() as patched:
        patched.setattr(agreement, "run_batch", stopped)
        with pytest.raises(KeyboardInterrupt):
            go_on(old)
    assert contents(old) == before
    go_on(old)
    assert len(manifest_of(old)["runs"]) == 2


class Unsteady:
    """Its class prior depends on the last digits of the features, on small data sets."""

    def fit(self, X, s):
        self.class_prior_ = float(np.abs(X).sum() * 1e8 % 1) if len(X) == 200 else 0.5
        return self

    def predict(self, X):
        return (X[:, 0] > 0).astype(int)


@pytest.fixture
def unsteady(monkeypatch):
    module = ModuleType("unsteady_methods")
    module.METHODS = {("unsteady", "-"): Method("unsteady", "-", lambda seed: Unsteady())}
    monkeypatch.setitem(sys.modules, "unsteady_methods", module)
    return lambda repeats: plan_of(
        repeats, "real", (("unsteady", "-"),), "unsteady_methods:METHODS"
    )


def begin_with_another_version(folder, plan):
    """Leave a folder as if unlabeled 0.0.1 had run `plan` in it."""
    run_plan(plan, folder, backend="sequential")
    pretend_another_version(folder)


def test_a_fit_that_rounding_alone_moves_is_not_compared(tmp_path, unsteady):
    begin_with_another_version(tmp_path, unsteady(1))
    on_gaussian = {"only": lambda row: row["n"] == 200}
    alter(tmp_path, "class_prior", lambda value: value / 2, "unsteady", **on_gaussian)
    go_on(tmp_path, unsteady(2))
    check = manifest_of(tmp_path)["runs"][-1]["same_numbers"]
    assert len(check["left_to_rounding"]) == 1
    assert check["left_to_rounding"][0].startswith("real paper_gaussian scar n=200")
    assert check["left_to_rounding"][0].endswith("unsteady")


def test_a_method_of_which_nothing_agrees_is_rejected(tmp_path, unsteady):
    cells = unsteady(1).studies[0].cells[:2]
    plans = [
        Plan((Study("real", cells, (("unsteady", "-"),), repeats, "unsteady_methods:METHODS"),))
        for repeats in (1, 2)
    ]
    begin_with_another_version(tmp_path, plans[0])
    alter(tmp_path, "class_prior", lambda value: value / 2, "unsteady")
    with pytest.raises(ResultsError, match="class_prior of unsteady"):
        go_on(tmp_path, plans[1])


def test_the_committed_run_is_checked_in_bounded_time_and_whole():
    plan, committed = paper_plan(), read_records(REPRODUCTION)
    tasks = choose_tasks([recorded_tasks(study, committed) for study in plan.studies])
    assert sum(task.seconds for task in tasks) <= 2 * SECONDS
    covered = {(task.batch.study, *key) for task in tasks for key in task.fitted}
    assert covered == {(study.name, *key) for study in plan.studies for key in study.methods}
    of_real = {task.batch.dataset for task in tasks if task.batch.study == "real"}
    assert {"haberman", "diabetes", "ionosphere", "breast-w", "banknote", "credit-a"} <= of_real
    mechanisms = {task.batch.cells[0].mechanism for task in tasks}
    assert mechanisms == {"scar", "logistic", "posterior", "posterior_squared"}


def test_a_method_that_failed_in_one_task_is_checked_in_another(tmp_path):
    def is_the_last(row):
        return row["repeat"] == 1 and row["c"] == 0.7

    begin_with_another_version(tmp_path, plan_of(repeats=2))
    fail = {"field": "error", "change": lambda value: "ValueError: no"}
    alter(tmp_path, method="naive", only=is_the_last, **fail)
    alter(tmp_path, method="en", only=lambda row: not is_the_last(row), **fail)
    alter(tmp_path, "fit_seconds", lambda value: 2 * SECONDS, "oracle", only=is_the_last)
    (study,) = plan_of(repeats=2).studies
    tasks = choose_tasks([recorded_tasks(study, read_records(tmp_path))])
    assert {key for task in tasks for key in task.fitted} == set(KEYS)
    assert sum(task.seconds > SECONDS for task in tasks) == 1


def test_a_task_with_a_fit_that_reached_no_optimum_is_not_chosen_where_another_has_none(tmp_path):
    begin_with_another_version(tmp_path, plan_of(repeats=2))
    (study,) = plan_of(repeats=2).studies
    best = min(
        recorded_tasks(study, read_records(tmp_path)), key=lambda task: task.rank
    ).batch.repeat
    alter(tmp_path, "converged", lambda value: False, "naive", lambda row: row["repeat"] == best)
    chosen = choose_tasks([recorded_tasks(study, read_records(tmp_path))])
    assert {task.batch.repeat for task in chosen} == {1 - best}

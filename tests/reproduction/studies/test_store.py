"""The results folder: damaged files are redone, other results rejected, nothing doubled."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest

from reproduction.studies import Cell, Plan, ResultsError, Study, read_records, run_plan, store
from reproduction.studies.draw import load_rows
from reproduction.studies.records import KEY, SCHEMA, Record, to_table
from reproduction.studies.store import lock_folder, read_part, write_part
from unlabeled.datasets import DatasetError

METHODS = (("oracle", "-"), ("naive", "-"))


def plan_of(repeats: int = 3, n: int = 200, study: str = "synthetic") -> Plan:
    cells = tuple(Cell("paper_gaussian", "scar", n, c) for c in (0.4, 0.7))
    more = (Cell("breast_cancer", "scar", 0, 0.5),)
    return Plan((Study(study, cells + more, METHODS, repeats),))


def summary(folder: Path) -> pd.DataFrame:
    return read_records(folder).drop(columns="fit_seconds")


@pytest.fixture(scope="module")
def runs(tmp_path_factory) -> Path:
    """A finished run in the folder `records`, and the same with its parts not joined in `parts`."""
    folder = tmp_path_factory.mktemp("runs")
    run_plan(plan_of(), folder / "records")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store.Store, "compact", lambda self, at_least=1: None)
        run_plan(plan_of(), folder / "parts")
    return folder


@pytest.fixture(scope="module")
def reference(runs) -> pd.DataFrame:
    return summary(runs / "records")


@pytest.fixture
def finished(runs, tmp_path) -> Path:
    """A copy of the finished run."""
    return Path(shutil.copytree(runs / "records", tmp_path / "run"))


@pytest.fixture(params=["parts", "records"])
def damaged_place(request, runs, tmp_path) -> Path:
    """The files to damage, in a copy of a finished run."""
    return Path(shutil.copytree(runs / request.param, tmp_path / "run")) / request.param


def test_every_fit_is_one_record(reference):
    assert len(reference) == 3 * 3 * len(METHODS)
    assert not reference.duplicated(list(KEY)).any()
    assert (reference["error"] == "").all()


def test_a_finished_run_is_few_files_that_pandas_opens(finished, reference):
    assert [path.name for path in finished.glob("*/*")] == ["synthetic-0000-0002.parquet"]
    assert len(pd.read_parquet(finished / "records")) == len(reference)


def test_a_finished_run_is_not_run_again(finished):
    seen = []
    report = run_plan(plan_of(), finished, progress=lambda done, total: seen.append((done, total)))
    assert report.n_found == report.n_tasks == 9
    assert seen == [(9, 9)]


def test_more_repeats_go_on_with_what_is_there(tmp_path, reference):
    run_plan(plan_of(repeats=1), tmp_path)
    report = run_plan(plan_of(), tmp_path)
    assert (report.n_found, report.n_tasks) == (3, 9)
    assert summary(tmp_path).equals(reference)


def test_fewer_repeats_lose_nothing(finished, reference):
    run_plan(plan_of(repeats=1), finished)
    assert summary(finished).equals(reference)


@pytest.mark.parametrize("damage", ["cut off", "emptied", "altered", "unfinished"])
def test_a_damaged_file_is_noticed_and_redone(damaged_place, damage, reference):
    path = sorted(damaged_place.glob("*.parquet"))[0]
    content = path.read_bytes()
    if damage == "cut off":
        path.write_bytes(content[: len(content) // 2])
    elif damage == "emptied":
        path.write_bytes(b"")
    elif damage == "altered":
        path.write_bytes(content[:1000] + bytes(b ^ 1 for b in content[1000:1500]) + content[1500:])
    else:
        path.rename(path.with_name(path.name + ".writing"))
    assert len(summary(damaged_place.parent)) < len(reference)
    report = run_plan(plan_of(), damaged_place.parent)
    assert report.n_damaged == (damage != "unfinished")
    assert summary(damaged_place.parent).equals(reference)
    assert not list(damaged_place.parent.rglob("*.writing"))
    assert len(list(damaged_place.glob("*.damaged"))) == report.n_damaged


def test_a_part_under_the_name_of_another_is_redone(runs, tmp_path, reference):
    shutil.copytree(runs / "parts", tmp_path / "run")
    first, second = sorted((tmp_path / "run" / "parts").glob("*.parquet"))[:2]
    first.write_bytes(second.read_bytes())
    assert run_plan(plan_of(), tmp_path / "run").n_damaged == 1
    assert summary(tmp_path / "run").equals(reference)


def test_files_of_020_are_read_which_kept_seeds_and_more_digits(tmp_path):
    fit = Record("real", "musk", "scar", 9, 0.5, "naive", "-", repeat=0, seed=1, class_prior=0.1)
    table = to_table([fit])
    old = table.append_column("seed", pa.array([1], pa.uint32()))
    place = old.schema.get_field_index("class_prior")
    old = old.set_column(place, "class_prior", pa.array([0.1]))
    for name, written in {"now": table, "old": old, "strange": table.drop_columns("f1")}.items():
        write_part(tmp_path / f"{name}.parquet", written, {"a": 1})
    now, before = (read_part(tmp_path / f"{name}.parquet") for name in ("now", "old"))
    assert now is not None
    assert before is not None
    assert before[0].schema == now[0].schema == SCHEMA
    assert before[0].to_pandas().equals(now[0].to_pandas())
    assert read_part(tmp_path / "strange.parquet") is None


def test_joined_records_are_sorted_so_that_they_compress(finished):
    (path,) = (finished / "records").glob("*.parquet")
    records = pd.read_parquet(path)
    assert records.equals(records.sort_values(list(store.ORDER), ignore_index=True))


def test_another_plan_is_rejected(finished):
    with pytest.raises(ResultsError, match="must hold results of this plan.*synthetic study"):
        run_plan(plan_of(repeats=1, n=300), finished)


def test_another_study_joins_the_folder(finished):
    run_plan(plan_of(repeats=1, study="robustness"), finished)
    assert set(summary(finished)["study"]) == {"synthetic", "robustness"}


@pytest.mark.parametrize("content", ["", "{}", "[1]"])
def test_a_broken_manifest_is_rejected(tmp_path, content):
    (tmp_path / "manifest.json").write_text(content)
    with pytest.raises(ResultsError, match="manifest.json` must be"):
        run_plan(plan_of(repeats=1), tmp_path)


def test_records_without_a_manifest_are_rejected(finished):
    (finished / "manifest.json").unlink()
    with pytest.raises(ResultsError, match="must have the manifest"):
        run_plan(plan_of(repeats=1), finished)


def test_two_runs_in_one_folder_are_rejected(tmp_path):
    pytest.importorskip("fcntl")
    with lock_folder(tmp_path), pytest.raises(ResultsError, match="must have only one writer"):
        run_plan(plan_of(repeats=1), tmp_path)


def test_missing_data_raise_before_anything_runs(tmp_path):
    load_rows.cache_clear()
    study = Study("real", (Cell("haberman", "scar", 0, 0.5),), METHODS, 1)
    out = tmp_path / "out"
    with pytest.raises(DatasetError, match="haberman.csv"):
        run_plan(Plan((study,)), out, data_home=str(tmp_path))
    assert not out.exists()


def test_reading_a_folder_that_does_not_exist_is_rejected(tmp_path):
    with pytest.raises(ResultsError, match="`folder` must be.*nowhere"):
        read_records(tmp_path / "nowhere")


def test_the_manifest_tells_how_the_records_came(tmp_path):
    run_plan(plan_of(repeats=1), tmp_path, command="python -m reproduction")
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    run = manifest["runs"][0]
    assert run["command"] == "python -m reproduction"
    assert run["finished"] >= run["started"]
    assert {"numpy", "scikit-learn", "unlabeled"} <= set(run["libraries"])
    assert manifest["studies"]["synthetic"]["fingerprint"] == plan_of().studies[0].fingerprint
    assert manifest["datasets"]["breast_cancer"]["size"] == 569

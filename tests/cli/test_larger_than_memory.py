"""Tables larger than memory: read in parts, with the numbers and the messages of a whole table."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import signal
import sys
from collections import namedtuple
from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest

from tests.commands import started
from unlabeled import PULogistic
from unlabeled.app.run import _fit, _memory, _scored_table, _table
from unlabeled.app.tables import Batches
from unlabeled.cli._table_options import Memory
from unlabeled.engine import progress

from .conftest import QUICK

LINE = ("--label", "diagnosis", "--id", "patient", "--drop", "treatment_date", *QUICK)
# What a program does to read every table in parts.
FORCED = (
    "from unlabeled.app.run import _memory; from unlabeled.cli import main; "
    "_memory.needed_for = lambda batches: 10**15; main()"
)


@pytest.fixture
def in_parts(monkeypatch):
    """Read every table in parts, as if it were large."""
    monkeypatch.setattr(_memory, "needed_for", lambda batches: 10**15)


@pytest.fixture
def small_batches(monkeypatch):
    """Let batches of Parquet and Arrow have few rows."""
    monkeypatch.setattr(Batches, "rows_in_a_batch", 70)


def written(patients, folder, ending):
    """Write the patients as three files; return the pattern."""
    folder.mkdir(exist_ok=True)
    for k, rows in enumerate(np.array_split(np.arange(len(patients)), 3)):
        part, path = patients.iloc[rows], folder / f"part-{k}.{ending}"
        if ending == "parquet":
            part.to_parquet(path)
        elif ending == "arrow":
            part.reset_index(drop=True).to_feather(path)
        elif ending == "csv.gz":
            path.write_bytes(gzip.compress(part.to_csv(index=False).encode()))
        else:
            part.to_csv(path, index=False)
    return folder / f"part-*.{ending}"


def scored(folder):
    return pd.read_csv(folder / "scored.csv", dtype={"patient": str})


def assert_alike(one, other, within=1e-4):
    """Equal columns, up to the single precision of features."""
    assert list(one.columns) == list(other.columns)
    for name in one.columns:
        if name in ("because", "rank", "rank_among_unlabeled"):
            continue  # nearly equal scores may change places
        if one[name].dtype.kind == "f":
            np.testing.assert_allclose(one[name], other[name], atol=within)
        else:
            assert (one[name].fillna("") == other[name].fillna("")).all(), name


@pytest.mark.parametrize("ending", ["parquet", "arrow", "csv", "csv.gz"])
def test_parts_have_the_scores_of_the_whole(
    run, patients, tmp_path, monkeypatch, small_batches, ending
):
    table = written(patients, tmp_path / "t", ending)
    options = ("--drop", "seen", "--method", "pu-logistic", "--keep", "ward", "--include-rows")
    words = ("fit", table, *LINE, *options)  # `seen` is `visit` again, and could stand for it
    whole = run(*words, "--out", tmp_path / "whole")
    assert whole.exit_code == 0, whole.stderr
    monkeypatch.setattr(_memory, "needed_for", lambda batches: 10**15)
    parts = run(*words, "--out", tmp_path / "parts")
    assert parts.exit_code == 0, parts.stderr
    assert "read in parts" in parts.stderr
    one, other = scored(tmp_path / "whole"), scored(tmp_path / "parts")
    assert_alike(one, other)
    assert (one["because"].fillna("") == other["because"].fillna("")).mean() > 0.9
    assert np.abs(one["rank"] - other["rank"]).max() <= 3
    records = [
        json.loads((tmp_path / one / "summary.json").read_text()) for one in ("whole", "parts")
    ]
    assert records[0]["label"] == records[1]["label"]
    assert records[0]["table"] == records[1]["table"]
    assert records[0]["positives"]["estimate"] == pytest.approx(
        records[1]["positives"]["estimate"], rel=1e-3
    )
    assert {path.name for path in tmp_path.iterdir()} == {"t", "whole", "parts"}


def test_a_small_part_gives_nearly_the_same_scores(run, patients, tmp_path, in_parts, monkeypatch):
    table = written(patients, tmp_path / "t", "parquet")
    options = ("--drop", "notes", "--drop", "seen", "--method", "pu-logistic", "--out")
    assert run("fit", table, *LINE, *options, tmp_path / "all").exit_code == 0
    monkeypatch.setattr(_table, "MOST_DRAWN", 400)
    result = run("fit", table, *LINE, *options, tmp_path / "drawn")
    assert result.exit_code == 0, result.stderr
    assert "come from 400 of the 600 rows, drawn at random" in result.stderr
    one, other = scored(tmp_path / "all"), scored(tmp_path / "drawn")
    assert np.corrcoef(one["score"], other["score"])[0, 1] > 0.98
    record = json.loads((tmp_path / "drawn" / "summary.json").read_text())
    assert record["table"]["rows"] == 600
    assert "400 of the 600 rows" in record["coefficients"]["interval"]


@pytest.mark.usefixtures("few_repeats")
def test_checks_and_comparison_use_the_drawn_rows(run, patients, tmp_path, in_parts, monkeypatch):
    monkeypatch.setattr(_table, "MOST_DRAWN", 300)
    table = written(patients, tmp_path / "t", "csv")
    words = (*LINE[: -len(QUICK)], "--compare", "--drop", "notes", "--out", tmp_path / "fit")
    result = run("fit", table, *words)
    assert result.exit_code == 0, result.stderr
    assert "The line is used, because an ensemble needs all rows in memory." in result.stderr
    record = json.loads((tmp_path / "fit" / "summary.json").read_text())
    assert record["notes"]["checks"] == "on 300 of the 600 rows, drawn at random"
    assert record["comparison"] is not None
    assert record["method"]["name"] == "pu-logistic"


def test_a_small_table_is_read_as_a_whole_also_with_a_limit(run, table, tmp_path):
    for k, given in enumerate(((), ("--memory", "4GB"))):
        words = (*LINE, "--drop", "notes", "--method", "pu-logistic", *given)
        result = run("fit", table, *words, "--out", tmp_path / f"{k}")
        assert result.exit_code == 0, result.stderr
        assert "in parts" not in result.stderr
    assert (tmp_path / "0" / "scored.csv").read_bytes() == (
        tmp_path / "1" / "scored.csv"
    ).read_bytes()


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".parquet", ".arrow"])
def test_predict_in_parts_writes_what_it_writes_of_the_whole(
    run, patients, fitted, tmp_path, monkeypatch, small_batches, ending
):
    new = patients.assign(sex=patients["sex"].where(patients.index % 7 > 0, "other"))
    table = written(new, tmp_path / "t", "csv" if ending == ".csv" else "parquet")
    words = ("predict", fitted, table, "--keep", "ward", "--out")
    whole = run(*words, tmp_path / f"whole{ending}")
    assert whole.exit_code == 0, whole.stderr
    monkeypatch.setattr(_memory, "needed_for", lambda batches: 10**15)
    parts = run(*words, tmp_path / f"parts{ending}")
    assert parts.exit_code == 0, parts.stderr
    assert "'other'" in parts.stderr
    assert parts.stderr.splitlines()[2:] == whole.stderr.splitlines()[1:]
    assert parts.stdout.replace(f"parts{ending}", f"whole{ending}") == whole.stdout
    read = {
        ".csv": pd.read_csv,
        ".tsv": lambda path: pd.read_csv(path, sep="\t"),
        ".parquet": pd.read_parquet,
        ".arrow": pd.read_feather,
    }[ending]
    pd.testing.assert_frame_equal(
        read(tmp_path / f"whole{ending}"), read(tmp_path / f"parts{ending}"), rtol=1e-9
    )


# What cannot be used.


def changed(patients, rows, **columns):
    made = patients.astype(dict.fromkeys(columns, object))
    for name, cell in columns.items():
        made.loc[made.index[rows], name] = cell
    return made


def test_a_part_that_contradicts_the_drawn_rows_ends_the_run(
    run, patients, tmp_path, in_parts, monkeypatch
):
    monkeypatch.setattr(_table, "MOST_DRAWN", 100)
    folder = tmp_path / "t"
    table = written(patients, folder, "csv")
    rows = (folder / "part-2.csv").read_text().splitlines()
    cells = rows[-1].split(",")
    cells[1] = "old"
    (folder / "part-2.csv").write_text("\n".join([*rows[:-1], ",".join(cells)]))
    result = run("fit", table, *LINE, "--out", tmp_path / "fit")
    assert result.exit_code == 2
    assert "'age'" in result.stderr
    assert "1 cell is not a number ('old', in row 600)" in result.stderr
    assert "`--as-text`" in result.stderr
    assert [one.name for one in tmp_path.iterdir()] == ["t"]


def test_a_new_label_value_has_the_message_of_the_whole(run, patients, tmp_path, monkeypatch):
    table = written(changed(patients, [-1], diagnosis="maybe"), tmp_path / "t", "csv")
    said = []
    for needed in (0, 10**15):
        monkeypatch.setattr(_memory, "needed_for", lambda batches, needed=needed: needed)
        monkeypatch.setattr(_table, "MOST_DRAWN", 100)
        result = run("fit", table, *LINE, "--out", tmp_path / "fit")
        assert result.exit_code == 2
        said.append(result.stderr.splitlines()[-1])
    assert "'maybe': 1" in said[0]
    assert said[0] == said[1]


@pytest.mark.parametrize("needed", [0, 10**15])
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_file_without_a_column_is_named(run, patients, tmp_path, monkeypatch, needed, ending):
    monkeypatch.setattr(_memory, "needed_for", lambda batches: needed)
    table = written(patients, tmp_path / "t", ending)
    written(patients.drop(columns="bmi").head(9), tmp_path / "u", ending)
    shutil.copy(tmp_path / "u" / f"part-1.{ending}", tmp_path / "t" / f"part-1.{ending}")
    result = run("fit", table, *LINE, "--out", tmp_path / "fit")
    assert result.exit_code == 2
    assert f"part-1.{ending} without 'bmi'" in result.stderr


@pytest.mark.parametrize(
    ("given", "named"),
    [
        (("--group", "ward"), "`--group`"),
        (("--checked", "smoker"), "`--checked`"),
        (("--labeled-by", "ward"), "`--labeled-by`"),
        (("--negative", "no"), "`--negative`"),
        (("--copies",), "`--copies`"),
        (("--method", "ensemble"), "got 'ensemble'"),
    ],
)
def test_what_needs_all_rows_is_rejected(run, table, tmp_path, in_parts, given, named):
    result = run("fit", table, *LINE, *given, "--memory", "1GB", "--out", tmp_path / "fit")
    assert result.exit_code == 2
    assert named in result.stderr
    assert "`--memory`" in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_groups_that_drawn_rows_tell_of_are_named_and_rejected(
    run, tmp_path, in_parts, monkeypatch
):
    rng, n = np.random.default_rng(5), 4000
    person = rng.integers(0, n // 5, n)
    X = 2 * rng.normal(size=(n // 5, 4))[person] + rng.normal(size=(n, 4))
    frame = pd.DataFrame(X, columns=list("abcd")).assign(patient=[f"P{k}" for k in person])
    frame["ill"] = np.where((X[:, 0] > 2) & (rng.random(n) < 0.5), "yes", None)
    frame.to_csv(tmp_path / "t.csv", index=False)
    monkeypatch.setattr(_table, "MOST_DRAWN", 400)
    monkeypatch.setattr(_table, "_FEWEST_DRAWN", 100)
    words = ("fit", tmp_path / "t.csv", "--label", "ill", "--no-checks", "--out", tmp_path / "fit")
    result = run(*words)
    assert result.exit_code == 2
    assert "Values of 'patient' have several rows, and rows of one value are alike" in result.stderr
    assert "`--group patient`, or `--no-group`" in result.stderr
    assert run(*words, "--no-group").exit_code == 0


@pytest.mark.parametrize("size", ["lots", "4", "0GB", "-1GB", "4 apples"])
def test_a_size_that_is_none_is_rejected(run, table, tmp_path, size):
    result = run("fit", table, *LINE, f"--memory={size}", "--out", tmp_path / "fit")
    assert result.exit_code == 2
    assert "`--memory` must be a size such as 4GB" in result.stderr
    assert repr(size) in result.stderr


@pytest.mark.parametrize(
    ("size", "bytes_"),
    [("4GB", 4 * 10**9), ("800mb", 8 * 10**8), ("1.5 GiB", 3 * 2**29), ("2g", 2 * 10**9)],
)
def test_sizes_are_read(size, bytes_):
    assert Memory().convert(size, None, None) == bytes_


def test_too_little_memory_is_rejected_before_the_work(run, table, tmp_path):
    result = run("fit", table, *LINE, "--memory", "1MB", "--out", tmp_path / "fit")
    assert result.exit_code == 2
    assert "`--memory` must be at least 450 MB for 600 rows; got 1 MB" in result.stderr


def test_a_disk_without_room_is_rejected_before_the_work(
    run, table, tmp_path, in_parts, monkeypatch
):
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(_memory.shutil, "disk_usage", lambda path: usage(10, 10, 1000))
    result = run("fit", table, *LINE, "--out", tmp_path / "fit")
    assert result.exit_code == 3
    assert "`--out` must be on a disk with about" in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_changes_during_the_run_is_noticed(
    run, patients, tmp_path, in_parts, monkeypatch
):
    table = written(patients, tmp_path / "t", "parquet")
    fit_parts = _fit.fit_parts

    def touched(*arguments):
        os.utime(tmp_path / "t" / "part-1.parquet", (1, 1))
        return fit_parts(*arguments)

    monkeypatch.setattr("unlabeled.app.run._fit.fit_parts", touched)
    result = run("fit", table, *LINE, "--out", tmp_path / "fit")
    assert result.exit_code == 2
    assert "part-1.parquet, which was changed during the run" in result.stderr
    assert [one.name for one in tmp_path.iterdir()] == ["t"]


def test_a_file_that_arrives_during_the_run_is_noticed(
    run, patients, tmp_path, in_parts, monkeypatch
):
    table = written(patients, tmp_path / "t", "csv")
    write = _scored_table.write_scored_parts

    def added(*arguments, **options):
        shutil.copy(tmp_path / "t" / "part-1.csv", tmp_path / "t" / "part-9.csv")
        return write(*arguments, **options)

    monkeypatch.setattr("unlabeled.app.run._fit.write_scored_parts", added)
    result = run("fit", table, *LINE, "--out", tmp_path / "fit")
    assert result.exit_code == 2
    assert "part-9.csv, which is new" in result.stderr
    assert [one.name for one in tmp_path.iterdir()] == ["t"]


def test_a_pattern_that_matches_nothing_is_rejected(run, tmp_path):
    result = run("fit", tmp_path / "*.parquet", *LINE, "--out", tmp_path / "fit")
    assert result.exit_code == 2
    assert "matches none" in result.stderr


# Killed half way.


@contextmanager
def fitting(table, out, word):
    """Start a fit in parts, and wait until it has printed a word."""
    words = ["fit", table, *LINE, "--out", out]
    with started(sys.executable, "-c", FORCED, *words) as process:
        assert any(line.startswith(word) for line in iter(process.stderr.readline, ""))
        yield process


def test_ctrl_c_leaves_dir_as_it_was(patients, tmp_path):
    table = written(patients, tmp_path / "t", "parquet")
    (tmp_path / "fit").mkdir()
    with fitting(table, tmp_path / "fit", "Computing") as process:
        process.send_signal(signal.SIGINT)
        _, said = process.communicate()
    assert process.returncode == 130, said
    assert "Stopped; nothing was written." in said
    assert {one.name for one in tmp_path.iterdir()} == {"t", "fit"}
    assert list((tmp_path / "fit").iterdir()) == []


def test_ctrl_c_in_the_fit_leaves_dir_as_it_was(run, patients, tmp_path, in_parts, monkeypatch):
    def pressed(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(PULogistic, "fit", pressed)
    table = written(patients, tmp_path / "t", "parquet")
    (tmp_path / "fit").mkdir()
    result = run("fit", table, *LINE, "--out", tmp_path / "fit")
    assert result.exit_code == 130
    assert "Fitting" in result.stderr
    assert "Stopped; nothing was written." in result.stderr
    assert {one.name for one in tmp_path.iterdir()} == {"t", "fit"}
    assert list((tmp_path / "fit").iterdir()) == []


def test_what_a_killed_run_leaves_is_removed_by_the_next(run, patients, tmp_path, in_parts):
    table, out = written(patients, tmp_path / "t", "parquet"), tmp_path / "fit"
    with fitting(table, out, "Fitting"):
        pass  # it is killed here
    assert not out.exists()
    assert any(one.name.endswith(".parts") for one in tmp_path.iterdir())
    (tmp_path / ".fit-other-12345678.parts").mkdir()  # that of another fit
    result = run("fit", table, *LINE, "--out", out)
    assert result.exit_code == 0, result.stderr
    there = {one.name for one in tmp_path.iterdir()}
    assert there - {".fit.lock"} == {"t", "fit", ".fit-other-12345678.parts"}


# Progress.


def test_quiet_and_json_show_no_progress(run, table, tmp_path, in_parts, monkeypatch):
    monkeypatch.setattr(progress, "_SECONDS_IN_A_LOG", 0.001)
    result = run("fit", table, *LINE, "--quiet", "--json", "--out", tmp_path / "fit")
    assert result.exit_code == 0
    assert result.stderr == ""
    assert json.loads(result.stdout)["table"]["rows"] == 600

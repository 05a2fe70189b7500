"""What `unlabeled fit` leaves behind: a whole fit, or what was there before."""

from __future__ import annotations

import errno
import os
import resource
import shutil
from contextlib import contextmanager
from functools import partial
from itertools import count
from types import SimpleNamespace

import pyarrow as pa
import pytest

from unlabeled import NaiveLogistic
from unlabeled.app.run import OutputError, _scored_table
from unlabeled.app.run._fit import TO_CHECK
from unlabeled.cli import _output
from unlabeled.cli._fit import FILES
from unlabeled.engine.files import only_writer
from unlabeled.engine.objective import Objective

from .conftest import ANY_FIT, FEW_COLUMNS, FIT

LABEL = ("--label", "diagnosis")


def test_a_folder_with_other_files_is_left_alone_even_with_force(run, table, tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    for force in ((), ("--force",)):
        result = run("fit", table, *LABEL, "--out", tmp_path, *force)
        assert result.exit_code == 3
        assert "'mine.txt'" in result.stderr
    assert (tmp_path / "mine.txt").read_text() == "mine"


def test_an_earlier_fit_is_replaced_only_with_force(run, table, tmp_path):
    out = tmp_path / "fit"
    words = ("fit", table, *FIT, *FEW_COLUMNS, "--out", out, *ANY_FIT)
    assert run(*words).exit_code == 0
    (out / "scored.csv").write_text("old")
    refused = run(*words)
    assert refused.exit_code == 3
    assert "an earlier fit" in refused.stderr
    assert "`--force`" in refused.stderr
    assert (out / "scored.csv").read_text() == "old"
    assert run(*words, "--force").exit_code == 0
    assert (out / "scored.csv").read_text() != "old"
    assert [one.name for one in tmp_path.iterdir()] == ["fit"]


def test_force_replaces_nothing_but_an_earlier_fit(run, table, patients, tmp_path):
    out = tmp_path / "fit"
    words = (*FIT, *FEW_COLUMNS, "--out", out, *ANY_FIT)
    assert run("fit", table, *words).exit_code == 0
    patients.to_csv(out / "patients.csv", index=False)
    result = run("fit", out / "patients.csv", *words, "--force")
    assert result.exit_code == 3
    assert "'patients.csv'" in result.stderr
    assert (out / "patients.csv").exists()


def test_force_does_not_replace_the_table_that_is_read(run, fitted, patients, tmp_path):
    table, linked = tmp_path / "mine.csv", tmp_path / "link.csv"
    patients.to_csv(table, index=False)
    linked.symlink_to(table)
    (tmp_path / "in").mkdir()
    before = table.read_bytes()
    for read in (table, tmp_path / "m*.csv"):
        for out in (table, tmp_path / "in" / ".." / "mine.csv", linked):
            for words in (("predict", fitted, read), ("compare", read, *LABEL)):
                result = run(*words, "--out", out, "--force")
                assert (result.exit_code, f"got {out}" in result.stderr) == (2, True), words
    assert table.read_bytes() == before
    assert sorted(one.name for one in tmp_path.iterdir()) == ["in", "link.csv", "mine.csv"]


def test_force_does_not_replace_a_fit_that_holds_the_table(run, tmp_path):
    (tmp_path / "fit").mkdir()
    (tmp_path / "fit" / "scored.csv").write_text("mine")
    words = (tmp_path / "fit" / "scored.csv", "--label", "labeled", "--out", tmp_path / "fit")
    result = run("fit", *words, "--force")
    assert (result.exit_code, "which holds" in result.stderr) == (2, True)
    assert (tmp_path / "fit" / "scored.csv").read_text() == "mine"


@pytest.mark.parametrize("out", [".", ".."])
def test_the_folder_one_is_in_is_not_a_new_folder(run, table, tmp_path, monkeypatch, out):
    monkeypatch.chdir(tmp_path)
    result = run("fit", table, *FIT, "--out", out)
    assert (result.exit_code, "`--out` must be the name" in result.stderr) == (3, True)


def test_an_output_that_cannot_be_written_is_rejected_before_any_work(
    run, table, tmp_path, monkeypatch
):
    (tmp_path / "file").write_text("")
    result = run("fit", table, *LABEL, "--out", tmp_path / "file")
    assert (result.exit_code, "which is a file" in result.stderr) == (3, True)
    system = SimpleNamespace(access=lambda *_: False, W_OK=os.W_OK, X_OK=os.X_OK)
    monkeypatch.setattr(_output, "os", system)  # an administrator may write anywhere
    result = run("fit", table, *LABEL, "--out", tmp_path / "no" / "where")
    assert (result.exit_code, "Reading" in result.stderr) == (3, False)
    assert "`--out` must be in a folder that can be written" in result.stderr


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()], ids=str)
@pytest.mark.parametrize("chunked", [False, True])
def test_row_identifiers_of_a_part_of_the_rows_are_their_own(kind, chunked):
    whole = pa.array(["a", "bb", "", "dddd", None, "ff"], kind)
    part = pa.chunked_array([whole.slice(2)]) if chunked else whole.slice(2)
    found = _scored_table.ids_of(part)
    found.validate(full=True)
    assert found.to_pylist() == [None, "dddd", None, "ff"]


def test_a_full_disk_leaves_nothing_behind(run, table, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(_scored_table, "write_scored", full)
    result = run("fit", table, *FIT, *FEW_COLUMNS, "--out", tmp_path / "fit", *ANY_FIT)
    assert result.exit_code == 3
    assert "fit could not be written (No space left on device)" in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_moved_away_stays_alone(tmp_path, monkeypatch):
    """As one on which a disk is mounted."""
    (tmp_path / "fit").mkdir()
    (tmp_path / "fit" / "scored.csv").write_text("old")

    def busy(*_):
        raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))

    monkeypatch.setattr(os, "replace", busy)
    said = pytest.raises(OutputError, match="choose another with `--out`")
    with said, _output.whole_folder(tmp_path / "fit") as working:
        (working / "scored.csv").write_text("new")
    assert [one.name for one in tmp_path.iterdir()] == ["fit"]
    assert (tmp_path / "fit" / "scored.csv").read_text() == "old"


@pytest.mark.parametrize("words", [("report", "{}"), ("report", "{}/summary.json")])
def test_a_folder_that_a_killed_command_was_replacing_is_brought_back(words, run, fitted, tmp_path):
    out = tmp_path / "fit"
    shutil.copytree(fitted, tmp_path / ".fit.earlier")  # the state between the two renames
    result = run(*(word.format(out) for word in words))
    assert result.exit_code == 0, result.stderr
    said = f"A command was killed while it replaced {out}; the earlier folder is back."
    assert result.stderr.count(said) == 1
    assert os.listdir(tmp_path) == ["fit"]
    assert said not in run(*(word.format(out) for word in words)).stderr


@pytest.mark.parametrize("command", ["fit", "audit", "export", "predict"])
def test_every_command_brings_back_the_folder_that_it_opens(command, run, table, tmp_path):
    (tmp_path / ".fit.earlier").mkdir()
    (tmp_path / ".fit.earlier" / "summary.json").write_text("{}")
    out = tmp_path / "fit"
    words = {
        "fit": (table, *FIT, "--out", out),
        "audit": (out, "--table", table, "--out", tmp_path / "check"),
        "export": (out, "--out", tmp_path / "model.onnx"),
        "predict": (out, table, "--out", tmp_path / "scored.csv"),
    }[command]
    result = run(command, *words)
    assert result.exit_code != 0  # no whole fit is in it
    assert "the earlier folder is back" in result.stderr
    assert os.listdir(tmp_path) == ["fit"]


@pytest.mark.parametrize("most_bytes", [0, 3000, 30_000])
def test_files_that_may_not_grow_leave_nothing_behind(run, table, tmp_path, most_bytes):
    """The system itself stops the writing, in the middle of one file or another."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, hard))
    try:
        result = run("fit", table, *FIT, *FEW_COLUMNS, "--out", tmp_path / "fit", *ANY_FIT)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert result.exit_code == 3, result.stderr
    assert "could not be written (File too large)" in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_leaves_nothing_behind(table, tmp_path, stopped):
    words = ("--id", "patient", *FEW_COLUMNS, "--method", "naive", "--out", tmp_path / "f")
    stopped("Checking", "fit", table, *LABEL, *words)
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_during_the_comparison_leaves_the_whole_fit(table, tmp_path, stopped):
    out = tmp_path / "f"
    alone = ("--method", "naive", "--no-checks", "--compare")
    words = ("--id", "patient", *FEW_COLUMNS, *alone, "--out", out)
    says = f"Stopped; {out} holds the whole fit, without the comparison."
    printed = stopped("Comparing", "fit", table, *LABEL, *words, says=says)
    assert f"The report is {out / 'report.html'}" in printed
    files = set(FILES) - {TO_CHECK}  # no label is doubtful
    assert {path.name for path in out.iterdir()} == files


def test_ctrl_c_ends_the_command_even_if_it_would_keep_a_fit(run, table, tmp_path, monkeypatch):
    evaluations = count(1)
    evaluate = Objective.value_gradient

    def press_at_seven(objective, theta):
        if next(evaluations) == 7:
            raise KeyboardInterrupt
        return evaluate(objective, theta)

    monkeypatch.setattr(Objective, "value_gradient", press_at_seven)
    talkative = partial(NaiveLogistic, C=1.0, verbose=1)
    monkeypatch.setattr("unlabeled.linear_model.NaiveLogistic", talkative)
    out = tmp_path / "ward"
    result = run("fit", table, *FIT, *ANY_FIT, "--out", out)
    assert result.exit_code == 130
    assert "Stopped; nothing was written." in result.stderr
    assert not list(tmp_path.iterdir())


def test_a_folder_that_another_command_writes_is_refused_and_left_alone(
    run, table, tmp_path, monkeypatch
):
    monkeypatch.setattr(_output, "only_writer", partial(only_writer, wait=0))
    out = tmp_path / "fit"
    words = ("fit", table, *FIT, *FEW_COLUMNS, *ANY_FIT, "--out", out)
    with only_writer(out):
        refused = run(*words)
    assert refused.exit_code == 3
    assert f"fit is being written by another command (process {os.getpid()} on" in refused.stderr
    assert "Reading" not in refused.stderr
    assert list(tmp_path.iterdir()) == []
    assert run(*words).exit_code == 0
    before = (out / "report.html").read_bytes()
    with only_writer(out):
        assert run("report", out).exit_code == 3
        assert run(*words, "--force").exit_code == 3
    assert (out / "report.html").read_bytes() == before


def test_of_two_fits_to_one_new_folder_the_second_does_not_replace_the_first(
    run, table, tmp_path, monkeypatch
):
    """The first ends while the second waits for it."""
    out = tmp_path / "fit"

    @contextmanager
    def after_the_first(path):
        path.mkdir()
        (path / "summary.json").write_text("of the first")
        yield

    monkeypatch.setattr(_output, "only_writer", after_the_first)
    refused = run("fit", table, *FIT, *FEW_COLUMNS, *ANY_FIT, "--out", out)
    assert refused.exit_code == 3
    assert "an earlier fit" in refused.stderr
    assert (out / "summary.json").read_text() == "of the first"

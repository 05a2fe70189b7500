"""What `unlabeled fit` refuses, and what it leaves behind: a whole fit, or what was there."""

from __future__ import annotations

import errno
import os
import resource
import subprocess
import sys
import time
from itertools import count
from types import SimpleNamespace

import pytest

from unlabeled import NaiveLogistic
from unlabeled.cli import _fit as _fit_files
from unlabeled.cli import _output
from unlabeled.cli._methods import METHODS
from unlabeled.engine.objective import Objective

from .conftest import FIT, QUICK

LABEL = ("--label", "diagnosis")


@pytest.mark.parametrize(
    ("text", "options", "sentence"),
    [
        ("", LABEL, "TABLE must be a table; got"),
        ("diagnosis\nyes\n", LABEL, "TABLE must have a label column and at least one more"),
        ("age,diagnosi\n1,yes\n", LABEL, "got 'diagnosis'. Did you mean 'diagnosi'?"),
        ("age,diagnosis\n1,yes\n2,yes\n", LABEL, "which is 'yes' in all 2 rows"),
        ("age,diagnosis\n1,a\n2,b\n3,c\n", LABEL, "Set `--positive` to the value"),
        ("age,age,diagnosis\n1,2,yes\n", LABEL, "got 'age' more than once"),
        (
            "age,diagnosis\n1,yes\n2,\n3,yes\nold,\n",
            LABEL,
            "got 3 numbers in 'age', and 1 cell is not a number ('old'). Leave those cells blank, "
            "or name the column in `--as-text` or in `--drop`.",
        ),
        (b"age,diagnosis\n1,\xff\n", LABEL, "byte 16 is not UTF-8"),
        ("age,diagnosis\n1,yes\n2,\n", (*LABEL, "--rule", "best"), "`--rule` must be one of"),
        ("age,diagnosis\n1,yes\n2,\n", (*LABEL, "--as-text", "ag"), "`--as-text` must be a column"),
    ],
)
def test_bad_input_gets_a_sentence_exit_code_2_and_no_folder(
    run, tmp_path, text, options, sentence
):
    path = tmp_path / "t.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    result = run("fit", path, *options, "--out", tmp_path / "fit")
    assert result.exit_code == 2, result.stderr
    assert sentence in " ".join(result.stderr.split())
    assert [one.name for one in tmp_path.iterdir()] == ["t.csv"]


def test_a_line_of_two_gigabytes_is_refused_without_being_read(run, tmp_path):
    path = tmp_path / "t.csv"
    with path.open("wb") as file:
        file.write(b"age,diagnosis\n1,yes\n")
        file.truncate(2**31)  # no bytes are written
    start = time.perf_counter()
    result = run("fit", path, *LABEL, "--out", tmp_path / "fit")
    assert result.exit_code == 2
    assert "TABLE must have lines of at most 10 MB; got t.csv with a longer line" in result.stderr
    assert time.perf_counter() - start < 60


def test_files_that_are_not_there_or_cut_short_get_exit_code_2(run, patients, tmp_path):
    result = run("fit", tmp_path / "t.csv", *LABEL, "--out", tmp_path / "fit")
    assert (result.exit_code, "does not exist" in result.stderr) == (2, True)
    path = tmp_path / "t.parquet"
    patients.to_parquet(path)
    path.write_bytes(path.read_bytes()[:-100])
    result = run("fit", path, *LABEL, "--out", tmp_path / "fit")
    assert (result.exit_code, "cut short" in result.stderr) == (2, True)


def test_a_folder_with_other_files_is_left_alone_even_with_force(run, table, tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    for force in ((), ("--force",)):
        result = run("fit", table, *LABEL, "--out", tmp_path, *force)
        assert result.exit_code == 3
        assert "which has other files in it ('mine.txt'). Name another one." in result.stderr
    assert (tmp_path / "mine.txt").read_text() == "mine"


def test_an_earlier_fit_is_replaced_only_with_force(run, table, tmp_path):
    out = tmp_path / "fit"
    words = ("fit", table, *FIT, "--as-text", "ward", "--out", out, *QUICK)
    assert run(*words).exit_code == 0
    (out / "scored.csv").write_text("old")
    refused = run(*words)
    assert refused.exit_code == 3
    assert "which holds an earlier fit. Name another one, or say `--force`" in refused.stderr
    assert (out / "scored.csv").read_text() == "old"
    assert run(*words, "--force").exit_code == 0
    assert (out / "scored.csv").read_text() != "old"
    assert [one.name for one in tmp_path.iterdir()] == ["fit"]


def test_force_replaces_nothing_but_an_earlier_fit(run, table, patients, tmp_path):
    out = tmp_path / "fit"
    words = (*FIT, "--as-text", "ward", "--out", out, *QUICK)
    assert run("fit", table, *words).exit_code == 0
    patients.to_csv(out / "patients.csv", index=False)
    result = run("fit", out / "patients.csv", *words, "--force")
    assert result.exit_code == 3
    assert "which has other files in it ('patients.csv')" in result.stderr
    assert (out / "patients.csv").exists()


@pytest.mark.parametrize("out", [".", ".."])
def test_the_folder_one_is_in_is_no_new_folder(run, table, tmp_path, monkeypatch, out):
    monkeypatch.chdir(tmp_path)
    result = run("fit", table, *FIT, "--out", out)
    assert (result.exit_code, "must be the name of a new folder" in result.stderr) == (3, True)


def test_an_output_that_cannot_be_written_is_told_before_any_work(
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


def test_a_full_disk_leaves_nothing_behind(run, table, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(_fit_files, "write_scored", full)
    result = run("fit", table, *FIT, "--as-text", "ward", "--out", tmp_path / "fit", *QUICK)
    assert result.exit_code == 3
    assert "could not be written (No space left on device); nothing of it was left" in result.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("most_bytes", [0, 3000, 30_000])
def test_files_that_may_not_grow_leave_nothing_behind(table, tmp_path, most_bytes):
    """The system itself refuses to write on, in the middle of one file or another."""

    def limited():
        resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))

    words = ["fit", table, *FIT, "--as-text", "ward", "--out", tmp_path / "fit", *QUICK]
    result = subprocess.run(
        [sys.executable, "-B", "-c", "from unlabeled.cli import main; main()", *words],
        capture_output=True,
        text=True,
        preexec_fn=limited,
        check=False,
    )
    assert result.returncode == 3, result.stderr
    assert "could not be written (File too large)" in result.stderr
    assert "Traceback" not in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_leaves_nothing_behind(table, tmp_path, stopped):
    words = ("--id", "patient", "--as-text", "ward", "--out", tmp_path / "f")
    stopped("Comparing", "fit", table, *LABEL, *words)
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_ends_the_command_even_if_it_would_keep_a_fit(run, table, tmp_path, monkeypatch):
    evaluations = count(1)
    evaluate = Objective.value_gradient

    def press_at_seven(objective, theta):
        if next(evaluations) == 7:
            raise KeyboardInterrupt
        return evaluate(objective, theta)

    monkeypatch.setattr(Objective, "value_gradient", press_at_seven)
    monkeypatch.setitem(METHODS, "naive", lambda: NaiveLogistic(C=1.0, verbose=1))
    out = tmp_path / "ward"
    result = run("fit", table, *FIT, *QUICK, "--method", "naive", "--out", out)
    assert result.exit_code == 130
    assert "Stopped; nothing was written." in result.stderr
    assert not list(tmp_path.iterdir())

"""`unlabeled reproduce`: what it runs, what it says, how it ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path
from urllib.error import URLError

import pytest
from click.testing import CliRunner, Result
from sklearn.utils.fixes import parse_version

from unlabeled.cli._reproduce import reproduce
from unlabeled.paper import outcome
from unlabeled.paper.studies import read_records, run
from unlabeled.paper.studies.draw import load_rows


@pytest.fixture
def drawn(monkeypatch) -> list[Path]:
    """Folders that figures were asked for; none are made."""
    folders: list[Path] = []
    monkeypatch.setattr(outcome, "write_outcome", folders.append)
    monkeypatch.delenv("UNLABELED_DATA", raising=False)
    return folders


def call(*words: object) -> Result:
    # Before click 8.2 the two streams were one unless told otherwise.
    apart = {} if parse_version(version("click")) >= parse_version("8.2") else {"mix_stderr": False}
    return CliRunner(**apart).invoke(reproduce, [str(word) for word in words])


def test_a_quick_run_without_data_says_what_more_it_would_do(tmp_path, drawn):
    result = call("synthetic", "--quick", "--repeats", 1, "--jobs", 1, "--out", tmp_path)
    assert result.exit_code == 0, result.output
    assert "6 tasks are in" in result.output
    assert "the paper's nine sets" in " ".join(result.output.split())
    assert "6/6" in result.stderr
    assert drawn == [tmp_path]
    assert len(read_records(tmp_path)) == 6 * 11


def test_a_quiet_run_has_no_bar(tmp_path, drawn):
    words = ("synthetic", "--quick", "--repeats", 1, "--jobs", 1, "--quiet", "--out", tmp_path)
    assert call(*words).stderr == ""


def test_the_manifest_has_the_command_without_the_places_of_the_machine(tmp_path, drawn):
    call("synthetic", "--quick", "--repeats", 1, "--jobs", 1, "--out", tmp_path)
    text = (tmp_path / "manifest.json").read_text()
    command = "unlabeled reproduce synthetic --out DIR --jobs 1 --repeats 1 --quick"
    assert json.loads(text)["runs"][0]["command"] == command
    assert str(tmp_path) not in text


def test_figures_only_runs_nothing(tmp_path, drawn, monkeypatch):
    monkeypatch.setattr(run, "run_batch", None, raising=False)
    assert call("--figures-only", "--out", tmp_path).exit_code == 0
    assert drawn == [tmp_path]
    assert not list(tmp_path.iterdir())


def test_figures_of_no_folder_are_one_sentence(tmp_path):
    result = call("--figures-only", "--out", tmp_path / "nowhere")
    assert result.exit_code == 1
    assert "must be a folder of results" in result.stderr
    assert "Traceback" not in result.output


def test_an_unreachable_network_is_one_sentence_before_anything_runs(tmp_path, drawn, monkeypatch):
    def fail(*arguments: object, **more: object) -> None:
        raise URLError("no route to host")

    load_rows.cache_clear()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("sklearn.datasets._openml.urlopen", fail)
    monkeypatch.setattr("sklearn.datasets._openml.time.sleep", lambda seconds: None)
    result = call("real", "--jobs", 1, "--out", tmp_path / "out")
    assert result.exit_code == 1
    assert "OpenML" in result.stderr
    assert "`--quick` runs without data" in result.stderr
    assert not (tmp_path / "out").exists()


def test_a_missing_data_set_is_named(tmp_path, drawn):
    load_rows.cache_clear()
    result = call("real", "--data", tmp_path, "--out", tmp_path / "out")
    assert result.exit_code == 1
    assert "must hold `adult.csv.gz`" in result.stderr


def test_results_of_another_plan_are_refused_in_a_sentence(tmp_path, drawn):
    (tmp_path / "manifest.json").write_text("{}")
    result = call("synthetic", "--quick", "--out", tmp_path)
    assert result.exit_code == 1
    assert "manifest" in result.stderr
    assert not drawn


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--jobs", "0"), "`--jobs` must be a number of processes or -1; got 0."),
        (("--backend", "dask"), "must be given together"),
        (("--scheduler", "tcp://127.0.0.1:1"), "must be given together"),
        (("--repeats", "0"), "0 is not in the range"),
    ],
)
def test_options_that_make_no_sense_are_refused(words, sentence):
    result = call(*words)
    assert result.exit_code == 2
    assert sentence in result.stderr


def test_a_missing_library_is_named_with_its_extra(tmp_path, drawn, monkeypatch):
    def fail(*arguments: object, **more: object) -> None:
        raise ModuleNotFoundError("No module named 'distributed'", name="distributed")

    monkeypatch.setattr("unlabeled.paper.studies.run.run_plan", fail)
    result = call("synthetic", "--quick", "--out", tmp_path)
    assert result.exit_code == 1
    assert "pip install 'unlabeled[dask]'" in result.stderr


def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path, drawn):
    (tmp_path / "file").write_text("")
    result = call("synthetic", "--quick", "--out", tmp_path / "file" / "out")
    assert result.exit_code == 1
    assert "could not be written: Not a directory" in result.stderr


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_control_c_ends_with_a_sentence_and_the_next_run_goes_on(tmp_path, drawn):
    words = ["synthetic", "--quick", "--repeats", "8", "--jobs", "1", "--quiet"]
    code = "import sys; from unlabeled.cli._reproduce import reproduce; reproduce(sys.argv[1:])"
    command = [sys.executable, "-c", code, *words, "--out", str(tmp_path)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    parts = tmp_path / "parts"
    while len(list(parts.glob("*.parquet"))) < 2 and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert errors.strip() == "Stopped; nothing is lost. The same command goes on from here."
    result = call("synthetic", "--quick", "--repeats", 3, "--jobs", 1, "--out", tmp_path)
    assert " 0 of them from before" not in result.output
    assert result.exit_code == 0


@pytest.mark.slow
def test_a_quick_run_on_embedded_data_makes_the_page_within_two_minutes(tmp_path, monkeypatch):
    monkeypatch.delenv("UNLABELED_DATA", raising=False)
    start = time.perf_counter()
    result = call("--quick", "--jobs", 2, "--out", tmp_path)
    assert result.exit_code == 0, result.output
    assert time.perf_counter() - start < 120
    assert (tmp_path / "index.html").is_file()
    records = read_records(tmp_path)
    assert set(records["study"]) == {"synthetic", "real", "timing", "robustness"}
    assert (records["error"] == "").all()

"""`python -m reproduction`: what it runs, what it prints, how it ends."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import time
from importlib.metadata import version
from pathlib import Path
from urllib.error import URLError

import pytest
from click.testing import CliRunner, Result
from sklearn.utils.fixes import parse_version

from reproduction import __main__
from reproduction.__main__ import reproduce
from reproduction.studies import paper_plans, read_records, run
from reproduction.studies.draw import load_rows
from reproduction.studies.methods import METHODS
from tests.commands import started

TWO_METHODS = {key: METHODS[key] for key in (("oracle", "-"), ("naive", "-"))}


@pytest.fixture
def drawn(monkeypatch) -> list[Path]:
    """Folders that figures were requested for; none are drawn."""
    folders: list[Path] = []
    monkeypatch.setattr(__main__, "write_outcome", folders.append)
    monkeypatch.delenv("UNLABELED_DATA", raising=False)
    return folders


@pytest.fixture
def _two_methods(monkeypatch) -> None:
    """Plan quick methods only."""
    monkeypatch.setattr(paper_plans, "METHODS", TWO_METHODS)


def call(*words: object) -> Result:
    # Before click 8.2 both streams were one by default.
    apart = {} if parse_version(version("click")) >= parse_version("8.2") else {"mix_stderr": False}
    return CliRunner(**apart).invoke(reproduce, [str(word) for word in words])


def test_a_quick_run_without_data_says_what_more_it_would_do(tmp_path, drawn):
    result = call("synthetic", "--quick", "--repeats", 1, "--jobs", 1, "--out", tmp_path)
    assert result.exit_code == 0, result.output
    assert "UNLABELED_DATA" in result.output
    assert "6/6" in result.stderr
    assert drawn == [tmp_path]
    methods = paper_plans.quick_plan(("synthetic",), data=False).studies[0].methods
    assert len(read_records(tmp_path)) == 6 * len(methods)


@pytest.mark.usefixtures("_two_methods")
def test_a_quiet_run_has_no_bar(tmp_path, drawn):
    words = ("synthetic", "--quick", "--repeats", 1, "--jobs", 1, "--quiet", "--out", tmp_path)
    assert call(*words).stderr == ""


@pytest.mark.usefixtures("_two_methods")
def test_the_manifest_has_the_command_without_the_paths_of_the_machine(tmp_path, drawn):
    call("synthetic", "--quick", "--repeats", 1, "--jobs", 1, "--out", tmp_path)
    text = (tmp_path / "manifest.json").read_text()
    command = "python -m reproduction synthetic --out DIR --jobs 1 --repeats 1 --quick"
    assert json.loads(text)["runs"][0]["command"] == command
    assert str(tmp_path) not in text


def test_figures_only_runs_nothing(tmp_path, drawn, monkeypatch):
    monkeypatch.setattr(run, "run_batch", None, raising=False)
    assert call("--figures-only", "--out", tmp_path).exit_code == 0
    assert drawn == [tmp_path]
    assert not list(tmp_path.iterdir())


def test_figures_of_no_folder_are_an_error_in_one_sentence(tmp_path):
    result = call("--figures-only", "--out", tmp_path / "nowhere")
    assert result.exit_code == 1
    assert "nowhere" in result.stderr
    assert "Traceback" not in result.output


def test_an_unreachable_network_is_an_error_before_anything_runs(tmp_path, drawn, monkeypatch):
    def fail(*arguments: object, **more: object) -> None:
        raise URLError("no route to host")

    load_rows.cache_clear()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("sklearn.datasets._openml.urlopen", fail)
    monkeypatch.setattr("sklearn.datasets._openml.time.sleep", lambda seconds: None)
    result = call("real", "--jobs", 1, "--out", tmp_path / "out")
    assert result.exit_code == 1
    assert "OpenML" in result.stderr
    assert "`--quick`" in result.stderr
    assert not (tmp_path / "out").exists()


def test_a_missing_data_set_is_named(tmp_path, drawn):
    load_rows.cache_clear()
    result = call("real", "--data", tmp_path, "--out", tmp_path / "out")
    assert result.exit_code == 1
    assert "`adult.csv.gz`" in result.stderr


def test_a_folder_with_a_broken_manifest_is_rejected(tmp_path, drawn):
    (tmp_path / "manifest.json").write_text("{}")
    result = call("synthetic", "--quick", "--out", tmp_path)
    assert result.exit_code == 1
    assert "manifest" in result.stderr
    assert not drawn


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (("--jobs", "0"), r"`--jobs` must be .* got 0"),
        (("--backend", "dask"), "`--backend dask` and `--scheduler`"),
        (("--scheduler", "tcp://127.0.0.1:1"), "`--backend dask` and `--scheduler`"),
        (("--repeats", "0"), "0 is not in the range"),
    ],
)
def test_options_that_make_no_sense_are_rejected(words, names):
    result = call(*words)
    assert result.exit_code == 2
    assert re.search(names, " ".join(result.stderr.split()))


def test_a_missing_library_is_named_with_its_extra(tmp_path, drawn, monkeypatch):
    def fail(*arguments: object, **more: object) -> None:
        raise ModuleNotFoundError("No module named 'distributed'", name="distributed")

    monkeypatch.setattr("reproduction.__main__.run_plan", fail)
    result = call("synthetic", "--quick", "--out", tmp_path)
    assert result.exit_code == 1
    assert "pip install 'unlabeled[dask]'" in result.stderr


def test_a_folder_that_cannot_be_written_is_an_error_in_one_sentence(tmp_path, drawn):
    (tmp_path / "file").write_text("")
    result = call("synthetic", "--quick", "--out", tmp_path / "file" / "out")
    assert result.exit_code == 1
    assert "Not a directory" in result.stderr
    assert "Traceback" not in result.output


WITH_TWO_METHODS = f"""
import sys
from reproduction.__main__ import reproduce
from reproduction.studies import paper_plans
paper_plans.METHODS = {{key: paper_plans.METHODS[key] for key in {tuple(TWO_METHODS)}}}
reproduce(sys.argv[1:])
"""


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
@pytest.mark.usefixtures("_two_methods")
def test_control_c_ends_with_a_sentence_and_the_next_run_goes_on(tmp_path, drawn):
    words = ["synthetic", "--quick", "--repeats", "400", "--jobs", "1", "--quiet"]
    command = [sys.executable, "-c", WITH_TWO_METHODS, *words, "--out", tmp_path]
    parts = tmp_path / "parts"
    with started(*command) as process:
        while len(list(parts.glob("*.parquet"))) < 2 and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate()
    assert process.returncode == 130, errors
    assert len(errors.strip().splitlines()) == 1, errors
    found = len(read_records(tmp_path)) // len(TWO_METHODS)
    n_tasks, repeats = found + 6, found // 6 + 1
    result = call("synthetic", "--quick", "--repeats", repeats, "--jobs", 1, "--out", tmp_path)
    assert result.exit_code == 0
    assert f"{found}/{n_tasks}" in result.stderr
    assert f"{n_tasks}/{n_tasks}" in result.stderr
    assert len(read_records(tmp_path)) == n_tasks * len(TWO_METHODS)


@pytest.mark.slow
def test_a_quick_run_on_embedded_data_makes_the_page(tmp_path, monkeypatch):
    monkeypatch.delenv("UNLABELED_DATA", raising=False)
    result = call("--quick", "--jobs", 2, "--out", tmp_path)
    assert result.exit_code == 0, result.output
    assert (tmp_path / "index.html").is_file()
    records = read_records(tmp_path)
    assert set(records["study"]) == {"synthetic", "real", "ensemble", "timing", "robustness"}
    assert (records["error"] == "").all()

"""`unlabeled demo` as a stranger runs it."""

import csv

import pytest
from click.testing import CliRunner

from unlabeled import NaiveLogistic
from unlabeled.cli import main
from unlabeled.codes import CODES


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    out = tmp_path_factory.mktemp("demo") / "new folder"
    return CliRunner().invoke(main, ["demo", "--out", str(out)]), out


def test_it_writes_a_table_with_all_methods_on_both_data_sets(demo):
    result, out = demo
    assert result.exit_code == 0, result.output
    with (out / "demo.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    methods = ["Oracle", "Naive", "Enhanced", "PULogistic", "JOINT", "MM", "EN", "TIcE"]
    assert [row["method"] for row in rows] == 2 * methods
    by_method = {row["method"]: float(row["f1"]) for row in rows[8:]}
    assert by_method["Naive"] < 0.1
    assert by_method["Enhanced"] > 0.5


def test_it_prints_the_numbers_and_explains_the_notes(demo):
    result, out = demo
    for words in ("F1", "bal. acc.", "prior", f"PU107: {CODES['PU107'].meaning}"):
        assert words in result.output
    assert str(out / "demo.csv") in result.output


def test_it_draws_the_curve(demo):
    _, out = demo
    assert (out / "f1_pu_curve.png").read_bytes().startswith(b"\x89PNG")


def test_it_runs_twice_into_the_same_folder(demo, monkeypatch):
    _, out = demo
    monkeypatch.setattr("unlabeled.cli._demo.methods", lambda: {"Naive": NaiveLogistic()})
    result = CliRunner().invoke(main, ["demo", "--out", str(out), "--quiet"])
    assert result.exit_code == 0
    assert "Fitting" not in result.output


def test_a_folder_that_cannot_be_made_gets_a_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    result = CliRunner().invoke(main, ["demo", "--out", str(tmp_path / "file" / "inside")])
    assert result.exit_code == 1
    assert "`--out` must be a folder" in result.output


def test_a_folder_that_cannot_be_written_is_refused_before_the_work():
    result = CliRunner().invoke(main, ["demo", "--out", "/proc"])
    assert result.exit_code == 1
    assert "`--out` must be a folder that can be written; got /proc" in result.output
    assert "Enhanced" not in result.output

"""`unlabeled compare` as somebody with a table runs it."""

from __future__ import annotations

import csv
import inspect
import json
import sys

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from unlabeled.cli import main
from unlabeled.cli._methods import COMPARED

LABEL = ["--label", "diagnosis"]
QUICK = ["--repeats", "2", "--method", "enhanced", "--method", "naive"]


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Half of the ill are diagnosed; the region of some patients is in few rows."""
    rng, n = np.random.default_rng(0), 600
    frame = pd.DataFrame(
        {
            "patient": [f"P{i:05d}" for i in range(n)],
            "age": rng.normal(55, 12, n).round(1),
            "bmi": rng.normal(27, 4, n).round(1),
            "region": rng.choice(["north", "south", "a far island"], n, p=[0.6, 0.395, 0.005]),
        }
    )
    eta = -1 + 0.1 * (frame["age"] - 55) + 0.2 * (frame["bmi"] - 27)
    diagnosed = (rng.random(n) < 1 / (1 + np.exp(-eta))) & (rng.random(n) < 0.5)
    frame.loc[rng.random(n) < 0.1, "bmi"] = np.nan
    frame["diagnosis"] = np.where(diagnosed, "yes", None)
    path = tmp_path_factory.mktemp("tables") / "patients.csv"
    frame.to_csv(path, index=False)
    return path


def run(path, *options):
    """Run with stdout and stderr apart, which before click 8.2 was asked for."""
    asked_for = "mix_stderr" in inspect.signature(CliRunner).parameters
    runner = CliRunner(mix_stderr=False) if asked_for else CliRunner()
    return runner.invoke(main, ["compare", str(path), *options])


def record(path, *options):
    result = run(path, *LABEL, "--json", "--quiet", *options)
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def test_all_methods_are_compared_and_the_reading_follows(table):
    result = run(table, *LABEL, "--repeats", "2")
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[0].startswith("2 splits: fitted to 420 rows, judged on 180 others; mean")
    assert [line.split()[0] for line in lines[2:9]] == list(COMPARED)
    assert "F1_PU, " in lines[-3]
    assert lines[-1].endswith("labelled rows are a random sample of the positives (SCAR).")
    assert "Not used: 'patient' (an identifier, different in every row)." in result.stderr
    assert "of 600 rows are labelled: `diagnosis` is 'yes'" in result.stderr
    assert "2/2" in result.stderr  # the bar


def test_quiet_says_only_the_comparison(table):
    assert run(table, *LABEL, "--quiet", *QUICK).stderr == ""


def test_json_holds_everything_and_nothing_else_is_on_stdout(table):
    result = run(table, *LABEL, "--json", "--seed", "3", "--class-prior", "0.4", *QUICK)
    found = json.loads(result.stdout)
    assert found["label"]["labelled"] + found["label"]["unlabelled"] == found["table"]["rows"]
    assert found["features"] == ["age", "bmi", "region"]
    assert found["not_used"] == {"patient": "an identifier, different in every row"}
    assert found["seed"] == 3
    comparison = found["comparison"]
    assert comparison["repeats"] == 2
    assert comparison["class_prior"] == 0.4
    assert [one["name"] for one in comparison["methods"]] == ["enhanced", "naive"]
    assert comparison["best"] == "enhanced"
    assert comparison["methods"][0]["f1"]["mean"] > comparison["methods"][1]["f1"]["mean"]


def test_the_class_prior_is_told_to_the_methods_that_can_use_it(table):
    methods = ["--method", "pu-logistic", "--method", "joint", "--method", "forest"]
    found = record(table, "--repeats", "2", "--class-prior", "0.5", *methods)["comparison"]
    for one in found["methods"]:
        assert one["class_prior"]["mean"] == pytest.approx(0.5, abs=0.01)


def test_the_seed_decides_and_the_number_of_processes_does_not(table):
    def numbers(*options):
        found = record(table, *QUICK, *options)["comparison"]
        return [one | {"seconds": None} for one in found["methods"]]

    assert numbers() == numbers("--jobs", "2") != numbers("--seed", "1")


def test_of_a_larger_table_rows_are_drawn_and_that_is_said(table):
    result = run(table, *LABEL, "--rows", "300", *QUICK)
    assert "(on 300 of the 600 rows, drawn at random; " in result.stdout


def test_a_level_of_a_few_rows_may_be_missing_in_a_fit(table):
    found = record(table, "--repeats", "8", "--method", "enhanced")["comparison"]
    assert found["methods"][0]["failed"] == 0


def test_out_writes_the_numbers_too(table, tmp_path):
    path = tmp_path / "found.csv"
    shown = run(table, *LABEL, "--out", str(path), *QUICK)
    assert shown.exit_code == 0, shown.stderr
    with path.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["method"] for row in rows] == ["enhanced", "naive"]
    assert f"{float(rows[0]['f1_pu']):.2f}±{float(rows[0]['f1_pu_error']):.2f}" in shown.stdout
    path = tmp_path / "found.json"
    found = record(table, "--out", str(path), *QUICK)
    assert json.loads(path.read_text("utf-8")) == found
    assert sorted(one.name for one in tmp_path.iterdir()) == ["found.csv", "found.json"]


SMALL = "age,diagnosis\n1,yes\n2,\n"


@pytest.mark.parametrize(
    ("text", "options", "sentence"),
    [
        ("", LABEL, "TABLE must be a table; got"),
        (
            "age,diagnosi\n1,yes\n",
            LABEL,
            "`--label` must be a column of the table; got 'diagnosis'",
        ),
        ("age,diagnosis\n1,yes\n2,yes\n", LABEL, "which is 'yes' in all 2 rows"),
        (SMALL, [*LABEL, "--positive", "x"], "`--positive` must be a value of"),
        (SMALL, [*LABEL, "--drop", "Age"], "`--drop` must be a column"),
        (SMALL, [*LABEL, "--id", "Age"], "`--id` must be a column"),
        (SMALL, [], "Missing option '--label'"),
        (SMALL, [*LABEL, "--method", "x"], "Invalid value for '--method'"),
        (SMALL, [*LABEL, "--repeats", "1"], "Invalid value for '--repeats'"),
        (SMALL, [*LABEL, "--test-size", "1"], "Invalid value for '--test-size'"),
        (SMALL, [*LABEL, "--rows", "0"], "Invalid value for '--rows'"),
        (SMALL, [*LABEL, "--jobs", "0"], "`--jobs` must be a number of processes or -1; got 0."),
        (SMALL, [*LABEL, "--out", "x.txt"], "`--out` must end in one of .csv, .json"),
        (
            SMALL,
            LABEL,
            "got 1 labelled of 2 rows with `--test-size` 0.3.",
        ),
        (
            SMALL,
            [*LABEL, "--class-prior", "0.3"],
            "`--class-prior` must be above the share of labelled rows, 0.5000; got 0.3.",
        ),
    ],
)
def test_bad_input_gets_a_sentence_and_exit_code_2(tmp_path, text, options, sentence):
    path = tmp_path / "t.csv"
    path.write_text(text, "utf-8")
    result = run(path, *options)
    assert result.exit_code == 2, result.stderr
    assert sentence in " ".join(result.stderr.split())
    assert "Traceback" not in result.stdout + result.stderr


def test_a_file_that_cannot_be_written_gets_a_sentence_and_leaves_nothing(table, tmp_path):
    result = run(table, *LABEL, "--out", str(tmp_path / "no" / "x.csv"), *QUICK)
    assert (result.exit_code, "in a folder that is there" in result.stderr) == (3, True)
    (tmp_path / "mine.csv").write_text("mine")
    result = run(table, *LABEL, "--out", str(tmp_path / "mine.csv"), *QUICK)
    assert (result.exit_code, "say `--force` to replace it" in result.stderr) == (3, True)
    (tmp_path / "mine.csv").unlink()
    (tmp_path / "found.csv").mkdir()
    result = run(table, *LABEL, "--out", str(tmp_path / "found.csv"), *QUICK)
    assert (result.exit_code, "is a directory" in result.stderr) == (2, True)


@pytest.mark.parametrize("name", ["pyarrow", "skrub"])
def test_without_the_extra_it_says_how_to_install_it(table, monkeypatch, name):
    monkeypatch.setitem(sys.modules, name, None)
    result = run(table, *LABEL, *QUICK)
    assert result.exit_code == 2
    assert (
        f"needs {name}, which is not installed: pip install 'unlabeled[tables]'." in result.stderr
    )


def test_ctrl_c_stops_with_a_sentence_and_writes_nothing(table, tmp_path, stopped):
    out = ("--repeats", "500", "--out", str(tmp_path / "found.csv"))
    assert stopped("Comparing", "compare", table, *LABEL, *out, after=1) == ""
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_while_writing_leaves_no_half_file(table, tmp_path, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("unlabeled.engine.files.os.fsync", interrupted)
    result = run(table, *LABEL, "--out", str(tmp_path / "found.json"), *QUICK)
    assert result.exit_code == 130
    assert list(tmp_path.iterdir()) == []


def test_help_has_an_example_and_the_exit_codes():
    shown = CliRunner().invoke(main, ["compare", "-h"]).output
    assert "unlabeled compare patients.csv --label diagnosis" in shown
    assert "130  stopped by Ctrl-C" in shown

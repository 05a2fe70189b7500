"""`unlabeled diagnose` as somebody with a table runs it."""

from __future__ import annotations

import inspect
import json
import sys

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from unlabeled.cli import main

QUICK = ["--check", "labels", "--check", "leakage"]


@pytest.fixture(scope="module")
def frame():
    """Some ill patients are diagnosed, and only they have a date of treatment."""
    rng, n = np.random.default_rng(0), 1000
    visit = pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 700, n), "D")
    made = pd.DataFrame(
        {
            "patient": [f"P{i:05d}" for i in range(n)],
            "age": rng.normal(55, 12, n).round(1),
            "sex": rng.choice(["female", "male"], n),
            "bmi": rng.normal(27, 4, n).round(1),
            "smoker": rng.random(n) < 0.3,
            "visit": visit.date,
            "habits": [f"{how} and {when}" for how, when in rng.integers(10, 99, (n, 2))],
        }
    )
    eta = -1.5 + 0.08 * (made["age"] - 55) + 0.2 * (made["bmi"] - 27) + (made["sex"] == "male")
    ill = rng.random(n) < 1 / (1 + np.exp(-eta))
    diagnosed = ill & (rng.random(n) < 0.5)
    made.loc[rng.random(n) < 0.1, "bmi"] = np.nan
    made["treatment_date"] = pd.Series(visit.date).where(diagnosed)
    made["diagnosis"] = np.where(diagnosed, "yes", None)
    return made


@pytest.fixture(scope="module")
def table(frame, tmp_path_factory):
    path = tmp_path_factory.mktemp("tables") / "patients.csv"
    frame.to_csv(path, index=False)
    return path


def runner():
    """Return a runner that keeps stdout and stderr apart, which before click 8.2 was asked for."""
    asked_for = "mix_stderr" in inspect.signature(CliRunner).parameters
    return CliRunner(mix_stderr=False) if asked_for else CliRunner()


def run(path, *options):
    return runner().invoke(main, ["diagnose", str(path), *options])


def diagnosis(path, *options):
    result = run(path, "--label", "diagnosis", "--json", "--quiet", *options)
    return json.loads(result.stdout), result.exit_code


def test_it_says_what_counted_and_finds_the_column_that_gives_the_label_away(table, frame):
    result = run(table, "--label", "diagnosis", *QUICK)
    n = int((frame["diagnosis"] == "yes").sum())
    assert result.exit_code == 1
    assert result.stdout.startswith(f"{n} of 1 000 rows are labelled: `diagnosis` is 'yes'; ")
    assert f"Of {n} rows with 'treatment_date' present, {n} are labelled" in " ".join(
        result.stdout.split()
    )
    assert "Not used: 'patient' (an identifier, different in every row)." in result.stderr
    assert "Fitting pu-logistic to 7 columns" in result.stderr


def test_without_that_column_nothing_is_found(table):
    found, code = diagnosis(table, "--drop", "treatment_date", "--id", "patient", *QUICK)
    assert code == 0
    assert found["worst"] == "fine"
    assert found["features"] == ["age", "sex", "bmi", "smoker", "visit", "habits"]
    assert found["not_used"] == {"treatment_date": "as asked", "patient": "it names the rows"}


@pytest.fixture(scope="module")
def as_csv(table):
    return diagnosis(table, *QUICK)[0]


def test_json_holds_everything_and_nothing_else_is_on_stdout(table):
    result = run(table, "--label", "diagnosis", "--json", "--seed", "3", *QUICK)
    found = json.loads(result.stdout)
    assert found["label"]["labelled"] + found["label"]["unlabelled"] == found["table"]["rows"]
    assert found["label"]["blank"] == found["label"]["unlabelled"]
    assert (found["method"], found["seed"], found["worst"]) == ("pu-logistic", 3, "serious")
    finding = {one["check"]: one for one in found["findings"]}["leakage"]
    assert finding["facts"]["columns"] == ["treatment_date"]
    assert finding["page"] == "checks.html#pu204"


def test_all_checks_can_be_made(frame, tmp_path):
    frame.head(300).to_csv(tmp_path / "t.csv", index=False)
    found, _ = diagnosis(tmp_path / "t.csv", "--drop", "treatment_date", "--drop", "habits")
    assert [one["check"] for one in found["findings"]][-1] == "class prior"


def test_quiet_says_only_the_diagnosis(table):
    assert run(table, "--label", "diagnosis", "--quiet", *QUICK).stderr == ""


@pytest.mark.parametrize(
    "ending", ["csv.gz", "tsv", "tsv.gz", "parquet", "arrow", "feather", "semicolons.csv"]
)
def test_every_format_gives_the_same_diagnosis(frame, as_csv, tmp_path, ending):
    path = tmp_path / f"patients.{ending}"
    if ending in ("arrow", "feather"):
        frame.to_feather(path)
    elif ending == "parquet":
        frame.to_parquet(path)
    else:
        separator = ";" if "semicolons" in ending else "\t" if "tsv" in ending else ","
        frame.to_csv(path, index=False, sep=separator)
    found, code = diagnosis(path, *QUICK)
    assert code == 1
    assert found | {"table": None} == as_csv | {"table": None}


@pytest.mark.parametrize(
    "options",
    [
        ["--method", "enhanced"],
        ["--method", "naive"],
        ["--method", "joint", "--class-prior", "0.4"],
        ["--method", "pu-logistic", "--class-prior", "0.4"],
    ],
)
def test_other_methods_can_be_checked(table, options):
    drop = ["--drop", "treatment_date", "--check", "labels", "--check", "class prior"]
    found, code = diagnosis(table, *drop, *options)
    assert code in (0, 1)
    assert found["method"] == options[1]


LABEL = ["--label", "diagnosis"]


@pytest.mark.parametrize(
    ("text", "options", "sentence"),
    [
        ("", LABEL, "TABLE must be a table; got"),
        ("diagnosis\nyes\n", LABEL, "TABLE must have a label column and at least one more"),
        ("age,diagnosis\n", LABEL, "only a header"),
        ("age,age,diagnosis\n1,2,yes\n", LABEL, "got 'age' more than once"),
        ("age,diagnosis\n1,2,yes\n", LABEL, "got 3 in row 2"),
        (b"age,diagnosis\n1,\xff\n", LABEL, "byte 16 is not UTF-8"),
        (
            "age,diagnosi\n1,yes\n",
            LABEL,
            "`--label` must be a column of the table; got 'diagnosis'. Did",
        ),
        ("age,diagnosis\n1,yes\n2,yes\n", LABEL, "which is 'yes' in all 2 rows"),
        (
            "age,diagnosis\n1,a\n2,b\n3,c\n",
            LABEL,
            "'b': 1, 'c': 1). Set `--positive`",
        ),
        (
            "age,diagnosis\n1,a\n2,b\n",
            [*LABEL, "--positive", "x"],
            "`--positive` must be a value of",
        ),
        ("age,diagnosis\n1,yes\n2,\n", [*LABEL, "--drop", "Age"], "`--drop` must be a column"),
        ("age,diagnosis\n1,yes\n2,\n", [*LABEL, "--id", "Age"], "`--id` must be a column"),
        ("age,diagnosis\n1,yes\n1,\n", LABEL, "TABLE must have at least one column to learn"),
        ("age,diagnosis\n1,yes\n2,\n", [], "Missing option '--label'"),
        ("age,diagnosis\n1,yes\n2,\n", [*LABEL, "--check", "x"], "Invalid value for '--check'"),
        (
            "age,diagnosis\n1,yes\n2,\n",
            [*LABEL, "--method", "naive", "--class-prior", "0.5"],
            "`--class-prior` must go with `--method pu-logistic` or `joint`; got it with 'naive'",
        ),
        (
            "age,diagnosis\n1,yes\n2,\n",
            [*LABEL, "--class-prior", "0.3"],
            "`--class-prior` must be above the share of labelled rows, 0.5000; got 0.3.",
        ),
    ],
)
def test_bad_input_gets_a_sentence_and_exit_code_2(tmp_path, text, options, sentence):
    path = tmp_path / "t.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    result = run(path, *options)
    assert result.exit_code == 2, result.stderr
    assert sentence in " ".join(result.stderr.split())
    assert "Traceback" not in result.stdout + result.stderr


def test_a_file_that_is_not_there_or_cut_short_gets_exit_code_2(table, frame, tmp_path):
    result = run(table.with_name("patient.csv"), *LABEL)
    assert (result.exit_code, "Did you mean 'patients.csv'?" in result.stderr) == (2, True)
    path = tmp_path / "t.parquet"
    frame.to_parquet(path)
    path.write_bytes(path.read_bytes()[:-100])
    result = run(path, *LABEL)
    assert (result.exit_code, "cut short" in result.stderr) == (2, True)


@pytest.mark.parametrize("name", ["pyarrow", "skrub"])
def test_without_the_extra_it_says_how_to_install_it(table, monkeypatch, name):
    monkeypatch.setitem(sys.modules, name, None)
    result = run(table, *LABEL)
    assert result.exit_code == 2
    assert (
        f"needs {name}, which is not installed: pip install 'unlabeled[tables]'." in result.stderr
    )


def test_ctrl_c_stops_with_a_sentence(table, stopped):
    stopped("Fitting", "diagnose", table, *LABEL)


def test_help_has_an_example_and_the_exit_codes():
    shown = CliRunner().invoke(main, ["diagnose", "-h"]).output
    assert "unlabeled diagnose patients.csv --label diagnosis" in shown
    assert "130  stopped by Ctrl-C" in shown

"""`unlabeled diagnose` as somebody with a table runs it."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

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


@pytest.fixture(scope="module")
def diagnose(run):
    return lambda *words: run("diagnose", *words)


@pytest.fixture(scope="module")
def diagnosis(diagnose):
    """Return a function that diagnoses a table and returns the JSON and the exit code."""

    def found(path, *options):
        result = diagnose(path, "--label", "diagnosis", "--json", "--quiet", *options)
        return json.loads(result.stdout), result.exit_code

    return found


def test_it_prints_what_counted_and_finds_the_column_with_the_leak(diagnose, table, frame):
    result = diagnose(table, "--label", "diagnosis", *QUICK)
    n = int((frame["diagnosis"] == "yes").sum())
    assert result.exit_code == 1
    assert result.stdout.startswith(f"{n} of 1 000 rows are labeled (`diagnosis` = 'yes'). ")
    shown = " ".join(result.stdout.split())
    assert "PU204" in shown
    assert f"{n} rows with 'treatment_date' present" in shown
    assert "Not used: 'patient'" in result.stderr
    assert "Fitting pu-logistic to 7 columns" in result.stderr


def test_without_that_column_nothing_is_found(diagnosis, table):
    found, code = diagnosis(table, "--drop", "treatment_date", "--id", "patient", *QUICK)
    assert code == 0
    assert found["worst"] == "fine"
    assert found["features"] == ["age", "sex", "bmi", "smoker", "visit", "habits"]
    assert list(found["not_used"]) == ["treatment_date", "patient"]


@pytest.fixture(scope="module")
def as_csv(diagnosis, table):
    return diagnosis(table, *QUICK)[0]


def test_json_holds_everything_and_nothing_else_is_on_stdout(diagnose, table):
    result = diagnose(table, "--label", "diagnosis", "--json", "--seed", "3", *QUICK)
    found = json.loads(result.stdout)
    assert found["label"]["labeled"] + found["label"]["unlabeled"] == found["table"]["rows"]
    assert found["label"]["blank"] == found["label"]["unlabeled"]
    assert (found["method"], found["seed"], found["worst"]) == ("pu-logistic", 3, "serious")
    finding = {one["check"]: one for one in found["findings"]}["leakage"]
    assert finding["facts"]["columns"] == ["treatment_date"]
    assert finding["page"] == "checks.html#pu204"


def test_all_checks_can_be_made(diagnosis, frame, tmp_path):
    frame.head(300).to_csv(tmp_path / "t.csv", index=False)
    found, _ = diagnosis(tmp_path / "t.csv", "--drop", "treatment_date", "--drop", "habits")
    assert [one["check"] for one in found["findings"]][-1] == "class prior"


def test_quiet_says_only_the_diagnosis(diagnose, table):
    assert diagnose(table, "--label", "diagnosis", "--quiet", *QUICK).stderr == ""


@pytest.mark.parametrize(
    "ending", ["csv.gz", "tsv", "tsv.gz", "parquet", "arrow", "feather", "semicolons.csv"]
)
def test_every_format_gives_the_same_diagnosis(diagnosis, frame, as_csv, tmp_path, ending):
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
def test_other_methods_can_be_checked(diagnosis, table, options):
    drop = ["--drop", "treatment_date", "--check", "labels", "--check", "class-prior"]
    found, code = diagnosis(table, *drop, *options)
    assert code in (0, 1)
    assert found["method"] == options[1]


@pytest.mark.parametrize(
    ("options", "names_and_values"),
    [
        (("--check", "x"), ("'--check'", "'x'")),
        (
            ("--method", "naive", "--class-prior", "0.5"),
            ("`--class-prior` only with `--rule`", "'naive'"),
        ),
    ],
)
def test_bad_options_get_a_sentence_and_exit_code_2(diagnose, tmp_path, options, names_and_values):
    path = tmp_path / "t.csv"
    path.write_text("age,diagnosis\n1,yes\n2,\n")
    result = diagnose(path, "--label", "diagnosis", *options)
    assert result.exit_code == 2, result.stderr
    message = " ".join(result.stderr.split())
    assert [one for one in names_and_values if one not in message] == []


def test_the_help_lists_the_kinds_of_files(run):
    said = " ".join(run("diagnose", "--help").stdout.split())
    for kind in (".zip", "JSON lines", ".xlsx", "SQLite"):
        assert kind in said

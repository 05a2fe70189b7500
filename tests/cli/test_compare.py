"""`unlabeled compare` as somebody with a table runs it."""

from __future__ import annotations

import csv
import json

import numpy as np
import pandas as pd
import pytest

from unlabeled.app.run import COMPARED

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


@pytest.fixture(scope="module")
def compare(run):
    return lambda *words: run("compare", *words)


@pytest.fixture(scope="module")
def record(compare, table):
    """Return a function that compares on the table and returns the JSON."""

    def compared(*options):
        result = compare(table, *LABEL, "--json", "--quiet", *options)
        assert result.exit_code == 0, result.stderr
        return json.loads(result.stdout)

    return compared


def test_all_methods_are_compared_and_the_reading_follows(compare, table):
    result = compare(table, *LABEL, "--repeats", "2")
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert all(one in lines[0] for one in ("2 random splits", "420 rows", "180"))
    assert [line.split()[0] for line in lines[2:11]] == list(COMPARED)
    assert "F1_PU" in lines[-4]
    verdicts = ("is enough", "is worth having", "cannot be told apart")
    assert any(words in lines[-2] for words in verdicts)
    assert "(SCAR)" in lines[-1]
    assert "Not used: 'patient'" in result.stderr
    assert "of 600 rows are labeled (`diagnosis` = 'yes')" in result.stderr
    assert "2/2" in result.stderr  # the bar


def test_quiet_says_only_the_comparison(compare, table):
    assert compare(table, *LABEL, "--quiet", *QUICK).stderr == ""


def test_json_holds_everything_and_nothing_else_is_on_stdout(compare, table):
    result = compare(table, *LABEL, "--json", "--seed", "3", "--class-prior", "0.4", *QUICK)
    found = json.loads(result.stdout)
    assert found["label"]["labeled"] + found["label"]["unlabeled"] == found["table"]["rows"]
    assert found["features"] == ["age", "bmi", "region"]
    assert list(found["not_used"]) == ["patient"]
    assert found["seed"] == 3
    comparison = found["comparison"]
    assert comparison["repeats"] == 2
    assert comparison["class_prior"] == 0.4
    assert [one["name"] for one in comparison["methods"]] == ["enhanced", "naive"]
    assert comparison["best"] == "enhanced"
    assert comparison["methods"][0]["f1"]["mean"] > comparison["methods"][1]["f1"]["mean"]


def test_the_class_prior_is_told_to_the_methods_that_can_use_it(record):
    methods = ["--method", "pu-logistic", "--method", "joint", "--method", "forest"]
    found = record("--repeats", "2", "--class-prior", "0.5", *methods)["comparison"]
    for one in found["methods"]:
        assert one["class_prior"]["mean"] == pytest.approx(0.5, abs=0.01)


def test_the_seed_decides_and_the_number_of_processes_does_not(record):
    def numbers(*options):
        found = record(*QUICK, *options)["comparison"]
        return [one | {"seconds": None} for one in found["methods"]]

    assert numbers() == numbers("--jobs", "2") != numbers("--seed", "1")


def test_of_a_larger_table_rows_are_drawn_and_that_is_said(compare, table):
    result = compare(table, *LABEL, "--rows", "300", *QUICK)
    assert "300 of the 600 rows" in result.stdout


def test_a_level_of_a_few_rows_may_be_missing_in_a_fit(record):
    found = record("--repeats", "8", "--method", "enhanced")["comparison"]
    assert found["methods"][0]["failed"] == 0


def test_out_writes_the_numbers_too(record, compare, table, tmp_path):
    path = tmp_path / "found.csv"
    shown = compare(table, *LABEL, "--out", str(path), *QUICK)
    assert shown.exit_code == 0, shown.stderr
    with path.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["method"] for row in rows] == ["enhanced", "naive"]
    assert f"{float(rows[0]['f1_pu']):.2f}±{float(rows[0]['f1_pu_error']):.2f}" in shown.stdout
    path = tmp_path / "found.json"
    found = record("--out", str(path), *QUICK)
    assert json.loads(path.read_text("utf-8")) == found
    assert sorted(one.name for one in tmp_path.iterdir()) == ["found.csv", "found.json"]


SMALL = "age,diagnosis\n1,yes\n2,\n"


@pytest.mark.parametrize(
    ("options", "names_and_values"),
    [
        (("--method", "x"), ("'--method'", "'x'")),
        (("--repeats", "1"), ("'--repeats'", "1")),
        (("--test-size", "1"), ("'--test-size'", "1.0")),
        (("--rows", "0"), ("'--rows'", "0")),
        (("--out", "x.txt"), ("`--out` must end in", ".csv, .json", "x.txt")),
        ((), ("`--label` must mark at least 10 rows", "got 1 of 2", "Label more rows.")),
    ],
)
def test_bad_input_gets_a_sentence_and_exit_code_2(compare, tmp_path, options, names_and_values):
    path = tmp_path / "t.csv"
    path.write_text(SMALL, "utf-8")
    result = compare(path, *LABEL, *options)
    assert result.exit_code == 2, result.stderr
    message = " ".join(result.stderr.split())
    assert [one for one in names_and_values if one not in message] == []
    assert "Traceback" not in result.stdout + result.stderr


def test_a_file_that_cannot_be_written_gets_a_sentence_and_leaves_nothing(compare, table, tmp_path):
    result = compare(table, *LABEL, "--out", str(tmp_path / "no" / "x.csv"), *QUICK)
    assert (result.exit_code, "`--out` must be in a folder" in result.stderr) == (3, True)
    (tmp_path / "mine.csv").write_text("mine")
    result = compare(table, *LABEL, "--out", str(tmp_path / "mine.csv"), *QUICK)
    assert (result.exit_code, "`--force`" in result.stderr) == (3, True)
    (tmp_path / "mine.csv").unlink()
    (tmp_path / "found.csv").mkdir()
    result = compare(table, *LABEL, "--out", str(tmp_path / "found.csv"), *QUICK)
    assert (result.exit_code, "is a directory" in result.stderr) == (2, True)


def test_ctrl_c_while_writing_leaves_no_half_file(compare, table, tmp_path, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("unlabeled.engine.files.os.fsync", interrupted)
    result = compare(table, *LABEL, "--out", str(tmp_path / "found.json"), *QUICK)
    assert result.exit_code == 130
    assert list(tmp_path.iterdir()) == []


def test_the_help_lists_the_kinds_of_files(run):
    said = " ".join(run("compare", "--help").stdout.split())
    for kind in (".zip", "JSON lines", ".xlsx", "SQLite"):
        assert kind in said

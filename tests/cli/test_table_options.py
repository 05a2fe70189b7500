"""What every command that starts from a table rejects, and what it says about it."""

from __future__ import annotations

import json
import time

import pytest

LABEL = ("--label", "diagnosis")
SMALL = "age,diagnosis\n1,yes\n2,\n"
HALF = "age,diagnosis\n" + "1,yes\n2,\n" * 10


@pytest.fixture
def rejected(run, tmp_path):
    """Return a function that runs a command on a table and returns its one error message."""

    def said(command, text, *options):
        path = tmp_path / "t.csv"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        result = run(command, path, *options)
        assert result.exit_code == 2, result.stderr
        assert "Traceback" not in result.stdout + result.stderr
        assert [one.name for one in tmp_path.iterdir()] == ["t.csv"]
        return " ".join(result.stderr.split())

    return said


@pytest.mark.parametrize(
    ("text", "options", "names_and_values"),
    [
        ("", LABEL, ("TABLE must be", "t.csv")),
        ("diagnosis\nyes\n", LABEL, ("TABLE must have",)),
        ("age,diagnosis\n", LABEL, ("t.csv", "no rows")),
        ("age,age,diagnosis\n1,2,yes\n", LABEL, ("'age'",)),
        ("age,diagnosis\n1,2,yes\n", LABEL, ("3", "row 2")),
        (b"age,diagnosis\n1,\x81\n", LABEL, ("TABLE must be", "line 2", "t.csv")),
        (
            "age,diagnosis\n1,yes\n2,\n3,yes\nold,\n",
            LABEL,
            ("'age'", "3 numbers", "1 cell", "'old'", "`--as-text`", "`--drop`"),
        ),
        ("age,diagnosi\n1,yes\n", LABEL, ("`--label` must be", "'diagnosis'", "'diagnosi'")),
        ("age,diagnosis\n1,yes\n2,yes\n", LABEL, ("'yes'", "2 rows")),
        ("age,diagnosis\n1,a\n2,b\n3,c\n", LABEL, ("'b': 1, 'c': 1", "`--positive`")),
        ("age,diagnosis\n1,a\n2,b\n", (*LABEL, "--positive", "x"), ("`--positive` must be", "'x'")),
        (SMALL, (*LABEL, "--drop", "Age"), ("`--drop` must be a column", "'Age'")),
        (SMALL, (*LABEL, "--id", "Age"), ("`--id` must be a column", "'Age'")),
        (SMALL, (*LABEL, "--group", "Age"), ("`--group` must be a column", "mean 'age'")),
        (
            "age,who,diagnosis\n1,a,yes\n2,,\n",
            (*LABEL, "--group", "who"),
            ("`--group` must be a column", "'who'", "blank in 1 row"),
        ),
        (SMALL, (*LABEL, "--as-text", "ag"), ("`--as-text` must be a column", "'ag'")),
        ("age,diagnosis\n1,yes\n1,\n", LABEL, ("TABLE must have at least one column",)),
        (SMALL, (), ("Missing option '--label'",)),
        (SMALL, (*LABEL, "--class-prior", "1"), ("'--class-prior'", "got 1.")),
        (SMALL, (*LABEL, "--class-prior", "0.3"), ("`--class-prior` must be", "0.5000", "0.3")),
        (SMALL, (*LABEL, "--seed", "-1"), ("'--seed'", "-1")),
    ],
)
def test_bad_input_gets_one_sentence(rejected, text, options, names_and_values):
    message = rejected("diagnose", text, *options)
    assert [one for one in names_and_values if one not in message] == []


@pytest.mark.parametrize(
    ("command", "own"), [("fit", ("--out", "fit")), ("compare", ("--out", "found.csv"))]
)
@pytest.mark.parametrize(
    ("text", "options", "name"),
    [
        ("", LABEL, "TABLE must be"),
        ("age,diagnosi\n1,yes\n", LABEL, "`--label` must be"),
        (HALF, (*LABEL, "--class-prior", "0.3"), "`--class-prior` must be"),
        (SMALL, LABEL, "`--label` must mark at least 10 rows; got 1 of 2."),
    ],
)
def test_other_commands_reject_the_same_and_write_nothing(
    rejected, tmp_path, monkeypatch, command, own, text, options, name
):
    monkeypatch.chdir(tmp_path)
    assert name in rejected(command, text, *options, *own)


def test_a_missing_file_is_named_with_the_nearest_one(run, table):
    result = run("diagnose", table.with_name("patient.csv"), *LABEL)
    assert result.exit_code == 2
    assert "patient.csv" in result.stderr
    assert "'patients.csv'?" in result.stderr


def test_a_truncated_file_is_rejected(run, patients, tmp_path):
    path = tmp_path / "t.parquet"
    patients.to_parquet(path)
    path.write_bytes(path.read_bytes()[:-100])
    result = run("diagnose", path, *LABEL)
    assert result.exit_code == 2
    assert "t.parquet" in result.stderr


def test_a_line_of_two_gigabytes_is_rejected_without_being_read(run, tmp_path):
    path = tmp_path / "t.csv"
    with path.open("wb") as file:
        file.write(b"age,diagnosis\n1,yes\n")
        file.truncate(2**31)  # no bytes are written
    start = time.process_time()  # which a busy machine does not lengthen
    result = run("diagnose", path, *LABEL)
    assert result.exit_code == 2
    assert "10 MB" in result.stderr
    assert "t.csv" in result.stderr
    assert time.process_time() - start < 20


def test_the_number_of_processes_is_not_zero(run, table):
    for command in ("compare", "fit"):
        result = run(command, table, *LABEL, "--out", "found.csv", "--jobs", 0)
        assert result.exit_code == 2
        assert "`--jobs` must be a number of processes or -1; got 0." in result.stderr


def test_several_values_may_be_positive_in_every_command(run, patients, tmp_path):
    path = tmp_path / "t.csv"
    status = patients["diagnosis"].where(patients.index % 2 == 0, "no").fillna("no")
    status[patients["diagnosis"].notna() & (patients.index % 4 == 1)] = "sure"
    patients.assign(diagnosis=status)[["age", "bmi", "diagnosis"]].to_csv(path, index=False)
    both = (*LABEL, "--positive", "yes", "--positive", "sure")
    labeled = int(status.isin(["yes", "sure"]).sum())
    for command, own in (("diagnose", ()), ("compare", ("--method", "naive", "--repeats", "2"))):
        result = run(command, path, *both, *own, "--json")
        assert result.exit_code in (0, 1), result.stderr
        label = json.loads(result.stdout)["label"]
        assert label["labeled"] == labeled
        assert label["positives"].keys() == {"yes", "sure"}


def test_how_columns_are_read_is_said_once_with_the_option_that_changes_it(run, tmp_path):
    rows = [f"{k % 3:03d},{-999 if k % 9 == 0 else k},0{k % 9 + 1}/02/2024" for k in range(60)]
    text = "\n".join(f"{row},{'yes' if k % 4 == 0 else ''}" for k, row in enumerate(rows))
    path = tmp_path / "t.csv"
    path.write_text(f"ward,dose,seen,diagnosis\n{text}\n")
    said = run("diagnose", path, *LABEL).stderr
    for option in ("--as-number", "--missing", "--day-first"):
        assert said.count(f"`{option}`") == 1
    options = ("--as-number", "ward", "--missing", "dose=-999", "--day-first", "seen")
    said = run("diagnose", path, *LABEL, *options).stderr
    assert "`--" not in said
    assert "7 cells are missing: 7 '-999'." in said

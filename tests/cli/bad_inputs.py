"""Inputs that cannot be used: how to make each, the command, and what it prints.

``python -m tests.cli.bad_inputs`` writes what the commands print to ``bad_inputs.txt``.
"""

from __future__ import annotations

import gzip
import os
import pickle
import sqlite3
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import joblib
import numpy as np
import pandas as pd

from tests.cli.conftest import invoke

SAID = Path(__file__).with_suffix(".txt")
_TEXT = "age,diagnosis\n61,yes\n47,\n50,\n"
_LABEL = ("--label", "diagnosis")
_FIT = ("--out", "new")


class BadInput(NamedTuple):
    """What is wrong, in words; the command; its exit code; and what writes the input."""

    words: str
    command: tuple[str, ...]
    make: Callable[[], object] | None = None
    code: int = 2


def _csv(text: str | bytes, name: str = "t.csv") -> Callable[[], object]:
    data = text if isinstance(text, bytes) else text.encode()
    return lambda: Path(name).write_bytes(data)


def _diagnose(
    words: str, text: str | bytes, *options: str, name: str = "t.csv", label: bool = True
) -> BadInput:
    """Return a table that `unlabeled diagnose` cannot use."""
    asked = (*_LABEL, *options) if label else options
    return BadInput(words, ("diagnose", name, *asked), _csv(text, name))


def _workbook() -> None:
    with zipfile.ZipFile("t.csv", "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("xl/workbook.xml", "<workbook/>")


def _two_in_a_zip() -> None:
    with zipfile.ZipFile("t.csv.zip", "w") as archive:
        archive.writestr("a.csv", _TEXT)
        archive.writestr("b.csv", _TEXT)


def _two_in_a_database() -> None:
    Path("t.sqlite").unlink(missing_ok=True)
    with sqlite3.connect("t.sqlite") as connection:
        connection.execute("create table patients (age, diagnosis)")
        connection.execute("create table visits (age, diagnosis)")
    connection.close()


def _frame(**columns: list[object]) -> Callable[[], object]:
    return lambda: pd.DataFrame(columns).to_parquet("t.parquet")


_HTML = "<!DOCTYPE html>\n<html><body>Please log in</body></html>\n"
_PRICES = "".join(f'"{k},{100 + k}",{"yes" if k < 5 else ""}\n' for k in range(1, 31))
_POINTS = "".join(f"{k},5;{k}.{100 + k};{'yes' if k < 5 else ''}\n" for k in range(1, 31))
_MARKS = "".join(
    f"{k if k % 9 else '-'};{k if k % 7 else 'k.A.'};{k % 5},5;{'yes' if k < 5 else ''}\n"
    for k in range(1, 31)
)
_SEVERAL = "".join(
    f'{k if k % 9 else "unknown"},"{k},{100 + k}",{k} €,{"yes" if k < 5 else ""}\n'
    for k in range(1, 31)
)

GROUPS: dict[str, tuple[BadInput, ...]] = {
    "The file": (
        BadInput("a name with a typo", ("diagnose", "patient.csv", *_LABEL)),
        BadInput("a folder", ("diagnose", "ward", *_LABEL)),
        _diagnose("an empty file", ""),
        _diagnose("an ending that says nothing", _TEXT, name="t.txt"),
        BadInput("an Excel workbook renamed to .csv", ("diagnose", "t.csv", *_LABEL), _workbook),
        _diagnose("a login page saved as .csv", _HTML),
        _diagnose("a PDF renamed to .csv", b"%PDF-1.7\n"),
        _diagnose("a picture renamed to .csv", b"\x89PNG\r\n\x1a\n"),
        _diagnose("a gzipped file without .gz", gzip.compress(_TEXT.encode(), mtime=0)),
        _diagnose("a Parquet file renamed to .csv", b"PAR1\x15\x04"),
        _diagnose("a data frame as a pickle", pickle.dumps([1]), name="t.pkl"),
        _diagnose("a JSON list", '[{"age": 1}]', name="t.ndjson"),
        BadInput("a zip archive with two files", ("diagnose", "t.csv.zip", *_LABEL), _two_in_a_zip),
        BadInput(
            "a database with two tables", ("diagnose", "t.sqlite", *_LABEL), _two_in_a_database
        ),
        _diagnose(
            "text that is not UTF-8", b"age,town,diagnosis\n61,K\xc3\xb6ln,yes\n47,K\xf6ln,\n"
        ),
        _diagnose("text in UTF-16", "age,diagnosis\n61,yes\n47,\n".encode("utf-16")),
        _diagnose("a row with more cells than the header", "age,diagnosis\n61,yes\n4,7,yes\n"),
        _diagnose("a blank first line", f"\n{_TEXT}"),
        _diagnose("a header without rows", "age,diagnosis\n"),
        BadInput("a pattern that matches nothing", ("fit", "claims/*.csv", *_LABEL, *_FIT)),
        BadInput(
            "files with different columns",
            ("fit", "part-*.csv", *_LABEL, *_FIT),
            lambda: (_csv(_TEXT, "part-1.csv")(), _csv("age\n61\n", "part-2.csv")()),
        ),
        BadInput(
            "files of different formats",
            ("fit", "month-*", *_LABEL, *_FIT),
            lambda: (_csv(_TEXT, "month-1.csv")(), _csv('{"age": 1}\n', "month-2.ndjson")()),
        ),
    ),
    "The columns": (
        _diagnose("one column", "diagnosis\nyes\n"),
        _diagnose("two columns with one name", "age,age,diagnosis\n1,2,yes\n"),
        _diagnose("numbers with a word among them", f"{_TEXT}old,\n"),
        _diagnose("numbers that could be thousands", f"price,diagnosis\n{_PRICES}"),
        _diagnose("points that could be thousands", f"size;price;diagnosis\n{_POINTS}"),
        _diagnose("columns with marks for missing cells", f"age;size;dose;diagnosis\n{_MARKS}"),
        _diagnose(
            "several columns with problems", f"age,price,cost,diagnosis\n{_SEVERAL}", "--quiet"
        ),
        BadInput(
            "a column of lists",
            ("diagnose", "t.parquet", *_LABEL),
            _frame(tags=[["a"], ["b"], ["a"]], diagnosis=["yes", None, None]),
        ),
        _diagnose("no column to learn from", "age,diagnosis\n1,yes\n1,\n"),
    ),
    "The labels": (
        _diagnose("no label column of that name", "age,diagnosi\n1,yes\n2,\n"),
        _diagnose("no label at all", "age,diagnosis\n1,\n2,\n"),
        _diagnose("every row labeled", "age,diagnosis\n1,yes\n2,yes\n"),
        _diagnose("only the word no", "age,diagnosis\n1,no\n2,\n"),
        _diagnose("three values", "age,diagnosis\n1,flu\n2,cold\n3,none of them\n"),
        _diagnose(
            "a positive value that is not there",
            "age,diagnosis\n1,flu\n2,cold\n",
            "--positive",
            "fluh",
        ),
        BadInput(
            "positives that are all negatives too",
            (
                "fit",
                "t.csv",
                *_LABEL,
                "--positive",
                "flu",
                "--negative",
                "flu",
                *_FIT,
            ),
            _csv("age,diagnosis\n1,flu\n2,cold\n"),
        ),
    ),
    "The options": (
        _diagnose("no label option", _TEXT, label=False),
        _diagnose("a seed below 0", _TEXT, "--seed", "-1"),
        _diagnose("a column to drop that is not there", _TEXT, "--drop", "Aeg"),
        _diagnose("a mark for missing cells that no cell has", _TEXT, "--missing", "-999"),
        _diagnose("words as numbers", "age,diagnosis\nold,yes\nnew,\n", "--as-number", "age"),
        _diagnose(
            "dates with the month first as --day-first",
            "seen,diagnosis\n12/31/2024,yes\n11/30/2024,\n",
            "--day-first",
            "seen",
        ),
        _diagnose("a class prior of 1", _TEXT, "--class-prior", "1"),
        _diagnose("a class prior below the share of labels", _TEXT, "--class-prior", "0.1"),
        BadInput(
            "a method that does not exist", ("fit", "t.csv", *_LABEL, *_FIT, "--method", "pu")
        ),
        BadInput("a rule that does not exist", ("fit", "t.csv", *_LABEL, *_FIT, "--rule", "f3")),
        BadInput("one of two files", ("fit", "--cases", "patients.csv", *_FIT)),
        BadInput("a memory without a unit", ("fit", "t.csv", *_LABEL, *_FIT, "--memory", "4")),
        BadInput("too little memory", ("fit", "patients.csv", *_LABEL, *_FIT, "--memory", "100MB")),
        BadInput(
            "a method that needs all rows, and too little memory",
            (
                *("fit", "patients.csv", *_LABEL, *_FIT),
                *("--method", "ensemble", "--memory", "100MB"),
            ),
        ),
        BadInput("no processes", ("compare", "patients.csv", *_LABEL, "--jobs", "0")),
    ),
    "The output": (
        BadInput(
            "a fit that is there already",
            ("fit", "patients.csv", *_LABEL, "--out", "ward"),
            code=3,
        ),
        BadInput(
            "a file as the folder",
            ("fit", "patients.csv", *_LABEL, "--out", "patients.csv"),
            code=3,
        ),
        BadInput(
            "scored rows of an unknown kind", ("predict", "ward", "patients.csv", "--out", "p.docx")
        ),
        BadInput(
            "scored rows in a folder that does not exist",
            ("predict", "ward", "patients.csv", "--out", "nowhere/p.csv"),
            code=3,
        ),
    ),
    "A fit that is used": (
        BadInput(
            "model and table the wrong way round",
            ("predict", "patients.csv", "ward", "--out", "p.csv"),
        ),
        BadInput("a table as the model", ("predict", "patients.csv", "t.csv", "--out", "p.csv")),
        BadInput(
            "a pickle as the model",
            ("predict", "model.pkl", "patients.csv", "--out", "p.csv"),
            lambda: Path("model.pkl").write_bytes(pickle.dumps([1])),
        ),
        BadInput(
            "a joblib file as the model",
            ("predict", "model.joblib", "patients.csv", "--out", "p.csv"),
            lambda: joblib.dump([1], "model.joblib", compress=3),
        ),
        BadInput("no model", ("predict", "nowhere", "patients.csv", "--out", "p.csv")),
        BadInput(
            "new rows without a column",
            ("predict", "ward", "t.csv", "--out", "p.csv"),
            _csv("ages,bmi\n61,27\n"),
        ),
        BadInput(
            "new rows with words for numbers",
            ("predict", "ward", "t.csv", "--out", "p.csv"),
            _csv("age,bmi\nold,27\n61,high\n"),
        ),
        BadInput(
            "a cut that is a rule",
            ("predict", "ward", "patients.csv", "--cut", "f1", "--out", "p.csv"),
        ),
        BadInput(
            "an audited cut without an audit",
            ("predict", "ward", "patients.csv", "--cut", "audited", "--out", "p.csv"),
        ),
        BadInput("a report of a folder without a fit", ("report", "empty")),
        BadInput("an audit without a table or answers", ("audit", "ward")),
        BadInput("a code that does not exist", ("explain", "PU999")),
    ),
}
BAD_INPUTS = tuple(one for group in GROUPS.values() for one in group)


def make_folder() -> None:
    """Write what every input may use into the current folder: a table, a fit, an empty folder."""
    rng, n = np.random.default_rng(0), 200
    age, bmi = rng.normal(55, 12, n).round(1), rng.normal(27, 4, n).round(1)
    ill = rng.random(n) < 1 / (1 + np.exp(-0.2 * (age - 55)))
    label = np.where(ill & (rng.random(n) < 0.5), "yes", None)
    frame = pd.DataFrame({"age": age, "bmi": bmi, "diagnosis": label})
    frame.to_csv("patients.csv", index=False)
    Path("t.csv").write_text(_TEXT)
    Path("empty").mkdir()
    quick = ("--no-checks", "--no-compare", "--quiet", "--method", "naive")
    result = invoke("fit", "patients.csv", *_LABEL, "--out", "ward", *quick)
    assert result.exit_code == 0, result.stderr


def message_of(one: BadInput) -> str:
    """Run the command of an input and return its error message; it must end as it should."""
    if one.make is not None:
        one.make()
    result = invoke(*one.command)
    said = result.stderr
    assert result.exit_code == one.code, (one.words, result.exit_code, said)
    assert "Traceback" not in result.stdout + said, said
    _, found, message = said.partition("Error: ")
    assert found, said
    return message.strip()


def text_of(messages: dict[str, str]) -> str:
    """Return every input with its command, its exit code and the message."""
    lines = ["Written by python -m tests.cli.bad_inputs; do not edit."]
    for title, group in GROUPS.items():
        lines += ["", title, "-" * len(title)]
        for one in group:
            command = " ".join(("unlabeled", *one.command))
            said = messages[one.words].splitlines()
            lines += ["", f"{one.words}: {command}", f"exit code {one.code}", *said]
    return "\n".join(lines) + "\n"


def messages() -> dict[str, str]:
    """Return the message of every input, from commands run in a new folder."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            make_folder()
            return {one.words: message_of(one) for one in BAD_INPUTS}
        finally:
            os.chdir(before)


if __name__ == "__main__":
    SAID.write_text(text_of(messages()), "utf-8")

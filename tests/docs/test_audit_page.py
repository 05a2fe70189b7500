"""The page on checked rows: its commands run, and give the numbers that the page has."""

from __future__ import annotations

import csv
import shlex

import pytest
from click.testing import CliRunner

from tests.docs.pages import blocks_of
from unlabeled.cli import main

PAGE = "start/audit"


def run(command, *more):
    result = CliRunner().invoke(main, [*shlex.split(command)[1:], *more], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_the_commands_give_the_numbers_of_the_page(tmp_path, monkeypatch):
    pytest.importorskip("skops")
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(blocks_of(PAGE, "python")[0], names)
    fit, draw, read, predict = (block.strip() for block in blocks_of(PAGE, "console"))
    # The numbers are those of the Python on the page, which fits a line alone.
    run(fit, "--no-checks", "--no-compare", "--method", "pu-logistic")
    run(draw, "--seed", "0")
    truth = dict(zip(names["claims"]["claim"].astype(str), names["fraud"], strict=True))
    with open("check/check.csv", encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    with open("check/answers.csv", "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(
            [("key", "truth"), *((one["key"], int(truth[one["claim"]])) for one in rows)]
        )
    said = run(read)
    (table,) = [block for block in blocks_of(PAGE, "text") if "labels alone  checked rows" in block]
    for line in table.strip().splitlines():
        assert " ".join(line.split()) in " ".join(said.split())
    names["claims"].to_csv("new.csv", index=False)
    assert "by the audited cut" in run(predict)

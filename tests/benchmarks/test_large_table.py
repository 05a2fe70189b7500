"""The tables of the benchmark of the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from benchmarks.timings import large_table
from benchmarks.timings.own_process import in_own_process, run_unlabeled


@pytest.mark.parametrize(
    ("name", "rows", "columns"),
    [("usual", 20_000, 15), ("long", 1_000_000, 48), ("wide", 5_000, 5_000)],
)
def test_the_tables_have_the_sizes_that_are_promised(name, rows, columns, tmp_path):
    n, numbers, levels = large_table.TABLES[name]
    assert n == rows
    large_table.write_table(tmp_path / "claims.csv", 20, numbers, levels)
    assert len(pd.read_csv(tmp_path / "claims.csv").columns.drop(["claim", "fraud"])) == columns


def test_a_command_is_measured_in_a_process_of_its_own(tmp_path):
    found, peak = in_own_process(run_unlabeled, str(tmp_path), "explain", "PU202", threads=1)
    assert 0 < found["seconds"]
    assert 0 < found["cpu"]
    # The watcher may see nothing but the start of a short command on a busy machine.
    assert 0 < peak < found["peak"] < 2000
    with pytest.raises(RuntimeError, match="NoSuchOption|No such"):
        in_own_process(run_unlabeled, str(tmp_path), "explain", "--no-such-option")


@pytest.mark.parametrize(("more", "share"), [({"comparison": 4.0}, "0.60"), ({}, "1.00")])
def test_a_wide_table_has_no_comparison_to_subtract(monkeypatch, capsys, more, share):
    def run(function, name, *words):
        folder = Path(name)
        (folder / "fit").mkdir(exist_ok=True)
        summary = {"made": {"seconds": {"fit": 6.0, **more}}, "columns": {"used": ["age"]}}
        (folder / "fit" / "summary.json").write_text(json.dumps(summary))
        return {"seconds": 10.0, "cpu": 10.0, "peak": 100.0}, 90.0

    monkeypatch.setattr(large_table, "in_own_process", run)
    monkeypatch.setitem(large_table.TABLES, "usual", (20, 9, ()))
    large_table.main(["usual"])
    assert f"until the fit is written / in all: {share}" in capsys.readouterr().out

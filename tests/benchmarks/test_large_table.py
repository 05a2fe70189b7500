"""The tables of the benchmark of the command line."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from benchmarks.timings import large_table


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
    seconds, cpu, peak = large_table.run(tmp_path, "explain", "PU202")
    assert 0 < seconds
    assert 0 < cpu
    assert 5 < peak < 2000


@pytest.mark.parametrize(("more", "share"), [({"comparison": 4.0}, "0.60"), ({}, "1.00")])
def test_a_wide_table_has_no_comparison_to_subtract(monkeypatch, capsys, more, share):
    def run(folder, *words):
        (folder / "fit").mkdir(exist_ok=True)
        summary = {"made": {"seconds": {"fit": 6.0, **more}}, "columns": {"used": ["age"]}}
        (folder / "fit" / "summary.json").write_text(json.dumps(summary))
        return 10.0, 10.0, 100.0

    monkeypatch.setattr(large_table, "run", run)
    monkeypatch.setitem(large_table.TABLES, "usual", (20, 9, ()))
    large_table.main(["usual"])
    assert f"until the fit is written / in all: {share}" in capsys.readouterr().out

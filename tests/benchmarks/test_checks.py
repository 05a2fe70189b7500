"""The study of the checks: resumable records, rates, and a tiny run of it."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from benchmarks.checks.__main__ import main
from benchmarks.checks.measure import FILE, Draw, Record, Records
from benchmarks.checks.page import headlines, rate_table, rates_of
from unlabeled.diagnostics import CHECKS


def record(number, **states):
    fine = dict.fromkeys(CHECKS, "fine") | {"separation": "not applicable"}
    return Record(Draw("haberman", 0.5, number), 40, 0.1, fine | states)


def run(folder):
    arguments = ["--out", str(folder), "--quick", "--set", "breast_cancer"]
    result = CliRunner().invoke(main, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    return (folder / "index.rst").read_text("utf-8")


def test_a_second_run_makes_nothing_again_and_the_same_page(tmp_path):
    page = run(tmp_path)
    records = (tmp_path / FILE).read_text("utf-8")
    assert records.count("\n") == 6
    assert run(tmp_path) == page
    assert (tmp_path / FILE).read_text("utf-8") == records
    assert "breast\\_cancer" in page
    assert (tmp_path / "rates.csv").exists()


def test_a_line_that_was_cut_off_is_dropped(tmp_path):
    records = Records(tmp_path)
    records.add(record(0))
    with (tmp_path / FILE).open("a") as file:
        file.write('{"draw": {"dataset": "hab')
    again = Records(tmp_path)
    assert again[Draw("haberman", 0.5, 0)] == record(0)
    assert Draw("haberman", 0.5, 1) not in again
    again.add(record(1))
    assert Draw("haberman", 0.5, 1) in Records(tmp_path)


def test_rates_count_notes_and_warnings_with_their_errors():
    made = [record(0, leakage="note"), record(1, leakage="serious"), record(2), record(3)]
    rates = rates_of(made).set_index("check")
    assert rates.loc["leakage", "note"] == 0.5
    assert rates.loc["leakage", "warning"] == 0.25
    assert rates.loc["leakage", "warning_error"] == pytest.approx((0.25 * 0.75 / 4) ** 0.5)
    table = rate_table(rates.reset_index(), 0.5, "warning")
    assert table["leakage"].tolist() == ["25 (22)"]
    assert table["separation"].tolist() == ["–"]
    assert "haberman at c = 0.5 (25\u00a0%)" in headlines(rates.reset_index())
    made[3] = record(3, leakage="not applicable")
    assert rate_table(rates_of(made), 0.5, "note")["leakage"].tolist() == ["67 (27) of 3"]

"""The study of the checks: resumable records, rates, and a tiny run of it."""

from __future__ import annotations

import pandas as pd
import pytest
from click.testing import CliRunner

from benchmarks.checks import few_labelled, inverted, measure
from benchmarks.checks.__main__ import main
from benchmarks.checks.measure import FILE, MEASURED, Draw, Record, Records
from benchmarks.checks.page import (
    few_labelled_table,
    headlines,
    inverted_words,
    rate_table,
    rates_of,
)
from reproduction.studies.draw import load_rows
from unlabeled import NaiveLogistic
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
    assert not again.is_whole(Draw("haberman", 0.5, 1))
    again.add(record(1))
    assert Records(tmp_path).is_whole(Draw("haberman", 0.5, 1))


def test_a_check_that_a_record_lacks_is_made_and_added(tmp_path):
    run(tmp_path)
    whole = (tmp_path / FILE).read_text("utf-8")
    (tmp_path / FILE).write_text(whole.replace('"inverted": "fine", ', ""), "utf-8")
    page = run(tmp_path)
    assert "inverted" in page
    draw = Draw("breast_cancer", 0.5, 0)
    assert Records(tmp_path)[draw].states["inverted"] == "fine"
    assert Records(tmp_path)[draw].states.keys() == set(MEASURED)


def test_a_fit_that_warns_does_not_stop_a_check_that_a_record_lacks(monkeypatch):
    monkeypatch.setattr(measure, "PULogistic", lambda: NaiveLogistic(max_iter=1))
    draw = Draw("breast_cancer", 0.5, 0)
    known = {name: "note" for name in MEASURED if name != "inverted"}
    found = measure.record_of(draw, None, Record(draw, 100, 0.1, known))
    assert found.states.keys() == set(MEASURED)
    assert found.states["fit"] == "note"


def test_few_labelled_rows_are_a_table_and_inverted_labels_a_sentence(tmp_path):
    draws = [
        {"apart": apart, "labelled": 3, "repeat": k, "holds": k % 2, "length": 0.5, "recall": 0.8}
        for apart in (0.7, 1.5)
        for k in range(4)
    ]
    table = few_labelled_table(pd.DataFrame(draws))
    assert '"3", ".500 (.177)", ".500 (.000)", ".800 (.000)"' in table
    asked = [
        {"labelled_share": 0.3, "asked": 0.0, "asked_inverted": float(k > 0)} for k in range(5)
    ]
    words = inverted_words(pd.DataFrame(asked))
    assert (words["draws"], words["asked"], words["asked_inverted"]) == (5, 0, 4)


def test_one_draw_of_each_of_the_two_further_studies(monkeypatch):
    found = few_labelled.measure(1.5, 10, 0)
    assert 0 < found["length"] <= 1
    assert 0 <= found["recall"] <= 1
    monkeypatch.setattr(inverted, "load_rows", lambda _: load_rows("breast_cancer"))
    found = inverted.measure("breast-w", 0.5, 0)
    assert (found["asked"], found["asked_inverted"]) == (0.0, 1.0)


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

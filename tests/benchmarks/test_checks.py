"""The study of the checks: rates, and a tiny run of it."""

from __future__ import annotations

import pandas as pd
import pytest

from benchmarks.checks import few_labeled, inverted, wrong_labels
from benchmarks.checks.measure import MEASURED, TRIAL
from benchmarks.checks.page import (
    NOTE,
    few_labeled_table,
    headlines,
    inverted_words,
    rate_table,
    rates_of,
    write_page,
    wrong_labels_words,
)
from benchmarks.study import measure_missing
from reproduction.studies.draw import load_rows
from unlabeled.diagnostics import STATES


def draw(number, **states):
    fine = dict.fromkeys(MEASURED, "fine") | {"separation": "not applicable"}
    levels = {check: STATES.index(state) for check, state in (fine | states).items()}
    return {"dataset": "haberman", "c": 0.5, "repeat": number, **levels}


def test_a_trial_needs_no_data_and_makes_a_page(tmp_path):
    measure_missing(TRIAL, tmp_path, TRIAL.plan()[:2])
    write_page(tmp_path)
    page = (tmp_path / "index.rst").read_text("utf-8")
    assert "breast\\_cancer" in page
    assert set(pd.read_csv(tmp_path / "rates.csv")["check"]) == set(MEASURED)


def test_few_labeled_rows_are_a_table_and_inverted_labels_a_sentence(tmp_path):
    draws = [
        {"apart": apart, "labeled": 3, "repeat": k, "holds": k % 2, "length": 0.5, "recall": 0.8}
        for apart in (0.7, 1.5)
        for k in range(4)
    ]
    table = few_labeled_table(pd.DataFrame(draws))
    assert '"3", ".500 (.177)", ".500 (.000)", ".800 (.000)"' in table
    asked = [{"labeled_share": 0.3, "asked": 0.0, "asked_inverted": float(k > 0)} for k in range(5)]
    words = inverted_words(pd.DataFrame(asked))
    assert (words["draws"], words["asked"], words["asked_inverted"]) == (5, 0, 4)


def test_one_draw_of_each_of_the_two_further_studies(monkeypatch):
    found = few_labeled.measure(1.5, 10, 0)
    assert 0 < found["length"] <= 1
    assert 0 <= found["recall"] <= 1
    monkeypatch.setattr(inverted, "load_rows", lambda _: load_rows("breast_cancer"))
    found = inverted.measure("breast-w", 0.5, 0)
    assert (found["asked"], found["asked_inverted"]) == (0.0, 1.0)


@pytest.mark.parametrize("wrong", wrong_labels.WRONG)
def test_labels_are_wrong_as_often_as_the_kind_says(wrong):
    _, y, s = wrong_labels.draw("classes 3.5 apart", wrong, 0.5, 0)
    assert s[~y].sum() / s.sum() == pytest.approx(wrong_labels.WRONG[wrong][0], abs=0.002)
    found = wrong_labels.measure("classes 3.5 apart", wrong, 0.5, 0)
    assert found["wrong_labels"] == s[~y].sum()
    assert found["wrong_listed"] <= min(found["listed"], found["wrong_labels"])


def test_the_page_has_the_share_of_the_list_that_is_wrong():
    one = {"table": "adult", "c": 0.5, "repeat": 0, "state": NOTE, "listed": 10, "said": 0.9}
    made = [one | {"wrong": "none", "wrong_listed": 0}]
    made += [one | {"wrong": "few", "wrong_listed": k, "said": k / 10} for k in (2, 8)]
    made += [one | {"wrong": "few", "state": NOTE - 1, "listed": 0, "wrong_listed": 0}]
    words = wrong_labels_words(pd.DataFrame(made))
    assert (words["told"], words["mean"], words["low"], words["high"]) == (2, "50", "26", "74")
    assert '"adult", ".00 of 1", ".50 of 2", "–"' in words["tables"]
    assert '"3", ".667 (' in words["kinds"]


def test_rates_count_notes_and_warnings_with_their_errors():
    made = [draw(0, leakage="note"), draw(1, leakage="serious"), draw(2), draw(3)]
    rates = rates_of(pd.DataFrame(made)).set_index("check")
    assert rates.loc["leakage", "note"] == 0.5
    assert rates.loc["leakage", "warning"] == 0.25
    assert rates.loc["leakage", "warning_error"] == pytest.approx((0.25 * 0.75 / 4) ** 0.5)
    table = rate_table(rates.reset_index(), 0.5, "warning")
    assert table["leakage"].tolist() == ["25 (22)"]
    assert table["separation"].tolist() == ["–"]
    assert "haberman at c = 0.5 (25\u00a0%)" in headlines(rates.reset_index())
    made[3] = draw(3, leakage="not applicable")
    assert rate_table(rates_of(pd.DataFrame(made)), 0.5, "note")["leakage"].tolist() == [
        "67 (27) of 3"
    ]

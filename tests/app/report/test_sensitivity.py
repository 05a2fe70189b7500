"""The section on labels that may have followed a column."""

from __future__ import annotations

import json

import pytest

from tests.app.report.page_reader import read_page, section
from unlabeled.app.report import ReportError, make_report, read_summary


def line(times, positives):
    return {
        "times": times,
        "positives": positives,
        "lower": 0.5 * positives,
        "upper": 2 * positives,
        "recall": 0.7,
        "precision": 0.61,
    }


def column(group):
    found = [line(0.5, 150.0), line(1.0, 180.0), line(2.0, 240.0)]
    return {"column": "sex", "feature": group, "group": group, "rows": 480, "scenarios": found}


def shown(summary):
    return section(read_page(make_report(summary)), "sensitivity")


def test_labels_as_given_come_first_then_two_lines_per_column(summary):
    columns = [column("sex=male"), column("age above 55")]
    summary["sensitivity"] = {"level": 0.9, "columns": columns, "why_not": None}
    found = shown(summary)
    lines = [one.text for one in found.one("tbody").all("tr")]
    assert lines == [
        "at randomthis report18090 to 36070.0 %61.0 %",
        "half as often with sex=male480 rows15075 to 30070.0 %61.0 %",
        "twice as often with sex=male480 rows240120 to 48070.0 %61.0 %",
        "half as often with age above 55480 rows15075 to 30070.0 %61.0 %",
        "twice as often with age above 55480 rows240120 to 48070.0 %61.0 %",
    ]
    assert "90 % interval" in found.text
    assert "Labels hardly tell" in found.text
    assert "It is not a limit" in found.text
    assert "--labeled-by" in found.text


def test_lines_are_ranges_where_labels_do_not_tell_the_count_and_are_few(summary):
    summary["sensitivity"] = {"level": 0.9, "columns": [column("sex=male")], "why_not": None}
    summary["class_prior"]["identified"], summary["label"]["labeled"] = "not at all", 12
    first = shown(summary).one("tbody").all("tr")[0].text
    assert first == "at randomthis report90 to 36042.1 % to 88.2 %—"


def test_the_reason_is_said_if_there_is_none(summary):
    reason = "this method keeps no scores of held-out rows"
    summary["sensitivity"] = {"level": 0.95, "columns": [], "why_not": reason}
    found = shown(summary)
    assert reason in found.text
    assert not found.all("table")


@pytest.mark.parametrize("older", [{}, {"sensitivity": None}, {"sensitivity": {}}])
def test_an_older_summary_makes_a_page_that_says_so(summary, older):
    summary.pop("sensitivity", None)
    assert "older version" in shown(summary | older).text


def test_numbers_that_are_none_are_not_known(summary):
    broken = column("<b>x</b>")
    for one in broken["scenarios"]:
        one.update(positives=None, recall="much", lower=None)
    broken["scenarios"].append("nothing")
    summary["sensitivity"] = {"columns": [broken]}
    found = shown(summary)
    assert "<b>x</b>" in found.text
    assert found.text.count("—") == 6


@pytest.mark.parametrize("wrong", [[1], {"columns": 3}, {"columns": ["x"]}])
def test_something_else_in_its_place_is_rejected(summary, wrong, tmp_path):
    summary["sensitivity"] = wrong
    (tmp_path / "summary.json").write_text(json.dumps(summary), "utf-8")
    with pytest.raises(ReportError, match="sensitivity"):
        read_summary(tmp_path)


def test_a_summary_of_0_2_0_calls_the_lines_by_another_name(summary):
    older = column("sex=male")
    older["if"] = older.pop("scenarios")
    summary["sensitivity"] = {"level": 0.9, "columns": [older], "why_not": None}
    assert "half as often with sex=male" in shown(summary).text

"""The section on checked rows: what labels alone said, and what the answers say."""

from __future__ import annotations

import json

import pytest

from tests.app.report.audited import audit_of
from tests.app.report.fitted_summary import ROWS
from tests.app.report.hostile import ATTACKS, everywhere
from tests.app.report.page_reader import read_page, section
from unlabeled.app.report import ReportError, make_report, read_summary
from unlabeled.app.report._page import SECTIONS


def page_of(summary, **changed):
    return read_page(make_report(summary | {"audit": audit_of(**changed)}))


def test_without_checked_rows_there_is_no_such_section_but_the_way_to_one(summary):
    page = read_page(make_report(summary, ROWS))
    assert page.all("section", id="audit") == []
    said = section(page, "rows").text
    assert "They are not a random sample" in said
    assert "tells nothing about the number of positives" in said
    assert "mark the positives that you find as labelled and fit again" in said
    assert "unlabeled audit fit" in said  # the folder of the fit
    del summary["made"]["command"]
    assert "unlabeled audit DIR" in section(read_page(make_report(summary)), "rows").text


def test_it_is_the_first_section_and_the_headline_follows_the_answers(summary):
    page = page_of(summary)
    assert [one.attributes["id"] for one in page.all("section")] == list(SECTIONS)
    assert page.one("h1").text == "About 420 of 1 000 rows are positive"
    said = page.one("header").text
    assert "Between 350 and 505 (95 % interval), by 96 checked rows." in said
    assert "The labels alone said about 250." in said
    assert "about the labels alone" in section(page, "count").text


def test_labels_alone_and_checked_rows_stand_side_by_side(summary):
    rows = section(page_of(summary), "audit").one("table").all("tr")[1:5]
    names = [one.one("th").raw for one in rows]
    assert names == ["Positive rows", "Precision", "Recall", "F1"]
    cells = [[one.text for one in row.all("td")[1:]] for row in rows]
    assert cells[0] == ["250", "420", "350 to 505"]
    assert cells[1] == ["60.0 %", "81.0 %", "70.0 % to 90.0 %"]
    assert cells[3] == ["0.646", "0.633", "0.560 to 0.700"]


def test_the_picture_has_the_claim_the_estimate_and_the_interval_in_place(summary):
    first = section(page_of(summary), "audit").all("svg")[0]
    assert first.one("title").text == (
        "Positive rows. Labels alone said 250. Checked rows say 420, between 350 and 505."
    )
    assert first.one("circle", **{"class": "rule-mark"}).attributes["cx"] == "25.0%"
    assert first.one("circle", **{"class": "dot"}).attributes["cx"] == "42.0%"
    (whisker, *_) = first.all("line", **{"class": "whisker"})
    assert (whisker.attributes["x1"], whisker.attributes["x2"]) == ("35.0%", "50.5%")


def test_the_audited_threshold_missing_answers_and_the_scar_test_are_told(summary):
    said = section(page_of(summary), "audit").text
    assert "It selects 512 rows; the cut of the fit selects 300." in said
    assert "Recall is 80.0 % there (70.0 % to 90.0 %)." in said
    assert "predict positive if score > 0.125" in said
    assert "between 330 and 540 rows are positive" in said
    assert "Labels do not look selected at random." in said


def test_an_audit_of_new_rows_is_not_about_the_fitted_table(summary):
    table = {"name": "november.csv", "rows": 700, "fitted": False}
    cut = audit_of()["cut"] | {"selected": None, "selected_before": None}
    page = page_of(summary, table=table, cut=cut, missing=0, scar=None, audits=["a", "b"])
    assert "by 100 checked rows" not in page.one("header").text
    said = section(page, "audit").text
    assert "november.csv, not about the table of the fit" in said
    assert "(2 audits together)" in said
    assert "It selects" not in said
    assert "no answer" not in said


def test_measures_that_are_not_known_are_left_out(summary):
    claimed = dict.fromkeys(("count", "class_prior", "precision", "recall", "f1"))
    page = page_of(summary, precision=None, recall=None, f1=None, claimed=claimed, cut={})
    table = section(page, "audit").one("table")
    assert len(table.all("tbody")[0].all("tr")) == 1
    assert table.all("circle", **{"class": "rule-mark"}) == []
    assert "audited cut" not in section(page, "audit").text


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda text: repr(text[:20]))
def test_no_text_of_an_audit_becomes_markup(summary, attack):
    def shape(text):
        cut = audit_of()["cut"] | {"rule": text}
        table = {"name": text, "rows": 10, "fitted": False}
        made = everywhere(summary, "ordinary") | {
            "audit": audit_of(verdict=text, scar={"sentence": text}, cut=cut, table=table)
        }
        found = section(read_page(make_report(made)), "audit")
        return [(one.tag, sorted(set(one.attributes) - {"title"})) for one in found.all()]

    assert shape(attack) == shape("ordinary")


def test_an_audit_that_is_not_an_object_is_refused(summary, tmp_path):
    (tmp_path / "summary.json").write_text(json.dumps(summary | {"audit": [1]}))
    with pytest.raises(ReportError, match="other than an object in 'audit'"):
        read_summary(tmp_path)

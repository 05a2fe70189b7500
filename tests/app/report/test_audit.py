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
    assert "mark the positives that you find as labeled and fit again" in said
    # The folder of the fit, and its table with its path.
    command = "unlabeled audit fit --table patients.csv --rows 100 --out fit-check"
    assert page.one(id="to-draw").text == command
    summary["made"]["command"] = "unlabeled fit 'my data/patients.csv' --label y --out a/b"
    command = "unlabeled audit a/b --table 'my data/patients.csv' --rows 100 --out a/b-check"
    assert read_page(make_report(summary)).one(id="to-draw").text == command
    again = page_of(summary).one(id="to-draw").text  # the first folder is there by now
    assert again == f"{command}-2"
    moved = read_page(make_report(summary, folder="now here"))
    assert "audit 'now here' --table" in moved.one(id="to-draw").text
    assert "predict 'now here' new.csv" in section(moved, "cut").text
    del summary["made"]["command"]
    command = "unlabeled audit DIR --table patients.csv --rows 100 --out DIR-check"
    assert read_page(make_report(summary)).one(id="to-draw").text == command
    summary["label"]["unlabeled"] = 9
    assert read_page(make_report(summary)).all(id="to-draw") == []


def test_it_is_the_first_section_and_the_headline_follows_the_answers(summary):
    page = page_of(summary)
    assert [one.attributes["id"] for one in page.all("section")] == list(SECTIONS)
    assert page.one("h1").text == "About 420 of 1 000 rows are positive"
    said = page.one("header").text
    assert (
        "Between 330 and 540 (95 % interval, whatever the missing answers are), by 96 checked rows."
        in said
    )
    assert "The labels alone said about 250." in said
    said = page_of(summary, missing=0).one("header").text
    assert "Between 350 and 505 (95 % interval), by 96 checked rows." in said
    assert "about the labels alone" in section(page, "count").text


def test_with_many_missing_answers_title_and_intervals_hold_whatever_they_are(summary):
    page = page_of(summary, checked=20, missing=80)
    assert page.one("h1").text == "Between 330 and 540 of 1 000 rows are positive"
    said = page.one("header").text
    assert "95 % interval by 20 checked rows, whatever the 80 missing answers are." in said
    assert "If rows without an answer are like the others with similar scores, about 420" in said
    rows = section(page, "audit").one("table").all("tr")[1:5]
    ends = [row.all("td")[-1].text for row in rows]
    assert ends == ["330 to 540", "68.0 % to 92.0 %", "40.0 % to 62.0 %", "0.540 to 0.720"]
    said = section(page, "audit").text
    assert "came to be labeled, and whatever the missing answers are." in said
    assert "If that is so, between 350 and 505 rows are positive" in said
    assert "Recall is 80.0 % there (66.0 % to 91.0 %)." in said
    said = section(page, "cut").text
    assert "80 of the drawn rows have no answer." in said
    assert "Use it rather than" not in said
    for text in (page.one("header").text, section(page, "cut").text):
        assert "70.0 % and 90.0 %" not in text
        assert "350 and 505" not in text


def test_an_interval_that_missing_answers_could_move_is_left_out_if_no_range_is_known(summary):
    old = audit_of()["cut"]
    del old["range"]
    page = page_of(summary, cut=old)
    assert "Recall is 80.0 % there. " in section(page, "audit").text
    assert "of the positives are selected" in section(page, "cut").one(**AUDITED).text
    assert "between" not in section(page, "cut").one(**AUDITED).text


AUDITED = {"tag": "dl", "class": "tiles audited"}


def test_the_cut_section_begins_with_the_audited_cut_and_its_command(summary):
    page = page_of(summary)
    cut = section(page, "cut")
    tiles = cut.one(**AUDITED)
    names = [one.text for one in tiles.all("dt")]
    assert names == ["Rows selected", "Recall", "Precision", "F1", "Posterior"]
    numbers = [one.all("span")[0].text for one in tiles.all("dd")]
    assert numbers == ["512", "80.0 %", "70.0 %", "0.747", "32.1 %"]  # expit(-1 + 2 * .125)
    assert "51.2 % of the table; 400 of them unlabeled" in tiles.text
    assert "between 66.0 % and 91.0 %" in tiles.text
    command = "unlabeled predict fit new.csv --cut audited --out new-scored.csv"
    assert cut.one(id="audited-command").text == command
    copied = [
        one.attributes["data-copy"] for one in cut.all("button") if "data-copy" in one.attributes
    ]
    assert copied == ["audited-command", "sentence", "command"]
    assert [one.text for one in cut.all("h3")][:2] == [
        "By labels and checked rows: the audited cut",
        "By the labels alone",
    ]
    text = cut.text
    assert text.index("audited.csv") < text.index("numbers below are by the labels alone")
    assert text.index("numbers below are by the labels alone") < text.index("Move the cut")


def test_without_an_audit_the_cut_section_speaks_of_the_labels_without_saying_so(summary):
    cut = section(read_page(make_report(summary)), "cut")
    assert cut.all(id="audited-command") == []
    assert "labels alone" not in cut.text
    assert "Use this cut" in cut.text


def test_the_header_says_what_checked_rows_found_about_labels_at_random(summary):
    summary["findings"] = [
        {"check": "scar", "code": "PU201", "state": "not applicable", "message": "Few labels."},
        {"check": "leakage", "code": "PU204", "state": "not applicable", "message": "Few rows."},
    ]

    def header(**changed):
        return page_of(summary, **changed).one("p", **{"class": "not-checked"}).text

    assert "labels at random (few labels); leakage (few rows)" in header(scar=None)
    said = header(scar={"p_value": 0.01, "significance_level": 0.05, "sentence": ""})
    assert said.startswith("Not checked: leakage (few rows)")
    assert "Labels at random: the checked rows speak against it (p-value 0.01)." in said
    said = header(scar={"p_value": 0.31, "significance_level": 0.05, "sentence": ""})
    assert "the checked rows found nothing against it, which is no proof (p-value 0.31)." in said
    new = {"name": "november.csv", "rows": 700, "fitted": False}
    assert "labels at random (few labels)" in header(table=new)  # the test is about other rows
    summary["findings"] = []
    said = header()
    assert "labels at random" not in said.partition("Labels at random:")[0]


def test_the_assumption_of_random_labels_follows_the_checked_rows(summary):
    summary["findings"] = []

    def standing(**changed):
        page = page_of(summary, **changed)
        return section(page, "count").one("ul", **{"class": "assumptions"}).all("li")[0].text

    assert standing(scar=None).endswith("Not checked.")
    said = standing(scar={"p_value": 0.01, "significance_level": 0.05, "sentence": ""})
    assert said.endswith("In doubt. The checked rows speak against it (p-value 0.01).")
    assert "No evidence against it." in standing(scar={"p_value": 0.5, "significance_level": 0.05})


def test_labels_alone_and_checked_rows_stand_side_by_side(summary):
    rows = section(page_of(summary, missing=0), "audit").one("table").all("tr")[1:5]
    names = [one.one("th").raw for one in rows]
    assert names == ["Positive rows", "Precision", "Recall", "F1"]
    cells = [[one.text for one in row.all("td")[1:]] for row in rows]
    assert cells[0] == ["250", "420", "350 to 505"]
    assert cells[1] == ["60.0 %", "81.0 %", "70.0 % to 90.0 %"]
    assert cells[3] == ["0.646", "0.633", "0.560 to 0.700"]


def test_the_picture_has_the_claim_the_estimate_and_the_interval_in_place(summary):
    first = section(page_of(summary, missing=0), "audit").all("svg")[0]
    assert first.one("title").text == (
        "Positive rows. The labels alone said 250. Checked rows say 420, between 350 and 505."
    )
    assert first.one("circle", **{"class": "rule-mark"}).attributes["cx"] == "25.0%"
    assert first.one("circle", **{"class": "dot"}).attributes["cx"] == "42.0%"
    (whisker, *_) = first.all("line", **{"class": "whisker"})
    assert (whisker.attributes["x1"], whisker.attributes["x2"]) == ("35.0%", "50.5%")


def test_the_audited_cut_missing_answers_and_the_scar_test_are_told(summary):
    said = section(page_of(summary), "audit").text
    assert "It selects 512 rows; the cut of the fit selects 300." in said
    assert "Recall is 80.0 % there (66.0 % to 91.0 %)." in said
    assert "predict positive if score > 0.125" in said
    assert "4 drawn rows have no answer." in said
    assert "If that is so, between 350 and 505 rows are positive" in said
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
    cut = section(page, "cut")
    assert "Its numbers are about the rows of november.csv" in cut.text
    assert "Rows selected" not in cut.one(**AUDITED).text


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
        found = audit_of(verdict=text, scar={"sentence": text}, cut=cut, table=table, file=text)
        page = read_page(make_report(everywhere(summary, "ordinary") | {"audit": found}))
        parts = [one for name in ("audit", "cut") for one in section(page, name).all()]
        return [(one.tag, sorted(set(one.attributes) - {"title"})) for one in parts]

    assert shape(attack) == shape("ordinary")


def test_an_audit_that_is_not_an_object_is_refused(summary, tmp_path):
    (tmp_path / "summary.json").write_text(json.dumps(summary | {"audit": [1]}))
    with pytest.raises(ReportError, match="other than an object in 'audit'"):
        read_summary(tmp_path)

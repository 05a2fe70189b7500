"""How many rows are positive, with an interval, and what this assumes."""

from __future__ import annotations

import pytest

from tests.app.report.page_reader import read_page, section
from unlabeled.app.report import make_report


def scar(state, message="", code="PU201"):
    return {"check": "scar", "code": code, "state": state, "message": message, "facts": {}}


def quality(state):
    return scar(state, code="PU205") | {"check": "label quality"}


@pytest.fixture
def counted(summary):
    """Return a summary whose count has an interval."""
    summary["class_prior"].update(
        estimate=0.3, lower=0.25, upper=0.36, level=0.95, given=False, identified="well", said=[]
    )
    summary["positives"].update(estimate=300.0, lower=250.0, upper=360.0)
    summary["findings"], summary["notes"] = [scar("fine")], {}
    return summary


@pytest.mark.parametrize(
    ("state", "title"),
    [
        ("well", "Between 250 and 360 of 1 000 rows are positive, if labels are random"),
        ("roughly", "Roughly 250 to 360 of 1 000 rows are positive, if labels are random"),
        ("not at all", "The labels do not tell how many of 1 000 rows are positive"),
    ],
)
def test_the_headline_follows_how_far_labels_identify_the_count(counted, state, title):
    counted["class_prior"]["identified"] = state
    page = read_page(make_report(counted))
    assert page.one("h1").text == title
    said = page.one("header").text
    assert "95 % interval" in said
    assert "a random sample of the positives. The check, which misses much, found nothing" in said
    is_known = state != "not at all"
    assert ("its mean is 300" in said) == is_known
    assert ("Anything between 250 and 360" in said) != is_known
    assert ("hidden positives" in section(page, "count").one("figcaption").text) == is_known


@pytest.mark.parametrize(
    ("findings", "words"),
    [
        ([scar("warning")], "The check speaks against it, or against a line (PU201)."),
        ([scar("not applicable", "Labels are too few.")], "labels at random (labels are too few)"),
        ([scar("not applicable", "Labels are too few.")], "positives, which was not checked."),
        ([scar("fine"), quality("warning")], "The check speaks against it (PU205)."),
        (
            [scar("warning"), quality("serious")],
            "The checks speak against it, or against a line (PU201, PU205).",
        ),
        ([scar("fine")], "The check, which misses much, found nothing against it."),
        ([quality("note")], "which was not checked, but see PU205."),
        (
            [],
            "labels at random, labels that follow a column, leakage, wrong labels, copies of rows",
        ),
    ],
)
@pytest.mark.parametrize("state", ["well", "roughly", "not at all"])
def test_a_count_is_conditional_whatever_the_check_of_random_labels_says(
    counted, findings, words, state
):
    counted["findings"], counted["class_prior"]["identified"] = findings, state
    page = read_page(make_report(counted))
    said = page.one("header").text
    assert ", if labels are random" in said
    assert "That means" not in said  # nothing near that it could point to
    assert words in said
    if state != "not at all":
        assert page.one("h1").text.endswith(", if labels are random")


def test_a_note_on_the_labels_is_named_beside_the_check_of_random_labels(counted):
    counted["findings"] = [scar("fine"), quality("note")]
    page = read_page(make_report(counted))
    assert page.one("h1").text.endswith("are positive, if labels are random")
    assert "found nothing against it, but see PU205." in page.one("header").text


def test_checked_rows_that_are_all_negative_make_the_count_conditional(counted):
    counted["positives"] |= {"lower": None, "upper": None}
    counted["checked"] = {"positive": 0, "negative": 141}
    assert read_page(make_report(counted)).one("h1").text.endswith("are positive")
    counted["warnings"] = [{"code": "PU123", "message": "None is positive."}]
    page = read_page(make_report(counted))
    assert page.one("h1").text.endswith(
        ", if rows were chosen for checking before anybody knew their class"
    )
    assert "leave them out (PU123)" in page.one("header").text


def test_the_page_begins_with_what_was_not_checked(counted):
    counted["findings"] = [
        scar("not applicable", "'dose' separates rows. It has 80 % of them."),
        {"check": "direction", "code": "PU203", "state": "not applicable", "message": "Few rows."},
        {"check": "leakage", "code": "PU204", "state": "not applicable", "message": "Few rows."},
        {"check": "fit", "code": "PU105", "state": "not applicable", "message": "Not kept."},
    ]
    counted["comparison"] = None
    counted["notes"] = {
        "checks": "on 20 000 of the 90 000 rows, drawn at random",
        "comparison": "not run: --no-compare",
    }
    page = read_page(make_report(counted))
    assert page.one("p", **{"class": "not-checked"}).text == (
        "Not checked: labels at random ('dose' separates rows); direction of the score, leakage "
        "(few rows). The checks were made on 20 000 of the 90 000 "
        "rows, drawn at random."
    )
    assert "Not checked (4)" in section(page, "findings").text


def test_a_check_of_a_part_of_the_rows_says_so(counted):
    counted["findings"][0]["facts"] = {"rows_tested": 2400, "rows_in_all": 9000}
    counted["notes"] = {"comparison": "on 5000 of the 9000 rows, drawn at random"}
    said = read_page(make_report(counted)).one("p", **{"class": "not-checked"}).text
    assert "The check of labels at random used 2 400 of 9 000 rows." in said
    assert "The methods were compared on 5000 of the 9000 rows" in said
    assert "Not checked" not in said


def test_a_page_of_a_fit_with_all_checks_has_no_such_line(counted):
    page = read_page(make_report(counted))
    assert page.all("p", **{"class": "not-checked"}) == []


def test_methods_that_disagree_are_named_with_what_they_say(counted):
    said = [("line", 0.6, 0.48), ("trees", 0.35, 0.26), ("boosting", 0.01, 0.9)]
    counted["class_prior"]["said"] = [
        {"name": name, "probability": probability, "estimate": estimate}
        for name, probability, estimate in said
    ]
    page = read_page(make_report(counted))
    words = "Methods disagree: a line says 48.0 %, trees say 26.0 %; the labels do not tell"
    assert words in page.one("header").text
    assert "boosting 90.0 % (900 rows; weight 1.0 %)" in section(page, "count").text
    counted["class_prior"]["said"][1]["estimate"] = 0.46
    assert "disagree" not in read_page(make_report(counted)).one("header").text


def test_what_checked_rows_would_tell_is_as_long_as_the_interval_of_the_fit_is_said_to_be(counted):
    """Both lengths, and which of the two holds without random labels."""
    counted["if_checked"] = {"rows": 100, "count": 230.0}
    said = read_page(make_report(counted)).one("header").text
    assert "This interval is 110 rows long, and holds only if labels are random." in said
    checked = "That of 100 checked rows would be about 230 long, and would hold whether labels are"
    assert checked in said
    counted["label"]["cases"] = "register.csv"
    assert "only if cases are random" in read_page(make_report(counted)).one("header").text
    counted["labeled_by"] = {"columns": ["ward"], "levels": []}
    said = read_page(make_report(counted)).one("header").text
    assert "only if labels follow only ward" in said
    assert "would hold whatever the labels follow" in said


def test_without_an_interval_of_the_fit_that_of_checked_rows_stands_alone(counted):
    counted["if_checked"] = {"rows": 100, "count": 230.0}
    for name in ("class_prior", "positives"):
        counted[name].update(lower=None, upper=None)
    said = read_page(make_report(counted)).one("header").text
    assert "100 checked rows would give an interval that is about 230 rows long, and holds" in said
    assert "This interval" not in said


def test_rare_positives_are_no_reason_not_to_check(counted):
    counted["if_checked"] = {"rows": 100, "count": 2.1 * counted["positives"]["estimate"]}
    said = read_page(make_report(counted)).one("header").text
    assert "If positives are as rare as the labels say, 100 checked rows hardly tell" in said
    assert "They tell whether there are far more" in said
    assert "rows long" not in said


def test_the_section_of_the_count_says_what_is_labeled_and_what_is_assumed(summary):
    text = section(read_page(make_report(summary)), "count").text
    assert f"{summary['label']['labeled']} rows are labeled." in text
    for words in ("(SCAR)", "averaged over curves"):
        assert words in text


def test_ten_labeled_rows_are_not_called_enough(summary):
    text = section(read_page(make_report(summary)), "count").text
    assert "enough labeled rows" not in text
    assert "At least ten rows, or groups of rows, are labeled, and the fit converged." in text


def test_a_given_class_prior_is_called_given(summary):
    summary["class_prior"].update(estimate=0.3, lower=None, upper=None, method=None, given=True)
    for name in ("positives", "hidden_positives", "label_frequency"):
        summary[name].update(lower=None, upper=None)
    page = read_page(make_report(summary))
    assert page.one("h1").text.startswith("With your class prior of 30.0 %, ")
    assert "The class prior that you gave" in section(page, "count").text
    assert "0.3000, as given" in section(page, "provenance").text
    assert not page.all(data_show="precision_lower")


def test_a_missing_interval_is_said_to_be_missing(summary):
    for name in ("class_prior", "label_frequency", "positives", "hidden_positives"):
        summary[name].update(lower=None, upper=None)
    for row in summary["coefficients"]["rows"]:
        row.update(lower=None, upper=None)
    page = read_page(make_report(summary))
    assert "no interval" in page.one("header").text
    assert "no intervals" in section(page, "coefficients").text


@pytest.mark.parametrize("told", ["finding", "warning"])
def test_a_number_that_a_finding_voids_is_not_the_headline(counted, told):
    message = "of 80 rows with 'dose' >= 1, 80 are labeled. If it was recorded later, drop it."
    if told == "finding":
        counted["findings"] = [
            {"check": "leakage", "code": "PU204", "state": "serious", "message": message}
        ]
    else:
        counted["warnings"] = [{"code": "PU204", "message": message}]
    page = read_page(make_report(counted))
    title = "The number of positive rows is unknown: a feature may give the label away (PU204)"
    assert page.one("h1").text == title
    said = page.one("p", **{"class": "range"}).text
    assert said.startswith("Of 80 rows with 'dose' >= 1, 80 are labeled.")
    assert "use neither the number of positives nor recall" in said
    assert "positives may be hidden" not in page.text
    assert "interval for the number of positives" not in page.text

"""What was found against a fit is told, the worst first, and every code explained."""

from __future__ import annotations

import re

import pytest

from tests.app.report.page_reader import read_page, section
from unlabeled.app.report import make_report
from unlabeled.app.report._findings import prose_with
from unlabeled.codes import CODES


@pytest.mark.parametrize("state", ["warning", "serious"])
def test_a_finding_puts_the_assumption_it_is_about_in_doubt(summary, state):
    summary["findings"].append(
        {"check": "scar", "code": "PU201", "state": state, "message": "Rejected (p = 0.001)."}
    )
    page = read_page(make_report(summary))
    scar, leak, logistic, enough = (
        section(page, "count").one("ul", **{"class": "assumptions"}).all("li")
    )
    assert "In doubt: PU201" in scar.text
    assert "In doubt: PU201" in logistic.text  # the test is one of both
    assert not any("In doubt" in one.text for one in (leak, enough))
    entry = section(page, "findings").one(id=scar.one("a").attributes["href"].removeprefix("#"))
    finding = section(page, "findings").one(
        "li", id=entry.one("a").attributes["href"].removeprefix("#")
    )
    for words in (state, CODES["PU201"].meaning[1:]):
        assert words in finding.text
    assert ("A serious problem" in section(page, "count").text) == (state == "serious")


def test_an_assumption_whose_check_does_not_apply_is_not_said_to_hold(summary):
    summary["findings"] = [
        {
            "check": "scar",
            "code": "PU201",
            "state": "not applicable",
            "message": "It takes 100 rows.",
        },
        {"check": "duplicates", "code": "PU206", "state": "fine", "message": "none"},
    ]
    page = read_page(make_report(summary))
    scar, leak, *_ = section(page, "count").one("ul", **{"class": "assumptions"}).all("li")
    assert "Not checked. It takes 100 rows." in scar.text
    assert "Not checked." in leak.text


def test_the_worst_finding_comes_first_and_good_news_is_folded(summary):
    found = [("note", "PU106"), ("serious", "PU204"), ("fine", "PU206"), ("warning", "PU201")]
    summary["findings"] = [
        {"check": "c", "code": code, "state": state, "message": "m"} for state, code in found
    ]
    findings = section(read_page(make_report(summary)), "findings")
    states = [one.text for one in findings.all("span", **{"class": "state"})]
    assert states == ["serious", "warning", "note", "fine"]
    folded = [one.text for one in findings.all("details")]
    assert len(folded) == 1
    assert "Checks that found nothing (1)" in folded[0]


def test_without_checks_the_report_says_that_none_were_run(summary):
    summary["findings"] = []
    page = read_page(make_report(summary))
    assert "No checks were run." in section(page, "findings").text
    assert section(page, "count").text.count("Not checked.") == 4


def test_warnings_of_the_fit_are_told_with_their_page(summary):
    summary["warnings"] = [{"code": "PU105", "message": "[PU105] the solver stopped early."}]
    text = section(read_page(make_report(summary)), "findings").text
    assert "The solver stopped early." in text
    assert 'the page "Checks" of the documentation, section PU105' in text


def test_a_code_links_to_what_it_means_and_what_to_do(summary):
    summary["findings"] = [
        {"check": "scar", "code": "PU201", "state": "warning", "message": "Rejected."},
        {"check": "copies", "code": "PU206", "state": "fine", "message": "None."},
    ]
    summary["warnings"] = [{"code": "PU104", "message": "Two columns are equal."}]
    findings = section(read_page(make_report(summary)), "findings")
    for code in ("PU201", "PU104"):
        link = next(one for one in findings.all("a") if one.text == code)
        told = findings.one(id=link.attributes["href"].removeprefix("#")).text
        assert CODES[code].meaning[1:] in told
        assert CODES[code].remedy.replace("`", "") in told.replace("`", "")
    assert CODES["PU206"].remedy not in findings.text


def test_codes_that_only_compared_methods_gave_are_explained_too(summary):
    summary["findings"], summary["warnings"] = [], []
    methods = [{"name": "naive", "f1_pu": {"mean": 1.0}, "warnings": {"PU105": 3, "PU999": 1}}]
    summary["comparison"] = {"methods": methods, "repeats": 5}
    page = read_page(make_report(summary))
    comparison = section(page, "comparison")
    assert "naive: warning PU105 in 3, PU999 in 1 of 5 splits." in comparison.text
    links = {one.text: one.attributes["href"] for one in comparison.all("a")}
    assert links.keys() == {"PU105"}
    assert CODES["PU105"].remedy in section(page, "findings").one(id=links["PU105"][1:]).text


def texts(element):
    """Yield every text of a page with the elements around it, the innermost last."""
    for one in element.children:
        if isinstance(one, str):
            yield one, [element]
        elif one.tag not in ("style", "script", "desc", "title"):
            for text, around in texts(one):
                yield text, [element, *around]


def test_every_code_anywhere_on_the_page_links_to_its_entry(summary):
    summary["findings"] = [
        {"check": "scar", "code": "PU201", "state": "serious", "message": "See also PU114."},
        {"check": "copies", "code": "PU206", "state": "fine", "message": "None, but see PU205."},
    ]
    summary["warnings"] = [{"code": "PU119", "message": "Rows were relabeled (PU118)."}]
    summary["remarks"] = ["A remark on PU105."]
    summary["notes"]["checks"] = "not run because of PU107"
    summary["label"]["sentence"] = "Labels, as PU112 says."
    page = read_page(make_report(summary))
    links, unlinked = {}, []
    for text, around in texts(page):
        for code in re.findall(r"PU\d{3}", text):
            if any(one.attributes.get("id") == f"code-{code.lower()}" for one in around):
                continue
            if around[-1].tag == "a":
                links[code] = around[-1].attributes["href"]
            else:
                unlinked.append((code, text))
    assert unlinked == []
    named = {"PU201", "PU114", "PU205", "PU119", "PU118", "PU105", "PU107", "PU112"}
    assert links.keys() >= named
    for code, href in links.items():
        told = page.one(id=href.removeprefix("#")).text
        assert CODES[code].remedy.replace("`", "") in told, code
    assert "PU206" not in links


def test_prose_is_escaped_linked_shortened_and_keeps_its_numbers_whole():
    prose = prose_with({"PU201": {"anchor": "code-pu201"}})
    assert prose("<b> 95 % of 38 800 rows, PU201, PU999") == (
        "<bdi>&lt;b&gt; 95\u202f% of 38\u202f800 rows, "
        '<a class="code" href="#code-pu201">PU201</a>, PU999</bdi>'
    )
    assert prose("Run `unlabeled fit`.") == "<bdi>Run <code>unlabeled fit</code>.</bdi>"
    assert prose('"PU201" long', 8) == (
        '<bdi title="&#34;PU201&#34; long">&#34;<a class="code" href="#code-pu201">PU201</a>'
        "&#34;…</bdi>"
    )

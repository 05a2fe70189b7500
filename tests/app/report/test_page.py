"""The page as a whole: its sections, its links, and its numbers of any size."""

from __future__ import annotations

import re

import pytest

from tests.app.report.fitted_summary import ROWS
from tests.app.report.page_reader import read_page
from unlabeled.app.report import make_report
from unlabeled.app.report._page import SECTIONS


def test_sections_come_in_the_given_order_and_are_linked(summary):
    page = read_page(make_report(summary))
    names = [one.attributes["id"] for one in page.all("section")]
    assert names == [name for name in SECTIONS if name != "audit"]  # no rows were checked
    links = [one.attributes["href"] for one in page.one("nav").all("a")]
    assert links == [f"#{name}" for name in names]
    assert [len(page.all(tag)) for tag in ("h1", "main", "nav", "header", "footer")] == [1] * 5
    assert len(page.all("h2")) == len(names)


@pytest.mark.parametrize("size", [1e-300, 1e-12, 1e12, 1e300])
def test_very_small_and_very_large_numbers_make_a_page(summary, size):
    for row in summary["coefficients"]["rows"]:
        for name in ("coef", "lower", "upper", "effect"):
            row[name] *= size
    summary["curve"]["threshold"] = [size * one for one in summary["curve"]["threshold"]]
    summary["costs"] = {"miss": size, "false_alarm": 0.0}
    page = read_page(make_report(summary))
    shown = page.one(data_show="cost").text
    assert "× 10" in shown
    assert not re.search(r"\b(nan|inf)\b", page.one("main").text)


def test_names_of_elements_are_unique_and_every_link_inside_has_a_target(summary):
    summary["findings"].append({"check": "s", "code": "PU201", "state": "warning", "message": "m"})
    elements = read_page(make_report(summary, ROWS)).all()
    names = [one.attributes["id"] for one in elements if "id" in one.attributes]
    assert len(names) == len(set(names))
    targets = [one.attributes["href"][1:] for one in elements if one.tag == "a"]
    labeled = [
        name
        for one in elements
        for by in ("aria-labelledby", "aria-describedby")
        for name in (one.attributes.get(by) or "").split()
    ]
    assert set(targets + labeled) <= set(names)


def test_pictures_have_words_and_tables_have_headings(summary):
    page = read_page(make_report(summary, ROWS))
    pictures = page.all("svg", role="img")
    assert len(pictures) == 22
    for one in pictures:
        assert one.all("title")[0].text
    for table in page.all("table"):
        heads = table.all("th")
        assert heads
        assert all(one.attributes.get("scope") in ("col", "row") for one in heads)
    assert page.one("html").attributes["lang"] == "en"
    assert page.one("label", **{"for": "slider"}).text


def test_the_given_summary_is_left_as_it_was(summary, made_summary):
    make_report(summary)
    assert summary == made_summary


def test_it_says_cut_and_never_threshold_as_the_glossary_wants(summary):
    text = read_page(make_report(summary)).one("main").text
    assert "cut" in text
    assert "threshold" not in text.lower()

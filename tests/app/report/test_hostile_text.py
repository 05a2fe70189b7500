"""Nothing in a table can act, hide or load anything in the report."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from hashlib import sha256

import pytest

from tests.app.report.fitted_summary import ROWS
from tests.app.report.hostile import ATTACKS, everywhere
from tests.app.report.page_reader import read_page, section
from unlabeled.app.report import ShownRows, make_report
from unlabeled.app.report._rows import Row


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda text: repr(text[:20]))
def test_no_text_of_a_table_becomes_markup(summary, attack):
    ordinary = read_page(make_report(everywhere(summary, "ordinary"), ROWS))
    rows = ShownRows(attack, tuple(Row(1, attack, 1.0, 0.5, 1, attack) for _ in range(5)), 5)
    page = read_page(make_report(everywhere(summary, attack), rows))

    def shape(element):
        links = element.tag == "a" and element.attributes["href"].startswith("#")
        names = set(element.attributes) - {"title"}
        return [(element.tag, sorted(names), links)] + [
            one for child in element.children if not isinstance(child, str) for one in shape(child)
        ]

    assert shape(page) == shape(ordinary)


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda text: repr(text[:20]))
def test_no_control_character_or_turn_of_direction_is_left(summary, attack):
    rows = ShownRows(attack, (Row(1, attack, 1.0, 0.5, 1, attack),), 5)
    page = make_report(everywhere(summary, attack), rows)
    page.encode("utf-8")
    assert not re.search(
        "[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029]", page
    )


def test_a_long_name_is_cut_and_whole_in_its_title(summary):
    name = "a very long name of a column " * 20
    summary["coefficients"]["rows"][0].update(feature=name.strip(), column=name.strip())
    page = read_page(make_report(summary))
    cell = section(page, "coefficients").one("table", role="table").one("bdi", title=name.strip())
    assert cell.text.endswith("…")
    assert len(cell.text) <= 80


def test_the_data_of_the_script_hold_numbers_only_and_cannot_end_the_script(summary):
    page = make_report(everywhere(summary, "</script><script>alert(1)</script>"))
    data = read_page(page).one("script", id="cut-data").raw
    assert not set("<>&") & set(data)
    record = json.loads(data)
    assert record["curve"]["recall"] == summary["curve"]["recall"]
    assert set(record) == {
        *("rows", "labeled", "labeled_rows", "independent", "labeled_are_counted"),
        *("prior", "per_error", "costs", "chosen", "curve", "scales", "told", "recall_is_range"),
    }
    assert set(record["scales"]) <= {"first", "all", "logarithmic"}


def test_the_policy_allows_the_pages_own_script_and_style_and_nothing_else(summary):
    page = read_page(make_report(summary))
    policy = page.one("meta", http_equiv="Content-Security-Policy").attributes["content"]
    (style,) = page.all("style")
    (script,) = [one for one in page.all("script") if "type" not in one.attributes]

    def hashed(text):
        return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()

    assert policy == (
        f"default-src 'none'; script-src '{hashed(script.raw)}'; style-src '{hashed(style.raw)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    meta = page.one("head").all("meta")
    assert meta[1].attributes["http-equiv"] == "Content-Security-Policy"


def test_nothing_is_loaded_from_anywhere(summary):
    page = make_report(summary, ROWS)
    assert not re.search(r"https?://|//[a-z]|url\(|@import|@font-face|\beval\b|innerHTML", page)
    elements = read_page(page).all()
    loading = {"src", "srcset", "data", "poster", "background", "action", "xlink:href", "style"}
    assert not [one for one in elements if loading & set(one.attributes)]
    assert not [one for one in elements if one.tag in ("link", "img", "iframe", "object", "base")]
    assert not [name for one in elements for name in one.attributes if name.startswith("on")]
    assert all(one.attributes["href"].startswith("#") for one in elements if one.tag == "a")

"""The page holds the rows in their order and nothing else, and says what it cannot take."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from hashlib import sha256

import pytest

from tests.app.report.hostile import ATTACKS
from tests.app.report.page_reader import read_page
from unlabeled.app.check_page import ANSWERS, make_check_page

GIVEN = {
    "columns": ["patient", "note"],
    "keys": ["r2", "r1", "r3"],
    "title": "Check 3 rows of patients.csv",
    "question": "Is this row positive?",
    "storage_key": "4f1c",
}
ROWS = [["P7", "cough"], ["P3", None], ["P9", "  "]]


def made(rows=ROWS, **changes):
    return make_check_page(rows, **GIVEN | changes)


def data_of(page):
    return json.loads(read_page(page).one("script", id="check-data").raw)


def test_rows_keep_their_order_and_blank_cells_are_empty():
    assert data_of(made()) == {
        "columns": ["patient", "note"],
        "keys": ["r2", "r1", "r3"],
        "rows": [["P7", "cough"], ["P3", None], ["P9", None]],
        "answers": list(ANSWERS),
        "storage": "unlabeled check 4f1c",
    }


def test_title_question_and_command_are_on_the_page():
    page = read_page(made(command="unlabeled audit D --answers answers.csv"))
    assert page.one("title").text == GIVEN["title"]
    assert page.one("h1").text == GIVEN["title"]
    assert page.one(id="question").text == GIVEN["question"]
    assert (
        page.one("code", **{"class": "command"}).text == "unlabeled audit D --answers answers.csv"
    )
    offered = [one.attributes.get("data-answer") for one in page.all("button")]
    assert tuple(filter(None, offered)) == ANSWERS


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda text: repr(text[:20]))
def test_no_text_becomes_markup_or_hides(attack):
    page = made(
        [["ordinary", attack]] * 3, columns=["patient", attack], title=attack, question=attack,
        command=attack,
    )  # fmt: skip
    page.encode("utf-8")
    assert not re.search(
        "[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029]", page
    )
    assert not set("<>&") & set(read_page(page).one("script", id="check-data").raw)

    def shape(page):
        # A command has one span per word.
        tags = [(one.tag, sorted({*one.attributes} - {"title"})) for one in read_page(page).all()]
        return [one for one in tags if one != ("span", [])]

    assert shape(page) == shape(made())


def test_lines_of_a_cell_stay_apart_and_control_characters_are_shown():
    cells = [["a\r\nb\rc\u2028d\x85e", "tab\tbell\x07 \u202eturned"]]
    assert data_of(made(cells, keys=["r1"]))["rows"] == [
        ["a\nb\nc\nd\ne", "tab bell␇ ⟨U+202E⟩turned"]
    ]


def test_the_policy_allows_the_pages_own_script_and_style_and_nothing_else():
    page = read_page(made())
    policy = page.one("meta", http_equiv="Content-Security-Policy").attributes["content"]
    (script,) = [one for one in page.all("script") if "type" not in one.attributes]

    def hashed(text):
        return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()

    assert policy == (
        f"default-src 'none'; script-src '{hashed(script.raw)}'; "
        f"style-src '{hashed(page.one('style').raw)}'; base-uri 'none'; form-action 'none'"
    )


def test_nothing_is_loaded_from_anywhere():
    page = made()
    assert not re.search(r"https?://|url\(|@import|@font-face|\beval\b|innerHTML|fetch\(", page)
    elements = read_page(page).all()
    assert not {one.tag for one in elements} & {"link", "img", "iframe", "object", "base", "form"}
    names = {name for one in elements for name in one.attributes}
    assert not names & {"src", "srcset", "data", "action", "style"}
    assert not [name for name in names if name.startswith("on")]


def test_names_of_elements_are_unique_and_refer_to_something():
    elements = read_page(made()).all()
    names = [one.attributes["id"] for one in elements if "id" in one.attributes]
    assert len(names) == len(set(names))
    referred = {one.attributes.get("aria-labelledby", "row") for one in elements}
    assert len(referred) > 4
    assert referred <= set(names)


@pytest.mark.parametrize(
    ("rows", "changes", "words"),
    [
        ([], {"keys": []}, ["`rows`", "at least one"]),
        ([["P7"], ["P3", "x"], ["P9", "x"]], {}, ["`rows`", "2 cells", "got 1 in row 0"]),
        ([["P7", 3.5]], {"keys": ["r1"]}, ["`rows`", "text or None", "3.5", "row 0"]),
        (ROWS, {"keys": ["r1", "r2"]}, ["`keys`", "3 different", "got 2"]),
        (ROWS, {"keys": ["r1", "r2", "r1"]}, ["`keys`", "got 3", "2 of them"]),
        (ROWS, {"keys": ["r1", "r2", "=1+1"]}, ["`keys`", "'=1+1'"]),
        (ROWS, {"keys": ["r1", "r2", "-3"]}, ["`keys`", "'-3'"]),
        (ROWS, {"keys": ["r1", "r2", "a,b"]}, ["`keys`", "'a,b'"]),
        (ROWS, {"keys": ["r1", "r2", "r3\n"]}, ["`keys`", r"'r3\n'"]),
        (ROWS, {"storage_key": ""}, ["`storage_key`"]),
    ],
)
def test_what_cannot_be_a_page_is_refused_by_name_and_value(rows, changes, words):
    with pytest.raises(ValueError, match=".*".join(map(re.escape, words))):
        made(rows, **changes)

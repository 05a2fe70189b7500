"""Rows are answered, kept, cleared and saved; nothing leaves the page or runs in it."""

from __future__ import annotations

import csv
from itertools import cycle, islice
from pathlib import Path

import pytest

from tests.app.report.hostile import ATTACKS
from tests.browser.colors import CONTRASTS, GROUND
from unlabeled.app.check_page import make_check_page

pytestmark = pytest.mark.browser

COLUMNS = ["patient", "age", "note"]
REFUSALS = {
    "all": "Object.defineProperty(window, 'localStorage', "
    "{ get() { throw new DOMException('Access is denied', 'SecurityError'); } });",
    "writing": "Storage.prototype.setItem = () => "
    "{ throw new DOMException('Full', 'QuotaExceededError'); };",
}
PAYLOADS = [
    "<script>window.pwned = 1; document.title = 'pwned'; alert(1)</script>",
    '</script><img src=x onerror="window.pwned = 1; alert(1)">',
    "\"' onmouseover=alert(1) autofocus onfocus=window.pwned=1 x='",
    "</title></style></textarea><svg onload=alert(1)><script>window.pwned=1</script>",
    '=HYPERLINK("http://localhost/", "x")',
    "https://localhost/picture.png",
    "two\nlines",
]


def check_page(n=30, storage_key="4f1c", note="a note", **changes):
    rows = [[f"P{k:03d}", str(20 + k), None if k % 5 == 4 else note] for k in range(n)]
    given = {
        "columns": COLUMNS,
        "keys": [f"r{7 * k % 101:04d}" for k in range(n)],
        "title": "Check rows of patients.csv",
        "question": "Is this row positive?",
        "storage_key": storage_key,
        "command": "unlabeled audit patients --answers answers.csv",
    }
    return make_check_page(rows, **given | changes)


def press(opened, *keys):
    for key in keys:
        opened.page.keyboard.press(key)


def heading(opened):
    return opened.page.locator("#row").inner_text()


def progress(opened):
    return opened.page.locator("#progress").inner_text()


def saved(opened) -> list[dict[str, str]]:
    with opened.page.expect_download() as download:
        opened.page.get_by_role("button", name="Save answers").click()
    assert download.value.suggested_filename == "answers.csv"
    with Path(download.value.path()).open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def test_thirty_rows_answered_by_keys_closed_half_way_reopened_and_saved(open_page):
    opened = open_page(check_page())
    signs = list(islice(cycle("yn1u0?"), 30))
    meaning = {"y": "yes", "1": "yes", "n": "no", "0": "no", "u": "not sure", "?": "not sure"}
    assert heading(opened) == "Row 1 of 30"
    assert progress(opened) == "0 of 30 answered"
    press(opened, *signs[:15])
    assert progress(opened) == "Row 15: yes. 15 of 30 answered"

    opened.reopen()
    assert heading(opened) == "Row 16 of 30"
    assert progress(opened) == "15 of 30 answered"
    assert opened.page.locator("dd").first.inner_text() == "P015"
    assert not opened.page.locator("#not-kept").is_visible()
    press(opened, *signs[15:])
    assert opened.page.get_by_text("All 30 rows are answered.").is_visible()
    assert opened.page.evaluate("document.activeElement.id") == "save-title"
    assert opened.page.get_by_text("unlabeled audit patients --answers answers.csv").is_visible()

    assert opened.requests == [opened.address] * 2
    assert saved(opened) == [
        {"key": f"r{7 * k % 101:04d}", "truth": meaning[sign]} for k, sign in enumerate(signs)
    ]
    # What the browser hands to itself to save a file leaves nothing either.
    assert all(one.startswith(("file:", "blob:")) for one in opened.requests)
    assert opened.complaints == []


def test_answers_are_given_with_buttons_and_changed_after_going_back(open_page):
    opened = open_page(check_page(4))
    page = opened.page
    page.get_by_role("button", name="Yes").click()
    page.get_by_role("button", name="Not sure").click()
    assert heading(opened) == "Row 3 of 4"
    page.get_by_role("button", name="Back").click()
    assert page.get_by_role("button", name="Not sure", pressed=True).count() == 1
    page.get_by_role("button", name="No", exact=True).click()
    assert heading(opened) == "Row 3 of 4"
    page.get_by_role("button", name="Forward").click()
    press(opened, "y")
    assert page.get_by_text("1 of 4 rows has no answer yet").is_visible()
    assert [row["truth"] for row in saved(opened)] == ["yes", "no", "", "yes"]
    page.get_by_role("button", name="Go to the first row without an answer").click()
    assert heading(opened) == "Row 3 of 4"


def test_rows_are_found_in_the_list_and_with_keys(open_page):
    opened = open_page(check_page(200, keys=[f"r{k}" for k in range(200)]))
    page = opened.page
    press(opened, "n", "f", "ArrowRight", "b", "ArrowLeft", "ArrowLeft", "ArrowLeft")
    assert heading(opened) == "Row 1 of 200"
    assert page.get_by_role("button", name="Back").is_disabled()
    page.get_by_role("button", name="Row 150, no answer").click()
    assert heading(opened) == "Row 150 of 200"
    current = page.locator("[aria-current]")
    assert current.get_attribute("aria-label") == "Row 150, no answer"
    press(opened, "ArrowRight", "ArrowRight", *"yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy")
    inside, around = current.bounding_box(), page.locator("#map").bounding_box()
    assert around["y"] <= inside["y"]
    assert inside["y"] + inside["height"] <= around["y"] + around["height"]
    assert page.get_by_role("button", name="Row 1, no", exact=True).is_visible()


def test_a_key_that_is_held_answers_one_row_only(open_page):
    opened = open_page(check_page(9))
    for _ in range(4):
        opened.page.keyboard.down("y")
    opened.page.keyboard.up("y")
    assert progress(opened) == "Row 1: yes. 1 of 9 answered"


def test_shortcuts_of_the_browser_text_fields_and_keys_switched_off_answer_nothing(open_page):
    opened = open_page(check_page(9))
    press(opened, "Control+u", "Alt+n", "Control+ArrowRight")
    opened.page.get_by_text("No file? Copy the text").click()
    opened.page.get_by_label("Answers as text").focus()
    press(opened, "y", "ArrowRight")
    opened.page.get_by_label("Use these keys").uncheck()
    opened.page.locator("#row").focus()
    press(opened, "y", "1", "ArrowRight")
    assert (heading(opened), progress(opened)) == ("Row 1 of 9", "0 of 9 answered")


def test_two_sets_of_rows_do_not_mix_and_a_page_made_again_has_its_answers(open_page, tmp_path):
    opened = open_page(check_page(5))
    press(opened, "y", "n")
    path = tmp_path / "report-0.html"
    path.write_text(check_page(5, storage_key="another"), "utf-8")
    opened.reopen()
    assert progress(opened) == "0 of 5 answered"
    press(opened, "u")
    path.write_text(check_page(5), "utf-8")
    opened.reopen()
    assert [row["truth"] for row in saved(opened)] == ["yes", "no", "", "", ""]


def test_the_browser_stores_keys_and_answers_and_nothing_of_the_rows(open_page):
    opened = open_page(check_page(5))
    press(opened, "y", "u")
    stored = opened.page.evaluate("({ ...localStorage })")
    assert stored == {"unlabeled check 4f1c": '{"r0000":"yes","r0007":"not sure"}'}


@pytest.mark.parametrize("text", ["no JSON", "null", "[1]", '{"r0000":"maybe","other":"yes"}'])
def test_what_is_stored_and_no_answer_is_passed_over(open_page, text):
    opened = open_page(check_page(5))
    opened.page.evaluate("(text) => localStorage.setItem('unlabeled check 4f1c', text)", text)
    opened.reopen()
    assert progress(opened) == "0 of 5 answered"
    press(opened, "y")
    opened.reopen()
    assert progress(opened) == "1 of 5 answered"
    assert opened.complaints == []


@pytest.mark.parametrize("refusal", REFUSALS)
def test_where_nothing_is_kept_the_page_says_so_and_works(open_page, refusal):
    opened = open_page(check_page(5))
    opened.page.context.add_init_script(REFUSALS[refusal])
    opened.reopen()
    alert = opened.page.get_by_role("alert")
    assert "does not keep your answers" in alert.inner_text()
    assert not opened.page.get_by_text("Your browser keeps your answers").is_visible()
    press(opened, "y", "n", "u")
    assert alert.is_visible()
    assert [row["truth"] for row in saved(opened)] == ["yes", "no", "not sure", "", ""]
    assert opened.complaints == []


def test_closing_asks_if_answers_are_neither_kept_nor_saved(open_page):
    opened = open_page(check_page(5))
    opened.page.context.add_init_script(REFUSALS["all"])
    opened.reopen()
    press(opened, "y")
    with opened.page.expect_event("dialog") as dialog:
        opened.page.close(run_before_unload=True)
    assert dialog.value.type == "beforeunload"
    saved(opened)
    closes_without_a_question(opened)


def test_closing_asks_nothing_where_answers_are_kept(open_page):
    opened = open_page(check_page(5))
    press(opened, "y")
    closes_without_a_question(opened)


def closes_without_a_question(opened):
    opened.complaints.clear()
    with opened.page.expect_event("close"):
        opened.page.close(run_before_unload=True)
    assert opened.complaints == []


def test_clearing_asks_first(open_page):
    opened = open_page(check_page(5))
    page = opened.page
    clear = page.locator("#clear")
    assert clear.is_disabled()
    press(opened, "y", "n")
    clear.click()
    dialog = page.get_by_role("dialog", name="Clear all answers?")
    assert "2 of 5 rows" in dialog.inner_text()
    assert page.evaluate("document.activeElement.id") == "keep-them"
    press(opened, "y", "Escape")
    assert not dialog.is_visible()
    clear.click()
    press(opened, "Enter")
    assert not dialog.is_visible()
    assert [row["truth"] for row in saved(opened)] == ["yes", "no", "", "", ""]

    clear.click()
    press(opened, "Tab", "Enter")
    assert progress(opened) == "All answers are cleared. 0 of 5 answered"
    assert heading(opened) == "Row 1 of 5"
    assert page.evaluate("localStorage.length") == 0
    opened.reopen()
    assert progress(opened) == "0 of 5 answered"


def test_the_same_page_in_another_tab_shows_the_same_answers(open_page):
    opened = open_page(check_page(5))
    other = opened.page.context.new_page()
    other.goto(opened.address)
    other.keyboard.press("y")
    opened.page.get_by_role("button", name="Row 1, yes").wait_for()
    press(opened, "ArrowRight", "n")
    opened.reopen()
    assert progress(opened) == "2 of 5 answered"


def test_answers_can_be_copied_where_a_file_cannot_be_saved(open_page):
    opened = open_page(check_page(3))
    page = opened.page
    press(opened, "y", "u")
    page.get_by_text("No file? Copy the text").click()
    text = page.get_by_label("Answers as text")
    assert text.input_value() == "key,truth\nr0000,yes\nr0007,not sure\nr0014,\n"
    page.get_by_role("button", name="Copy").click()
    page.locator("#copied:not(:empty)").wait_for()
    selected = text.evaluate("one => one.value.slice(one.selectionStart, one.selectionEnd)")
    assert selected == text.input_value()


@pytest.mark.parametrize("payload", PAYLOADS + ATTACKS, ids=lambda text: repr(text[:20]))
def test_no_cell_runs_or_asks_for_anything(open_page, payload):
    made = check_page(
        2, note=payload, columns=["patient", "age", payload], title=payload, question=payload,
        storage_key=payload.encode("utf-8", "replace").decode(), command=payload,
    )  # fmt: skip
    opened = open_page(made, viewport={"width": 390, "height": 800})
    page = opened.page
    for place in ("dd bdi", "dt bdi", "#question", "h1"):
        page.locator(place).last.hover()
    for more in page.locator(".more").all():
        more.click()
    page.get_by_text("No file? Copy the text").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    if payload in PAYLOADS:
        assert page.locator("dd bdi").last.inner_text() == payload
    press(opened, "y", "y")
    assert [row["truth"] for row in saved(opened)] == ["yes", "yes"]
    assert page.evaluate("window.pwned") is None
    assert page.locator("script").count() == 2
    assert page.locator("img, iframe, a:not(.skip), [onerror], [onload], [onfocus]").count() == 0
    assert all(one == opened.address or one.startswith("blob:") for one in opened.requests)
    assert opened.complaints == []


@pytest.mark.parametrize(
    "injected",
    [
        "<script>window.pwned = 1</script>",
        "<img src=x onerror='window.pwned = 1'>",
        "<iframe srcdoc='<script>parent.pwned = 1</script>'></iframe>",
    ],
)
def test_even_what_gets_into_the_page_as_markup_cannot_run(open_page, injected):
    opened = open_page(check_page(3).replace("</main>", injected + "</main>"))
    opened.page.wait_for_timeout(100)
    assert opened.page.evaluate("window.pwned") is None
    assert any("Content Security Policy" in one for one in opened.complaints)
    press(opened, "y")
    assert heading(opened) == "Row 2 of 3"


def test_cells_are_shown_whole_long_ones_on_demand_and_empty_ones_as_empty(open_page):
    text = "line one\nline two " + "word " * 400 + "end"
    opened = open_page(check_page(5, note=text))
    page = opened.page
    value = page.locator("dd").last
    assert page.locator("dt").all_inner_texts() == COLUMNS
    assert value.locator("bdi").inner_text().startswith("line one\nline two")
    assert "end" not in value.inner_text()
    page.get_by_role("button", name=f"Show all {len(text)} characters").click()
    assert value.locator("bdi").inner_text() == text
    page.get_by_role("button", name="Show less").click()
    assert "end" not in value.inner_text()
    page.get_by_role("button", name="Row 5, no answer").click()
    assert value.inner_text() == "empty"


def test_text_that_runs_from_right_to_left_leaves_the_rest_as_it_is(open_page):
    opened = open_page(check_page(2, note="مرحبا 123"))
    directions = opened.page.locator("dd bdi, #question").evaluate_all(
        "all => all.map((one) => getComputedStyle(one).direction)"
    )
    assert directions == ["ltr", "ltr", "rtl", "ltr"]


@pytest.mark.parametrize("width", [320, 390, 700, 1000, 1280])
def test_the_page_never_scrolls_sideways_and_its_buttons_are_large(open_page, width):
    wide = check_page(
        40, note="x" * 700, columns=["patient", "age", "a_long_name_of_a_column" * 6],
        command="unlabeled audit " + "a/very/long/folder" * 9 + " --answers answers.csv",
    )  # fmt: skip
    opened = open_page(wide, viewport={"width": width, "height": 844}, has_touch=True)
    page = opened.page
    page.get_by_text("No file? Copy the text").tap()
    page.get_by_role("button", name="Yes").tap()
    assert heading(opened) == "Row 2 of 40"
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for box in (one.bounding_box() for one in page.locator("[data-answer]").all()):
        assert box["height"] >= 48
        assert box["width"] >= 80
    for box in (one.bounding_box() for one in page.locator("button:visible").all()):
        assert min(box["height"], box["width"]) >= 24


def test_the_answers_stay_in_sight_below_a_long_row(open_page):
    opened = open_page(check_page(5, note="word\n" * 100), viewport={"width": 390, "height": 844})
    box = opened.page.locator("[data-answer=yes]").bounding_box()
    assert box["y"] + box["height"] < 844
    opened.page.evaluate("window.scrollTo({ top: 900, behavior: 'instant' })")
    press(opened, "y")
    assert 0 <= opened.page.locator("#row").bounding_box()["y"] < 200


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_has_enough_contrast_in_both_schemes(open_page, scheme):
    opened = open_page(check_page(8), color_scheme=scheme)
    opened.page.context.add_init_script(REFUSALS["all"])
    opened.reopen()
    opened.page.get_by_text("No file? Copy the text").click()
    contrasts = opened.page.evaluate(CONTRASTS)
    press(opened, "y", "n", "u", "ArrowLeft")
    contrasts += opened.page.evaluate(CONTRASTS)
    press(opened, *"nyyyyy")
    assert opened.page.get_by_text("All 8 rows are answered.").is_visible()
    opened.page.locator("#clear").click()
    contrasts += opened.page.evaluate(CONTRASTS)
    assert len(contrasts) > 150
    assert [words for contrast, words in contrasts if contrast < 4.5] == []


def test_the_schemes_differ_and_follow_the_reader(open_page):
    page = open_page(check_page(3), color_scheme="light").page
    light = page.evaluate(GROUND)
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(GROUND) != light


def test_without_a_script_the_page_says_what_to_do(open_page):
    page = open_page(check_page(3), java_script_enabled=False).page
    assert page.get_by_text("This page needs JavaScript").is_visible()
    assert not any(one.is_visible() for one in page.locator("button").all())


def test_the_focus_goes_from_the_row_to_its_answers_and_on_to_saving(open_page):
    opened = open_page(check_page(3))
    page = opened.page
    press(opened, "Tab")
    assert page.evaluate("document.activeElement.className") == "skip with-script"
    press(opened, "Enter")
    visited = []
    for _ in range(7):
        visited.append(
            page.evaluate("(({ id, dataset }) => id || dataset.answer)(document.activeElement)")
        )
        press(opened, "Tab")
    assert visited == ["row", "yes", "no", "not sure", "forward", "next-open", "save"]
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"
    page.locator("[data-answer=no]").focus()
    press(opened, "Enter")
    assert page.evaluate("document.activeElement.id") == "row"


def test_a_screen_reader_hears_headings_names_states_and_progress(open_page):
    opened = open_page(check_page(3))
    press(opened, "y", "ArrowLeft")
    tree = opened.page.locator("body").aria_snapshot()
    for line in (
        "- banner:",
        "- main:",
        "- contentinfo:",
        'heading "Check rows of patients.csv" [level=1]',
        'region "Row 1 of 3"',
        'heading "Row 1 of 3" [level=2]',
        "- status: 1 of 3 answered",
        'progressbar "Rows answered"',
        "- term: patient",
        "- definition: P000",
        'group "Is this row positive?"',
        'button "Yes" [pressed]',
        'button "No"',
        'button "Not sure"',
        'region "Save your answers"',
        'region "All rows"',
        'button "Row 1, yes"',
        'button "Row 2, no answer"',
        'checkbox "Use these keys" [checked]',
    ):
        assert line in tree
    unnamed = opened.page.locator("button, input, summary, a, textarea").evaluate_all(
        "all => all.filter((one) => !(one.textContent.trim() || one.labels?.length"
        " || one.ariaLabel)).length"
    )
    assert unnamed == 0


def test_nothing_moves(open_page):
    page = open_page(check_page(3)).page
    moving = page.locator("body *").evaluate_all(
        "all => all.filter((one) => { const style = getComputedStyle(one);"
        " return style.transitionDuration !== '0s' || style.animationName !== 'none'; }).length"
    )
    assert moving == 0

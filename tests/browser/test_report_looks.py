"""The report on a phone, in the dark, on paper and without a script."""

from __future__ import annotations

import pytest

from tests.browser.colors import CONTRASTS, GROUND

pytestmark = pytest.mark.browser

# Every number with a space in it or a percent sign, and on how many lines it is.
NUMBERS = r"""() => {
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  const range = document.createRange();
  while (walk.nextNode()) {
    const node = walk.currentNode;
    const around = node.parentElement;
    if (!around.checkVisibility() || around.closest("script, svg")) continue;
    if (around.closest("thead")?.clientWidth === 1) continue;  // for screen readers only
    for (const one of node.textContent.matchAll(/\d+(?:\s\d{3})+|\d+\s%/g)) {
      range.setStart(node, one.index);
      range.setEnd(node, one.index + one[0].length);
      const lines = new Set([...range.getClientRects()].map((box) => Math.round(box.bottom)));
      found.push([one[0], lines.size]);
    }
  }
  return found;
}"""
# Whether a cell of each table is cut off, whether the table says so, and its name.
TABLES = """all => all.map((one) => {
  const place = one.closest(".scroll");
  const hint = place ? getComputedStyle(place, "::before").content : "none";
  const cut = [...one.querySelectorAll("td, th")].filter((cell) => cell.checkVisibility())
    .some((cell) => cell.getBoundingClientRect().right > innerWidth);
  return [cut, hint.includes("scroll sideways"), place ? place.getAttribute("aria-label") : ""];
})"""


@pytest.fixture
def telling(summary):
    """A summary with findings of every state, so that all of the page's colors are used."""
    states = ("serious", "warning", "note", "fine", "not applicable")
    summary["findings"] = [
        {"check": "scar", "code": "PU201", "state": state, "message": "What was seen."}
        for state in states
    ]
    summary["class_prior"].update(estimate=0.9, upper=0.95)
    return summary


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_has_enough_contrast_in_both_schemes(open_page, telling, scheme):
    page = open_page(telling, color_scheme=scheme).page
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    contrasts = page.evaluate(CONTRASTS)
    assert len(contrasts) > 200
    assert [words for contrast, words in contrasts if contrast < 4.5] == []


def test_the_schemes_differ_and_follow_the_reader(open_page, summary):
    page = open_page(summary, color_scheme="light").page
    light = page.evaluate(GROUND)
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(GROUND) != light


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_warning_is_told_from_a_link_and_from_what_is_serious(open_page, telling, scheme):
    page = open_page(telling, color_scheme=scheme).page
    colors = [
        page.locator(selector).first.evaluate("(one, name) => getComputedStyle(one)[name]", name)
        for selector, name in (
            ("nav a", "color"),
            (".finding.warning .state", "color"),
            (".finding.serious .state", "backgroundColor"),
        )
    ]
    assert len(set(colors)) == 3
    edge = "(one) => getComputedStyle(one).borderLeftColor"
    assert page.locator(".finding.warning").evaluate(edge) == colors[1]
    assert page.locator(".finding.serious").evaluate(edge) == colors[2]


def test_no_number_breaks_at_its_thousands_or_before_its_percent_sign(open_page, summary):
    summary["table"]["rows"] = 1_234_567
    page = open_page(summary, viewport={"width": 320, "height": 800}).page
    numbers = page.evaluate(NUMBERS)
    assert len(numbers) > 50
    assert [number for number, lines in numbers if lines != 1] == []
    assert [number for number, _ in numbers if "\u202f" not in number] == []


@pytest.mark.parametrize("scripted", [True, False])
def test_on_a_phone_every_table_shows_all_columns_or_says_that_there_are_more(
    open_page, telling, scripted
):
    measures = {f"measure_{k}": {"mean": 1.5, "se": 0.1} for k in range(9)}
    telling["comparison"]["methods"] = [{"name": "pu-logistic", **measures}]
    size = {"width": 390, "height": 800}
    page = open_page(telling, viewport=size, java_script_enabled=scripted).page
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    page.wait_for_timeout(200)
    tables = page.locator("table").evaluate_all(TABLES)
    assert len(tables) >= 5
    assert [label for cut, hint, label in tables if cut and not hint] == []
    assert any(cut for cut, *_ in tables)
    if scripted:
        assert [label for cut, hint, label in tables if hint and not cut] == []
        page.set_viewport_size({"width": 1600, "height": 800})
        page.wait_for_timeout(200)
        assert page.locator(".scroll.wide").count() == 0


def test_on_a_phone_a_row_shows_why_without_scrolling(open_page, summary):
    page = open_page(summary, viewport={"width": 390, "height": 800}).page
    for cell in page.locator(".cards tbody tr").first.locator("td, th").all():
        box = cell.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390


@pytest.mark.parametrize("width", [320, 380, 600, 700, 1200])
def test_the_page_never_scrolls_sideways(open_page, telling, width):
    page = open_page(telling, viewport={"width": width, "height": 800}).page
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("#slider").bounding_box()["width"] > 200


@pytest.mark.parametrize("width", [380, 1200])
def test_numbers_of_the_picture_stay_readable(open_page, summary, width):
    page = open_page(summary, viewport={"width": width, "height": 800}).page
    for choice in page.locator("input[name=scale]").all():
        choice.check()
        boxes = page.locator("svg text").evaluate_all(
            "all => all.map((one) => one.getBoundingClientRect()).filter((one) => one.height)"
            ".map((one) => [one.height, one.left, one.right])"
        )
        assert len(boxes) > 15
        for height, left, right in boxes:
            assert height >= 11
            assert left >= 0
            assert right <= width


def test_without_a_script_everything_but_the_slider_is_there(open_page, summary):
    page = open_page(summary, java_script_enabled=False).page
    assert page.locator("h1").is_visible()
    for name in ("selected", "recall", "precision", "f1", "cost", "threshold"):
        assert page.locator(f"[data-show={name}]").first.is_visible()
    assert not page.locator("#slider").is_visible()
    assert not any(one.is_visible() for one in page.locator("button").all())
    assert page.get_by_text("The slider needs JavaScript").is_visible()
    cuts = page.get_by_role("region", name="Some cuts").locator("tbody tr")
    assert cuts.count() >= 10
    assert cuts.last.is_visible()
    assert page.locator("td.key").first.inner_text() == "A"
    assert page.locator(".forest tbody tr").first.is_visible()


def test_on_paper_the_ground_is_white_controls_are_gone_and_numbers_stay(open_page, summary):
    report = open_page(summary, color_scheme="dark")
    report.move(5)
    page = report.page
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate(GROUND) == "rgb(255, 255, 255)"
    for control in (
        "#slider",
        "button[data-copy]",
        "input[name=scale]",
        "#cheapest",
        "#miss",
        "nav",
    ):
        assert not page.locator(control).first.is_visible()
    assert page.locator("[data-show=recall]").is_visible()
    assert page.get_by_text("A miss costs").is_visible()
    assert page.locator("td.key").first.inner_text() == "A"
    assert [words for contrast, words in page.evaluate(CONTRASTS) if contrast < 4.5] == []


def test_printing_opens_what_is_folded_and_closes_it_again(open_page, summary, tmp_path):
    page = open_page(summary).page
    page.evaluate(
        "addEventListener('beforeprint', () => { window.unfolded = "
        "[...document.querySelectorAll('details')].every((one) => one.open); })"
    )
    assert page.locator("details[open]").count() == 0
    page.pdf(path=tmp_path / "report.pdf")
    assert page.evaluate("window.unfolded") is True
    assert page.locator("details[open]").count() == 0


def test_the_skip_link_is_first_and_leads_to_the_report(open_page, summary):
    page = open_page(summary).page
    page.keyboard.press("Tab")
    skip = page.locator(".skip")
    assert skip.evaluate("one => one === document.activeElement")
    assert skip.bounding_box()["y"] >= 0
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"


def test_everything_that_can_be_used_has_a_name(open_page, summary):
    page = open_page(summary).page
    tree = page.locator("body").aria_snapshot()
    assert 'slider "Move the cut"' in tree
    assert 'spinbutton "of a miss"' in tree
    assert 'img "Recall against the share of rows selected"' in tree
    assert 'table "Coefficients and effects"' in tree
    unnamed = page.locator("button, input, summary, a").evaluate_all(
        "all => all.filter((one) => !(one.textContent.trim() || one.labels?.length)).length"
    )
    assert unnamed == 0

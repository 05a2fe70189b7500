"""The report on a phone, in the dark, on paper and without a script."""

from __future__ import annotations

import pytest

from tests.browser.colours import CONTRASTS, GROUND

pytestmark = pytest.mark.browser


@pytest.fixture
def telling(summary):
    """A summary with findings of every state, so that all of the page's colours are used."""
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


@pytest.mark.parametrize("width", [320, 380, 600, 700, 1200])
def test_the_page_never_scrolls_sideways(open_page, telling, width):
    page = open_page(telling, viewport={"width": width, "height": 800}).page
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("#slider").bounding_box()["width"] > 200


@pytest.mark.parametrize("width", [380, 1200])
def test_numbers_of_the_picture_stay_readable(open_page, summary, width):
    page = open_page(summary, viewport={"width": width, "height": 800}).page
    sizes = page.locator("svg text").evaluate_all(
        "all => all.map((one) => one.getBoundingClientRect().height)"
    )
    assert min(sizes) >= 11
    left = page.locator("svg text").evaluate_all(
        "all => all.map((one) => one.getBoundingClientRect().left)"
    )
    assert min(left) >= 0


def test_without_a_script_everything_but_the_slider_is_there(open_page, summary):
    page = open_page(summary, java_script_enabled=False).page
    assert page.locator("h1").is_visible()
    for name in ("selected", "recall", "precision", "f1", "cost", "threshold"):
        assert page.locator(f"[data-show={name}]").is_visible()
    assert not page.locator("#slider").is_visible()
    assert not any(one.is_visible() for one in page.locator("button").all())
    assert page.get_by_text("The slider needs JavaScript").is_visible()
    cuts = page.get_by_role("region", name="Some thresholds").locator("tbody tr")
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
    for control in ("#slider", "#copy", "#cheapest", "#miss", "nav"):
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
    assert 'slider "Move the threshold"' in tree
    assert 'spinbutton "of a miss"' in tree
    assert 'img "Recall against the share of rows selected"' in tree
    assert 'table "Coefficients and effects"' in tree
    unnamed = page.locator("button, input, summary, a").evaluate_all(
        "all => all.filter((one) => !(one.textContent.trim() || one.labels?.length)).length"
    )
    assert unnamed == 0

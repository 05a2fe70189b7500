"""Nothing leaves the page, and nothing in a table runs in it."""

from __future__ import annotations

import pytest

from tests.app.report.hostile import ATTACKS, everywhere
from unlabeled.app.report import ShownRows, make_report
from unlabeled.app.report._rows import Row

pytestmark = pytest.mark.browser

PAYLOADS = [
    "<script>window.pwned = 1; document.title = 'pwned'; alert(1)</script>",
    '</script><img src=x onerror="window.pwned = 1; alert(1)">',
    "\"' onmouseover=alert(1) autofocus onfocus=window.pwned=1 x='",
    "</title></style></svg><svg onload=alert(1)><script>window.pwned=1</script>",
]


def use_everything(report):
    page = report.page
    for index in (0, 5, 10):
        report.move(index)
    page.click("#cheapest")
    page.fill("#miss", "3")
    for button in page.locator("button[data-copy]").all():
        button.click()
    for choice in page.locator("input[name=scale]").all():
        choice.check()
    for fold in page.locator("summary").all():
        fold.click()


def test_no_request_but_for_the_file_itself_and_no_complaint(open_page, summary):
    report = open_page(summary)
    use_everything(report)
    report.page.emulate_media(media="print", color_scheme="dark")
    report.page.wait_for_timeout(200)
    assert report.requests == [report.address]
    assert report.complaints == []


@pytest.mark.parametrize("payload", PAYLOADS + ATTACKS, ids=lambda text: repr(text[:20]))
def test_no_text_of_a_table_runs_or_asks_for_anything(open_page, summary, payload):
    rows = ShownRows(payload, (Row(1, payload, 1.0, 0.5, 1, payload),), 5)
    report = open_page(everywhere(summary, payload), rows, viewport={"width": 380, "height": 800})
    report.page.locator("bdi").first.hover()
    use_everything(report)
    assert report.page.evaluate("window.pwned") is None
    assert "rows are positive" in report.page.title()
    assert report.page.locator("script").count() == 2
    assert report.page.locator("img, iframe, [onerror], [onload], [onfocus]").count() == 0
    assert report.requests == [report.address]
    assert report.complaints == []
    assert report.page.evaluate("document.documentElement.scrollWidth") <= 380


@pytest.mark.parametrize(
    "injected",
    [
        "<script>window.pwned = 1</script>",
        "<img src=x onerror='window.pwned = 1'>",
        "<p onclick='window.pwned = 1' id=trap>x</p>",
        "<a href='javascript:window.pwned = 1' id=link>x</a>",
        "<script src='data:text/javascript,window.pwned=1'></script>",
        "<iframe srcdoc='<script>parent.pwned = 1</script>'></iframe>",
    ],
)
def test_even_what_gets_into_the_page_as_markup_cannot_run(open_page, summary, injected):
    broken_into = make_report(summary).replace("</main>", injected + "</main>")
    report = open_page(broken_into)
    for trap in ("#trap", "#link"):
        if report.page.locator(trap).count():
            report.page.locator(trap).click()
    report.page.wait_for_timeout(100)
    assert report.page.evaluate("window.pwned") is None
    assert any("Content Security Policy" in one for one in report.complaints)
    assert report.place() == summary["cut"]["index"]

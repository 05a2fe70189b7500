"""A Chromium that is there, driven by playwright, and reports to open in it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.app.report.fitted_summary import fit, made_summary, summary
from unlabeled.app.report import ShownRows, make_report
from unlabeled.app.report._rows import Row

__all__ = ["fit", "made_summary", "summary"]

NEEDED = "UNLABELED_NEEDS_BROWSER"
NAMES = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = (
    "--no-sandbox --disable-gpu --disable-background-networking --disable-component-update "
    "--disable-sync --no-first-run"
).split()
ROWS = ShownRows(
    "patient", tuple(Row(k, f"P{k:03d}", 3.0 - k, 0.9 / k, 1) for k in range(1, 30)), 843
)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[Any]:
    """Where a browser is said to be needed, a test that is skipped has failed."""
    report = yield
    if report.skipped and os.environ.get(NEEDED):
        report.outcome, report.longrepr = (
            "failed",
            f"skipped, but {NEEDED} is set: {report.longrepr}",
        )
    return report


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.skip(f"needs a browser: none of {', '.join(NAMES)} is installed")
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=found, args=ARGUMENTS)
        yield started
        started.close()


class Opened:
    """A page, with what it asked for and complained of."""

    def __init__(self, page: Any, path: Path) -> None:
        self.address = path.as_uri()
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self._open(page)

    def _open(self, page: Any) -> None:
        self.page = page
        page.on("request", lambda one: self.requests.append(one.url))
        page.on("console", lambda one: self.complaints.append(one.text))
        page.on("pageerror", lambda one: self.complaints.append(str(one)))
        page.on("dialog", self._dialog)
        page.goto(self.address)

    def reopen(self) -> None:
        """Close the page, and open it again in the same browser."""
        context = self.page.context
        # Chromium hands what a page stores to another process, and a page that is closed in the
        # same moment takes it along. A person is slower. On a busy machine half a second is not
        # enough: leaving the page first keeps its process until it has handed everything over.
        self.page.wait_for_timeout(500)
        self.page.goto("about:blank")
        self.page.close()
        self._open(context.new_page())

    def _dialog(self, dialog: Any) -> None:
        self.complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def move(self, index: int) -> None:
        """Move the slider, as dragging it does."""
        self.page.locator("#slider").evaluate(
            "(slider, to) => { slider.value = to; slider.dispatchEvent(new Event('input')); }",
            str(index),
        )

    def place(self) -> int:
        return int(self.page.locator("#slider").input_value())

    def shown(self) -> dict[str, tuple[float | None, str]]:
        """Return value and text of all numbers that follow the slider."""
        pairs = self.page.locator("[data-show]").evaluate_all(
            "all => all.map(one => [one.dataset.show, one.dataset.value, one.textContent])"
        )
        return {name: (float(value) if value else None, text) for name, value, text in pairs}


@pytest.fixture
def open_page(browser, tmp_path) -> Iterator[Callable[..., Opened]]:
    """Return a function that opens a page, or a summary's report; the context closes by itself."""
    contexts = []

    def opened(made: dict[str, Any] | str, rows: ShownRows | None = ROWS, **context: Any) -> Opened:
        path = tmp_path / f"report-{len(contexts)}.html"
        page = made if isinstance(made, str) else make_report(made, rows)
        path.write_text(page, "utf-8")
        contexts.append(browser.new_context(**context))
        return Opened(contexts[-1].new_page(), path)

    yield opened
    for context in contexts:
        context.close()

"""Rows that the command drew are answered on its page, and the command reads what the page saved.

The report then shows them, on a phone and in the dark too.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from tests.app.report.audited import audit_of
from tests.browser.colors import CONTRASTS
from unlabeled.cli import main

pytestmark = pytest.mark.browser

HOSTILE = "</script><img src=x onerror=window.pwned=1>"


def run(*words):
    result = CliRunner().invoke(main, [str(word) for word in words], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture
def drawn(tmp_path, monkeypatch):
    """A fit, and thirty rows of its table to check, in the folder one is in."""
    monkeypatch.chdir(tmp_path)
    rng, n = np.random.default_rng(0), 500
    table = pd.DataFrame(rng.normal(size=(n, 2)), columns=["a", "b"])
    ill = rng.random(n) < 1 / (1 + np.exp(0.5 - 2 * table["a"]))
    table.insert(0, "patient", [f"P{k:03d}" for k in range(n)])
    table["notes"] = [HOSTILE, "=1+1", "x", "y", "z"] * 100
    table["ill"] = np.where(ill & (rng.random(n) < 0.5), "yes", None)
    table.to_csv("t.csv", index=False)
    words = ("--label", "ill", "--id", "patient", "--out", "ward", "--no-checks", "--no-compare")
    run("fit", "t.csv", *words)
    run("audit", "ward", "--table", "t.csv", "--rows", 30, "--out", "check", "--seed", 0)
    return dict(zip(table["patient"], ill, strict=True))


def test_thirty_rows_answered_by_keys_are_read_back_by_the_command(open_page, drawn):
    opened = open_page(Path("check/check.html").read_text("utf-8"))
    positive = 0
    for place in range(30):
        if place == 15:
            opened.reopen()
        patient = opened.page.locator("dd").first.inner_text()
        opened.page.keyboard.press("u" if place == 3 else "y" if drawn[patient] else "n")
        positive += place != 3 and bool(drawn[patient])
    with opened.page.expect_download() as download:
        opened.page.get_by_role("button", name="Save answers").click()
    download.value.save_as("answers.csv")
    command = f"unlabeled audit {Path('ward').resolve()} --answers answers.csv"
    assert opened.page.get_by_text(command).is_visible()
    said = run(*command.split()[1:])
    assert "29 rows were checked." in said
    kept = json.loads(Path("ward/audited.json").read_text())["audits"][0]["answers"]
    assert (kept.count(1), kept.count(None)) == (positive, 1)
    assert opened.page.evaluate("window.pwned") is None
    assert opened.complaints == []
    report = open_page(Path("ward/report.html").read_text("utf-8"))
    assert report.page.locator("section").first.get_attribute("id") == "audit"
    assert report.complaints == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_checked_rows_can_be_read_in_both_schemes(open_page, summary, scheme):
    page = open_page(summary | {"audit": audit_of()}, color_scheme=scheme).page
    contrasts = page.evaluate(CONTRASTS)
    assert [words for contrast, words in contrasts if contrast < 4.5] == []


@pytest.mark.parametrize("width", [320, 390, 1100])
def test_checked_rows_fit_on_a_screen_of_any_width(open_page, summary, width):
    made = summary | {"audit": audit_of(verdict="word " * 60)}
    page = open_page(made, viewport={"width": width, "height": 900}).page
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("#audit svg").first.bounding_box()["width"] > 100

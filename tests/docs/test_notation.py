"""Every symbol in a formula of the pages is explained on the page of notation."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
WRITTEN = {"_build", "generated", "auto_examples", "gen_modules"}  # by the build
PAGES = [page for page in DOCS.rglob("*.rst") if not WRITTEN & set(page.relative_to(DOCS).parts)]

FORMULA = re.compile(r":math:`([^`]+)`|^\.\. math::((?:.*\n)(?:[ ]+\S.*\n)*)", re.MULTILINE)
SYMBOL = re.compile(r"(?:\\(?:hat|tilde|bar|mathcal)[ {]*)*(?:\\[a-zA-Z]+|[A-Za-z])")
WORDS = re.compile(r"\\(?:text|mathrm)\{[^}]*\}|F1(?:_\{PU\})?")
LAYOUT = re.compile(
    r"\\(?:frac|tfrac|sum|log|max|min|arg|sqrt|mid|q?quad|[bB]ig[lr]|l[et]|g[et]|approx|cdot|top)"
    r"(?![a-zA-Z])"
)


def symbols(page: Path) -> set[str]:
    """Return the letters of a page's formulas, with their hats and tildes."""
    formulas = ["".join(found) for found in FORMULA.findall(page.read_text("utf-8"))]
    bare = [LAYOUT.sub(" ", WORDS.sub(" ", formula)) for formula in formulas]
    return {re.sub(r"[ {]", "", symbol) for text in bare for symbol in SYMBOL.findall(text)}


def test_symbols_are_found_with_their_hats_and_without_layout(tmp_path):
    page = tmp_path / "page.rst"
    page.write_text(":math:`\\hat c\\le\\frac{\\alpha}{2}` and\n\n.. math:: F1_{PU} = r^2/q\n\n")
    assert symbols(page) == {"\\hatc", "\\alpha", "r", "q"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_the_symbols_of_a_page_are_on_the_page_of_notation(page):
    assert symbols(page) - symbols(DOCS / "notation.rst") == set()

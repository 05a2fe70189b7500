"""Links lead somewhere: the check of the built site finds broken ones, and Markdown has none."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.pages import load

ROOT = Path(__file__).parents[2]
MARKDOWN = ("README.md", "CONTRIBUTING.md")
REST_TARGET = re.compile(r"^\.\. _([\w-]+):$", re.MULTILINE)


def write(folder: Path, **pages: str) -> Path:
    for name, body in pages.items():
        (folder / f"{name}.html").write_text(f"<html><body>{body}</body></html>", "utf-8")
    return folder


def test_links_that_lead_somewhere_are_not_reported(tmp_path):
    site = write(
        tmp_path,
        a='<a href="b.html#here">b</a> <a href="#top" id="top">up</a> <img src="b.html">',
        b='<h1 id="here">b</h1> <a href="https://example.org/x">far</a> <a href="a.html">a</a>',
    )
    assert load("site_check").broken_links(site) == []


@pytest.mark.parametrize("link", ["missing.html", "b.html#nowhere", "#nowhere", "picture.png"])
def test_a_link_that_leads_nowhere_is_reported_with_its_page(tmp_path, link):
    site = write(tmp_path, a=f'<a href="{link}">x</a>', b="<p>b</p>")
    assert load("site_check").broken_links(site) == [f"a.html: {link}"]


def anchors(path: Path) -> set[str]:
    """Return the anchors that a file's headings and targets have where the repository is shown."""
    text = path.read_text("utf-8")
    if path.suffix == ".rst":
        titles = re.findall(r"^(.+)\n[=~-]{3,}$", text, re.MULTILINE)
    else:
        titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    slugs = {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}
    return slugs | set(REST_TARGET.findall(text))


@pytest.mark.parametrize("name", MARKDOWN)
def test_relative_links_of_a_markdown_file_lead_to_files_and_headings(name):
    broken = []
    for link in re.findall(r"\]\(([^)\s]+)\)", (ROOT / name).read_text("utf-8")):
        if link.startswith(("https://", "http://")):
            continue
        path, _, anchor = link.partition("#")
        target = ROOT / path if path else ROOT / name
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(link)
    assert broken == []

"""Links of a built site that lead nowhere: files that are not there, anchors that no page has."""

from __future__ import annotations

from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class _Page(HTMLParser):
    """The links and the anchors of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.anchors: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what the tag links to, and what it can be linked by."""
        given = {name: value for name, value in attrs if value}
        self.links |= {given[name] for name in ("href", "src") if name in given}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}


@cache
def read_page(path: Path) -> _Page:
    """Return the links and anchors of an HTML file."""
    page = _Page()
    page.feed(path.read_text("utf-8", errors="replace"))
    return page


def broken_links(folder: Path) -> list[str]:
    """Return "page: link" for every link inside the folder that leads nowhere."""
    pages = sorted(p for p in folder.rglob("*.html") if "_static" not in p.parts)
    return [
        f"{page.relative_to(folder)}: {link}"
        for page in pages
        for link in sorted(read_page(page).links)
        if not _leads_somewhere(page, link)
    ]


def _leads_somewhere(page: Path, link: str) -> bool:
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return True  # of the world outside nothing is known here
    target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if not target.is_file():
        return False
    anchored = parts.fragment and target.suffix == ".html"
    return not anchored or unquote(parts.fragment) in read_page(target).anchors

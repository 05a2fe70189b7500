"""Count the words of the prose pages by section: ``python docs/words.py``.

Records of studies with their tables, decisions and the reference are not counted. What a page
includes counts as its own: the change log, and the sections of *Checks* that stand in the code.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import click
import written

DOCS = Path(__file__).parent
LEFT_OUT = {"_build", "_templates", "auto_examples", "decisions", "gen_modules", "reference"}
"""Folders that the build writes, or that nobody reads through."""

LISTS = {"decisions.rst", "sg_execution_times.rst"}
RECORD = ".. This page is made by "
INCLUDE = re.compile(r"^\.\. include:: (\S+)$", re.MULTILINE)
CODE = re.compile(r"^\.\. code-block:: .*\n((?:   .*\n|\n)+)", re.MULTILINE)


def pages() -> list[Path]:
    """Return the prose pages, without the records that programs write."""
    found = (page for page in DOCS.rglob("*.rst") if not LEFT_OUT & set(page.parts))
    return sorted(
        page
        for page in found
        if page.name not in LISTS and not page.read_text("utf-8").startswith(RECORD)
    )


def text_of(page: Path) -> str:
    """Return the text of a page with what it includes."""
    lists = written.reference_lists()

    def included(found: re.Match[str]) -> str:
        path = page.parent / found[1]
        return lists[path.name] if path.name in lists else path.read_text("utf-8")

    return INCLUDE.sub(included, page.read_text("utf-8"))


def counts() -> dict[str, tuple[int, int]]:
    """Return the words of each section, and how many of them stand in code and what it prints."""
    words: Counter[str] = Counter()
    code: Counter[str] = Counter()
    for page in pages():
        section = page.relative_to(DOCS).parts[0].removesuffix(".rst")
        text = text_of(page)
        words[section] += len(text.split())
        code[section] += sum(len(block.split()) for block in CODE.findall(text))
    return {section: (words[section], code[section]) for section in sorted(words)}


if __name__ == "__main__":
    of_sections = counts()
    of_sections["all"] = tuple(map(sum, zip(*of_sections.values(), strict=True)))
    for section, (words, code) in of_sections.items():
        click.echo(f"{section:12} {words:6} words, {code:5} of them code and output")

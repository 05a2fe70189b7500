"""Read the code blocks of the pages, and the modules beside them."""

from __future__ import annotations

import importlib.util
import re
import textwrap
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def text_of(page: str) -> str:
    """Return the text of a page, named by its path in the documentation without its suffix.

    Lists and sections that the build writes from the library stand where the page includes them.
    """
    text = (DOCS / f"{page}.rst").read_text("utf-8")
    include = r"^\.\. include:: (?:\w+/)*(_\w+\.rst)$"
    written = load("written").reference_lists() if re.search(include, text, re.MULTILINE) else {}
    return re.sub(include, lambda found: written[found[1]], text, flags=re.MULTILINE)


def blocks_of(page: str, language: str) -> list[str]:
    """Return the code blocks of a page in a language, in order, each without its indentation."""
    block = rf"^\.\. code-block:: {language}\n\n((?:   .*\n|\n)+)"
    return [textwrap.dedent(one) for one in re.findall(block, text_of(page), re.MULTILINE)]


def load(name: str):
    """Return a module of `docs/`, which is no package."""
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module

"""The reference lists every public name exactly once."""

from __future__ import annotations

import importlib
import re
from collections import Counter
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[1] / "docs" / "reference" / "index.rst").read_text("utf-8")


def listed_names() -> dict[str, list[str]]:
    """Return the names under each module, from autosummary tables and data directives."""
    pieces = re.split(r"^\.\. currentmodule:: (\S+)\n", PAGE, flags=re.MULTILINE)
    listed: dict[str, list[str]] = {}
    for module, text in zip(pieces[1::2], pieces[2::2], strict=True):
        names = re.findall(r"^(?:   |\.\. data:: )(\w+)$", text, flags=re.MULTILINE)
        listed.setdefault(module, []).extend(names)
    return listed


@pytest.mark.parametrize("module", sorted(set(listed_names()) - {"unlabeled.codes"}))
def test_every_public_name_of_a_module_is_listed_once(module):
    public = set(importlib.import_module(module).__all__) - {"__version__"}
    counts = Counter(listed_names()[module])
    assert set(counts) == public
    assert set(counts.values()) == {1}

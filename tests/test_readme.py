"""The README keeps its word: its example prints what it says, and its links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")


def block(language: str) -> str:
    return re.search(rf"```{language}\n(.*?)```", README, flags=re.DOTALL).group(1)


def test_the_example_prints_what_the_readme_says(capsys):
    exec(block("python"), {})
    assert capsys.readouterr().out == block("text")

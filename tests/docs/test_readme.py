"""The README keeps its word: its Python runs, and prints what it says."""

from __future__ import annotations

import re
from pathlib import Path

README = (Path(__file__).parents[2] / "README.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)


def test_the_first_example_prints_what_the_readme_says(capsys):
    exec(blocks("python")[0], {})
    assert capsys.readouterr().out == blocks("text")[0]


def test_the_other_examples_run_after_the_first(capsys):
    names: dict[str, object] = {}
    for example in blocks("python"):
        exec(example.replace("n_resamples=99", "n_resamples=9"), names)
    printed = capsys.readouterr().out
    assert "(95% confidence)" in printed
    assert "leakage" in printed

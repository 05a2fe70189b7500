"""A table to be written as CSV, as Markdown and on the page."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pandas as pd


@dataclass(frozen=True)
class Table:
    """A table: what is shown, and the plain numbers behind it.

    Attributes
    ----------
    slug : str
        File name without its ending.
    title, note : str
    blocks : tuple of (str, DataFrame)
        Headings (may be empty) and what is shown under them, all text.
    numbers : DataFrame
        What the CSV file holds.
    """

    slug: str
    title: str
    note: str
    blocks: tuple[tuple[str, pd.DataFrame], ...]
    numbers: pd.DataFrame

    def write(self, folder: Path) -> None:
        """Write the table as CSV and as Markdown."""
        self.numbers.to_csv(folder / f"{self.slug}.csv", index=False, float_format="%.8g")
        (folder / f"{self.slug}.md").write_text(self.markdown(), encoding="utf-8")

    def markdown(self) -> str:
        """Return the table in Markdown."""
        lines = [f"# {self.title}", "", self.note, ""]
        for heading, frame in self.blocks:
            lines += [f"## {_cell(heading)}", ""] if heading else []
            lines += [_row(frame.columns), _row("---" for _ in frame.columns)]
            lines += [_row(row) for row in frame.itertuples(index=False, name=None)]
            lines.append("")
        return "\n".join(lines)


def _row(cells: Iterable[object]) -> str:
    return f"| {' | '.join(_cell(cell) for cell in cells)} |"


def _cell(cell: object) -> str:
    """Return text that Markdown neither splits nor takes for HTML."""
    text = " ".join(str(cell).split())
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("|", "\\|")

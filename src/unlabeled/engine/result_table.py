"""A result that is a table: columns for a frame, aligned text, and HTML in a notebook."""

from __future__ import annotations

import textwrap
from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from html import escape
from typing import Any, NamedTuple

import numpy as np

_GAP = "  "
TEXT_WIDTH = 88
"""How wide lines of words are at most."""

_MOST_ROWS = 20


class ResultTable(ABC):
    """Base class: a subclass writes `frame` for the numbers, and `_tables` for people.

    `frame` returns a dictionary of columns, which ``pandas.DataFrame`` and ``polars.DataFrame``
    accept. Without `_tables` the first rows of the frame are shown.
    """

    @abstractmethod
    def frame(self) -> dict[str, Any]:
        """Return the numbers, one column per quantity."""

    def _tables(self) -> Sequence[TextTable]:
        """Return what is shown: each table stands below the one before."""
        columns = {name: np.asarray(column) for name, column in self.frame().items()}
        n_rows = max((len(column) for column in columns.values()), default=0)
        rows = [
            [f"{cell:.4g}" if isinstance(cell, float) else str(cell) for cell in row]
            for row in zip(*(one[:_MOST_ROWS].tolist() for one in columns.values()), strict=True)
        ]
        more = [f"{n_rows - _MOST_ROWS} more rows"] * (n_rows > _MOST_ROWS)
        words = {k for k, column in enumerate(columns.values()) if column.dtype.kind not in "iufb"}
        return [TextTable("", [list(columns), *rows], more, left=words)]

    def __str__(self) -> str:
        return "\n\n".join(table.text() for table in self._tables())

    def _repr_html_(self) -> str:
        return "".join(table.html() for table in self._tables())


class TextTable(NamedTuple):
    """Cells as text.

    Attributes
    ----------
    title : str
        What stands above; "" for nothing.
    cells : sequence of sequences of str
        The heading, then one row each; may be empty.
    notes : sequence of str
        Lines below.
    facts : sequence of (str, str)
        Names and values between title and heading. Rules then divide the text.
    left : collection of int
        Columns that are aligned to the left: words, not numbers.
    is_wrapped : bool
        Whether the last column and the notes are wrapped, and text has no heading.
    """

    title: str
    cells: Sequence[Sequence[str]] = ()
    notes: Sequence[str] = ()
    facts: Sequence[tuple[str, str]] = ()
    left: Collection[int] = (0,)
    is_wrapped: bool = False

    def text(self) -> str:
        """Return the lines of a terminal."""
        if self.is_wrapped:
            notes = (line for note in self.notes for line in textwrap.wrap(note, TEXT_WIDTH))
            return "\n".join([*self._wrapped(), *notes])
        lines = self._aligned(self.cells)
        title = [self.title] if self.title else []
        if self.facts:
            rule = "-" * len(lines[0])
            widest = max(len(name) for name, _ in self.facts)
            facts = [f"{name:<{widest}}{_GAP}{value}" for name, value in self.facts]
            lines = [rule, *facts, rule, lines[0], rule, *lines[1:], rule]
        return "\n".join([*title, *lines, *self.notes])

    def html(self) -> str:
        """Return tables for a notebook."""
        caption = f"<caption>{escape(self.title)}</caption>".replace("\n", "<br>")
        caption = caption if self.title else ""
        made = ""
        if self.facts:
            facts = "".join(map(_html_row, self.facts))
            made, caption = f"<table>{caption}{facts}</table>", ""
        if self.cells:
            head = "".join(f"<th>{escape(cell)}</th>" for cell in self.cells[0])
            body = "".join(map(_html_row, self.cells[1:]))
            made += f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        notes = self.notes if self.cells or not self.title else [self.title, *self.notes]
        items = "".join(f"<li>{escape(note)}</li>" for note in notes)
        return made + (f"<ul>{items}</ul>" if items else "")

    def _aligned(self, cells: Sequence[Sequence[str]]) -> list[str]:
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        sides = ["<" if k in self.left else ">" for k in range(len(widths))]
        return [
            _GAP.join(
                f"{cell:{side}{width}}"
                for cell, side, width in zip(row, sides, widths, strict=True)
            ).rstrip()
            for row in cells
        ]

    def _wrapped(self) -> list[str]:
        """Wrap the last column beside the others."""
        before = self._aligned([[*row[:-1], "|"] for row in self.cells[1:]])
        lines = []
        for start, row in zip(before, self.cells[1:], strict=True):
            first, *others = textwrap.wrap(row[-1], TEXT_WIDTH - len(start) + 1)
            lines += [start[:-1] + first, *(" " * (len(start) - 1) + line for line in others)]
        return lines


def _html_row(cells: Sequence[str]) -> str:
    name, *others = map(escape, cells)
    return f"<tr><th>{name}</th>" + "".join(f"<td>{cell}</td>" for cell in others) + "</tr>"

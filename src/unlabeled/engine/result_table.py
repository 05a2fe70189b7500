"""A result that is a table: columns for a frame, aligned text, and HTML in a notebook."""

from __future__ import annotations

import math
import textwrap
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .extras import needs_extra

if TYPE_CHECKING:
    import pandas as pd

_GAP = "  "
TEXT_WIDTH = 88
"""How wide lines of words are at most."""

_MOST_ROWS = 20


class Columns(ABC):
    """Base class: a subclass writes `_columns`, which are of one length."""

    @abstractmethod
    def _columns(self) -> dict[str, Any]:
        """Return the numbers, one column per quantity."""

    def to_frame(self) -> pd.DataFrame:
        """Return the numbers as a frame of pandas, one column per quantity.

        Returns
        -------
        frame : pandas.DataFrame

        Raises
        ------
        ImportError
            If pandas is not installed. `to_dict` works without it.
        """
        with needs_extra("`to_frame`, unlike `to_dict`,", "datasets"):
            import pandas as pd
        return pd.DataFrame(self._columns())

    def to_dict(self) -> dict[str, Any]:
        """Return the columns as plain values, for a JSON file or a frame of another package.

        Returns
        -------
        found : dict
            A list per column; a number that is missing or infinite is None.
        """
        return plain(self._columns())


def plain(value: Any) -> Any:
    """Return a value as Python's own numbers and texts, None for NaN and infinite numbers."""
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, str) or value is None:
        return value
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if isinstance(value, Iterable):
        return [plain(one) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


class ResultTable(Columns):
    """Base class: a subclass writes `_columns` for the numbers, and `_tables` for people.

    Without `_tables` the first rows are shown.
    """

    def _tables(self) -> Sequence[TextTable]:
        """Return what is shown: each table stands below the one before."""
        columns = {name: np.asarray(column) for name, column in self._columns().items()}
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

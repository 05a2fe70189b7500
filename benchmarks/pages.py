"""Pages in reStructuredText: templates, tables and numbers."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from reproduction.outcome import Table, number, with_error

PAGE = "index.rst"
"""The name of a page."""

_TEMPLATE, _WIDTH = "page.rst.j2", 98
_MARKUP = str.maketrans({sign: f"\\{sign}" for sign in "\\*`|_"})


def render(folder: Path, template: str = _TEMPLATE, **values: Any) -> str:
    """Return the page of a template in a folder."""
    environment = Environment(
        loader=FileSystemLoader(folder),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["wrap"] = wrapped
    return environment.get_template(template).render(**values)


def wrapped(text: str, indent: int = 0) -> str:
    """Break a text into lines and indent all but the first."""
    lines = textwrap.wrap(text, _WIDTH - indent, break_long_words=False, break_on_hyphens=False)
    return ("\n" + " " * indent).join(lines)


def frequency(c: float | None) -> str:
    """Write a label frequency; None stands for all of them.

    Examples
    --------
    >>> frequency(0.3), frequency(None)
    ('.3', 'all c')
    """
    return "all c" if c is None else f"{c:g}".replace("0.", ".")


@dataclass(frozen=True)
class Share:
    """How often something happened."""

    happened: float
    of: int

    @property
    def value(self) -> float:
        """As a share."""
        return self.happened / self.of if self.of else float("nan")

    @property
    def error(self) -> float:
        """Its Monte-Carlo standard error, not 0 for a share of 0 or 1.

        It is computed with two more samples of each outcome, as Agresti and Coull (1998) do.
        """
        share, of = (self.happened + 2) / (self.of + 4), self.of + 4
        return float(np.sqrt(share * (1 - share) / of)) if self.of else float("nan")

    def is_below(self, limit: float) -> bool:
        """Whether it is below a limit by more than two standard errors of a share at the limit."""
        return limit - self.value > 2 * self._error_at(limit)

    def is_above(self, limit: float) -> bool:
        """Whether it is above a limit by more than two standard errors of a share at the limit."""
        return self.value - limit > 2 * self._error_at(limit)

    def _error_at(self, limit: float) -> float:
        return float(np.sqrt(limit * (1 - limit) / self.of)) if self.of else float("nan")

    def in_words(self, digits: int = 3) -> str:
        """Write it with its error in brackets."""
        return with_error(self.value, self.error, digits)


def mean_in_words(values: pd.Series, digits: int = 3) -> str:
    """Write a mean with its standard error in brackets."""
    error = values.std() / np.sqrt(len(values))
    return f"{number(values.mean(), digits)} ({number(error, digits)})"


def holds(lower: pd.Series, upper: pd.Series, truth: pd.Series | float) -> pd.Series:
    """Whether each interval holds the truth, 1 or 0; NaN if there is no interval."""
    inside = ((lower <= truth) & (truth <= upper)).astype(float)
    return inside.where(lower.notna() & upper.notna())


def rst_of(frame: pd.DataFrame) -> str:
    """Return one frame in reStructuredText."""
    return rst(Table("", "", "", (("", frame),), frame))


def rst(table: Table) -> str:
    """Return the table's blocks in reStructuredText."""
    lines: list[str] = []
    for heading, frame in table.blocks:
        if heading:
            lines += [f"**{heading}**", ""]
        lines += _directive(frame) if len(frame) else ["None."]
        lines.append("")
    return "\n".join(lines)


def _directive(frame: pd.DataFrame) -> list[str]:
    rows = [frame.columns, *frame.itertuples(index=False, name=None)]
    return [".. csv-table::", "   :header-rows: 1", "", *(f"   {_csv(row)}" for row in rows)]


def _csv(cells: Iterable[object]) -> str:
    """Quote cells and escape markup."""
    texts = (" ".join(str(cell).split()).translate(_MARKUP) for cell in cells)
    return ", ".join('"' + text.replace('"', '""') + '"' for text in texts)

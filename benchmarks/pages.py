"""Pages in reStructuredText: templates, tables and numbers."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import click
import pandas as pd
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from unlabeled.paper.outcome import Table

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


def page_command(write_page: Callable[[Path], None], about: str) -> click.Command:
    """Return a command that writes the page about something from the records in a folder."""

    @click.command(
        help=f"Write the page about {about} from the records of its studies; measures nothing."
    )
    @click.option(
        "--out",
        type=click.Path(file_okay=False, path_type=Path),
        required=True,
        help="Folder with the records.",
    )
    def main(out: Path) -> None:
        out.mkdir(parents=True, exist_ok=True)
        write_page(out)
        click.echo(f"The page is {out / PAGE}.")

    return main


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

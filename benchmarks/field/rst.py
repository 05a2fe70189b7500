"""Tables in reStructuredText, for the page."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from unlabeled.experiments.outcome._table import Table

_MARKUP = str.maketrans({sign: f"\\{sign}" for sign in "\\*`|_"})


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
    """Quote cells; signs that would be markup are shown as they are."""
    texts = (" ".join(str(cell).split()).translate(_MARKUP) for cell in cells)
    return ", ".join('"' + text.replace('"', '""') + '"' for text in texts)

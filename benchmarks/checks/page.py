"""From records to the page and its numbers."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pandas as pd
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from unlabeled.experiments.outcome._table import Table

from ..field.rst import rst
from ..field.texts import frequency
from .measure import FREQUENCIES, Record
from .rates import headlines, rate_table, rates_of

PAGE, NUMBERS = "index.rst", "rates.csv"


def write_page(records: list[Record], folder: Path) -> None:
    """Write the page and its numbers."""
    rates = rates_of(records)
    rates.to_csv(folder / NUMBERS, index=False, float_format="%.6g")
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    text = environment.get_template("page.rst.j2").render(
        draws=sorted({int(n) for n in rates["draws"]}),
        tables=[
            (frequency(c), *(_rst(rate_table(rates, c, level)) for level in ("warning", "note")))
            for c in FREQUENCIES
        ],
        headlines="\n".join(
            textwrap.wrap(headlines(rates), 98, break_long_words=False, break_on_hyphens=False)
        ),
    )
    (folder / PAGE).write_text(text, encoding="utf-8")


def _rst(frame: pd.DataFrame) -> str:
    return rst(Table("", "", "", (("", frame),), frame))

"""From records to the page and its numbers."""

from __future__ import annotations

from pathlib import Path

from ..pages import frequency, render, rst_of, wrapped
from .measure import FREQUENCIES, Record
from .rates import headlines, rate_table, rates_of

PAGE, NUMBERS = "index.rst", "rates.csv"


def write_page(records: list[Record], folder: Path) -> None:
    """Write the page and its numbers."""
    rates = rates_of(records)
    rates.to_csv(folder / NUMBERS, index=False, float_format="%.6g")
    text = render(
        Path(__file__).parent,
        draws=sorted({int(n) for n in rates["draws"]}),
        tables=[
            (frequency(c), *(rst_of(rate_table(rates, c, level)) for level in ("warning", "note")))
            for c in FREQUENCIES
        ],
        headlines=wrapped(headlines(rates)),
    )
    (folder / PAGE).write_text(text, encoding="utf-8")

"""From the records of the studies to the page about them."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from unlabeled.engine.files import write_whole

from ..pages import PAGE, page_command, render
from ..targets import verdict_on
from . import coverage, cut, refit, scar
from .cells import LABEL_FREQUENCY, MECHANISMS
from .sections import SECTIONS, refit_cells, scar_cells

CELLS = {"refit": ("refit.csv", refit_cells), "scar": ("scar.csv", scar_cells)}
"""Numbers of each cell of a study whose records are not a CSV file."""


def write_page(folder: Path) -> None:
    """Write the page, and a CSV file for studies that have none, from the records in a folder."""
    for name, (file, cells_of) in CELLS.items():
        cells = cells_of(folder / name)
        if len(cells):
            _write_csv(folder / file, cells)
        else:
            (folder / file).unlink(missing_ok=True)
    sections = {name: make(folder / below) for name, (make, below) in SECTIONS.items()}
    text = render(
        Path(__file__).parent,
        sections={name: section.rendered() for name, section in sections.items()},
        **verdict_on(sections.values()),
        mechanisms=list(MECHANISMS.values()),
        label_frequency=f"{LABEL_FREQUENCY:g}".removeprefix("0"),
        sizes=coverage.SIZES,
        coverage_draws=coverage.DRAWS,
        hostile=[words for name, words in coverage.TABLES.items() if name != "plain"],
        cut=cut,
        refit=refit,
        scar=scar,
    )
    (folder / PAGE).write_text(text, encoding="utf-8")


def _write_csv(path: Path, cells: pd.DataFrame) -> None:
    write_whole(path, lambda file: cells.to_csv(file, index=False, float_format="%.6g"))


main = page_command(write_page, "checked rows")

if __name__ == "__main__":
    main()

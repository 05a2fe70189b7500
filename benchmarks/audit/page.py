"""From the records of the studies to the page about them."""

from __future__ import annotations

from pathlib import Path

import click
import pandas as pd

from unlabeled.engine.files import write_whole

from ..pages import render
from ..targets import verdict_on
from . import coverage, cut, refit, scar
from .cells import LABEL_FREQUENCY, MECHANISMS
from .sections import SECTIONS, refit_cells, scar_cells

PAGE = "index.rst"
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


@click.command()
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    help="Folder with the records.",
)
def main(out: Path) -> None:
    """Write the page about checked rows from the records of its studies; measures nothing."""
    out.mkdir(parents=True, exist_ok=True)
    write_page(out)
    click.echo(f"The page is {out / PAGE}.")


if __name__ == "__main__":
    main()

"""From the records of the studies to the page about them."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from unlabeled.engine.files import write_whole

from ..targets import write_sections
from . import coverage, cut, few_yes, refit, scar
from .cells import LABEL_FREQUENCY, MECHANISMS
from .sections import SECTIONS, refit_cells, scar_cells


def write_page(folder: Path) -> None:
    """Write the page, and a CSV file of each cell of studies with many draws per cell."""
    for file, cells in (("refit.csv", refit_cells(folder)), ("scar.csv", scar_cells(folder))):
        if len(cells):
            _write_csv(folder / file, cells)
        else:
            (folder / file).unlink(missing_ok=True)
    write_sections(
        folder,
        Path(__file__).parent,
        {name: make(folder) for name, make in SECTIONS.items()},
        mechanisms=list(MECHANISMS.values()),
        label_frequency=f"{LABEL_FREQUENCY:g}".removeprefix("0"),
        sizes=coverage.SIZES,
        coverage_draws=coverage.DRAWS,
        hostile=[words for name, words in coverage.TABLES.items() if name != "plain"],
        cut=cut,
        few_yes=few_yes,
        refit=refit,
        scar=scar,
    )


def _write_csv(path: Path, cells: pd.DataFrame) -> None:
    write_whole(path, lambda file: cells.to_csv(file, index=False, float_format="%.6g"))

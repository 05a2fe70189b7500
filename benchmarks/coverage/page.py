"""From records to the page."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from reproduction.outcome import Table

from ..pages import PAGE, render, rst, rst_of
from .designs import DESIGNS, population
from .elsewhere import FEWEST, elsewhere_table
from .intervals import FEW_RESAMPLES, RESAMPLES
from .studies import INTERVAL_DESIGNS, MANY_FEATURES, RECORDS
from .tables import (
    BOOTSTRAP,
    LIKELIHOOD,
    OTHER_COVARIANCES,
    PU_LOGISTIC,
    SCORES,
    Cell,
    cells_of,
    coverage_table,
    one_table,
    outside,
    reading_table,
    real_prior_table,
    real_table,
    rejection_table,
)


def write_page(folder: Path) -> None:
    """Write the page from the records in its folder."""
    cells = {records.name: cells_of(folder, records) for records in RECORDS}
    text = render(
        Path(__file__).parent,
        designs={
            name: {"words": one.words, "prior": f"{population(name).class_prior:.3f}"}
            for name, one in DESIGNS.items()
            if name in (*INTERVAL_DESIGNS, MANY_FEATURES[0])
        },
        samples={name: _samples(found) for name, found in cells.items()},
        resamples=RESAMPLES,
        few_resamples=FEW_RESAMPLES,
        likelihood=_blocks(cells["intervals"], LIKELIHOOD),
        likelihood_outside=outside(cells["intervals"], LIKELIHOOD),
        others_outside=outside(cells["intervals"], OTHER_COVARIANCES),
        ones=rst_of(one_table(cells["intervals"], "c_profile_contains_one")),
        bootstrap=_blocks(cells["bootstrap"], BOOTSTRAP),
        bootstrap_outside=outside(cells["bootstrap"], BOOTSTRAP),
        pu_logistic=_blocks(cells["pu_logistic"], PU_LOGISTIC),
        pu_logistic_outside=outside(cells["pu_logistic"], PU_LOGISTIC),
        scores=_blocks(cells["scores"], SCORES),
        scores_outside=outside(cells["scores"], SCORES),
        level=rst_of(rejection_table(cells["level"], cells["peer"])),
        power=rst_of(rejection_table(cells["power"], cells["peer"])),
        reading=rst_of(reading_table(cells["power"])),
        real_priors=rst_of(real_prior_table(cells["real_priors"])),
        real=rst_of(real_table(cells["real"])),
        elsewhere=rst_of(elsewhere_table(folder.parent)),
        fewest=FEWEST,
    )
    (folder / PAGE).write_text(text, encoding="utf-8")


def _blocks(cells: list[Cell], rows: dict[str, str]) -> str:
    blocks = tuple(
        (f"Design: {DESIGNS[design].words}", coverage_table(cells, rows, design))
        for design in dict.fromkeys(str(cell.arguments["design"]) for cell in cells)
    )
    return rst(Table("coverage", "", "", blocks, pd.DataFrame()))


def _samples(cells: list[Cell]) -> str:
    """Number of samples per cell."""
    sizes = sorted({len(cell.records) for cell in cells})
    if not sizes:
        return "no"
    return str(sizes[0]) if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"

"""From a folder of records to figures, tables and the page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from ..studies.paper_plans import STUDIES
from ..studies.records import read_manifest
from ..studies.store import read_records
from ._figures import Drawing, real_figure, robustness_figures, synthetic_figure
from ._judge import Judgment, judge_claims
from ._page import FIGURES, provenance, render_page
from ._records import SETTINGS, check_records, summarize
from ._tables import (
    Table,
    claim_table,
    dataset_table,
    difference_table,
    fit_table,
    rank_table,
    score_tables,
    study_table,
    time_table,
)

TABLES, PAGE = "tables", "index.html"


def write_outcome(folder: Path) -> None:
    """Write figures, tables and the page of the records in a folder.

    Nothing is run. Records may be incomplete: the page lists what is missing.

    Parameters
    ----------
    folder : Path
        Results folder; it gets `index.html`, `figures/` and `tables/`.
    """
    folder = Path(folder)
    write_outcome_from(read_records(folder), read_manifest(folder) or {}, folder)


def write_outcome_from(records: pd.DataFrame, manifest: dict[str, Any], folder: Path) -> None:
    """Write figures (SVG), tables (CSV, Markdown) and the page of given records.

    Parameters
    ----------
    records : DataFrame
        One row per fit.
    manifest : dict
        How they were made; may be empty.
    folder : Path
        Where to write.
    """
    checked = check_records(records)
    summary = summarize(checked)
    judgments = judge_claims(checked)
    drawings = _drawings(summary)
    tables = _tables(checked, summary, judgments, manifest)
    for name in (FIGURES, TABLES):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for drawing in drawings:
        drawing.write(folder / FIGURES)
    for table in tables:
        table.write(folder / TABLES)
    present = set(checked["study"])
    missing = [study.title for name, study in STUDIES.items() if name not in present]
    on_page = [table for table in tables if table.slug != "claims"]
    page = render_page(judgments, drawings, on_page, provenance(manifest), missing)
    (folder / PAGE).write_text(page, encoding="utf-8")


def _drawings(summary: pd.DataFrame) -> list[Drawing]:
    drawings: list[Drawing | None] = []
    drawings += [synthetic_figure(summary, setting) for setting in SETTINGS]
    for measure in ("f1", "balanced_accuracy"):
        drawings += [real_figure(summary, measure, setting) for setting in SETTINGS]
    for setting in SETTINGS:
        drawings += robustness_figures(summary, setting)
    return [drawing for drawing in drawings if drawing is not None]


def _tables(
    records: pd.DataFrame,
    summary: pd.DataFrame,
    judgments: tuple[Judgment, ...],
    manifest: dict[str, Any],
) -> list[Table]:
    tables = [
        study_table(records, manifest),
        dataset_table(records, manifest),
        time_table(records),
        difference_table(records),
        rank_table(summary),
        *score_tables(summary),
        fit_table(records),
        claim_table(judgments),
    ]
    return [table for table in tables if table is not None]

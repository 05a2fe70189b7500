"""From a folder of records to tables, figures and the page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from unlabeled.paper.outcome import Drawing, Table
from unlabeled.paper.studies import read_records
from unlabeled.paper.studies.records import read_manifest

from ..pages import frequency, render, rst, rst_of
from .cast import PACKAGES, ROLES, TREES
from .compare import datasets_in, scores, together
from .ecai import ecai_table
from .figures import lead_figure, mean_figure
from .pulearn_peers import BAGS
from .studies import CANCER, REAL, TEN
from .tables import all_tables
from .words import counts, has_ours, headlines, without_mean

PAGE, TABLES, FIGURES = "index.rst", "tables", "figures"
_STUDIES = {
    REAL: "the paper's sets at c = {c}, {repeats} repeats ({others} for the forest and the peers, "
    "which are slow)",
    CANCER: "scikit-learn's breast cancer data, once benign and once malignant positive, c = {c}, "
    "{repeats} repeats",
    TEN: "ten labelled rows on each set, drawn {repeats} times",
}


def write_page(folder: Path) -> None:
    """Write tables (CSV, Markdown), figures (PNG, SVG) and `index.rst` into a folder of records."""
    records = together(read_records(folder))
    tables = all_tables(records)
    figures = _figures(records)
    for name in (TABLES, FIGURES):
        (folder / name).mkdir(exist_ok=True)
    for table in tables.values():
        table.write(folder / TABLES)
    for figure in figures:
        figure.write(folder / FIGURES)
    protocol = ecai_table(folder)
    text = _render(records, tables, figures, read_manifest(folder) or {}, protocol)
    (folder / PAGE).write_text(text, encoding="utf-8")


def _figures(records: pd.DataFrame) -> list[Drawing]:
    if REAL not in set(records["study"]):
        return []
    drawings = [mean_figure(records), lead_figure(records)]
    return [drawing for drawing in drawings if drawing is not None]


def _render(
    records: pd.DataFrame,
    tables: dict[str, Table],
    figures: list[Drawing],
    manifest: dict[str, Any],
    protocol: pd.DataFrame | None,
) -> str:
    real = REAL in set(records["study"])
    others = ("breast-cancer", "ten-labels", "failures", "times")
    return render(
        Path(__file__).parent,
        trees=TREES,
        bags=BAGS,
        versions=_versions(manifest),
        studies=_studies(records),
        real=real,
        has_ours=has_ours(records),
        headlines=headlines(records) if real else [],
        without_mean=", ".join(without_mean(records)) if real else "",
        n_sets=len(datasets_in(scores(records, "f1"))) if real else 0,
        counts=counts(records) if real else {},
        figures=figures,
        means=_starting(tables, "means-"),
        sets=_starting(tables, "sets-"),
        losses=tables.get("losses"),
        enhanced=tables.get("below-enhanced"),
        others=[tables[slug] for slug in others if slug in tables],
        rst=rst,
        protocol=None if protocol is None else rst_of(protocol),
    )


def _starting(tables: dict[str, Table], start: str) -> list[Table]:
    return [table for slug, table in tables.items() if slug.startswith(start)]


def _versions(manifest: dict[str, Any]) -> str:
    runs = manifest.get("runs", [])
    libraries = runs[-1]["libraries"] if runs else {}
    shown = ("unlabeled", "scikit-learn", *PACKAGES)
    return ", ".join(f"{name} {libraries[name]}" for name in shown if name in libraries)


def _studies(records: pd.DataFrame) -> list[str]:
    lines = []
    for study, words in _STUDIES.items():
        own = records[records["study"] == study]
        if len(own):
            frequencies = ", ".join(frequency(c) for c in sorted(set(own["c"])))
            repeats = own["repeat"].nunique()
            slow = [
                not ROLES[key].is_quick for key in zip(own["method"], own["setting"], strict=True)
            ]
            others = own.loc[slow, "repeat"].nunique()
            lines.append(words.format(c=frequencies, repeats=repeats, others=others) + ";")
    return [*lines[:-1], lines[-1].replace(";", ".")] if lines else []

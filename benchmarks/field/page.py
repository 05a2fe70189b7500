"""From a folder of records to tables, figures and the page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from reproduction.outcome import Drawing, Table
from reproduction.studies.records import read_manifest

from ..pages import frequency, render, rst, rst_of
from .cast import PACKAGES, TREES
from .compare import datasets_in, scores
from .ecai import ecai_table
from .figures import lead_figure, mean_figure
from .pulearn_peers import BAGS
from .studies import CANCER, ENSEMBLE, FOREST, OTHERS, REAL, TEN, field_records, study_of
from .tables import all_tables
from .ten import ten_short
from .words import counts, has_ours, headlines, without_mean

PAGE, ALL_TABLES, TABLES, FIGURES = "index.rst", "tables.rst", "tables", "figures"
_STUDIES = {
    REAL: "the paper's sets at c = {c}, {repeats} repeats ({fewer})",
    CANCER: "scikit-learn's breast cancer data, once benign and once malignant positive, c = {c}, "
    "{repeats} repeats",
    TEN: "ten labeled rows on each set, drawn {repeats} times",
}
_SLOW = {ENSEMBLE: "PUEnsemble", FOREST: "the forest", OTHERS: "other packages"}


def write_page(folder: Path, reproduction: Path | None = None) -> None:
    """Write tables (CSV, Markdown), figures (PNG, SVG) and the pages into a folder of records.

    The paper's methods, PULogistic and PUEnsemble come from the folder of a reproduction, if one is
    given. `index.rst` has what a reader needs to choose, `tables.rst` every number.
    """
    records = field_records(folder, reproduction)
    tables = all_tables(records)
    figures = _figures(records)
    for name in (TABLES, FIGURES):
        (folder / name).mkdir(exist_ok=True)
    for table in tables.values():
        table.write(folder / TABLES)
    for figure in figures.values():
        figure.write(folder / FIGURES)
    versions = _versions(read_manifest(folder) or {})
    (folder / PAGE).write_text(
        _render(records, tables, figures, versions, ecai_table(folder)), encoding="utf-8"
    )
    (folder / ALL_TABLES).write_text(_render_tables(tables), encoding="utf-8")


def _figures(records: pd.DataFrame) -> dict[str, Drawing]:
    if REAL not in set(records["study"]):
        return {}
    drawings = [mean_figure(records), lead_figure(records)]
    return {drawing.slug: drawing for drawing in drawings if drawing is not None}


def _render(
    records: pd.DataFrame,
    tables: dict[str, Table],
    figures: dict[str, Drawing],
    versions: str,
    protocol: pd.DataFrame | None,
) -> str:
    real = REAL in set(records["study"])
    return render(
        Path(__file__).parent,
        trees=TREES,
        bags=BAGS,
        versions=versions,
        studies=_studies(records),
        real=real,
        has_ours=has_ours(records),
        headlines=headlines(records) if real else [],
        without_mean=", ".join(without_mean(records)) if real else "",
        n_sets=len(datasets_in(scores(records, "f1"))) if real else 0,
        counts=counts(records) if real else {},
        figures=figures,
        losses=tables.get("losses"),
        enhanced=tables.get("below-enhanced"),
        ten=rst_of(ten_short(records)) if TEN in set(records["study"]) else None,
        rst=rst,
        protocol=None if protocol is None else rst_of(protocol),
    )


def _render_tables(tables: dict[str, Table]) -> str:
    others = ("breast-cancer", "ten-labels", "failures", "times")
    return render(
        Path(__file__).parent,
        "tables.rst.j2",
        means=_starting(tables, "means-"),
        sets=_starting(tables, "sets-"),
        others=[tables[slug] for slug in others if slug in tables],
        rst=rst,
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
            fewer = _fewer(own, repeats) or "all methods"
            lines.append(words.format(c=frequencies, repeats=repeats, fewer=fewer) + ";")
    return [*lines[:-1], lines[-1].replace(";", ".")] if lines else []


def _fewer(own: pd.DataFrame, repeats: int) -> str:
    """Name the methods that were repeated less often."""
    fitted_in = [study_of(key) for key in zip(own["method"], own["setting"], strict=True)]
    found = own["repeat"].groupby(fitted_in).nunique()
    few = [(name, found[study]) for study, name in _SLOW.items() if study in found.index]
    few = [(name, count) for name, count in few if count < repeats]
    return ", ".join(f"{count} for {name}" for name, count in few)

"""The files of a fit."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..table_model import TableFit
    from ._table_options import Read

SUMMARY, SCORED, REPORT = "summary.json", "scored.csv", "report.html"
FILES = (SUMMARY, SCORED, REPORT, "model.skops", "model.json")
"""What a fit writes."""

_PIECE = 2**20


def fingerprint_of(path: Path) -> dict[str, Any]:
    """Checksum and size of a file."""
    found, size = hashlib.sha256(), 0
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            found.update(piece)
            size += len(piece)
    return {"sha256": found.hexdigest(), "bytes": size}


def write_fit(
    folder: Path, fit: TableFit, read: Read, record: dict[str, Any], include_rows: bool
) -> None:
    """Write everything into a folder."""
    from ..model_files import Card, save_model
    from ..report import make_report, read_rows

    labels, prepared, table = read.labels, read.prepared, record["table"]
    card = Card.of(
        fit.pipeline,
        label=labels.column,
        positive=labels.positive,
        id=prepared.id,
        method=record["method"]["name"],
        fingerprint={key: table[key] for key in ("sha256", "rows", "columns")},
    )
    save_model(fit.pipeline, folder, card)
    columns = scored_columns(prepared.id, prepared.ids, _said(fit, record))
    write_scored(folder / SCORED, columns, ".csv")
    (folder / SUMMARY).write_text(json.dumps(record, allow_nan=False, indent=1), "utf-8")
    rows = read_rows(folder / SCORED) if include_rows else None
    (folder / REPORT).write_text(make_report(record, rows), "utf-8")


def _said(fit: TableFit, record: dict[str, Any]) -> dict[str, Any]:
    """What is said about the rows of the fit, and of those without a label besides."""
    from ..table_model import if_unlabelled

    scored, s = fit.scored, fit.labels.s
    unlabelled = if_unlabelled(scored, s, record["label_frequency"]["estimate"])
    return {
        "labelled": s,
        "score": scored.score,
        "posterior": scored.posterior,
        "posterior_if_unlabelled": unlabelled.posterior,
        "decision": scored.decision,
        "rank": scored.rank,
        "rank_among_unlabelled": unlabelled.rank,
    }


def scored_columns(id: str | None, ids: Any, said: dict[str, Any]) -> dict[str, Any]:
    """Columns of a scored table: names of the rows, or their numbers from 1, and what is said."""
    import numpy as np

    if ids is None:
        return {"row": np.arange(1, len(said["score"]) + 1), **said}
    return {"id" if id in said else str(id): ids, **said}


def write_scored(path: Path, columns: dict[str, Any], ending: str) -> None:
    """Write columns as an ending says; numbers come back to the last digit."""
    import pyarrow as pa
    from pyarrow import csv, feather, parquet

    table = pa.table({name: pa.array(column, from_pandas=True) for name, column in columns.items()})
    if ending == ".parquet":
        parquet.write_table(table, path)
    elif ending in (".arrow", ".feather"):
        feather.write_feather(table, path)
    else:
        delimiter = "\t" if ending == ".tsv" else ","
        options = csv.WriteOptions(delimiter=delimiter, quoting_style="needed")
        csv.write_csv(table, path, options)

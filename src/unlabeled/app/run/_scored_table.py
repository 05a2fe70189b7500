"""Scored tables: their columns, their files, and the files they are about."""

from __future__ import annotations

import codecs
import hashlib
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...engine.of_020 import NAMES
from ...engine.progress import progress_bar
from ._errors import InputError
from ._table import LoadedTable, Parts

if TYPE_CHECKING:
    import numpy as np

    from ..report import ShownRows
    from ..table_model import FitRecord, MappedFit, TableFit

SUMMARY, REPORT, SCORED = "summary.json", "report.html", "scored.csv"
"""The record of a fit, its report and its scored table."""

TO_CHECK = "labels_to_check.csv"
"""The labeled rows of a fit that look like negatives."""

BECAUSE = "because"
"""Its last column before those that are kept."""


def fingerprint(path: Path) -> dict[str, Any]:
    """Return the checksum and the size of a file; of several, of the list of their checksums."""
    from ..tables import files_of, is_pattern

    found: list[dict[str, Any]] = []
    for file in files_of(path):
        with file.open("rb") as stream:
            checksum = hashlib.file_digest(stream, "sha256").hexdigest()
            found.append({"sha256": checksum, "bytes": stream.tell()})
    if not is_pattern(path):
        return found[0]
    together = hashlib.sha256("".join(one["sha256"] for one in found).encode())
    size = sum(one["bytes"] for one in found)
    return {"sha256": together.hexdigest(), "bytes": size, "files": len(found)}


def scored_columns(
    id: str | None, ids: Any, numbers: dict[str, Any], first: int = 1
) -> dict[str, Any]:
    """Return the columns of a scored table: the row IDs, or 1, 2, ..., then the numbers."""
    import numpy as np

    if ids is None:
        return {"row": np.arange(first, len(numbers["score"]) + first), **numbers}
    return {"id" if id in numbers else str(id): ids, **numbers}


def ids_of(column: Any) -> Any:
    """Return row identifiers as text, missing where they are blank."""
    import pyarrow as pa
    from pyarrow import compute

    text = column.cast(pa.string())
    # Of a part of a column and one null for all rows, older pyarrow makes garbled text.
    return compute.if_else(compute.equal(text, ""), pa.nulls(len(text), pa.string()), text)


def kept_columns(path: Path, keep: tuple[str, ...], keep_all: bool) -> dict[str, Any]:
    """Read the columns of a table that `--keep` and `--keep-all` name, as they are written."""
    from ..tables import read_cells

    if not keep and not keep_all:
        return {}
    return read_cells(path, None if keep_all else keep, "keep")


def with_kept(columns: dict[str, Any], kept: dict[str, Any], id: str | None) -> dict[str, Any]:
    """Return the columns of a scored table with those that are kept behind them.

    The row IDs are there already. A name that is taken gets the prefix ``original_``.
    """
    kept = {name: cells for name, cells in kept.items() if name != id}
    taken, found = {*columns, *kept}, dict(columns)
    for name, cells in kept.items():
        if len(cells) != len(columns["score"]):
            raise InputError("The table was changed while it was read. Run the command again.")
        new = name
        if name in columns:
            while new in taken:
                new = f"original_{new}"
        taken.add(new)
        found[new] = cells
    return found


def read_scored(
    folder: Path, names: tuple[str, ...], *, kept: bool = False
) -> dict[str, Any] | None:
    """Return the row IDs and some columns of numbers in a fit's scored table.

    Blank cells are NaN. With `kept`, there are also the columns that were kept, as they are
    written. None if there is no such table, or it was changed.
    """
    import numpy as np
    import pyarrow as pa
    from pyarrow import csv

    from ..tables import LONGEST_LINE, has_semicolons

    path = folder / SCORED
    try:
        commas = has_semicolons(path)
        # A cell of a column that was kept may have line breaks, and be long.
        parse = csv.ParseOptions(delimiter=";" if commas else ",", newlines_in_values=True)
        block = 2 * LONGEST_LINE
        with csv.open_csv(path, csv.ReadOptions(block_size=block), parse) as reader:
            header = [NAMES.get(name, name) for name in reader.schema.names]
        read = csv.ReadOptions(block_size=block, column_names=header, skip_rows_after_names=1)
        if len(set(header)) < len(header):
            return None
        further = header[header.index(BECAUSE) + 1 :] if kept else []
        # Columns of text and numbers: an ID such as 007 must stay as it is.
        types = dict.fromkeys(names, pa.float64()) | dict.fromkeys(
            [header[0], *further], pa.string()
        )
        # A blank cell is missing, an empty text in quotes is not.
        convert = csv.ConvertOptions(
            column_types=types,
            include_columns=list(types),
            null_values=[""],
            decimal_point="," if commas else ".",
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        )
        table = csv.read_csv(path, read, parse, convert)
    except (OSError, ValueError, LookupError, pa.ArrowException):
        return None
    found = {name: table[name].to_numpy() for name in names}
    found["id"] = np.array(table[header[0]].fill_null("").to_pylist(), dtype=str)
    return found | ({"kept": {name: table[name] for name in further}} if kept else {})


WITH_COMMAS = "has semicolons and decimal commas, like"
"""What is said of a file for people whose table came so."""


def writes_commas(path: Path, decimal_comma: Collection[str]) -> bool:
    """Whether CSV for people gets semicolons and decimal commas: if the table at `path` has both.

    A spreadsheet that writes them reads nothing else as numbers.
    """
    from ..tables import has_semicolons

    return bool(decimal_comma) and has_semicolons(path)


def write_scored(path: Path, columns: dict[str, Any], commas: bool = False) -> None:
    """Write columns as CSV; numbers keep all their digits."""
    with scored_writer(path, ".csv", commas) as write:
        write(columns)


@contextmanager
def scored_writer(
    path: Path, ending: str, commas: bool = False
) -> Iterator[Callable[[dict[str, Any]], None]]:
    """Yield a function that writes the next rows, in the format of an ending.

    Columns must have the same types every time. Numbers keep all their digits. With `commas`, CSV
    has semicolons and decimal commas, and a mark without which spreadsheets misread UTF-8.
    """
    import pyarrow as pa

    commas &= ending == ".csv"
    writers: list[Any] = []

    def write(columns: dict[str, Any]) -> None:
        arrow = (pa.Array, pa.ChunkedArray)
        table = pa.table(
            {
                name: column if isinstance(column, arrow) else pa.array(column, from_pandas=True)
                for name, column in columns.items()
            }
        )
        if commas:
            table = _with_decimal_commas(table)
        if not writers:
            if ending == ".parquet":
                from pyarrow import parquet  # it takes a while to import

                writers.append(parquet.ParquetWriter(path, table.schema))
            elif ending in (".arrow", ".feather"):
                packed = pa.ipc.IpcWriteOptions(compression="lz4")
                writers.append(pa.ipc.new_file(str(path), table.schema, options=packed))
            else:
                from pyarrow import csv

                delimiter = "\t" if ending == ".tsv" else ";" if commas else ","
                options = csv.WriteOptions(delimiter=delimiter, quoting_style="needed")
                file = files.enter_context(pa.OSFile(str(path), "wb"))
                if commas:
                    file.write(codecs.BOM_UTF8)
                writers.append(csv.CSVWriter(file, table.schema, write_options=options))
        writers[0].write_table(table)

    with ExitStack() as files:
        try:
            yield write
        finally:
            for one in writers:
                one.close()


def _with_decimal_commas(table: Any) -> Any:
    """Return a table whose numbers are text, with all their digits."""
    import pyarrow as pa
    from pyarrow import compute

    for place, field in enumerate(table.schema):
        if pa.types.is_floating(field.type):
            text = compute.replace_substring(table.column(place).cast(pa.string()), ".", ",")
            table = table.set_column(place, field.name, text)
    return table


# The scored table of a fit.


def write_scored_rows(
    folder: Path,
    fit: TableFit,
    loaded: LoadedTable,
    record: FitRecord,
    kept: dict[str, Any],
    include_rows: bool,
    commas: bool,
) -> ShownRows | None:
    """Write the scored table; return the rows that the report shows."""
    from ..report import ShownRows
    from ..table_model import because, label_frequency_of

    labels, prepared = loaded.labels, loaded.prepared
    rows = labels.of_population
    frequency = label_frequency_of(fit, record.label_frequency["estimate"])
    found = {name: column[rows] for name, column in _scores(fit, frequency).items()}
    found[BECAUSE] = [why for why, kept in zip(because(fit), rows, strict=True) if kept]
    if labels.cases:
        found["rank"] = found["rank_among_unlabeled"]
    ids = None if prepared.ids is None else prepared.ids[rows]
    columns = scored_columns(prepared.id, ids, found)
    write_scored(folder / SCORED, with_kept(columns, kept, prepared.id), commas)
    return ShownRows.of(columns) if include_rows else None


def write_scored_parts(
    path: Path,
    fit: MappedFit,
    loaded: LoadedTable,
    parts: Parts,
    label_frequency: float,
    *,
    include_rows: bool,
    commas: bool,
    quiet: bool,
) -> ShownRows | None:
    """Write the scored table batch by batch; return the rows that the report shows."""
    import numpy as np
    import pyarrow as pa

    from ..table_model import MOST_EXPLAINED, reasons_for
    from ..tables import conformed_rows, reading_like

    features, id = fit.pipeline[0], loaded.prepared.id
    first = _first_unlabeled(fit, MOST_EXPLAINED)
    features_of = fit.features_of(first)
    how = reading_like(features, loaded.table.reading.to_dict())
    shown: list[dict[str, Any]] = []
    start = 0
    with (
        progress_bar(step="Writing", quiet=quiet) as progress,
        scored_writer(path, ".csv", commas) as write,
    ):
        for batch in parts.batches.read(progress=progress):
            rows = slice(start, start + batch.num_rows)
            numbers = _scores(fit, label_frequency, rows)
            of_batch = slice(*np.searchsorted(first, (rows.start, rows.stop)))
            inside = first[of_batch]
            because: list[str | None] = [None] * batch.num_rows
            if len(inside):
                few = parts.batches.table_of(batch.take(inside - start), how, id)
                X = conformed_rows(few, features)
                why = reasons_for(fit, X, features_of[of_batch])
                for row, reason in zip(inside, why, strict=True):
                    because[row - start] = reason
            ids = None if id is None else ids_of(batch.column(id))
            numbers[BECAUSE] = pa.array(because, pa.string())
            columns = scored_columns(id, ids, numbers, start + 1)
            kept = {name: batch.column(name) for name in parts.keep}
            write(with_kept(columns, kept, id))
            if include_rows and len(inside):
                shown.append(_taken(columns, inside - start))
            start = rows.stop
    return _shown(shown, fit) if include_rows else None


def _first_unlabeled(fit: MappedFit, most: int) -> np.ndarray:
    """Return the unlabeled rows with the highest scores, in the order of the table."""
    import numpy as np

    rank = fit.rank_among_unlabeled
    found = np.flatnonzero((rank > 0) & (rank <= most))
    return np.sort(found[np.argsort(rank[found], kind="stable")[:most]])


def _taken(columns: dict[str, Any], places: np.ndarray) -> dict[str, list[Any]]:
    """Return some rows of columns."""
    return {
        name: column.take(places).to_pylist()
        if hasattr(column, "to_pylist")
        else column[places].tolist()
        for name, column in columns.items()
    }


def _shown(parts: list[dict[str, list[Any]]], fit: MappedFit) -> ShownRows:
    """Return the rows that a report shows, from the first unlabeled rows of every batch."""
    import numpy as np

    from ..report import ShownRows

    columns: dict[str, Any] = {}
    for name in parts[0]:
        cells = [cell for part in parts for cell in part[name]]
        columns[name] = cells if isinstance(cells[0], str) or name == BECAUSE else np.array(cells)
    return replace(ShownRows.of(columns), n_unlabeled=int((fit.labels.s == 0).sum()))


def _scores(
    fit: TableFit,
    label_frequency: Any,
    rows: slice = slice(None),
) -> dict[str, Any]:
    """Return the columns of numbers in `scored.csv`, for some rows or all."""
    import numpy as np

    from ..table_model import Scored, if_unlabeled

    s = fit.labels.s[rows]
    scored = Scored(*(column[rows] for column in fit.scored))
    unlabeled = if_unlabeled(fit, label_frequency, rows)
    held_out = None if fit.held_out_score is None else fit.held_out_score[rows]
    none = np.ma.array(np.zeros(len(s)), mask=True)
    return {
        "labeled": s,
        "score": scored.score,
        "posterior": scored.posterior,
        "posterior_if_unlabeled": unlabeled.posterior,
        "posterior_if_unlabeled_lower": unlabeled.lower,
        "posterior_if_unlabeled_upper": unlabeled.upper,
        "decision_if_unlabeled": unlabeled.decision,
        "decision": scored.decision,
        "rank": scored.rank,
        "rank_among_unlabeled": unlabeled.rank,
        "held_out_score": none if held_out is None else held_out,
        "held_out_posterior": none if held_out is None else fit.classifier.posterior_at(held_out),
    }

"""Scored tables: their columns, their files, and the files they are about."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ._errors import InputError

SUMMARY, REPORT, SCORED = "summary.json", "report.html", "scored.csv"
"""The record of a fit, its report and its scored table."""

BECAUSE = "because"
"""Its last column before those that are kept."""


def fingerprint(path: Path) -> dict[str, Any]:
    """Return the checksum and the size of a file; of several, of the list of their checksums."""
    from ..tables import files_of, is_pattern

    found = [_fingerprint(file) for file in files_of(path)]
    if not is_pattern(path):
        return found[0]
    together = hashlib.sha256("".join(one["sha256"] for one in found).encode())
    size = sum(one["bytes"] for one in found)
    return {"sha256": together.hexdigest(), "bytes": size, "files": len(found)}


def _fingerprint(file: Path) -> dict[str, Any]:
    with file.open("rb") as stream:
        return {
            "sha256": hashlib.file_digest(stream, "sha256").hexdigest(),
            "bytes": stream.tell(),
        }


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

    from ..tables import LONGEST_LINE

    path = folder / SCORED
    # A cell of a column that was kept may have line breaks, and be long.
    block, parse = 2 * LONGEST_LINE, csv.ParseOptions(newlines_in_values=True)
    read = csv.ReadOptions(block_size=block)
    try:
        with csv.open_csv(path, read, parse) as reader:
            header = reader.schema.names
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
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        )
        table = csv.read_csv(path, read, parse, convert)
    except (OSError, ValueError, LookupError, pa.ArrowException):
        return None
    found = {name: table[name].to_numpy() for name in names}
    found["id"] = np.array(table[header[0]].fill_null("").to_pylist(), dtype=str)
    return found | ({"kept": {name: table[name] for name in further}} if kept else {})


def write_scored(path: Path, columns: dict[str, Any], ending: str) -> None:
    """Write columns in the format of an ending; numbers keep all their digits."""
    from pyarrow import csv, feather, parquet

    table = _table(columns)
    if ending == ".parquet":
        parquet.write_table(table, path)
    elif ending in (".arrow", ".feather"):
        feather.write_feather(table, path)
    else:
        csv.write_csv(table, path, _text_options(ending))


@contextmanager
def scored_writer(path: Path, ending: str) -> Iterator[Callable[[dict[str, Any]], None]]:
    """Yield a function that writes the next rows of what `write_scored` writes at once.

    Columns must have the same types every time.
    """
    import pyarrow as pa
    from pyarrow import csv, parquet

    writers: list[Any] = []

    def write(columns: dict[str, Any]) -> None:
        table = _table(columns)
        if not writers:
            if ending == ".parquet":
                writers.append(parquet.ParquetWriter(path, table.schema))
            elif ending in (".arrow", ".feather"):
                packed = pa.ipc.IpcWriteOptions(compression="lz4")
                writers.append(pa.ipc.new_file(str(path), table.schema, options=packed))
            else:
                options = _text_options(ending)
                writers.append(csv.CSVWriter(str(path), table.schema, write_options=options))
        writers[0].write_table(table)

    try:
        yield write
    finally:
        for one in writers:
            one.close()


def _text_options(ending: str) -> Any:
    from pyarrow import csv

    return csv.WriteOptions(delimiter="\t" if ending == ".tsv" else ",", quoting_style="needed")


def _table(columns: dict[str, Any]) -> Any:
    import pyarrow as pa

    return pa.table({name: _arrow(column) for name, column in columns.items()})


def _arrow(column: Any) -> Any:
    import pyarrow as pa

    if isinstance(column, (pa.Array, pa.ChunkedArray)):
        return column
    return pa.array(column, from_pandas=True)

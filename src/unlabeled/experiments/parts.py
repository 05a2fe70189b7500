"""Record files: what they hold is written in them, and checked when they are read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ..files import write_whole
from .records import ADDED, SCHEMA

_BATCHES, _SUM = b"unlabeled.batches", b"unlabeled.sha256"


def write_part(path: Path, table: pa.Table, batches: Mapping[str, int]) -> None:
    """Write a record file; `batches` maps the key of each batch in it to its number of rows."""
    marks = {_BATCHES: json.dumps(dict(batches)), _SUM: _sum_of(table)}
    marked = table.replace_schema_metadata(marks)
    write_whole(path, lambda temporary: _write(marked, temporary))


def read_part(path: Path) -> tuple[pa.Table, dict[str, int]] | None:
    """Read a record file; return None if it is cut off, altered or not one of ours."""
    try:
        table = pq.read_table(path, partitioning=None)
        batches = json.loads(table.schema.metadata[_BATCHES])
        whole = table.num_rows == sum(batches.values())
        intact = table.schema.metadata[_SUM].decode() == _sum_of(table)
    except (pa.ArrowException, OSError, KeyError, TypeError, ValueError):
        return None
    complete = _with_added_columns(table.replace_schema_metadata(None))
    if not whole or not intact or complete is None:
        return None
    return complete, batches


def _with_added_columns(table: pa.Table) -> pa.Table | None:
    """Return the table with NaN in columns it is too old for; None if other columns differ."""
    for name in ADDED:
        if name not in table.schema.names:
            blank = pa.array(np.full(table.num_rows, np.nan))
            table = table.append_column(SCHEMA.field(name), blank)
    if sorted(table.schema.names) != sorted(SCHEMA.names):
        return None
    return table.select(SCHEMA.names)


def _write(table: pa.Table, path: Path) -> None:
    pq.write_table(table, path, compression="zstd", compression_level=9)


def _sum_of(table: pa.Table) -> str:
    """SHA-256 of the values, column by column; one NaN is like another."""
    total = hashlib.sha256()
    for column in table.columns:
        if pa.types.is_string(column.type):
            total.update("\n".join(column.to_pylist()).encode())
        else:
            values = np.array(column.to_numpy())
            if values.dtype.kind == "f":
                values[np.isnan(values)] = np.nan
            total.update(values.tobytes())
    return total.hexdigest()

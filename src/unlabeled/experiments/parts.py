"""Record files: what they hold is written in them, and checked when they are read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from .files import write_whole
from .records import SCHEMA

_BATCHES = b"unlabeled.batches"


def write_part(path: Path, table: pa.Table, batches: Mapping[str, int]) -> None:
    """Write a record file; `batches` maps the key of each batch in it to its number of rows."""
    marked = table.replace_schema_metadata({_BATCHES: json.dumps(dict(batches))})
    write_whole(path, lambda temporary: _write(marked, temporary))


def read_part(path: Path) -> tuple[pa.Table, dict[str, int]] | None:
    """Read a record file; return None if it is cut off, altered or not one of ours."""
    try:
        table = pq.read_table(path, page_checksum_verification=True, partitioning=None)
        batches = json.loads(table.schema.metadata[_BATCHES])
        whole = table.num_rows == sum(batches.values())
    except (pa.ArrowException, OSError, KeyError, TypeError, ValueError):
        return None
    if not whole or table.schema.names != SCHEMA.names:
        return None
    return table.replace_schema_metadata(None), batches


def _write(table: pa.Table, path: Path) -> None:
    pq.write_table(table, path, compression="zstd", compression_level=9, write_page_checksum=True)

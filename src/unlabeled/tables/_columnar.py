"""Parquet and Arrow files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ._words import TableError


def read_parquet(path: Path) -> Any:
    """Read a Parquet file into an Arrow table."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(path) as file:
            return file.read()
    except (pa.ArrowException, OSError) as error:
        raise _damaged(path, "Parquet", error) from None


def read_arrow(path: Path) -> Any:
    """Read an Arrow (Feather) file, or a stream, into an Arrow table."""
    import pyarrow as pa

    try:
        with pa.OSFile(str(path)) as file:
            try:
                return pa.ipc.open_file(file).read_all()
            except pa.ArrowInvalid:
                file.seek(0)
                return pa.ipc.open_stream(file).read_all()
    except (pa.ArrowException, OSError) as error:
        raise _damaged(path, "Arrow", error) from None


def _damaged(path: Path, kind: str, error: Exception) -> TableError:
    reason = str(error).splitlines()[0].replace(str(path), path.name).rstrip(". ")
    return TableError(
        f"`path` must be a whole {kind} file; got {path.name}, which is cut short, damaged or "
        f"something else ({reason[:160]}). Copy or write it again."
    )

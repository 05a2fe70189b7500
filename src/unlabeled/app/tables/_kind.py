"""What a file is, by its first bytes: for files whose name says something else."""

from __future__ import annotations

import gzip
import io
import re
import zipfile
import zlib
from pathlib import Path
from typing import NamedTuple

_HEAD = 4096
_DOWNLOAD = (
    "It is perhaps a login page or an error message: log in and download the table again, or save "
    "it as CSV"
)
_EXPORT = "Save the table in it as CSV"
_RENAME = "Rename it to end in {}, or save the table as CSV"


class Kind(NamedTuple):
    """What a file is, in words; what to do if it is no table; and the endings it may have."""

    words: str
    advice: str
    endings: tuple[str, ...] = ()


def _renamed(words: str, *endings: str) -> Kind:
    return Kind(words, _RENAME.format(endings[0]), endings)


PICKLE = Kind(
    "a pickle",
    "It could run any code when opened, and was not opened: write the table as CSV or Parquet",
)
MODEL = Kind("a fitted model", "Name a table")
_ZIP = _renamed("a zip archive", ".csv.zip", ".tsv.zip")
_EXCEL = _renamed("an Excel workbook", ".xlsx", ".xls")
_GZIP = _renamed("compressed by gzip", ".csv.gz", ".tsv.gz")
_IMAGE = Kind("a picture", "Name a table")
_PACKED = Kind("a compressed archive", "Unpack it, and name the table in it")
_BY_FIRST_BYTES = (
    (b"\xd0\xcf\x11\xe0", _renamed("an old Excel workbook", ".xls", ".xlsx")),
    (b"PAR1", _renamed("a Parquet file", ".parquet")),
    (b"ARROW1", _renamed("an Arrow file", ".arrow", ".feather")),
    (b"SQLite format 3\x00", _renamed("an SQLite database", ".sqlite", ".sqlite3", ".db")),
    (b"%PDF", Kind("a PDF document", _EXPORT)),
    (b"{\\rtf", Kind("a text document", _EXPORT)),
    (b"\x89PNG", _IMAGE),
    (b"\xff\xd8\xff", _IMAGE),
    (b"GIF8", _IMAGE),
    (b"\x89HDF", Kind("an HDF5 file", _EXPORT)),
    (b"\x93NUMPY", Kind("a NumPy array", "Write it as a table with column names, as CSV")),
    (b"$FL2", Kind("an SPSS file", _EXPORT)),
    (b"BZh", _PACKED),
    (b"7z\xbc\xaf", _PACKED),
    (b"\xfd7zXZ", _PACKED),
    (b"Rar!", _PACKED),
)
_AS_TEXT = (
    (re.compile(rb"<!doctype html|<html|<head|<body"), Kind("an HTML page", _DOWNLOAD)),
    (re.compile(rb"<\?xml|<[a-z:]+ xmlns"), Kind("an XML document", _EXPORT)),
    (re.compile(rb'\{\s*"'), _renamed("JSON", ".ndjson", ".jsonl")),
    (
        re.compile(rb"\[\s*[\[{]"),
        Kind("a JSON list", "Write one object per line and end the name in .ndjson, or write CSV"),
    ),
)


def kind_of(path: Path) -> Kind | None:
    """Return what a file is; None if it is something else, such as plain text.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "patients.csv"
    ...     _ = path.write_bytes(b"%PDF-1.7 ...")
    ...     print(kind_of(path).words)
    a PDF document
    """
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except OSError:
        return None
    if _is_pickle(head):
        return PICKLE
    if head.startswith(b"PK\x03\x04"):
        return _kind_of_zip(path)
    if head.startswith(b"\x1f\x8b"):
        return _GZIP
    for start, kind in _BY_FIRST_BYTES:
        if head.startswith(start):
            return kind
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    return next((kind for start, kind in _AS_TEXT if start.match(text)), None)


def _is_pickle(head: bytes) -> bool:
    """Whether a file begins as a pickle does, or as one that joblib has compressed."""
    starts = (head, _inflated(head), _unzipped(head))
    return any(re.match(rb"\x80[\x02-\x05]", start) for start in starts)


def _inflated(head: bytes) -> bytes:
    try:
        return zlib.decompressobj().decompress(head, 2)
    except zlib.error:
        return b""


def _unzipped(head: bytes) -> bytes:
    if not head.startswith(b"\x1f\x8b"):
        return b""
    try:
        return gzip.GzipFile(fileobj=io.BytesIO(head)).read(2)
    except (OSError, EOFError, zlib.error):
        return b""


def _kind_of_zip(path: Path) -> Kind:
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return _ZIP
    if any(name.startswith("xl/") for name in names):
        return _EXCEL
    if "schema.json" in names:
        return MODEL
    if any(name.startswith("word/") for name in names):
        return Kind("a Word document", _EXPORT)
    return _ZIP

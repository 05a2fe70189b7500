"""CSV and TSV, also gzipped."""

from __future__ import annotations

import codecs
import re
from pathlib import Path
from typing import Any

from ._words import MISSING, TableError, count, only_a_header

LONGEST_LINE = 10 * 2**20
"""Longest line that is read, in bytes."""

_PIECE = 2**16
_RAGGED = re.compile(r"Row #(\d+): Expected (\d+) columns, got (\d+)")


def read_delimited(path: Path, as_text: tuple[str, ...]) -> Any:
    """Read delimited text into an Arrow table."""
    import pyarrow as pa

    try:
        header = _first_line(path)
        if not header.strip():
            raise TableError(
                f"`path` must begin with a line of column names; got {path.name}, whose first "
                "line is blank. Remove blank lines at the top."
            )
        delimiter = _delimiter(path, header)
        table = _parse(path, delimiter, as_text)
        if delimiter == ";":
            table = max(table, _parse(path, delimiter, as_text, decimal=","), key=_numbers)
    except OSError as error:
        raise TableError(
            f"`path` must be a whole file; got {path.name}, which is cut short or not what its "
            f"ending says ({str(error)[:160]}). Copy or compress it again."
        ) from None
    texts = [field.type for field in table.schema if pa.types.is_binary(field.type)]
    if texts or not _decodes(header):
        raise _not_utf8(path)
    return table


def _open(path: Path) -> Any:
    import pyarrow as pa

    compressed = path.name.lower().endswith(".gz")
    return pa.input_stream(str(path), compression="gzip" if compressed else None)


def _first_line(path: Path) -> bytes:
    """The first line, or a refusal before more than `LONGEST_LINE` is read."""
    found = b""
    with _open(path) as stream:
        while len(found) <= LONGEST_LINE:
            piece = stream.read(_PIECE)
            found += piece
            for end in (b"\n", b"\r"):
                if end in piece:
                    return found.partition(end)[0]
            if not piece:
                return found
    raise _too_long(path, "first line")


def _too_long(path: Path, which: str) -> TableError:
    return TableError(
        f"`path` must have lines of at most {LONGEST_LINE // 2**20} MB; got {path.name} with a "
        f"longer {which}. Is it a table, with a line for every row?"
    )


def _delimiter(path: Path, header: bytes) -> str:
    if ".tsv" in path.suffixes[-2:] or path.suffix.lower() == ".tsv":
        return "\t"
    return max(",;\t", key=lambda one: header.count(one.encode()))


def _parse(
    path: Path, delimiter: str, as_text: tuple[str, ...], decimal: str = ".", threads: bool = True
) -> Any:
    import pyarrow as pa
    from pyarrow import csv

    try:
        with _open(path) as stream:
            return csv.read_csv(
                stream,
                csv.ReadOptions(block_size=LONGEST_LINE, use_threads=threads),
                csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
                csv.ConvertOptions(
                    column_types=dict.fromkeys(as_text, pa.string()),
                    # Text is text here, and what says that it is missing is left out later.
                    strings_can_be_null=False,
                    null_values=list(MISSING),
                    decimal_point=decimal,
                ),
            )
    except UnicodeDecodeError:
        raise _not_utf8(path) from None
    except pa.ArrowInvalid as error:
        if threads:  # one after the other, rows can be numbered
            return _parse(path, delimiter, as_text, decimal, threads=False)
        raise _unreadable(path, str(error)) from None


def _unreadable(path: Path, reason: str) -> TableError:
    if "straddling" in reason:
        return _too_long(path, "line, or a quote that is not closed")
    if "Empty CSV" in reason:  # a header without a line end
        return only_a_header(path)
    if _first_bad_byte(path) is not None:
        return _not_utf8(path)
    ragged = _RAGGED.search(reason)
    if ragged:
        row, expected, got = ragged.groups()
        return TableError(
            f"`path` must have as many cells in every row as in the header, {expected}; got {got} "
            f"in row {row} of {path.name} (the header is row 1). Put quotes around cells that "
            "hold the separator."
        )
    what = reason.removeprefix("CSV parse error: ")
    return TableError(f"`path` must be delimited text; got {path.name} ({what[:160]}).")


def _numbers(table: Any) -> int:
    import pyarrow as pa

    return sum(pa.types.is_integer(t) or pa.types.is_floating(t) for t in table.schema.types)


def _decodes(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def _not_utf8(path: Path) -> TableError:
    place = _first_bad_byte(path)
    return TableError(
        f"`path` must be text in UTF-8; got {path.name}, which is not from byte "
        f"{count(place or 0)} on. Save it again as UTF-8 (in a spreadsheet: 'CSV UTF-8')."
    )


def _first_bad_byte(path: Path) -> int | None:
    """Where the text, uncompressed, stops being UTF-8."""
    decoder, before = codecs.getincrementaldecoder("utf-8")(), 0
    with _open(path) as stream:
        while True:
            piece = stream.read(_PIECE)
            held = len(decoder.getstate()[0])
            try:
                decoder.decode(piece, final=not piece)
            except UnicodeDecodeError as error:
                return before - held + error.start
            if not piece:
                return None
            before += len(piece)

"""Read a file into a table, or raise an error that says why it is not one."""

from __future__ import annotations

import codecs
import datetime
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...engine.extras import needs_extra
from ._columns import as_text as cells_as_text
from ._words import TableError, check_column, count, count_of, listed, nearest

_DELIMITED = (".csv", ".csv.gz", ".tsv", ".tsv.gz")
ENDINGS = (*_DELIMITED, ".parquet", ".arrow", ".feather")
"""Endings of the files that can be read."""

# fmt: off
MISSING = (
    "", " ", "NA", "N/A", "n/a", "#N/A", "#N/A N/A", "#NA", "<NA>", "NULL", "null",
    "NaN", "nan", "-NaN", "-nan", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN",
    "None", "none", "?", "...",
)
# fmt: on
"""Text that marks a missing cell, as in skrub."""

LONGEST_LINE = 10 * 2**20
"""Longest line that is read, in bytes."""

_PIECE = 2**16
_RAGGED = re.compile(r"Row #(\d+): Expected (\d+) columns, got (\d+)")


@dataclass(frozen=True, eq=False)
class Table:
    """A table as it was read.

    Attributes
    ----------
    frame : pandas.DataFrame
        Rows in the order of the file; blank cells and text in `MISSING` are missing.
    path : Path
        Where it was read from.
    remarks : tuple of str
        What was changed while reading, one sentence per change.
    """

    frame: Any
    path: Path
    remarks: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(self.frame.columns)

    def __len__(self) -> int:
        return len(self.frame)


def read_table(path: str | Path, *, as_text: Iterable[str] = (), id: str | None = None) -> Table:
    """Read CSV, TSV (also gzipped), Parquet or Arrow into a table.

    The ending decides the format. A ``.csv`` file may be separated by commas, semicolons
    or tabs; with semicolons, numbers may have decimal commas. Text must be UTF-8. In every
    format, blank cells and text in `MISSING` (``NA``, ``null``, ``none``, ``?``, ...) are
    missing. Times of day become hours.

    Parameters
    ----------
    path : str or Path
        A file with one of the endings in `ENDINGS`.
    as_text : list of str
        Columns to keep as they are written, even if they look like numbers or dates.
    id : str, optional
        The identifier column. Its values are kept as text, unchanged: ``00017``, ``NA``.

    Returns
    -------
    table : Table

    Raises
    ------
    TableError
        If the file is not a table; the message says why and what to do.

    Notes
    -----
    Needs ``pip install 'unlabeled[tables]'``. Pyarrow parses the file and hands it to
    pandas; during the conversion both copies are in memory.

    Examples
    --------
    >>> import tempfile
    >>> from unlabeled.app.tables import read_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "patients.csv"
    ...     _ = path.write_text("age,diagnosis\\n61,yes\\n47,\\n")
    ...     table = read_table(path)
    >>> table.columns, len(table)
    (('age', 'diagnosis'), 2)
    """
    as_text = tuple(as_text)
    table = read_columns(Path(path), as_text, id)
    for name in as_text:
        check_column(name, table.columns, "as_text")
    if id is not None:
        check_column(id, table.columns, "id")
    return table


@needs_extra("`read_table`", "tables")
def read_columns(path: Path, as_text: tuple[str, ...], id: str | None = None) -> Table:
    """Read a table in which the columns of `as_text`, and `id`, may be absent."""
    ending = _ending(path)
    _check_file(path)
    if ending in _DELIMITED:
        arrow = _read_delimited(path, as_text if id is None else (*as_text, id))
    elif ending == ".parquet":
        arrow = _read_parquet(path)
    else:
        arrow = _read_arrow(path)
    names, remarks = _named(arrow.column_names, path)
    _check_shape(arrow, path)
    arrow = arrow.rename_columns(names)
    if id in names:
        arrow = arrow.set_column(names.index(id), id, _id_as_text(arrow.column(id), id))
    frame = _frame(arrow, id)
    for name in frame.columns.intersection(list(as_text)):
        # Skrub takes text for numbers or dates if it looks like them, but not categories.
        frame[name] = cells_as_text(frame[name]).astype("category")
    return Table(frame, path, remarks)


def _ending(path: Path) -> str:
    for ending in sorted(ENDINGS, key=len, reverse=True):
        if path.name.lower().endswith(ending):
            return ending
    if path.is_dir():
        raise _not_a_file(path)
    raise TableError(
        f"`path` must end in one of {', '.join(ENDINGS)}; got {path.name!r}. "
        "Save the table as CSV, or rename the file if its extension is wrong."
    )


def _check_file(path: Path) -> None:
    if not path.is_file():
        raise _not_a_file(path)
    try:
        with path.open("rb") as file:
            empty = not file.read(1)
    except OSError as error:
        raise TableError(
            f"`path` must be a file that can be read; got {path} ({error.strerror})."
        ) from None
    if empty:
        raise TableError(
            f"`path` must be a table; got {path}, which is empty (0 bytes). Save or copy it again."
        )


def _not_a_file(path: Path) -> TableError:
    if path.is_dir():
        return TableError(f"`path` must be a file; got the folder {path}. Name a table in it.")
    start = f"`path` must be a file; got {path}, which does not exist."
    if not path.parent.is_dir():
        return TableError(f"{start} The folder {path.parent} does not exist either.")
    meant = nearest(path.name, (one.name for one in path.parent.iterdir() if one.is_file()))
    return TableError(start + (f" Did you mean {meant!r}?" if meant else " Check its name."))


def _named(names: list[str], path: Path) -> tuple[list[str], tuple[str, ...]]:
    """Give names to columns without one, and reject names that occur twice."""
    new = [name if name.strip() else f"column {j}" for j, name in enumerate(names, 1)]
    twice = [name for name, times in Counter(new).items() if times > 1]
    if twice:
        raise TableError(
            f"`path` must have a different name for every column; got {listed(twice)} more than "
            f"once in {path.name}. Rename or remove the copies."
        )
    unnamed = [name for name, old in zip(new, names, strict=True) if name != old]
    return new, tuple(f"A column without a name is called {name!r}." for name in unnamed)


def _check_shape(arrow: Any, path: Path) -> None:
    if arrow.num_columns < 2:
        only = f", {arrow.column_names[0]!r}" if arrow.num_columns else ""
        raise TableError(
            "`path` must have a label column and at least one more; got "
            f"{path.name} with {count_of(arrow.num_columns, 'column')}{only}. If it has more, "
            "separate them by commas, semicolons or tabs."
        )
    if arrow.num_rows == 0:
        raise _no_rows(path)


def _no_rows(path: Path) -> TableError:
    return TableError(f"{path.name} has no rows, only a header. Save or copy it again.")


# Delimited text.


def _read_delimited(path: Path, as_text: tuple[str, ...]) -> Any:
    """Read CSV or TSV into an Arrow table."""
    import pyarrow as pa

    try:
        header = _first_line(path)
        if not header.strip():
            raise TableError(
                f"The first line of {path.name} is blank; it must have the column names. Remove "
                "blank lines at the top."
            )
        delimiter = _delimiter(path, header)
        table = _parse(path, delimiter, as_text)
        if delimiter == ";":
            table = max(table, _parse(path, delimiter, as_text, decimal=","), key=_numeric_columns)
    except OSError as error:
        raise TableError(
            f"{path.name} is incomplete, or its extension is wrong ({str(error)[:160]}). Copy or "
            "compress it again."
        ) from None
    # Pyarrow reads text that is not UTF-8 as bytes.
    if any(pa.types.is_binary(field.type) for field in table.schema) or not _decodes(header):
        raise _not_utf8(path)
    return table


def _open(path: Path) -> Any:
    import pyarrow as pa

    compressed = path.name.lower().endswith(".gz")
    return pa.input_stream(str(path), compression="gzip" if compressed else None)


def _first_line(path: Path) -> bytes:
    """Return the first line; reject a longer one than `LONGEST_LINE` without reading it all."""
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
        f"longer {which}. Check that it is a table with one line per row."
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
                    # Text stays as it is here; `_frame` removes what marks a missing cell.
                    strings_can_be_null=False,
                    null_values=list(MISSING),
                    decimal_point=decimal,
                ),
            )
    except UnicodeDecodeError:
        raise _not_utf8(path) from None
    except pa.ArrowInvalid as error:
        if threads:  # only one thread can number the rows
            return _parse(path, delimiter, as_text, decimal, threads=False)
        raise _unreadable(path, str(error)) from None


def _unreadable(path: Path, reason: str) -> TableError:
    if "straddling" in reason:
        return _too_long(path, "line, or with a quote that is not closed")
    if "Empty CSV" in reason:  # a header without a line end
        return _no_rows(path)
    if _first_bad_byte(path) is not None:
        return _not_utf8(path)
    ragged = _RAGGED.search(reason)
    if ragged:
        row, expected, got = ragged.groups()
        return TableError(
            f"`path` must have as many cells in every row as in the header, {expected}; got {got} "
            f"in row {row} of {path.name} (the header is row 1). Put quotes around cells that "
            "contain the separator."
        )
    what = reason.removeprefix("CSV parse error: ")
    return TableError(
        f"`path` must be delimited text; got {path.name} ({what[:160]}). Save it again as CSV."
    )


def _numeric_columns(table: Any) -> int:
    import pyarrow as pa

    return sum(pa.types.is_integer(t) or pa.types.is_floating(t) for t in table.schema.types)


def _decodes(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def _not_utf8(path: Path) -> TableError:
    return TableError(
        f"`path` must be text in UTF-8; got {path.name}, where byte "
        f"{count(_first_bad_byte(path) or 0)} is not UTF-8. Save it again as UTF-8 (in a "
        "spreadsheet: 'CSV UTF-8')."
    )


def _first_bad_byte(path: Path) -> int | None:
    """Return where the text, uncompressed, stops being UTF-8."""
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


# Parquet and Arrow.


def _read_parquet(path: Path) -> Any:
    import pyarrow as pa
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(path) as file:
            return file.read()
    except (pa.ArrowException, OSError) as error:
        raise _damaged(path, "Parquet", error) from None


def _read_arrow(path: Path) -> Any:
    """Read an Arrow (Feather) file or stream."""
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
        f"{path.name} is incomplete, damaged, or not {'an' if kind == 'Arrow' else 'a'} {kind} "
        f"file ({reason[:160]}). Copy or write it again."
    )


# From Arrow to pandas.


def _id_as_text(column: Any, id: str) -> Any:
    """Return the row identifiers as text; whole numbers are never converted to floating point."""
    import pyarrow as pa

    if pa.types.is_nested(column.type) or pa.types.is_binary(column.type):
        raise TableError(
            f"`id` must be a column of text, numbers or dates; got {id!r} of type {column.type}. "
            "Name another column."
        )
    return column.cast(pa.string())


def _frame(arrow: Any, id: str | None = None) -> Any:
    """Return a frame with types that pandas and skrub understand."""
    import pandas as pd
    import pyarrow as pa

    for j, field in enumerate(arrow.schema):
        if pa.types.is_decimal(field.type) or pa.types.is_float16(field.type):
            arrow = arrow.set_column(j, field.name, arrow.column(j).cast(pa.float64()))
        elif pa.types.is_time(field.type):
            hours = [None if at is None else _hours(at) for at in arrow.column(j).to_pylist()]
            arrow = arrow.set_column(j, field.name, pa.array(hours, pa.float64()))
    nullable = {pa.bool_(): pd.BooleanDtype()}
    frame = arrow.to_pandas(
        types_mapper=nullable.get, date_as_object=False, ignore_metadata=True, self_destruct=True
    )
    for name, column in frame.items():
        if isinstance(column.dtype, pd.CategoricalDtype):
            missing = [level for level in column.cat.categories if level in MISSING]
            frame[name] = column.cat.remove_categories(missing)
        elif pd.api.types.is_string_dtype(column.dtype):
            missing = column.isin(MISSING if name != id else ("",))
            if missing.any():
                frame[name] = column.mask(missing)
        elif isinstance(column.dtype, pd.DatetimeTZDtype):
            frame[name] = _with_standard_offset(column)
    return frame


def _hours(at: datetime.time) -> float:
    return at.hour + at.minute / 60 + (at.second + at.microsecond / 1e6) / 3600


def _with_standard_offset(dates: Any) -> Any:
    """Return the same times; a fixed offset from UTC becomes one of the standard library.

    Older versions of pyarrow return offsets of pytz, in which skrub finds no time zone.
    """
    zone: Any = dates.dt.tz
    if getattr(zone, "zone", "a name") is not None:
        return dates
    return dates.dt.tz_convert(datetime.timezone(zone.utcoffset(None)))

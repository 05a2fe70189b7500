"""A file to a table: which reader, and what every table must be."""

from __future__ import annotations

import codecs
import datetime
import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import timezone
from pathlib import Path
from typing import Any

from ...engine.extras import needs_extra
from ._words import MISSING, TableError, check_column, count, listed, nearest, only_a_header

# How a column is held: as numbers, true/false, dates or text.

STORAGE = ("number", "true/false", "date", "text")
"""How a column can be held."""


def as_pandas(X: Any) -> Any:
    """Return a frame of pandas: itself, or made of one of polars."""
    import pandas as pd

    if isinstance(X, pd.DataFrame):
        return X
    if type(X).__module__.startswith("polars.") and hasattr(X, "to_pandas"):
        return X.to_pandas()
    raise TypeError(
        f"`X` must be a data frame of pandas or polars; got {type(X).__name__}. Make one of it "
        "first, with names of its columns: pandas.DataFrame(X, columns=[...])."
    )


def storage(column: Any) -> str:
    """Return how a column of a frame is held, one of `STORAGE`."""
    import pandas as pd

    types = pd.api.types
    if types.is_bool_dtype(column.dtype):
        return "true/false"
    if types.is_numeric_dtype(column.dtype):
        return "number"
    if types.is_datetime64_any_dtype(column.dtype):
        return "date"
    present = column.dropna()
    if len(present) and types.is_bool(present.iloc[0]):
        return "true/false"
    return "text"


def as_category(column: Any) -> Any:
    """The cells as text that nobody takes for numbers or dates."""
    return written(column).astype("category")


def written(column: Any) -> Any:
    """The cells as text, whole numbers without a decimal point; missing stays missing."""
    import pandas as pd

    if storage(column) == "number" and not pd.api.types.is_integer_dtype(column.dtype):
        texts = column.map(lambda value: f"{value:.17g}", na_action="ignore")
    else:
        texts = column.astype(object).map(str, na_action="ignore")
    # Made anew, so that pandas holds it as it holds text that it has read.
    cells = [None if cell is pd.NaT or cell != cell else cell for cell in texts]
    return pd.Series(cells, index=column.index, name=column.name, dtype=None if cells else object)


def with_plain_offset(dates: Any) -> Any:
    """The same times; a fixed offset from UTC is one of the standard library.

    Older versions of pyarrow return those of pytz, in which skrub finds no time zone.
    """
    zone: Any = dates.dt.tz
    if getattr(zone, "zone", "a name") is not None:
        return dates
    return dates.dt.tz_convert(timezone(zone.utcoffset(None)))


# CSV and TSV, also gzipped.

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


# Parquet and Arrow files.


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


_DELIMITED = (".csv", ".csv.gz", ".tsv", ".tsv.gz")
_COLUMNAR: dict[str, Callable[[Path], Any]] = {
    ".parquet": read_parquet,
    ".arrow": read_arrow,
    ".feather": read_arrow,
}
ENDINGS = (*_DELIMITED, *_COLUMNAR)
"""Endings of the files that can be read."""


@dataclass(frozen=True, eq=False)
class Table:
    """A table as it was read.

    Attributes
    ----------
    frame : pandas.DataFrame
        Rows in the order of the file; blank and missing cells are missing.
    path : Path
        Where it was.
    remarks : tuple of str
        What was changed while reading, a sentence each.
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

    The ending says which. A ``.csv`` file may be separated by commas, semicolons
    or tabs; with semicolons, numbers may have decimal commas. Text must be
    UTF-8. In every format blank cells, and text that says so (`MISSING`: ``NA``,
    ``null``, ``none``, ``?``, ...), are missing. Times of day become hours.

    Parameters
    ----------
    path : str or Path
        A file with one of the endings in `ENDINGS`.
    as_text : list of str
        Columns to keep as they are written, even if they look like numbers or dates.
    id : str, optional
        The column that names rows, kept as it is written to the last letter: ``00017``, ``NA``.

    Returns
    -------
    table : Table

    Raises
    ------
    TableError
        With one sentence for each way a file can be no table.

    Notes
    -----
    Needs ``pip install 'unlabeled[tables]'``. Cells are read by pyarrow and held
    once more by pandas while they are handed over.

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
    """Read a table; columns of `as_text`, and `id`, need not be there."""
    ending = _ending(path)
    _check_file(path)
    if ending in _DELIMITED:
        arrow = read_delimited(path, as_text if id is None else (*as_text, id))
    else:
        arrow = _COLUMNAR[ending](path)
    names, remarks = _named(arrow.column_names, path)
    _check_shape(arrow, path)
    arrow = arrow.rename_columns(names)
    if id in names:
        arrow = arrow.set_column(names.index(id), id, _as_names(arrow.column(id), id))
    frame = _frame(arrow, id)
    for name in frame.columns.intersection(list(as_text)):
        frame[name] = as_category(frame[name])
    return Table(frame, path, remarks)


def _ending(path: Path) -> str:
    for ending in sorted(ENDINGS, key=len, reverse=True):
        if path.name.lower().endswith(ending):
            return ending
    if path.is_dir():
        raise _no_file(path)
    raise TableError(
        f"`path` must end in one of {', '.join(ENDINGS)}; got {path.name!r}. "
        "Save the table as CSV, or give the file its true ending."
    )


def _check_file(path: Path) -> None:
    if not path.is_file():
        raise _no_file(path)
    try:
        with path.open("rb") as file:
            empty = not file.read(1)
    except OSError as error:
        raise TableError(
            f"`path` must be a file that can be read; got {path} ({error.strerror})."
        ) from None
    if empty:
        raise TableError(f"`path` must be a table; got {path}, which is empty (0 bytes).")


def _no_file(path: Path) -> TableError:
    if path.is_dir():
        return TableError(f"`path` must be a file; got {path}, a folder. Name one table in it.")
    start = f"`path` must be a file; got {path}, which is not there."
    if not path.parent.is_dir():
        return TableError(f"{start} The folder {path.parent} is not there either.")
    meant = nearest(path.name, (one.name for one in path.parent.iterdir() if one.is_file()))
    return TableError(start + (f" Did you mean {meant!r}?" if meant else " Check its name."))


def _named(names: list[str], path: Path) -> tuple[list[str], tuple[str, ...]]:
    """Names for columns without one, and no name twice."""
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
        raise TableError(
            f"`path` must have a label column and at least one more; got {path.name} with "
            f"{arrow.num_columns} column{'' if arrow.num_columns == 1 else 's'}"
            f"{f', {arrow.column_names[0]!r}' if arrow.num_columns else ''}. "
            "If there are more, they are separated by something else than its ending says."
        )
    if arrow.num_rows == 0:
        raise only_a_header(path)


def _as_names(column: Any, id: str) -> Any:
    """The names of rows as text, never through floating point."""
    import pyarrow as pa

    if pa.types.is_nested(column.type) or pa.types.is_binary(column.type):
        raise TableError(
            f"`id` must be a column of text, numbers or dates; got {id!r} of type {column.type}. "
            "Name another column."
        )
    return column.cast(pa.string())


def _frame(arrow: Any, id: str | None = None) -> Any:
    """A pandas frame with types that it and skrub understand."""
    import pandas as pd
    import pyarrow as pa

    for j, field in enumerate(arrow.schema):
        if pa.types.is_decimal(field.type) or pa.types.is_float16(field.type):
            arrow = arrow.set_column(j, field.name, arrow.column(j).cast(pa.float64()))
        elif pa.types.is_time(field.type):  # of day, in hours
            hours = [None if at is None else _hours(at) for at in arrow.column(j).to_pylist()]
            arrow = arrow.set_column(j, field.name, pa.array(hours, pa.float64()))
    nullable = {pa.bool_(): pd.BooleanDtype()}
    frame = arrow.to_pandas(
        types_mapper=nullable.get, date_as_object=False, ignore_metadata=True, self_destruct=True
    )
    for name, column in frame.items():
        if isinstance(column.dtype, pd.CategoricalDtype):
            said = [level for level in column.cat.categories if level in MISSING]
            frame[name] = column.cat.remove_categories(said)
        elif pd.api.types.is_string_dtype(column.dtype):
            said = column.isin(MISSING if name != id else ("",))
            if said.any():
                frame[name] = column.mask(said)
        elif isinstance(column.dtype, pd.DatetimeTZDtype):
            frame[name] = with_plain_offset(column)
    return frame


def _hours(at: datetime.time) -> float:
    return at.hour + at.minute / 60 + (at.second + at.microsecond / 1e6) / 3600

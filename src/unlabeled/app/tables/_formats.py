"""From a file of each format to an Arrow table, or to an error that says why it is not a table."""

from __future__ import annotations

import codecs
import csv
import io
import re
import sqlite3
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from ._columns import as_text as cells_as_text
from ._files import files_of, is_pattern
from ._kind import Kind, kind_of
from ._words import TableError, count, count_of, listed, nearest

_DELIMITED = (".csv", ".csv.gz", ".csv.zip", ".tsv", ".tsv.gz", ".tsv.zip")
_JSON = (".ndjson", ".jsonl")
_EXCEL = (".xlsx", ".xls")
_SQLITE = (".sqlite", ".sqlite3", ".db")
_ARROW = (".arrow", ".feather")
ENDINGS = (*_DELIMITED, ".parquet", *_ARROW, *_JSON, *_EXCEL, *_SQLITE)
"""Endings of the files that can be read."""

# Formats of which several files may make up one table, and which can be read in batches.
_SEVERAL = {
    **dict.fromkeys(_DELIMITED, "text"),
    ".parquet": "Parquet",
    **dict.fromkeys(_ARROW, "Arrow"),
}

# fmt: off
MISSING = (
    "", " ", "NA", "N/A", "n/a", "#N/A", "#N/A N/A", "#NA", "#NV", "#N/D", "#N/B", "<NA>",
    "NULL", "null", "NaN", "nan", "-NaN", "-nan", "1.#IND", "-1.#IND", "1.#QNAN",
    "-1.#QNAN", "None", "none", "?", "...",
)
# fmt: on
"""Text that marks a missing cell."""

LONGEST_LINE = 10 * 2**20
"""Longest line that is read, in bytes."""

_PIECE = 2**16
_FIRST = 2**20
_RAGGED = re.compile(r"Row #(\d+): Expected (\d+) columns, got (\d+)")
_LEADING_ZERO = r"^0[0-9]+$"
# A cell that begins with zero and a digit, or that is a word for a missing cell.
_SURPRISE = re.compile(
    rb'[,;\t\n]"?(?:0[0-9]|(?:'
    + b"|".join(re.escape(mark.encode()) for mark in MISSING if mark.strip())
    + rb')"?[,;\t\r\n])'
)
_LONGEST_SURPRISE = 16
_LARGE_PIECE = 2**22
_ENCRYPTED = 1
_DECIMAL_COMMA = r"\s*[+-]?[0-9]+(,[0-9]+)?([eE][+-]?[0-9]+)?\s*"
_PERHAPS_THOUSANDS = r"\s*[+-]?[1-9][0-9]{0,2},[0-9]{3}\s*"
# 1.234, 3.271,50 and 3.271,50 alone, which nothing else explains.
_POINTS = r"\s*[+-]?[1-9][0-9]{0,2}(\.[0-9]{3})+(,[0-9]+)?\s*"
_SURELY_POINTS = r"\s*[+-]?[1-9][0-9]{0,2}(\.[0-9]{3})+,[0-9]+\s*"
# Of the numbers with a comma, so many must be no thousands.
_SURE = 0.1
_FEW_CELLS = 1000


class Raw(NamedTuple):
    """A table of Arrow, remarks, and what is not in it any more.

    That is how often each word for a missing cell was in a column, and which columns had decimal
    commas.
    """

    table: Any
    remarks: tuple[str, ...] = ()
    marks: Mapping[str, Mapping[str, int]] = MappingProxyType({})
    decimal_comma: Sequence[str] = ()


def read_file(path: Path, as_text: tuple[str, ...] | None) -> Raw:
    """Read a file by its ending.

    In delimited text, columns of `as_text` are kept as they are written; None keeps all columns.
    """
    ending = ending_of(path)
    if is_pattern(path):
        form_of(path)
    if ending in _DELIMITED:
        return _read_delimited(path, as_text)
    if is_pattern(path):
        return Raw(_stacked(path, [_READ[ending](file).table for file in files_of(path)]))
    return _READ[ending](path)


def ending_of(path: Path) -> str:
    """Return the ending of a file, or of the first file of a pattern; reject what is no table."""
    files = files_of(path)
    endings = [_ending(file) for file in files]
    for file, ending in zip(files, endings, strict=True):
        _check_file(file, ending)
    return endings[0]


def form_of(path: Path) -> str | None:
    """Return how a table can be read in batches: "text", "Parquet" or "Arrow"; None if not so.

    Raises
    ------
    TableError
        If several files have different formats, or one of which only one file makes up a table.
    """
    files = files_of(path)
    forms = {file: _SEVERAL.get(_ending(file)) for file in files}
    if not is_pattern(path):
        return forms[path]
    if len(set(forms.values())) > 1 or None in forms.values():
        other = next(
            file for file in files if forms[file] is None or forms[file] != forms[files[0]]
        )
        raise TableError(
            f"`path` must match files of one format, CSV, Parquet or Arrow; got {other.name} among "
            f"{count_of(len(files), 'file')}. Write a pattern that leaves it out, or convert it."
        )
    return forms[files[0]]


def common_schema(path: Path, schemas: Mapping[Path, Any]) -> tuple[Any, tuple[str, ...]]:
    """Return one schema for files that have the same columns, and which of them are categories.

    The order is that of the first file. Files number the levels of a category differently, so
    categories have the type of their levels.
    """
    import pyarrow as pa

    (first, schema), *others = schemas.items()
    for file, other in others:
        check_same_columns(first, schema.names, file, other.names)
    try:
        common = pa.unify_schemas(
            [_of_levels(one) for one in schemas.values()], promote_options="permissive"
        )
        return common, tuple(one.name for one in schema if pa.types.is_dictionary(one.type))
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        reason = str(error).splitlines()[0]
        raise TableError(
            f"`path` must have the same kind of values in a column of every file; got {path} "
            f"({reason[:160]}). Write the column alike in all files."
        ) from None


def _of_levels(schema: Any) -> Any:
    import pyarrow as pa

    return pa.schema(
        [
            one.with_type(one.type.value_type) if pa.types.is_dictionary(one.type) else one
            for one in schema
        ]
    )


def as_categories(table: Any, names: Sequence[str]) -> Any:
    """Return a table in which some columns are categories."""
    for name in names:
        column = table.column(name).combine_chunks().dictionary_encode()
        table = table.set_column(table.column_names.index(name), name, column)
    return table


def check_same_columns(
    first: Path, names: Sequence[str], file: Path, others: Sequence[str], in_order: bool = False
) -> None:
    """Reject a file of a table that has other columns than the first one."""
    for one, absent in ((file, names), (first, others)):
        missing = [name for name in absent if name not in (others if one is file else names)]
        if missing:
            raise TableError(
                f"`path` must match files with the same columns; got {one.name} without "
                f"{listed(missing)}. Write the column in every file, or leave out the file."
            )
    if in_order and list(names) != list(others):
        raise TableError(
            f"`path` must match files of text with their columns in one order; got {file.name}, "
            f"in which they are not in the order of {first.name}. Write them in one order."
        )


def _stacked(path: Path, tables: Sequence[Any]) -> Any:
    """Return the rows of several files as one table."""
    import pyarrow as pa

    files = dict(zip(files_of(path), (one.schema for one in tables), strict=True))
    schema, categories = common_schema(path, files)
    return as_categories(pa.concat_tables([like_schema(one, schema) for one in tables]), categories)


def like_schema(table: Any, schema: Any) -> Any:
    """Return the columns of a table in the order and with the types of a schema."""
    return table.select(schema.names).cast(schema)


def _ending(path: Path) -> str:
    for ending in sorted(ENDINGS, key=len, reverse=True):
        if path.name.lower().endswith(ending):
            return ending
    if not path.is_file():
        raise _not_a_file(path)
    kind = kind_of(path)
    if kind is not None:
        raise _another_kind(path, kind)
    raise TableError(
        f"`path` must end in one of {', '.join(ENDINGS)}; got {path.name!r}. "
        "Save the table as CSV, or rename the file if its extension is wrong."
    )


def _check_file(path: Path, ending: str) -> None:
    """Reject what is not a file with something in it, of the kind that its ending says."""
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
    kind = kind_of(path)
    if kind is not None and ending not in kind.endings:
        raise _another_kind(path, kind)


def _another_kind(path: Path, kind: Kind) -> TableError:
    return TableError(
        f"`path` must be a table that its name describes; got {path.name}, which is {kind.words}. "
        f"{kind.advice}."
    )


def _not_a_file(path: Path) -> TableError:
    if path.is_dir():
        return TableError(f"`path` must be a file; got the folder {path}. Name a table in it.")
    start = f"`path` must be a file; got {path}, which does not exist."
    if not path.parent.is_dir():
        return TableError(f"{start} The folder {path.parent} does not exist either.")
    meant = _nearest_file(path)
    return TableError(start + (f" Did you mean {meant!r}?" if meant else " Check its name."))


def _nearest_file(path: Path) -> str | None:
    """Return the file that was probably meant: an ending alone makes no two names alike."""
    there = [one.name for one in path.parent.iterdir() if one.is_file()]
    if (meant := nearest(path.name, there)) is None:
        return None
    return meant if nearest(path.name.split(".")[0], [meant.split(".")[0]]) else None


def no_rows(path: Path) -> TableError:
    """Return the error for a table with a header only."""
    return TableError(f"{path.name} has no rows, only a header. Save or copy it again.")


# Delimited text.


def _read_delimited(path: Path, as_text: tuple[str, ...] | None) -> Raw:
    """Read CSV or TSV; whole numbers with leading zeros stay text."""
    delimiter = delimiter_of(path)
    try:
        if as_text is None:
            as_text = _column_names(path, delimiter)
        table = _parse(path, delimiter, as_text)
        commas = _columns_with_commas(table, as_text) if delimiter == ";" else []
        if commas:  # they tell how all numbers of the file are written
            table = _parse(path, delimiter, as_text, decimal=",")
        table, marks = _as_written(path, delimiter, table)
    except (OSError, zipfile.BadZipFile) as error:
        raise _incomplete(path, error) from None
    commas = [name for name in commas if _is_number(table, name)]
    return Raw(table, encoding_remarks(path), marks, commas)


def _columns_with_commas(table: Any, as_text: tuple[str, ...]) -> list[str]:
    """Return the columns of text with commas, if one of them has clearly decimal commas."""
    import pyarrow as pa

    has_commas = {}
    for field, column in zip(table.schema, table.columns, strict=True):
        if pa.types.is_string(field.type) and field.name not in as_text:
            has_commas[field.name] = decimal_commas(column.to_pandas())
    return (
        [name for name, sure in has_commas.items() if sure is not None]
        if any(has_commas.values())
        else []
    )


def _is_number(table: Any, name: str) -> bool:
    import pyarrow as pa

    return pa.types.is_floating(table.schema.field(name).type)


def decimal_commas(text: Any) -> bool | None:
    """Say whether numbers have decimal commas: None if not all are such numbers, or none has one.

    False if they could as well be thousands with a comma between.

    Points between thousands may stand before a comma.

    Examples
    --------
    >>> import pandas as pd
    >>> decimal_commas(pd.Series(["1,37", "2"])), decimal_commas(pd.Series(["1,234", "56,789"]))
    (True, False)
    >>> decimal_commas(pd.Series(["3.271,50", "1.234"])), decimal_commas(pd.Series(["1.234"]))
    (True, None)
    """
    for cells in (text.iloc[:_FEW_CELLS], text):
        present = cells[cells.notna() & ~cells.isin(MISSING)].astype(str)
        if not present.str.fullmatch(f"{_DECIMAL_COMMA}|{_POINTS}").all():
            return None
    if has_points(present):
        return True
    if not present.str.fullmatch(_DECIMAL_COMMA).all():
        return None
    commas = present[present.str.contains(",", regex=False)]
    if len(commas) == 0:
        return None
    return bool((~commas.str.fullmatch(_PERHAPS_THOUSANDS)).mean() >= _SURE)


def has_points(text: Any) -> bool:
    """Say whether a number surely has points between thousands, as 3.271,50 has."""
    return bool(text.dropna().astype(str).str.fullmatch(_SURELY_POINTS).any())


def some_with_points(text: Any) -> bool:
    """Say whether a cell may have points between thousands, as 1.234 has."""
    return bool(text.dropna().astype(str).str.fullmatch(_POINTS).any())


def all_with_commas(text: Any) -> bool:
    """Say whether all cells are numbers if commas are decimal and points stand between thousands.

    One must have such a point.
    """
    present = text.dropna().astype(str)
    either = present.str.fullmatch(f"{_DECIMAL_COMMA}|{_POINTS}")
    return bool(either.all() and some_with_points(present))


def comma_numbers(text: Any) -> Any:
    """Return which cells are numbers if they have decimal commas; None if they have none.

    The other cells are no numbers in either way of writing.

    Examples
    --------
    >>> import pandas as pd
    >>> comma_numbers(pd.Series(["5,7", "<4,0", "6"])).tolist()
    [True, False, True]
    >>> comma_numbers(pd.Series(["5,7", "5.7"])) is None
    True
    """
    import pandas as pd

    pattern = f"{_DECIMAL_COMMA}|{_POINTS}" if has_points(text) else _DECIMAL_COMMA
    with_commas = text.astype(str).str.fullmatch(pattern).astype(bool)
    with_points = pd.to_numeric(text, errors="coerce").notna() & ~with_commas
    return with_commas if not with_points.any() and decimal_commas(text[with_commas]) else None


def _as_written(path: Path, delimiter: str, table: Any) -> tuple[Any, dict[str, dict[str, int]]]:
    """Return whole numbers with leading zeros as text, and the words for missing cells.

    Pyarrow has lost both. Columns are parsed again only if the file has any of them.
    """
    import pyarrow as pa
    from pyarrow import compute

    once = {name for name in table.column_names if name and table.column_names.count(name) == 1}
    lost = [
        field.name
        for field, column in zip(table.schema, table.columns, strict=True)
        if field.name in once
        and (pa.types.is_integer(field.type) or (column.null_count and not _holds_text(field.type)))
    ]
    if not lost or not _has_surprise(path):
        return table, {}
    words = pa.array([word for word in MISSING if word.strip()])
    written, marks = _parse(path, delimiter, tuple(lost), only=lost), {}
    for name in lost:
        column = written.column(name)
        counts = column.filter(compute.is_in(column, value_set=words)).value_counts().to_pylist()
        marks[name] = {one["values"]: one["counts"] for one in counts}
        zeros = compute.any(compute.match_substring_regex(column, _LEADING_ZERO)).as_py()
        if zeros and pa.types.is_integer(table.schema.field(name).type):
            table = table.set_column(table.column_names.index(name), name, column)
    return table, {name: counts for name, counts in marks.items() if counts}


def _holds_text(kind: Any) -> bool:
    import pyarrow as pa

    return pa.types.is_string(kind) or pa.types.is_binary(kind)


def _has_surprise(path: Path) -> bool:
    """Whether a cell begins with zero and a digit, or is a word for a missing cell."""
    before = b""
    with _open(path) as stream:
        while piece := stream.read(_LARGE_PIECE):
            if _SURPRISE.search(before + piece):
                return True
            before = piece[-_LONGEST_SURPRISE:]
    return bool(_SURPRISE.search(before + b"\n"))


def _open(path: Path) -> Any:
    """Open text; of several files, all of them one behind the other, with one header."""
    import pyarrow as pa

    files = files_of(path)
    if len(files) > 1:
        return pa.PythonFile(_Joined(files), mode="r")
    return _open_one(files[0])


class _Joined(io.RawIOBase):
    """Files of text as one, with the header of the first."""

    def __init__(self, files: Sequence[Path]) -> None:
        super().__init__()
        _check_headers(files)
        self._pieces = self._read(files)
        self._rest = b""

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes: as many as are asked for, unless the last file ends."""
        pieces = [self._rest]
        held = len(self._rest)
        while (size < 0 or held < size) and (piece := next(self._pieces, b"")):
            pieces.append(piece)
            held += len(piece)
        data = b"".join(pieces)
        end = held if size < 0 else size
        self._rest = data[end:]
        return data[:end]

    @staticmethod
    def _read(files: Sequence[Path]) -> Iterator[bytes]:
        for k, file in enumerate(files):
            last = b""
            with _open_one(file) as stream:
                if k:
                    yield _behind_header(stream)
                while piece := stream.read(_LARGE_PIECE):
                    last = piece[-1:]
                    yield piece
            if last not in (b"\n", b"\r"):
                yield b"\n"


def _behind_header(stream: Any) -> bytes:
    """Read up to the end of the first line, and return what was read behind it."""
    while piece := stream.read(_PIECE):
        ends = [at for at in (piece.find(b"\n"), piece.find(b"\r")) if at >= 0]
        if ends:
            return bytes(piece[min(ends) :]).removeprefix(b"\r").removeprefix(b"\n") or b"\n"
    return b"\n"


def _check_headers(files: Sequence[Path]) -> None:
    """Reject files of text whose columns, or separators, are not those of the first one."""
    first, *others = files
    header = _first_line(first)
    delimiter = _delimiter(first, header)
    names: tuple[str, ...] = ()
    for file in others:
        line = _first_line(file)
        if line == header:
            continue
        names = names or _column_names(first, delimiter)
        in_file = _column_names(file, _delimiter(file, line))
        check_same_columns(first, names, file, in_file, in_order=True)
        if _delimiter(file, line) != delimiter:
            raise TableError(
                f"`path` must match files with one separator; got another one in {file.name} than "
                f"in {first.name}. Write them alike."
            )


def _open_one(path: Path) -> Any:
    """Open a file as UTF-8; reject one that is neither that nor Windows-1252."""
    import pyarrow as pa

    status = path.stat()
    encoding, bad = _encoding(path, status.st_size, status.st_mtime_ns)
    if encoding is None:
        with _open_bytes(path) as stream:
            wide = stream.read(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
        which = (
            "UTF-16" if wide else f"neither that throughout nor Windows-1252 ({_place(path, bad)})"
        )
        raise TableError(
            f"`path` must be text in UTF-8; got {path.name}, which is {which}. Save it again as "
            "UTF-8 (in a spreadsheet: 'CSV UTF-8')."
        )
    stream = _open_bytes(path)
    return stream if bad is None else pa.transcoding_input_stream(stream, encoding, "utf-8")


def _open_bytes(path: Path) -> Any:
    """Open a file as it is, without compression."""
    import pyarrow as pa

    if path.name.lower().endswith(".zip"):
        archive = zipfile.ZipFile(path)
        return pa.PythonFile(archive.open(_only_member(path, archive)), mode="r")
    compressed = path.name.lower().endswith(".gz")
    return pa.input_stream(str(path), compression="gzip" if compressed else None)


def _only_member(path: Path, archive: zipfile.ZipFile) -> zipfile.ZipInfo:
    """Return the one file in a zip archive."""
    files = [
        one
        for one in archive.infolist()
        if not one.is_dir() and not one.filename.startswith("__MACOSX/")
    ]
    if len(files) != 1 or files[0].flag_bits & _ENCRYPTED:
        names = listed([one.filename for one in files], 3)
        got = f"{count_of(len(files), 'file')} ({names})" if files else "none"
        raise TableError(
            f"`path` must hold one file without a password; got {path.name} with "
            f"{got if len(files) != 1 else 'a password'}. Unpack it, and name the table in it."
        )
    return files[0]


def _first_line(path: Path) -> bytes:
    """Return the first line; reject a longer one than `LONGEST_LINE` without reading it all."""
    line = b""
    with _open_bytes(files_of(path)[0]) as stream:
        while len(line) <= LONGEST_LINE:
            piece = stream.read(_PIECE)
            line += piece
            for end in (b"\n", b"\r"):
                if end in piece:
                    return line.partition(end)[0]
            if not piece:
                return line
    raise _too_long(path, "first line")


def _too_long(path: Path, which: str) -> TableError:
    return TableError(
        f"`path` must have lines of at most {LONGEST_LINE // 2**20} MB; got {path.name} with a "
        f"longer {which}. Check that it is a table with one line per row."
    )


def _delimiter(path: Path, header: bytes) -> str:
    if files_of(path)[0].name.lower().endswith((".tsv", ".tsv.gz", ".tsv.zip")):
        return "\t"
    return max(",;\t", key=lambda one: header.count(one.encode()))


def _column_names(path: Path, delimiter: str) -> tuple[str, ...]:
    from pyarrow import csv

    with _open(path) as stream:
        options = csv.ReadOptions(block_size=LONGEST_LINE)
        reader = csv.open_csv(stream, options, csv.ParseOptions(delimiter=delimiter))
        return tuple(reader.schema.names)


def text_names(path: Path) -> tuple[str, ...]:
    """Return the names of the columns of delimited text."""
    delimiter = delimiter_of(path)
    with text_errors(path):
        return _column_names(path, delimiter)


def first_rows(path: Path) -> tuple[Any, float]:
    """Return the first rows of delimited text, and how many bytes of text a row has there."""
    import pyarrow as pa
    from pyarrow import csv

    with text_errors(path), _open(path) as stream:
        text = bytes(stream.read(_FIRST))
    whole = text[: text.rfind(b"\n") + 1] or text
    options = csv.ParseOptions(delimiter=delimiter_of(path), newlines_in_values=True)
    try:
        table = csv.read_csv(
            io.BytesIO(whole),
            csv.ReadOptions(block_size=LONGEST_LINE),
            options,
            csv.ConvertOptions(null_values=list(MISSING)),
        )
    except (pa.ArrowInvalid, UnicodeDecodeError):  # one cell goes on behind what was read
        names = text_names(path)
        table = pa.table({name: pa.array([], pa.string()) for name in dict.fromkeys(names)})
    return table, len(whole) / max(whole.count(b"\n") - 1, 1)


def open_text(path: Path, names: Sequence[str]) -> Any:
    """Open delimited text for reading in batches, every cell as it is written.

    Parameters
    ----------
    path : Path
        The file, or a pattern.
    names : list of str
        See `text_names`.

    Returns
    -------
    reader : pyarrow.csv.CSVStreamingReader
    """
    import pyarrow as pa
    from pyarrow import csv

    delimiter = delimiter_of(path)
    with text_errors(path):
        return csv.open_csv(
            _open(path),
            csv.ReadOptions(block_size=LONGEST_LINE),
            csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
            csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False
            ),
        )


def delimiter_of(path: Path) -> str:
    """Return what separates the cells of delimited text; reject a file without a header."""
    with text_errors(path):
        header = _first_line(path)
        if not header.strip():
            raise TableError(
                f"The first line of {path.name} is blank; it must have the column names. Remove "
                "blank lines at the top."
            )
        return _delimiter(path, header)


def has_semicolons(path: Path) -> bool:
    """Say whether a table is delimited text with semicolons between its cells."""
    return files_of(path)[0].name.lower().endswith(_DELIMITED) and delimiter_of(path) == ";"


@contextmanager
def text_errors(path: Path) -> Iterator[None]:
    """Turn an error of the reader of delimited text into one sentence."""
    import pyarrow as pa

    try:
        yield
    except pa.ArrowInvalid as error:
        raise _unreadable(path, str(error)) from None
    except (OSError, zipfile.BadZipFile) as error:
        raise _incomplete(path, error) from None


def _incomplete(path: Path, error: Exception) -> TableError:
    return TableError(
        f"{path.name} is incomplete, or its extension is wrong ({str(error)[:160]}). Copy or "
        "compress it again."
    )


def _parse(
    path: Path,
    delimiter: str,
    as_text: tuple[str, ...],
    decimal: str = ".",
    threads: bool = True,
    only: Sequence[str] = (),
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
                    include_columns=list(only),
                ),
            )
    except pa.ArrowInvalid as error:
        if threads:  # only one thread can number the rows
            return _parse(path, delimiter, as_text, decimal, threads=False, only=only)
        raise _unreadable(path, str(error)) from None


def _unreadable(path: Path, reason: str) -> TableError:
    if "straddling" in reason:
        return _too_long(path, "line, or with a quote that is not closed")
    if "Empty CSV" in reason:  # a header without a line end
        return no_rows(path)
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


# How text is encoded.


_WINDOWS = "cp1252"
_NOT_ASCII = bytes(range(128, 256))
# Bytes that text in Windows-1252 does not have.
_NEVER = re.compile(rb"[\x00\x81\x8d\x8f\x90\x9d]")
# So few of its bytes may look like UTF-8: two of "Spaß" in German quotation marks do.
_BY_CHANCE = 0.1


@lru_cache(maxsize=1000)
def _encoding(file: Path, size: int, changed: int) -> tuple[str | None, int | None]:
    """Return how a file is encoded, None if unknown, and the first byte that is not UTF-8.

    Size and time of the last change stand for the content. Of Windows-1252, nearly all bytes are
    not UTF-8: text of which some is UTF-8 is damaged, or was put together from two encodings.
    """
    decoder = codecs.getincrementaldecoder("utf-8")("ignore")
    others, in_utf8, never = 0, 0, False
    with _open_bytes(file) as stream:
        while True:
            piece = stream.read(_LARGE_PIECE)
            never |= _NEVER.search(piece) is not None
            others += len(piece) - len(piece.translate(None, _NOT_ASCII))
            text = decoder.decode(piece, final=not piece)
            if not text.isascii():
                in_utf8 += len(text.encode().translate(None, bytes(range(128))))
            if not piece:
                break
    if in_utf8 == others:
        return "utf-8", None
    is_windows = not never and in_utf8 <= _BY_CHANCE * others
    return _WINDOWS if is_windows else None, _first_bad_byte(file)


def _first_bad_byte(file: Path) -> int:
    """Return where the text, uncompressed, stops being UTF-8."""
    decoder, before = codecs.getincrementaldecoder("utf-8")(), 0
    with _open_bytes(file) as stream:
        while True:
            piece = stream.read(_PIECE)
            held = len(decoder.getstate()[0])
            try:
                decoder.decode(piece, final=not piece)
            except UnicodeDecodeError as error:
                return before - held + error.start
            before += len(piece)


def encoding_remarks(path: Path) -> tuple[str, ...]:
    """Return a remark per file of text that is taken for Windows-1252."""
    remarks = []
    for file in files_of(path):
        status = file.stat()
        _, bad = _encoding(file, status.st_size, status.st_mtime_ns)
        if bad is not None:
            remarks.append(
                f"{file.name} is not UTF-8; it is read as Windows-1252 ({_place(file, bad)}). If "
                "letters are wrong, save it as UTF-8."
            )
    return tuple(remarks)


def _place(file: Path, byte: int | None) -> str:
    """Return the line, the column and the cell of a byte, in words."""
    assert byte is not None
    with _open_bytes(file) as stream:
        before = b""
        lines, left = 1, byte
        while left and (piece := stream.read(min(left, _LARGE_PIECE))):
            left -= len(piece)
            lines += piece.count(b"\n")
            before = (before + piece)[-LONGEST_LINE:].rpartition(b"\n")[2]
        behind = bytes(stream.read(_PIECE)).partition(b"\n")[0]
    header = _first_line(file)
    delimiter = _delimiter(file, header)
    names, cells, first = (
        next(csv.reader([line.decode(_WINDOWS, "replace").strip("\r")], delimiter=delimiter), [""])
        for line in (header, before + behind, before)
    )
    place = max(len(first) - 1, 0)
    cell = cells[min(place, len(cells) - 1)].strip()
    of = f", column {names[place]!r}" if lines > 1 and place < len(names) else ""
    return f"line {count(lines)}{of}: {cell[:40]!r}"


# Parquet and Arrow.


def _read_parquet(path: Path) -> Raw:
    import pyarrow as pa
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(path) as file:
            return Raw(file.read())
    except (pa.ArrowException, OSError) as error:
        raise damaged(path, "a Parquet", error) from None


def _read_arrow(path: Path) -> Raw:
    """Read an Arrow (Feather) file or stream."""
    import pyarrow as pa

    try:
        with pa.OSFile(str(path)) as file:
            try:
                return Raw(pa.ipc.open_file(file).read_all())
            except pa.ArrowInvalid:
                file.seek(0)
                return Raw(pa.ipc.open_stream(file).read_all())
    except (pa.ArrowException, OSError) as error:
        raise damaged(path, "an Arrow", error) from None


def damaged(path: Path, kind: str, error: Exception) -> TableError:
    """Return the error for a file that cannot be opened."""
    reason = str(error).splitlines()[0].replace(str(path), path.name).rstrip(". ")
    return TableError(
        f"{path.name} is incomplete, damaged, or not {kind} "
        f"file ({reason[:160]}). Copy or write it again."
    )


# One JSON object per line, a workbook, a database.


def _read_json(path: Path) -> Raw:
    import pyarrow as pa
    from pyarrow import json

    try:
        return Raw(json.read_json(path, json.ReadOptions(block_size=LONGEST_LINE)))
    except (pa.ArrowException, OSError) as error:
        reason = str(error).removeprefix("JSON parse error: ").splitlines()[0].rstrip(". ")
        raise TableError(
            f"`path` must have one JSON object per line, with the same kind of value under a "
            f"name; got {path.name} ({reason[:160]}). Write it again so, or write CSV."
        ) from None


def _read_excel(path: Path) -> Raw:
    """Read the first sheet of a workbook."""
    import pandas as pd

    try:
        with pd.ExcelFile(path, engine="calamine") as book:
            first, *others = (str(name) for name in book.sheet_names)
            cells = pd.read_excel(
                book, header=None, dtype=object, keep_default_na=False, na_values=[""]
            )
    except ImportError:
        raise TableError(
            f"{path.name} is a workbook, and reading it needs python-calamine: "
            "pip install 'unlabeled[excel]'. Or save the sheet as CSV."
        ) from None
    except Exception as error:  # the reader's own exceptions have no common base
        raise damaged(path, "an Excel", error) from None
    if len(cells) == 0:
        raise TableError(
            f"`path` must be a table; got {path.name}, whose first sheet, {first!r}, is empty. "
            "Move the table to the first sheet, or save its sheet as CSV."
        )
    frame = cells.iloc[1:].set_axis(["" if one != one else one for one in cells.iloc[0]], axis=1)
    said = f"Read the sheet {first!r} of {path.name}."
    if others:
        said += (
            f" {listed(others)} {'is' if len(others) == 1 else 'are'} not read: to use another "
            "sheet, save it as CSV."
        )
    return Raw(_arrow_of(frame), (said,))


def _read_sqlite(path: Path) -> Raw:
    """Read the only table of a database."""
    import pandas as pd

    try:
        address = f"{path.resolve().as_uri()}?mode=ro"
        with closing(sqlite3.connect(address, uri=True)) as connection:
            rows = connection.execute(
                "select name from sqlite_master where type in ('table', 'view') "
                "and name not like 'sqlite!_%' escape '!' order by name"
            )
            names = [str(name) for (name,) in rows]
            if len(names) == 1:
                quoted = names[0].replace('"', '""')
                return Raw(_arrow_of(pd.read_sql_query(f'select * from "{quoted}"', connection)))
    except (sqlite3.Error, pd.errors.DatabaseError) as error:
        raise damaged(path, "an SQLite", error) from None
    raise TableError(
        f"`path` must be a database with one table; got {path.name} with {count(len(names))}"
        f"{f' ({listed(names)})' if names else ''}. Write the one that you need as CSV, such as "
        f"with: sqlite3 -csv -header {path.name} 'select * from NAME' > NAME.csv"
    )


def _arrow_of(frame: Any) -> Any:
    """Return an Arrow table; a column with several kinds of cells becomes text."""
    import pandas as pd
    import pyarrow as pa

    columns = []
    for j in range(frame.shape[1]):
        column = frame.iloc[:, j]
        kinds = {type(cell) for cell in column[column.notna()]}
        if column.dtype == object and kinds <= {int, float}:
            column = pd.to_numeric(column)
        elif len(kinds) > 1:
            column = cells_as_text(column)
        columns.append(pa.array(column, from_pandas=True))
    return pa.table(columns, names=[str(name) for name in frame.columns])


_READ: dict[str, Callable[[Path], Raw]] = {
    ".parquet": _read_parquet,
    ".arrow": _read_arrow,
    ".feather": _read_arrow,
    **dict.fromkeys(_JSON, _read_json),
    **dict.fromkeys(_EXCEL, _read_excel),
    **dict.fromkeys(_SQLITE, _read_sqlite),
}

"""A table read in batches: the same columns of the same types in every one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ...engine.extras import needs_extra
from ._conform import reading_like
from ._files import FilesSeen
from ._formats import (
    MISSING,
    Raw,
    common_schema,
    damaged,
    delimiter_of,
    encoding_remarks,
    ending_of,
    first_rows,
    form_of,
    like_schema,
    no_rows,
    open_text,
    text_errors,
    text_names,
)
from ._read import Reading, Table, named, table_of
from ._words import TableError

if TYPE_CHECKING:
    from ._features import TableFeatures

CELLS, MOST_ROWS = 2**21, 2**17
"""How many cells and rows a batch has at most; text comes in batches of 10 MB."""

Progress = Callable[[float], None]
"""Is told after every batch which share of the table was read."""

_COMPRESSED = (".gz", ".zip")
# Bytes of text per byte of a compressed file, roughly.
_PACKED = 5.0
# Bytes that a cell and its features take in a fit: a number is one feature, text is many.
_NUMBER, _DATE, _TEXT = 40, 80, 420
_BUFFER = 2**20


@dataclass(frozen=True, eq=False)
class Batches:
    """A table that is read in batches, as often as needed.

    Attributes
    ----------
    path : Path
        A file, or a pattern of files.
    form : str
        "text", "Parquet" or "Arrow".
    seen : FilesSeen
        The files as they were when they were first looked at.
    schema : pyarrow.Schema
        Names and types of the columns. All columns of text files are text, as they are written.
        Categories have the type of their levels.
    n_rows : int or None
        The number of rows; None if only reading tells.
    remarks : tuple of str
        What was changed, one sentence per change.
    categories : tuple of str
        The columns that the files hold as categories.
    """

    path: Path
    form: str
    seen: FilesSeen
    schema: Any
    n_rows: int | None
    remarks: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()

    @classmethod
    @needs_extra("`Batches`", "tables")
    def of(cls, path: str | Path) -> Batches | None:
        """Look at the files of a table, without reading their rows; None for other formats.

        Parameters
        ----------
        path : str or Path
            A file of CSV, TSV, Parquet or Arrow, or a pattern that matches several with the same
            columns.

        Returns
        -------
        batches : Batches or None
        """
        path = Path(path)
        ending_of(path)
        form = form_of(path)
        if form is None:
            return None
        seen = FilesSeen.of(path)
        schema, categories, n_rows = _SCHEMA[form](path, seen.files)
        names, remarks = named(schema.names, path)
        if form == "text":
            remarks += encoding_remarks(path)
        new = dict(zip(schema.names, names, strict=True))
        categories = tuple(new[name] for name in categories)
        return cls(path, form, seen, _renamed(schema, names), n_rows, remarks, categories)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(self.schema.names)

    @property
    def rows_in_a_batch(self) -> int:
        """How many rows a batch has at most; text comes in batches of 10 MB."""
        return max(1, min(MOST_ROWS, CELLS // len(self.columns)))

    @property
    def bytes_in_memory(self) -> float:
        """About how much memory a fit takes that reads the table as a whole."""
        kinds, n_rows = self.schema.types, self.n_rows
        if self.form == "text":
            first, bytes_of_a_row = first_rows(self.path)
            packed = self.seen.files[0].name.lower().endswith(_COMPRESSED)
            kinds, text = first.schema.types, self.seen.n_bytes * (_PACKED if packed else 1.0)
            n_rows = int(text / bytes_of_a_row)
        elif n_rows is None:
            n_rows = self.seen.n_bytes // (8 * len(self.columns))
        return float(n_rows * sum(_bytes_of_a_cell(kind) for kind in kinds))

    def read(
        self, columns: Sequence[str] | None = None, progress: Progress | None = None
    ) -> Iterator[Any]:
        """Yield the rows in batches; reject files that changed since they were first looked at.

        Parameters
        ----------
        columns : list of str, optional
            The columns to read; all if None. Files of text are read whole in any case.
        progress : callable, optional
            Is called with the share of the table that was read.

        Yields
        ------
        batch : pyarrow.Table
        """
        wanted = list(self.columns if columns is None else columns)
        self.seen.check()
        any_rows = False
        for batch, done in _READ[self.form](self, wanted):
            any_rows |= batch.num_rows > 0
            yield batch
            if progress is not None:
                progress(done)
        self.seen.check()
        if not any_rows:
            raise no_rows(self.path)

    def table_of(self, batch: Any, how: Reading, id: str | None = None, start: int = 0) -> Table:
        """Make a table of a batch, or of some of its rows, as if it were a file of its own.

        Parameters
        ----------
        batch : pyarrow.Table
            Rows that `read` yielded.
        how : Reading
            How to read columns. Of text, the columns of `as_number` become numbers if all their
            cells are.
        id : str, optional
            The identifier column.
        start : int
            The number of the first row, counted from 0.

        Returns
        -------
        table : Table
        """
        import pandas as pd

        marks: dict[str, dict[str, int]] = {}
        with_commas: list[str] = []
        if self.form == "text":
            # Columns with points between thousands stay text: 1.234 is 1234 in some of them.
            in_batch = [name for name in batch.column_names if name in how.as_number]
            for name in (one for one in in_batch if one not in how.points):
                commas = name in how.decimal_comma
                column, counts, any_comma = _as_numbers(batch.column(name), commas)
                with_commas += [name] * any_comma
                batch = batch.set_column(batch.column_names.index(name), name, column)
                if counts:
                    marks[name] = counts
        raw = Raw(batch, marks=marks, decimal_comma=with_commas)
        table = table_of(raw, self.path, how, id)
        table.frame.index = pd.RangeIndex(start, start + len(table.frame))
        return table

    def read_like(
        self,
        features: TableFeatures,
        id: str | None = None,
        reading: Mapping[str, Iterable[str]] = MappingProxyType({}),
        progress: Progress | None = None,
    ) -> Iterator[tuple[Table, Any]]:
        """Yield tables of about equal size, read as `read_like` reads a whole one.

        Parameters
        ----------
        features : TableFeatures
            The fitted features.
        id : str, optional
            The identifier column; it may be absent.
        reading : dict
            How the table of the fit was read: `Reading.record`.
        progress : callable, optional
            See `read`.

        Yields
        ------
        table, batch : Table, pyarrow.Table
            The frame is numbered as in the whole table; the batch holds its cells as they are.
        """
        how, start = reading_like(features, reading), 0
        for batch in self.read(progress=progress):
            yield self.table_of(batch, how, id, start), batch
            start += batch.num_rows

    def write_text(self, table: Any, path: Path) -> None:
        """Write cells of text as a file that is read as the whole one would be."""
        from pyarrow import csv

        options = csv.WriteOptions(delimiter=delimiter_of(self.path), quoting_style="needed")
        csv.write_csv(table, path, options)


def _bytes_of_a_cell(kind: Any) -> int:
    import pyarrow as pa

    types = pa.types
    if types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind):
        return _NUMBER
    return _DATE if types.is_temporal(kind) else _NUMBER if types.is_null(kind) else _TEXT


def _renamed(schema: Any, names: Sequence[str]) -> Any:
    import pyarrow as pa

    return pa.schema([field.with_name(name) for field, name in zip(schema, names, strict=True)])


def _as_numbers(column: Any, decimal_comma: bool) -> tuple[Any, dict[str, int], bool]:
    """Return cells of text as numbers, and the words for missing cells; text if one is neither.

    Also return whether a number had a decimal comma.
    """
    import pyarrow as pa
    from pyarrow import compute

    words = compute.utf8_trim_whitespace(column)
    missing = compute.is_in(words, value_set=pa.array([one for one in MISSING if one != " "]))
    present = compute.if_else(missing, pa.nulls(len(words), pa.string()), words)
    any_comma = False
    if decimal_comma:
        any_comma = bool(compute.any(compute.match_substring(present, ",")).as_py())
        present = compute.replace_substring(present, ",", ".")
    try:
        numbers = present.cast(pa.float64())
    except pa.ArrowInvalid:
        return column, {}, False
    counts = words.filter(missing).value_counts().to_pylist()
    return numbers, {one["values"]: one["counts"] for one in counts if one["values"]}, any_comma


# What the files of each format hold, and how they are read.


Schema = tuple[Any, tuple[str, ...], int | None]
"""Names and types of columns, those that are categories, and the number of rows if it is known."""


def _text_schema(path: Path, files: Sequence[Path]) -> Schema:
    import pyarrow as pa

    return pa.schema([(name, pa.string()) for name in text_names(path)]), (), None


def _parquet_schema(path: Path, files: Sequence[Path]) -> Schema:
    import pyarrow as pa
    from pyarrow import parquet

    schemas, n_rows = {}, 0
    for file in files:
        try:
            with parquet.ParquetFile(file) as opened:
                schemas[file] = opened.schema_arrow
                n_rows += opened.metadata.num_rows
        except (pa.ArrowException, OSError) as error:
            raise damaged(file, "a Parquet", error) from None
    return (*common_schema(path, schemas), n_rows)


def _arrow_schema(path: Path, files: Sequence[Path]) -> Schema:
    import pyarrow as pa

    schemas: dict[Path, Any] = {}
    n_rows: int | None = 0
    for file in files:
        try:
            with pa.OSFile(str(file)) as stream:
                reader, is_stream = _arrow_reader(stream)
                schemas[file] = reader.schema
            n_rows = None if is_stream or n_rows is None else n_rows + _rows_of_arrow(file)
        except (pa.ArrowException, OSError) as error:
            raise damaged(file, "an Arrow", error) from None
    return (*common_schema(path, schemas), n_rows)


def _rows_of_arrow(file: Path) -> int:
    from pyarrow import dataset

    return int(dataset.dataset(file, format="ipc").count_rows())


def _arrow_reader(stream: Any) -> tuple[Any, bool]:
    """Open an Arrow file or stream; also return whether it is a stream."""
    import pyarrow as pa

    try:
        return pa.ipc.open_file(stream), False
    except pa.ArrowInvalid:
        stream.seek(0)
        return pa.ipc.open_stream(stream), True


def _read_text(table: Batches, columns: Sequence[str]) -> Iterator[tuple[Any, float]]:
    import pyarrow as pa

    reader, read = open_text(table.path, text_names(table.path)), 0
    with reader, text_errors(table.path):
        for batch in reader:
            whole = pa.Table.from_batches([batch]).rename_columns(list(table.columns))
            read += batch.nbytes
            yield whole.select(columns), _share(read, table)


def _share(read: int, table: Batches) -> float:
    """Estimate which share of files of text was read, by the bytes of the cells."""
    packed = table.seen.files[0].name.lower().endswith(_COMPRESSED)
    return min(read / max(table.seen.n_bytes * (_PACKED if packed else 1.0), 1.0), 0.99)


def _read_parquet(table: Batches, columns: Sequence[str]) -> Iterator[tuple[Any, float]]:
    import pyarrow as pa
    from pyarrow import parquet

    done, n_rows = 0, max(table.n_rows or 1, 1)
    names = dict(zip(table.columns, _names_in_file(table), strict=True))
    for file in table.seen.files:
        try:
            with parquet.ParquetFile(file, buffer_size=_BUFFER) as opened:
                wanted = [names[name] for name in columns]
                for batch in opened.iter_batches(table.rows_in_a_batch, columns=wanted):
                    done += batch.num_rows
                    yield _in_schema(table, batch, columns, names), done / n_rows
        except (pa.ArrowException, OSError) as error:
            table.seen.check()
            raise damaged(file, "a Parquet", error) from None


def _read_arrow(table: Batches, columns: Sequence[str]) -> Iterator[tuple[Any, float]]:
    import pyarrow as pa

    done, n_rows = 0, table.n_rows
    names = dict(zip(table.columns, _names_in_file(table), strict=True))
    for number, file in enumerate(table.seen.files, 1):
        try:
            with pa.OSFile(str(file)) as stream:
                for batch in _arrow_batches(stream):
                    for start in range(0, batch.num_rows, table.rows_in_a_batch):
                        rows = batch.slice(start, table.rows_in_a_batch)
                        done += rows.num_rows
                        share = done / n_rows if n_rows else number / len(table.seen.files)
                        yield _in_schema(table, rows, columns, names), share
        except (pa.ArrowException, OSError) as error:
            table.seen.check()
            raise damaged(file, "an Arrow", error) from None


def _arrow_batches(stream: Any) -> Iterator[Any]:
    reader, is_stream = _arrow_reader(stream)
    if is_stream:
        yield from reader
    else:
        for k in range(reader.num_record_batches):
            yield reader.get_batch(k)


def _names_in_file(table: Batches) -> list[str]:
    """Return the names as the files have them: a column without a name has one in the table."""
    schema, *_ = _SCHEMA[table.form](table.path, table.seen.files)
    return list(schema.names)


def _in_schema(table: Batches, batch: Any, columns: Sequence[str], names: dict[str, str]) -> Any:
    import pyarrow as pa

    chosen = pa.Table.from_batches([batch]).select([names[name] for name in columns])
    schema = pa.schema([table.schema.field(name) for name in columns])
    try:
        return like_schema(chosen.rename_columns(list(columns)), schema)
    except pa.ArrowInvalid as error:
        raise TableError(
            f"`path` must have the same kind of values in a column of every file; got {table.path} "
            f"({str(error)[:160]}). Write the column alike in all files."
        ) from None


_SCHEMA: dict[str, Callable[[Path, Sequence[Path]], Schema]] = {
    "text": _text_schema,
    "Parquet": _parquet_schema,
    "Arrow": _arrow_schema,
}
_READ: dict[str, Callable[[Batches, Sequence[str]], Iterator[tuple[Any, float]]]] = {
    "text": _read_text,
    "Parquet": _read_parquet,
    "Arrow": _read_arrow,
}

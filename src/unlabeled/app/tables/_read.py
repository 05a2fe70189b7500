"""Read a file into a table: what its cells hold, where the file leaves it open."""

from __future__ import annotations

import datetime
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ...engine.extras import needs_extra
from ._columns import as_text as cells_as_text
from ._columns import cells_as_words, storage
from ._formats import (
    MISSING,
    Raw,
    all_with_commas,
    decimal_commas,
    has_points,
    no_rows,
    read_file,
    some_with_points,
)
from ._words import TableError, check_column, count_of, listed

_ZERO_FIRST = re.compile(r"0[0-9]+")
_DAY_OR_MONTH_FIRST = re.compile(
    r"(?P<first>[0-9]{1,2})(?P<sep>[/.-])(?P<second>[0-9]{1,2})(?P=sep)"
    r"(?P<year>[0-9]{4}|[0-9]{2})(?P<time> [0-9]{1,2}:[0-9]{2}(?P<seconds>:[0-9]{2})?)?"
)


@dataclass(frozen=True)
class Reading:
    """How columns are read, or were read, where a file leaves it open.

    Attributes
    ----------
    as_text : tuple of str
        Columns that stay as they are written: those that were asked for, and those of digits with
        leading zeros.
    as_number : tuple of str
        Columns of digits that are numbers in spite of leading zeros.
    missing : tuple of str
        Values that mark a missing cell; ``COLUMN=VALUE`` does so in one column.
    decimal_comma : tuple of str
        Columns of numbers with decimal commas.
    points : tuple of str
        Columns of numbers with points between thousands: 3.271,50.
    day_first : tuple of str
        Columns of dates such as 31/12/2024.
    """

    as_text: tuple[str, ...] = ()
    as_number: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    decimal_comma: tuple[str, ...] = ()
    points: tuple[str, ...] = ()
    day_first: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, list[str]]:
        """Return what a new table must be told, as plain values for JSON.

        Returns
        -------
        found : dict
        """
        return {name: list(getattr(self, name)) for name in REMEMBERED}

    def marks_in(self, name: str, columns: Iterable[str]) -> list[str]:
        """Return the values that mark missing cells in a column."""
        marks = []
        for mark in self.missing:
            column, equals, value = mark.partition("=")
            if not equals or column not in columns:
                marks.append(mark.strip())
            elif column == name:
                marks.append(value.strip())
        return marks


REMEMBERED = ("missing", "decimal_comma", "points", "day_first")
"""What a model must remember of how its table was read; it knows the types of columns anyway."""


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
    reading : Reading
        How columns were read where the file leaves it open.
    marks : dict of str to dict
        For each column with such words, how often each word marks a missing cell.
    """

    frame: Any
    path: Path
    remarks: tuple[str, ...] = ()
    reading: Reading = Reading()
    marks: dict[str, dict[str, int]] = field(default_factory=dict)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(self.frame.columns)

    def __len__(self) -> int:
        return len(self.frame)


def read_table(
    path: str | Path,
    *,
    as_text: Iterable[str] = (),
    id: str | None = None,
    as_number: Iterable[str] = (),
    missing: Iterable[str] = (),
    day_first: Iterable[str] = (),
) -> Table:
    """Read a file into a table: CSV, TSV, Parquet, Arrow, JSON lines, a workbook or SQLite.

    The ending decides the format. A ``.csv`` file may be separated by commas, semicolons
    or tabs, and compressed by gzip or zip. Text must be UTF-8, or Windows-1252, which
    `Table.remarks` names. Of a workbook the first sheet is
    read; a database must have one table. In every format:

    - Blank cells and text in `MISSING` (``NA``, ``null``, ``none``, ``?``, ...) are missing.
    - Digits with leading zeros, such as ``00731``, stay text.
    - Decimal commas are read if a column has only such numbers, and they cannot be thousands.
      Points between thousands, 3.271,50, are read with them.
    - Times of day become hours.

    Parameters
    ----------
    path : str or Path
        A file with one of the endings in `ENDINGS`, or a pattern such as ``claims/*.parquet`` that
        matches several files of CSV, Parquet or Arrow with the same columns. Their rows are
        stacked in the order of the names.
    as_text : list of str
        Columns to keep as they are written, even if they look like numbers or dates.
    id : str, optional
        The identifier column. Its values are kept as text, unchanged: ``00017``, ``NA``.
    as_number : list of str
        Columns of digits that are numbers in spite of leading zeros.
    missing : list of str
        More values that mark a missing cell, such as ``-999``. ``age=999`` does so in the column
        ``age`` only.
    day_first : list of str
        Columns of dates such as 31/12/2024. Without it dates that could be either are read with
        the month first.

    Returns
    -------
    table : Table

    Raises
    ------
    TableError
        If the file is not a table; the message says why and what to do.

    Notes
    -----
    Needs ``pip install 'unlabeled[tables]'``, and ``'unlabeled[excel]'`` for a workbook. Pyarrow
    parses the file and hands it to pandas; during the conversion both copies are in memory.

    Examples
    --------
    >>> import tempfile
    >>> from unlabeled.app import read_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "patients.csv"
    ...     _ = path.write_text("age,diagnosis\\n61,yes\\n47,\\n")
    ...     table = read_table(path)
    >>> table.columns, len(table)
    (('age', 'diagnosis'), 2)
    """
    how = Reading(
        as_text=tuple(as_text),
        as_number=tuple(as_number),
        missing=tuple(missing),
        day_first=tuple(day_first),
    )
    table = read_columns(Path(path), how, id)
    check_reading(how, (table,))
    if id is not None:
        check_column(id, table.columns, "id")
    return table


def check_reading(how: Reading, tables: tuple[Table, ...]) -> None:
    """Reject names that are no columns, columns that are to be two things, and absent marks."""
    columns = tuple(dict.fromkeys(name for one in tables for name in one.columns))
    for option in ("as_text", "as_number", "day_first"):
        for name in getattr(how, option):
            check_column(name, columns, option)
    both = [name for name in how.as_text if name in (*how.as_number, *how.day_first)]
    if both:
        raise TableError(
            f"`as_text` must not name a column of `as_number` or `day_first`; got {both[0]!r} in "
            "both. Leave one of them out."
        )
    for table in tables:
        _check_held(table, how.as_number, "as_number", "number")
        _check_held(table, how.day_first, "day_first", "date")
    for mark in how.missing:
        alone = replace(how, missing=(mark,))
        values = {value for name in columns for value in alone.marks_in(name, columns)}
        if not any(values & counts.keys() for table in tables for counts in table.marks.values()):
            raise TableError(
                f"`missing` must be a value of the table, or COLUMN=VALUE; got {mark!r}, which no "
                "cell has. Leave it out, or correct it."
            )


_WANTED = {"number": "numbers", "date": "dates such as 31/12/2024, all written alike"}


def _check_held(table: Table, names: tuple[str, ...], option: str, wanted: str) -> None:
    """Reject a column that could not be read as an option says."""
    for name in set(names) & set(table.columns):
        column = table.frame[name].dropna()
        if len(column) and storage(column) != wanted:
            cells = listed(list(column.astype(str).unique()), 3)
            raise TableError(
                f"`{option}` must be a column of {_WANTED[wanted]}; got {name!r} with {cells}. "
                "Correct the cells that are something else, or leave the option out."
            )


@needs_extra("`read_table`", "tables")
def read_columns(path: Path, how: Reading, id: str | None = None) -> Table:
    """Read a table in which the columns that `how` names, and `id`, may be absent."""
    # A column that had points between thousands stays text until all its cells are seen: 1.234.
    as_text = (*how.as_text, *how.points, *([] if id is None else [id]))
    raw, remarks = _read_named(path, as_text)
    return table_of(raw, path, how, id, remarks)


def table_of(
    raw: Raw, path: Path, how: Reading, id: str | None = None, remarks: tuple[str, ...] = ()
) -> Table:
    """Make a table of what a file, or a part of it, holds; `remarks` come before those of it."""
    arrow, names = raw.table, raw.table.column_names
    if id is not None and id in names:
        arrow = arrow.set_column(names.index(id), id, _id_as_text(arrow.column(id), id))
    marks = {name: dict(counts) for name, counts in raw.marks.items()}
    frame = _frame(arrow, marks, id)
    codes, commas, points = [], list(raw.decimal_comma), []
    used = [name for name in names if name != id]
    for name in used:
        given, counted = how.marks_in(name, names), marks.setdefault(name, {})
        frame[name] = _without_marks(frame[name], given, counted)
    to_type = [name for name in used if name not in how.as_text and _is_text(frame[name])]
    # A number with point and comma tells how all numbers of the file are written.
    in_file = any(_has_points(frame[name]) for name in to_type)
    for name in used:
        column = frame[name]
        if name in how.as_text:
            # Text may be numbers or dates; categories are not.
            column = cells_as_text(column).astype("category")
        elif name in to_type:
            cleaned = any(mark in marks[name] for mark in how.marks_in(name, names))
            column, read_as = _typed(name, column, how, cleaned, in_file)
            codes += [name] * (read_as == "as_text")
            commas += [name] * (read_as in ("decimal_comma", "points"))
            points += [name] * (read_as == "points")
        frame[name] = column
    found = replace(
        how,
        as_text=(*how.as_text, *codes),
        decimal_comma=tuple(commas),
        points=tuple(points),
    )
    marks = {name: counted for name, counted in marks.items() if counted}
    return Table(frame, path, (*remarks, *raw.remarks), found, marks)


@needs_extra("`read_cells`", "tables")
def read_cells(path: str | Path, names: Iterable[str] | None, argument: str) -> dict[str, Any]:
    """Read columns as they are written: 00731, NA and a decimal comma stay.

    Parameters
    ----------
    path : str or Path
        See `read_table`.
    names : list of str or None
        The columns to read; None reads all of them.
    argument : str
        The argument that named the columns, for the message about an unknown one.

    Returns
    -------
    cells : dict of str to pyarrow.ChunkedArray
        By the names of the columns, in the order of `names`. Cells of files that have types,
        such as Parquet, keep them.
    """
    file = _read_named(Path(path), None)[0].table
    kept = check_cells(file.schema, names, argument)
    return {name: file.column(name) for name in kept}


def check_cells(schema: Any, names: Iterable[str] | None, argument: str) -> tuple[str, ...]:
    """Return columns of a schema, all if `names` is None; reject those without text."""
    for name in names or ():
        check_column(name, schema.names, argument)
    kept = tuple(dict.fromkeys(schema.names if names is None else names))
    for name in kept:
        _check_has_text(schema.field(name), name, argument)
    return kept


def _read_named(path: Path, as_text: tuple[str, ...] | None) -> tuple[Raw, tuple[str, ...]]:
    """Read a file, and give names to columns without one; also return remarks on these."""
    raw = read_file(path, as_text)
    names, remarks = named(raw.table.column_names, path)
    _check_shape(raw.table, path)
    return raw._replace(table=raw.table.rename_columns(names)), remarks


def named(names: list[str], path: Path) -> tuple[list[str], tuple[str, ...]]:
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
        raise no_rows(path)


# What a column of text holds.


def _is_text(column: Any) -> bool:
    import pandas as pd

    return pd.api.types.is_string_dtype(column.dtype) and storage(column) == "text"


def _without_marks(column: Any, marks: list[str], counted: dict[str, int]) -> Any:
    """Return a column in which the values that mark missing cells are missing, and count them."""
    import pandas as pd

    if not marks:
        return column
    if storage(column) == "number":
        numbers = pd.to_numeric(pd.Series(marks, dtype=object), errors="coerce")
        cells, values = column, dict(zip(numbers, marks, strict=True))
    else:
        cells, values = cells_as_words(column), {mark: mark for mark in marks}
    for value, mark in values.items():
        hit = (cells == value).fillna(False).to_numpy(dtype=bool)
        if hit.any():
            counted[mark] = counted.get(mark, 0) + int(hit.sum())
            column = column.mask(hit)
    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.cat.remove_unused_categories()
    return column


def _has_points(column: Any) -> bool:
    return bool(decimal_commas(column)) and has_points(column)


def _with_points(column: Any) -> Any:
    """Return numbers such as 3.271,50."""
    import pandas as pd

    plain = column.str.replace(".", "", regex=False).str.replace(",", ".", regex=False)
    return pd.to_numeric(plain).astype("float64")


def _typed(
    name: str, column: Any, how: Reading, cleaned: bool, points_in_file: bool
) -> tuple[Any, str]:
    """Return what a column of text holds, and how it was read: a name of `Reading`, or nothing.

    If marks for missing cells were removed from it, what is left may be numbers.
    """
    import pandas as pd

    present = column.dropna().astype(str)
    if len(present) == 0:
        return column, ""
    if (points_in_file or name in how.points) and all_with_commas(present):
        return _with_points(column), "points"
    commas = decimal_commas(column)
    if commas or (commas is False and name in how.decimal_comma):
        points = column.str.replace(",", ".", regex=False)
        return pd.to_numeric(points).astype("float64"), "decimal_comma"
    if name in how.day_first:
        return _dates_with_the_day_first(column), ""
    numbers = pd.to_numeric(column, errors="coerce")
    is_number = numbers.notna() | column.isna()
    if is_number.all() and name in how.as_number:
        if name in how.points and some_with_points(present):
            raise TableError(
                f"`path` must have numbers in {name!r} that are written alike; got "
                f"{listed(list(present.unique()), 3)}, and 1.234 was 1234 in the fit. Write them "
                "without points between thousands."
            )
        return numbers, ""
    if is_number.all():
        if present.str.fullmatch("[0-9]+").all() and present.str.fullmatch(_ZERO_FIRST).any():
            return cells_as_text(column).astype("category"), "as_text"
        if cleaned:
            return numbers, ""
    return column, ""


def date_format(column: Any, day_first: bool) -> str | None:
    """Return how dates such as 31/12/2024 are written; None if the cells are something else.

    Examples
    --------
    >>> import pandas as pd
    >>> date_format(pd.Series(["3/4/2025", "5/6/2024"]), day_first=True)
    '%d/%m/%Y'
    """
    present = column.dropna()
    match = _DAY_OR_MONTH_FIRST.fullmatch(str(present.iloc[0])) if len(present) else None
    if match is None or not present.astype(str).str.fullmatch(_DAY_OR_MONTH_FIRST.pattern).all():
        return None
    parts = ("%d", "%m") if day_first else ("%m", "%d")
    year = "%Y" if len(match["year"]) == 4 else "%y"
    time = "" if match["time"] is None else " %H:%M" + ":%S" * (match["seconds"] is not None)
    return match["sep"].join((*parts, year)) + time


def _dates_with_the_day_first(column: Any) -> Any:
    """Return dates; the column itself if not every cell is one."""
    import pandas as pd

    written_as = date_format(column, day_first=True)
    if written_as is None:
        return column
    dates = pd.to_datetime(column, format=written_as, errors="coerce")
    return column if (column.notna() & dates.isna()).any() else dates


# From Arrow to pandas.


def _id_as_text(column: Any, id: str) -> Any:
    """Return the row identifiers as text; whole numbers are never converted to floating point."""
    import pyarrow as pa

    _check_has_text(column, id, "id")
    return column.cast(pa.string())


def _check_has_text(column: Any, name: str, argument: str) -> None:
    """Reject a column whose cells cannot be written as text."""
    import pyarrow as pa

    if pa.types.is_nested(column.type) or pa.types.is_binary(column.type):
        raise TableError(
            f"`{argument}` must be a column of text, numbers or dates; got {name!r} of type "
            f"{column.type}. Name another column."
        )


def _frame(arrow: Any, marks: dict[str, dict[str, int]], id: str | None = None) -> Any:
    """Return a frame with types that pandas understands; count words for missing cells."""
    import pandas as pd
    import pyarrow as pa

    for j, field_ in enumerate(arrow.schema):
        if pa.types.is_decimal(field_.type) or pa.types.is_float16(field_.type):
            arrow = arrow.set_column(j, field_.name, arrow.column(j).cast(pa.float64()))
        elif pa.types.is_time(field_.type):
            hours = [None if at is None else _hours(at) for at in arrow.column(j).to_pylist()]
            arrow = arrow.set_column(j, field_.name, pa.array(hours, pa.float64()))
    nullable = {pa.bool_(): pd.BooleanDtype()}
    frame = arrow.to_pandas(
        types_mapper=nullable.get, date_as_object=False, ignore_metadata=True, self_destruct=True
    )
    for name, column in frame.items():
        is_category = isinstance(column.dtype, pd.CategoricalDtype)
        if is_category or pd.api.types.is_string_dtype(column.dtype):
            words = column.isin(MISSING if name != id else ("",))
            if not words.any():
                continue
            words_in_cells = column[words].value_counts()
            counted = {
                str(word): int(n) for word, n in words_in_cells.items() if str(word).strip() and n
            }
            if counted:
                marks[name] = counted
            frame[name] = column.mask(words)
            if is_category:
                frame[name] = frame[name].cat.remove_categories(
                    [level for level in column.cat.categories if level in MISSING]
                )
    return frame


def _hours(at: datetime.time) -> float:
    return at.hour + at.minute / 60 + (at.second + at.microsecond / 1e6) / 3600

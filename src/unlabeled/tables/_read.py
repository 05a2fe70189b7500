"""A file to a table: which reader, and what every table must be."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..extras import needs_extra
from ._columnar import read_arrow, read_parquet
from ._delimited import read_delimited
from ._storage import as_category, with_plain_offset
from ._words import MISSING, TableError, check_column, listed, nearest, only_a_header

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
    >>> from unlabeled.tables import read_table
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

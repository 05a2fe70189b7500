"""Bring a new table into the form of the one that a model was fitted to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ._columns import as_numbers, as_text, storage
from ._doubts import Missing, comma_remarks
from ._encodings import Levels, Numbers
from ._formats import comma_numbers
from ._read import Reading, Table, read_columns
from ._words import TableError, cells_are_not, count, count_of, listed, rename_hint, together

if TYPE_CHECKING:
    from ._features import TableFeatures

_TRUTH = {"true": True, "false": False, "1": True, "0": False, "yes": True, "no": False}
# What a cell must be, in the singular and in the plural.
_ALLOWED = {
    "number": ("a number", "numbers"),
    "true/false": ("true or false", "true or false"),
    "date": ("a date such as 2024-12-31", "dates such as 2024-12-31"),
}
_MOST_HINTS = 6
# With a larger fraction of cells that are not dates, the column is rejected.
_MOSTLY = 0.5
# Numbers are far outside a range if they exceed its bounds by this many widths.
_FAR = 0.5
_MOST_REMARKS_ON_RANGES = 3
# Of values that the fit did not know, so many are remembered over batches.
_MOST_VALUES = 1000


@dataclass(frozen=True, eq=False)
class Conformed:
    """Columns of a new table in the form they had in the fit.

    Attributes
    ----------
    X : pandas.DataFrame
        The columns of the fit, in the same order, stored in the same way.
    remarks : tuple of str
        What is different in the new table, one sentence per difference.
    """

    X: Any
    remarks: tuple[str, ...]


class _WrongCellsError(Exception):
    """Cells of a column that are not what they were in the fit."""

    def __init__(self, name: str, allowed: str, cells: Any) -> None:
        super().__init__(name)
        self.name, self.allowed, self.cells = name, allowed, cells


def read_like(
    path: str | Path,
    features: TableFeatures,
    id: str | None = None,
    reading: Mapping[str, Iterable[str]] = MappingProxyType({}),
) -> Table:
    """Read a table; columns that were text in the fit are read as text, so that 007 stays 007.

    Parameters
    ----------
    path : str or Path
        See `read_table`.
    features : TableFeatures
        The fitted features.
    id : str, optional
        The identifier column; it may be absent.
    reading : dict
        How the table of the fit was read: `Reading.record`, which a `Card` holds.

    Returns
    -------
    table : Table
    """
    return read_columns(Path(path), reading_like(features, reading), id)


def reading_like(features: TableFeatures, reading: Mapping[str, Iterable[str]]) -> Reading:
    """Return how to read columns as they were in a fit."""
    held = features.storage_in_
    return Reading(
        as_text=tuple(name for name in held if held[name] == "text"),
        as_number=tuple(name for name in held if held[name] == "number"),
        **{name: tuple(values) for name, values in reading.items()},
    )


def conform(
    table: Table, features: TableFeatures, not_used: Mapping[str, str] | tuple[str, ...] = ()
) -> Conformed:
    """Bring the columns of a table into the form they had when `features` was fitted.

    Parameters
    ----------
    table : Table
        The new rows.
    features : TableFeatures
        The fitted features.
    not_used : names of columns
        Columns that the fit left out; they get no remark.

    Returns
    -------
    conformed : Conformed
        With remarks on columns in another order, unknown columns, unknown levels of
        categories, cells that are not dates, and numbers far outside the range of the fit.

    Raises
    ------
    TableError
        If a column is missing, or has cells of another type.
    """
    X = conformed_rows(table, features)
    differences = Differences.of(table, X, features, not_used)
    return Conformed(X, differences.remarks(features))


def conformed_rows(table: Table, features: TableFeatures, *, in_fit: bool = False) -> Any:
    """Return the columns of the fit, stored in the same way, without remarks.

    With `in_fit` the rows belong to the table of the fit, whose features come from other rows.
    """
    there = set(table.columns)
    absent = [name for name in features.storage_in_ if name not in there]
    if absent:
        others = [name for name in table.columns if name not in features.storage_in_]
        hints = [rename_hint(name, others) for name in absent[:_MOST_HINTS]]
        raise TableError(
            f"`table` must have the columns of the fit; got {table.path.name} without "
            f"{listed(absent)}.{''.join(hints) or ' Add them, or fit without them.'}"
        )
    return _coerce_columns(table.frame, features, in_fit)


# Columns stored as in the fit.


def _coerce_columns(frame: Any, features: TableFeatures, in_fit: bool) -> Any:
    """Return the columns of the fit, in the same order, each stored in the same way."""
    import pandas as pd

    columns, wrong = {}, []
    for name, how in features.storage_in_.items():
        # Text that was all numbers must be numbers again.
        is_number = isinstance(features.encodings_.get(name), Numbers)
        held = "number" if is_number and how == "text" else how
        try:
            columns[name] = _COERCE[held](name, _coerce_dates(frame[name], features, name))
        except _WrongCellsError as error:
            wrong.append(_wrong_cells(error.name, error.allowed, error.cells, in_fit))
        except TableError as error:
            wrong.append(error)
    if wrong:
        raise together(wrong)
    return pd.DataFrame(columns, index=frame.index)


def _coerce_dates(column: Any, features: TableFeatures, name: str) -> Any:
    """Return dates as stored in the fit: as text or dates, with or without a time zone."""
    date_format = features.date_formats_.get(name)
    if date_format is not None and storage(column) == "date":
        return column.dt.strftime(date_format)
    if date_format is not None:
        return _from_iso(as_text(column), date_format)
    zone = getattr(column.dtype, "tz", None)
    if storage(column) == "date" and (zone is None) != (name not in features.zones_in_):
        known = features.zones_in_.get(name)
        raise TableError(
            f"`table` must have dates with {'no time zone' if known is None else known} in "
            f"{name!r}, as in the fit; got {'no time zone' if zone is None else zone}. Convert "
            "them."
        )
    return column


def _from_iso(column: Any, date_format: str) -> Any:
    """Convert ISO dates to the date format of the fit; ISO dates are unambiguous."""
    import pandas as pd

    other = column.notna() & pd.to_datetime(column, format=date_format, errors="coerce").isna()
    dates = pd.to_datetime(column[other], format="ISO8601", errors="coerce").dropna()
    if len(dates) == 0:
        return column
    column = column.copy()
    column[dates.index] = dates.dt.strftime(date_format)
    return column


def _number(name: str, column: Any) -> Any:
    import pandas as pd

    how = storage(column)
    if how in ("number", "true/false"):
        numbers = pd.to_numeric(column, errors="coerce").astype("float64")
        infinite = column[np.isinf(numbers)]
        if len(infinite):
            raise _WrongCellsError(name, "number", infinite)
        return numbers
    numbers = pd.to_numeric(as_text(column), errors="coerce")
    wrong = column[column.notna() & numbers.isna()]
    if len(wrong) and how == "text":
        commas = comma_numbers(as_text(column).dropna())
        if commas is not None and not commas.all():
            wrong = column.dropna()[~commas]
    if len(wrong) or (how == "date" and column.notna().any()):
        raise _WrongCellsError(name, "number", wrong if len(wrong) else column.dropna())
    return numbers.astype("float64")


def _truth(name: str, column: Any) -> Any:
    import pandas as pd

    if storage(column) == "true/false":
        return column.astype("boolean")
    words = as_text(column).str.strip().str.lower() if column.notna().any() else column
    truth = words.map(_TRUTH)
    wrong = column[column.notna() & truth.isna()]
    if len(wrong):
        raise _WrongCellsError(name, "true/false", wrong)
    return truth.astype(pd.BooleanDtype())


def _date(name: str, column: Any) -> Any:
    import pandas as pd

    how = storage(column)
    if how == "date":
        return column
    if how in ("number", "true/false") and column.notna().any():
        raise _WrongCellsError(name, "date", column.dropna())
    # 05/01/2024 is ambiguous, so only ISO dates are read.
    dates = pd.to_datetime(column, format="ISO8601", errors="coerce")
    wrong = column[column.notna() & dates.isna()]
    if len(wrong):
        raise _WrongCellsError(name, "date", wrong)
    return dates


def _text(name: str, column: Any) -> Any:
    return column if storage(column) == "text" and column.notna().any() else as_text(column)


_COERCE: dict[str, Callable[[str, Any], Any]] = {
    "number": _number,
    "true/false": _truth,
    "date": _date,
    "text": _text,
}


def _wrong_cells(name: str, allowed: str, cells: Any, in_fit: bool) -> TableError:
    one, many = _ALLOWED[allowed]
    shown, first = listed(list(cells.astype(str).unique()), 3), count(int(cells.index[0]) + 1)
    seen, instead = "the fit", ""
    if in_fit:
        seen, instead = "the rows drawn first", ", or name the column in `as_text` or in `drop`"
    return TableError(
        f"`table` must have {one} in every cell of {name!r}, as in {seen}; "
        f"{cells_are_not(len(cells), one, many)} ({shown}, {'first ' * (len(cells) > 1)}in row "
        f"{first}). Correct those cells, or leave them blank{instead}."
    )


# What is different in a new table that can be used all the same.


class _Far(NamedTuple):
    """Numbers far outside a range: how many, the smallest and the largest."""

    rows: int
    low: float
    high: float

    def __add__(self, other: Any) -> _Far:
        return _Far(self.rows + other.rows, min(self.low, other.low), max(self.high, other.high))


class _Odd(NamedTuple):
    """Cells that the fit did not know: how many, of how many cells, and which values."""

    rows: int
    of: int
    values: tuple[str, ...]

    def __add__(self, other: Any) -> _Odd:
        values = tuple(dict.fromkeys((*self.values, *other.values)))[:_MOST_VALUES]
        return _Odd(self.rows + other.rows, self.of + other.of, values)


@dataclass(frozen=True)
class Differences:
    """What is different in new rows that can be used all the same; those of batches add up.

    Attributes
    ----------
    columns : tuple of str
        Remarks that hold for all rows: on columns that are not used, and on their order.
    missing : Missing
        Missing cells, and the words that mark them.
    decimal_comma : tuple of str
        Columns of numbers with decimal commas.
    points : tuple of str
        Those of them with points between thousands.
    filled : frozenset of str
        Columns that are not blank in every row.
    levels, dates : dict of str to _Odd
        Unknown values of categories, and cells that are not dates.
    far : dict of str to _Far
        Numbers far outside the range of the fit.
    """

    columns: tuple[str, ...]
    missing: Missing
    decimal_comma: tuple[str, ...]
    points: tuple[str, ...]
    filled: frozenset[str]
    levels: dict[str, _Odd]
    dates: dict[str, _Odd]
    far: dict[str, _Far]

    @classmethod
    def of(
        cls,
        table: Table,
        X: Any,
        features: TableFeatures,
        not_used: Mapping[str, str] | tuple[str, ...] = (),
    ) -> Differences:
        """Compare rows with those of the fit; `X` is `conformed_rows` of the table."""
        names = list(features.storage_in_)
        return cls(
            tuple(_column_remarks(table, features, not_used)),
            Missing.of(table, names),
            tuple(name for name in table.reading.decimal_comma if name in names),
            tuple(name for name in table.reading.points if name in names),
            frozenset(name for name in names if table.frame[name].notna().any()),
            _new_levels(X, features),
            _not_dates(X, features),
            _far(X, features.ranges_in_),
        )

    def __add__(self, other: Differences) -> Differences:
        return Differences(
            self.columns,
            self.missing + other.missing,
            tuple(dict.fromkeys((*self.decimal_comma, *other.decimal_comma))),
            tuple(dict.fromkeys((*self.points, *other.points))),
            self.filled | other.filled,
            _sums(self.levels, other.levels),
            _sums(self.dates, other.dates),
            _sums(self.far, other.far),
        )

    def remarks(self, features: TableFeatures) -> tuple[str, ...]:
        """Return one sentence per difference.

        Raises
        ------
        TableError
            If most cells of a column of dates are not dates, or are written in another way.
        """
        blank = [name for name in features.storage_in_ if name not in self.filled]
        return (
            *comma_remarks(self.decimal_comma, self.points),
            *self.missing.remark(),
            *self.columns,
            *[f"Blank in every row: {listed(blank)}."] * bool(blank),
            *_level_remarks(self.levels, features),
            *self.date_remarks(features),
            *_range_remarks(self.far, features.ranges_in_),
        )

    def date_remarks(self, features: TableFeatures) -> list[str]:
        """Return one remark per column of dates as text in which some cells are not dates."""
        return _date_remarks(self.dates, features)


def _sums(some: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    return some | {name: some[name] + new if name in some else new for name, new in other.items()}


def _column_remarks(
    table: Table, features: TableFeatures, not_used: Mapping[str, str] | tuple[str, ...]
) -> list[str]:
    """Return remarks on unknown columns and on their order."""
    wanted, remarks = list(features.storage_in_), []
    known = features.storage_in_
    extra = [name for name in table.columns if name not in known and name not in not_used]
    if extra:
        remarks.append(f"Not used by the model: {listed(extra)}.")
    if [name for name in table.columns if name in known] != wanted:
        remarks.append("The columns are in another order than in the fit; they are taken by name.")
    return remarks


def _categories(features: TableFeatures) -> list[tuple[str, Levels]]:
    encodings = features.encodings_.items()
    return [(name, encoding) for name, encoding in encodings if isinstance(encoding, Levels)]


def _new_levels(X: Any, features: TableFeatures) -> dict[str, _Odd]:
    """Return the values of categories that the fit did not see."""
    unknown = {}
    for name, category in _categories(features):
        present = X[name].dropna()
        new = present[~present.isin([*category.levels, *category.rare])]
        if len(new):
            unknown[name] = _Odd(len(new), len(present), tuple(new.unique()))
    return unknown


def _level_remarks(levels: dict[str, _Odd], features: TableFeatures) -> list[str]:
    """Return one remark per category with values that the fit did not see."""
    remarks = []
    for name, category in _categories(features):
        if name not in levels:
            continue
        new = levels[name]
        remarks.append(
            f"{count_of(new.rows, 'row')} {'has' if new.rows == 1 else 'have'} values of "
            f"{name!r} that were not in the training data: {listed(new.values, 3)}. "
            f"They are treated as {'rare values' if category.rare else 'the most frequent value'}."
        )
    return remarks


def _not_dates(X: Any, features: TableFeatures) -> dict[str, _Odd]:
    """Return the cells that are not dates, of columns of dates as text."""
    import pandas as pd

    unreadable = {}
    for name, date_format in features.date_formats_.items():
        dates = pd.to_datetime(X[name], format=date_format, errors="coerce")
        wrong = X[name][X[name].notna() & dates.isna()]
        unreadable[name] = _Odd(len(wrong), int(X[name].notna().sum()), tuple(wrong.unique()))
    return unreadable


def _date_remarks(dates: dict[str, _Odd], features: TableFeatures) -> list[str]:
    """Return one remark per column of dates as text in which some cells are not dates.

    Raises
    ------
    TableError
        If most cells of a column are not dates, or are written in another way.
    """
    import pandas as pd

    remarks = []
    for name, wrong in dates.items():
        if wrong.rows == 0:
            continue
        shown = listed(wrong.values, 3)
        example = pd.Timestamp("2024-12-31").strftime(features.date_formats_[name])
        if wrong.rows > _MOSTLY * wrong.of:
            raise TableError(
                f"`table` must have dates in {name!r} such as {example}, as in the fit, or "
                f"2024-12-31; {cells_are_not(wrong.rows, 'such a date', 'such dates')} ({shown}). "
                "Write them in one of these ways."
            )
        remarks.append(
            f"{name!r} has cells that are not dates such as {example}, in "
            f"{count_of(wrong.rows, 'row')}: {shown}. They count as missing."
        )
    return remarks


def range_remarks(X: Any, ranges: dict[str, tuple[float, float]]) -> list[str]:
    """Return remarks on columns with numbers far outside the ranges of the fit.

    The three columns with the most such rows get one each, the others share one.
    """
    return _range_remarks(_far(X, ranges), ranges)


def _far(X: Any, ranges: dict[str, tuple[float, float]]) -> dict[str, _Far]:
    """Return the numbers far outside the ranges of the fit."""
    outside = {name: _far_outside(as_numbers(X[name]), *ends) for name, ends in ranges.items()}
    return {
        name: _Far(len(far), float(far.min()), float(far.max()))
        for name, far in outside.items()
        if len(far)
    }


def _range_remarks(outside: dict[str, _Far], ranges: dict[str, tuple[float, float]]) -> list[str]:
    names = sorted(
        (name for name in ranges if name in outside), key=lambda name: -outside[name].rows
    )
    remarks = []
    for name in names[:_MOST_REMARKS_ON_RANGES]:
        far, (low, high) = outside[name], ranges[name]
        single = far.rows == 1
        ends = f"{far.low:g}" if far.low == far.high else f"{far.low:g} to {far.high:g}"
        remarks.append(
            f"{count_of(far.rows, 'row')} {'has' if single else 'have'} values of {name!r} "
            f"({ends}) far outside the training range, {low:g} to {high:g}. Do not rely on "
            f"{'its score' if single else 'their scores'}."
        )
    rest = names[_MOST_REMARKS_ON_RANGES:]
    if rest:
        remarks.append(f"Values far outside the training range are also in {listed(rest)}.")
    return remarks


def _far_outside(numbers: np.ndarray, low: float, high: float) -> np.ndarray:
    room = _FAR * (high - low)
    return numbers[(numbers < low - room) | (numbers > high + room)]

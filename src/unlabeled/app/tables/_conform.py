"""Bring a new table into the form of the one that a model was fitted to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from ._columns import as_numbers, as_text, storage
from ._doubts import new_table_remarks
from ._read import Reading, Table, read_columns
from ._words import TableError, cells_are_not, count_of, listed, rename_hint, together

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
    held = features.storage_in_
    how = Reading(
        as_text=tuple(name for name in held if held[name] == "text"),
        as_number=tuple(name for name in held if held[name] == "number"),
        **{name: tuple(values) for name, values in reading.items()},
    )
    return read_columns(Path(path), how, id)


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
    there = set(table.columns)
    absent = [name for name in features.storage_in_ if name not in there]
    if absent:
        others = [name for name in table.columns if name not in features.storage_in_]
        hints = [rename_hint(name, others) for name in absent[:_MOST_HINTS]]
        raise TableError(
            f"`table` must have the columns of the fit; got {table.path.name} without "
            f"{listed(absent)}.{''.join(hints) or ' Add them, or fit without them.'}"
        )
    X = _coerce_columns(table.frame, features)
    remarks = (
        *new_table_remarks(table, list(features.storage_in_)),
        *_column_remarks(table, features, not_used),
        *_level_remarks(X, features),
        *_date_remarks(X, features),
        *range_remarks(X, features.ranges_in_),
    )
    return Conformed(X, remarks)


# Columns stored as in the fit.


def _coerce_columns(frame: Any, features: TableFeatures) -> Any:
    """Return the columns of the fit, in the same order, each stored in the same way."""
    import pandas as pd

    # Text that the vectoriser took for numbers must be numbers again.
    numbers = dict.fromkeys(features.vectoriser_.kind_to_columns_["numeric"], "number")
    columns, wrong = {}, []
    for name, how in features.storage_in_.items():
        held = numbers.get(name, how) if how == "text" else how
        try:
            columns[name] = _COERCE[held](name, _coerce_dates(frame[name], features, name))
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
            raise _wrong_cells(name, "number", infinite)
        return numbers
    numbers = pd.to_numeric(as_text(column), errors="coerce")
    wrong = column[column.notna() & numbers.isna()]
    if len(wrong) or (how == "date" and column.notna().any()):
        raise _wrong_cells(name, "number", wrong if len(wrong) else column.dropna())
    return numbers.astype("float64")


def _truth(name: str, column: Any) -> Any:
    import pandas as pd

    if storage(column) == "true/false":
        return column.astype("boolean")
    words = as_text(column).str.strip().str.lower() if column.notna().any() else column
    found = words.map(_TRUTH)
    wrong = column[column.notna() & found.isna()]
    if len(wrong):
        raise _wrong_cells(name, "true/false", wrong)
    return found.astype(pd.BooleanDtype())


def _date(name: str, column: Any) -> Any:
    import pandas as pd

    how = storage(column)
    if how == "date":
        return column
    if how in ("number", "true/false") and column.notna().any():
        raise _wrong_cells(name, "date", column.dropna())
    # 05/01/2024 is ambiguous, so only ISO dates are read.
    dates = pd.to_datetime(column, format="ISO8601", errors="coerce")
    wrong = column[column.notna() & dates.isna()]
    if len(wrong):
        raise _wrong_cells(name, "date", wrong)
    return dates


def _text(name: str, column: Any) -> Any:
    return column if storage(column) == "text" and column.notna().any() else as_text(column)


_COERCE: dict[str, Callable[[str, Any], Any]] = {
    "number": _number,
    "true/false": _truth,
    "date": _date,
    "text": _text,
}


def _wrong_cells(name: str, allowed: str, cells: Any) -> TableError:
    one, many = _ALLOWED[allowed]
    return TableError(
        f"`table` must have {one} in every cell of {name!r}, as in the fit; "
        f"{cells_are_not(len(cells), one, many)} "
        f"({listed(list(cells.astype(str).unique()), 3)}). Correct those cells, or leave them "
        "blank."
    )


# What is different in a new table that can be used all the same.


def _column_remarks(
    table: Table, features: TableFeatures, not_used: Mapping[str, str] | tuple[str, ...]
) -> list[str]:
    """Return remarks on unknown columns, on their order, and on blank ones."""
    wanted, remarks = list(features.storage_in_), []
    known = features.storage_in_
    extra = [name for name in table.columns if name not in known and name not in not_used]
    if extra:
        remarks.append(f"Not used by the model: {listed(extra)}.")
    if [name for name in table.columns if name in known] != wanted:
        remarks.append("The columns are in another order than in the fit; they are taken by name.")
    blank = [name for name in wanted if not table.frame[name].notna().any()]
    if blank:
        remarks.append(f"Blank in every row: {listed(blank)}.")
    return remarks


def _level_remarks(X: Any, features: TableFeatures) -> list[str]:
    """Return one remark per category with values that the fit did not see."""
    remarks = []
    for name in features.vectoriser_.kind_to_columns_["low_cardinality"]:
        present = X[name].dropna()
        encoder = features.vectoriser_.transformers_[name]
        known, rare = encoder.categories_[0], encoder.infrequent_categories_[0] is not None
        new = present[~present.isin(known)]
        if len(new):
            remarks.append(
                f"{count_of(len(new), 'row')} {'has' if len(new) == 1 else 'have'} values of "
                f"{name!r} that were not in the training data: {listed(list(new.unique()), 3)}. "
                f"They are treated as {'rare values' if rare else 'the most frequent value'}."
            )
    return remarks


def _date_remarks(X: Any, features: TableFeatures) -> list[str]:
    """Return one remark per column of dates as text in which some cells are not dates.

    Raises
    ------
    TableError
        If most cells of a column are not dates, or are written in another way.
    """
    import pandas as pd

    remarks = []
    for name, date_format in features.date_formats_.items():
        dates = pd.to_datetime(X[name], format=date_format, errors="coerce")
        wrong = X[name][X[name].notna() & dates.isna()]
        if len(wrong) == 0:
            continue
        shown = listed(list(wrong.unique()), 3)
        example = pd.Timestamp("2024-12-31").strftime(date_format)
        if len(wrong) > _MOSTLY * X[name].notna().sum():
            raise TableError(
                f"`table` must have dates in {name!r} such as {example}, as in the fit, or "
                f"2024-12-31; {cells_are_not(len(wrong), 'such a date', 'such dates')} ({shown}). "
                "Write them in one of these ways."
            )
        remarks.append(
            f"{name!r} has cells that are not dates such as {example}, in "
            f"{count_of(len(wrong), 'row')}: {shown}. They count as missing."
        )
    return remarks


def range_remarks(X: Any, ranges: dict[str, tuple[float, float]]) -> list[str]:
    """Return remarks on columns with numbers far outside the ranges of the fit.

    The three columns with the most such rows get one each, the others share one.
    """
    found = {name: _far_outside(as_numbers(X[name]), *ends) for name, ends in ranges.items()}
    names = sorted((name for name in found if len(found[name])), key=lambda name: -len(found[name]))
    remarks = []
    for name in names[:_MOST_REMARKS_ON_RANGES]:
        far, (low, high) = found[name], ranges[name]
        one = len(far) == 1
        ends = f"{far.min():g}" if far.min() == far.max() else f"{far.min():g} to {far.max():g}"
        remarks.append(
            f"{count_of(len(far), 'row')} {'has' if one else 'have'} values of {name!r} ({ends}) "
            f"far outside the training range, {low:g} to {high:g}. Do not rely on "
            f"{'its score' if one else 'their scores'}."
        )
    rest = names[_MOST_REMARKS_ON_RANGES:]
    if rest:
        remarks.append(f"Values far outside the training range are also in {listed(rest)}.")
    return remarks


def _far_outside(numbers: np.ndarray, low: float, high: float) -> np.ndarray:
    room = _FAR * (high - low)
    return numbers[(numbers < low - room) | (numbers > high + room)]

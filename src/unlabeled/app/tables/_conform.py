"""A new table brought into the form of the one a model was fitted to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ._features import TableFeatures
from ._prepare import far_outside
from ._read import Table, read_columns, storage, written
from ._words import TableError, count, listed, none_of, perhaps_meant, rows_in_words

# Columns of a new table held as they were in the fit: numbers as numbers, dates as dates.

_TRUTH = {"true": True, "false": False, "1": True, "0": False, "yes": True, "no": False}
_ARTICLES = {"number": "a number", "true/false": "true or false"}
_ARTICLES["date"] = "a date as 2024-12-31"


def as_held(frame: Any, features: TableFeatures) -> Any:
    """Return the columns of the fit, in their order, each held as it was there.

    Raises
    ------
    TableError
        Where cells are of another type.
    """
    import pandas as pd

    # Text that the vectoriser took for numbers must be numbers again.
    numbers = dict.fromkeys(features.vectoriser_.kind_to_columns_["numeric"], "number")
    held = {
        name: how if how != "text" else numbers.get(name, how)
        for name, how in features.storage_in_.items()
    }
    new = {name: _as_written(frame[name], features, name) for name in held}
    columns = {name: _AS_IT_WAS[how](name, new[name]) for name, how in held.items()}
    return pd.DataFrame(columns, index=frame.index)


def _as_written(column: Any, features: TableFeatures, name: str) -> Any:
    """Dates as the fit knew them: written, where they were text there."""
    written_as = features.date_formats_.get(name)
    if written_as is not None and storage(column) == "date":
        return column.dt.strftime(written_as)
    if written_as is not None:
        return _from_iso(written(column), written_as)
    zone = getattr(column.dtype, "tz", None)
    if storage(column) == "date" and (zone is None) != (name not in features.zones_in_):
        known = features.zones_in_.get(name, "no time zone")
        raise TableError(
            f"`table` must have dates with {known} in {name!r}, as in the fit; got "
            f"{'no time zone' if zone is None else zone}. Convert them."
        )
    return column


def _from_iso(column: Any, written_as: str) -> Any:
    """Dates with the year first are no other dates: they are written as in the fit."""
    import pandas as pd

    other = column.notna() & pd.to_datetime(column, format=written_as, errors="coerce").isna()
    dates = pd.to_datetime(column[other], format="ISO8601", errors="coerce").dropna()
    if len(dates) == 0:
        return column
    column = column.copy()
    column[dates.index] = dates.dt.strftime(written_as)
    return column


def _wrong(name: str, what: str, cells: Any) -> TableError:
    return TableError(
        f"`table` must have {_ARTICLES[what]} in every cell of {name!r}, as in the fit; got "
        f"{none_of(len(cells))} ({listed(list(cells.astype(str).unique()), 3)}). "
        "Correct those cells, or leave them blank."
    )


def _number(name: str, column: Any) -> Any:
    import pandas as pd

    how = storage(column)
    if how in ("number", "true/false"):
        numbers = pd.to_numeric(column, errors="coerce").astype("float64")
        endless = column[np.isinf(numbers)]
        if len(endless):
            raise _wrong(name, "number", endless)
        return numbers
    numbers = pd.to_numeric(written(column), errors="coerce")
    wrong = column[column.notna() & numbers.isna()]
    if len(wrong) or (how == "date" and column.notna().any()):
        raise _wrong(name, "number", wrong if len(wrong) else column.dropna())
    return numbers.astype("float64")


def _truth(name: str, column: Any) -> Any:
    import pandas as pd

    if storage(column) == "true/false":
        return column.astype("boolean")
    words = written(column).str.strip().str.lower() if column.notna().any() else column
    found = words.map(_TRUTH)
    wrong = column[column.notna() & found.isna()]
    if len(wrong):
        raise _wrong(name, "true/false", wrong)
    return found.astype(pd.BooleanDtype())


def _date(name: str, column: Any) -> Any:
    import pandas as pd

    how = storage(column)
    if how == "date":
        return column
    if how in ("number", "true/false") and column.notna().any():
        raise _wrong(name, "date", column.dropna())
    # 05/01/2024 is two dates: only years that come first are taken.
    dates = pd.to_datetime(column, format="ISO8601", errors="coerce")
    wrong = column[column.notna() & dates.isna()]
    if len(wrong):
        raise _wrong(name, "date", wrong)
    return dates


def _text(name: str, column: Any) -> Any:
    return column if storage(column) == "text" and column.notna().any() else written(column)


_AS_IT_WAS: dict[str, Callable[[str, Any], Any]] = {
    "number": _number,
    "true/false": _truth,
    "date": _date,
    "text": _text,
}


# What is different in a new table, where it can be used all the same.

# If more cells than this share are none, it is not the cells that are wrong.
_MOSTLY = 0.5


def of_columns(
    table: Table, features: TableFeatures, not_used: Mapping[str, str] | tuple[str, ...]
) -> list[str]:
    """Remarks on columns that the fit did not know, on their order, and on blank ones."""
    wanted, remarks = list(features.storage_in_), []
    extra = [name for name in table.columns if name not in wanted and name not in not_used]
    if extra:
        remarks.append(f"Not used by the model: {listed(extra)}.")
    if [name for name in table.columns if name in wanted] != wanted:
        remarks.append("The columns are in another order than in the fit; they are taken by name.")
    blank = [name for name in wanted if not table.frame[name].notna().any()]
    if blank:
        remarks.append(f"Blank in every row: {listed(blank)}.")
    return remarks


def of_cells(X: Any, features: TableFeatures) -> list[str]:
    """Remarks on levels, dates and numbers that are not like those of the fit.

    Raises
    ------
    TableError
        Where most dates of a column are written in another way.
    """
    far = far_outside(X, features.ranges_in_)
    return [*_unseen(X, features), *_no_dates(X, features), *far]


def _unseen(X: Any, features: TableFeatures) -> list[str]:
    """A remark for every category with values that the fit did not see."""
    remarks = []
    for name in features.vectoriser_.kind_to_columns_["low_cardinality"]:
        present = X[name].dropna()
        known = features.vectoriser_.transformers_[name].categories_[0]
        new = present[~present.isin(known)]
        if len(new):
            remarks.append(
                f"{name!r} has values that the fit did not see, in {rows_in_words(len(new))}: "
                f"{listed(list(new.unique()), 3)}. They count as rare ones, or as the most "
                "frequent."
            )
    return remarks


def _no_dates(X: Any, features: TableFeatures) -> list[str]:
    """A remark for every column of dates written as text, in which some cells are none."""
    import pandas as pd

    remarks = []
    for name, written_as in features.date_formats_.items():
        dates = pd.to_datetime(X[name], format=written_as, errors="coerce")
        wrong = X[name][X[name].notna() & dates.isna()]
        if len(wrong) > _MOSTLY * X[name].notna().sum():
            raise TableError(
                f"`table` must have dates in {name!r} that are written as in the fit, "
                f"{written_as}, or as 2024-12-31; got {count(len(wrong))} that are not "
                f"({listed(list(wrong.unique()), 3)}). Write them so."
            )
        if len(wrong):
            remarks.append(
                f"{name!r} has cells that are no dates as in the fit, in "
                f"{rows_in_words(len(wrong))}: {listed(list(wrong.unique()), 3)}. They count as "
                "missing."
            )
    return remarks


@dataclass(frozen=True, eq=False)
class Conformed:
    """Columns of a new table as they were in the fit.

    Attributes
    ----------
    X : pandas.DataFrame
        The columns of the fit, in their order, held as they were.
    remarks : tuple of str
        What is different in the new table, a sentence each.
    """

    X: Any
    remarks: tuple[str, ...]


def read_like(path: str | Path, features: TableFeatures, id: str | None = None) -> Table:
    """Read a table, columns that were text in the fit as text: 007 is no number there.

    Parameters
    ----------
    path : str or Path
        See `read_table`.
    features : TableFeatures
        Fitted.
    id : str, optional
        The column that names rows; it need not be there.

    Returns
    -------
    table : Table
    """
    held = features.storage_in_.items()
    return read_columns(Path(path), tuple(name for name, how in held if how == "text"), id)


def conform(
    table: Table, features: TableFeatures, not_used: Mapping[str, str] | tuple[str, ...] = ()
) -> Conformed:
    """Bring the columns of a table into the form they had when `features` was fitted.

    Parameters
    ----------
    table : Table
        The new rows.
    features : TableFeatures
        Fitted.
    not_used : names of columns
        Columns that the fit knew and left out: that they are there is not worth a remark.

    Returns
    -------
    conformed : Conformed
        With a remark on columns in another order, columns that the fit did
        not know, categories it did not see, dates that are none, and numbers far
        outside its own.

    Raises
    ------
    TableError
        Where a column is missing, or has cells of another type.
    """
    absent = [name for name in features.storage_in_ if name not in table.columns]
    if absent:
        others = [name for name in table.columns if name not in features.storage_in_]
        raise TableError(
            f"`table` must have the columns of the fit; got {table.path.name} without "
            f"{listed(absent)}.{perhaps_meant(absent[0], others)}"
        )
    X = as_held(table.frame, features)
    return Conformed(X, (*of_columns(table, features, not_used), *of_cells(X, features)))

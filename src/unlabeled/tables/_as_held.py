"""Columns of a new table held as they were in the fit: numbers as numbers, dates as dates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ._features import TableFeatures
from ._storage import storage, written
from ._words import TableError, listed, none_of

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

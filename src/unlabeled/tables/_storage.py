"""How a column is held: as numbers, true/false, dates or text."""

from __future__ import annotations

from datetime import timezone
from typing import Any

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

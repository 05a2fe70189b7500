"""Columns of a data frame: how they are stored, their cells as text or numbers, and their range."""

from __future__ import annotations

from typing import Any

import numpy as np


def as_pandas(X: Any) -> Any:
    """Return a pandas frame: `X` itself, or converted from polars."""
    import pandas as pd

    if isinstance(X, pd.DataFrame):
        return X
    if type(X).__module__.startswith("polars.") and hasattr(X, "to_pandas"):
        return X.to_pandas()
    raise TypeError(
        f"`X` must be a data frame of pandas or polars; got {type(X).__name__}. Convert it, with "
        "names for its columns: pandas.DataFrame(X, columns=[...])."
    )


def storage(column: Any) -> str:
    """Return how a column is stored: "number", "true/false", "date" or "text"."""
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


def as_text(column: Any) -> Any:
    """Return the cells as text, whole numbers without a decimal point; missing stays missing."""
    import pandas as pd

    if isinstance(column.dtype, pd.StringDtype):
        return column
    if storage(column) == "number" and not pd.api.types.is_integer_dtype(column.dtype):
        texts = column.map(lambda value: f"{value:.17g}", na_action="ignore")
    else:
        texts = column.astype(object).map(str, na_action="ignore")
    # A new series, so that it has the dtype of text columns that pandas reads.
    cells = [None if cell is pd.NaT or cell != cell else cell for cell in texts]
    return pd.Series(cells, index=column.index, name=column.name, dtype=None if cells else object)


def cells_as_words(column: Any) -> Any:
    """Return the values as stripped text, blank where missing."""
    import pandas as pd

    if pd.api.types.is_bool_dtype(column.dtype):
        column = column.map({True: "true", False: "false"})
    elif pd.api.types.is_float_dtype(column.dtype):
        column = column.map(lambda value: f"{value:.15g}", na_action="ignore")
    missing = column.isna()
    return column.astype(object).where(~missing, "").astype(str).str.strip()


def as_numbers(column: Any) -> np.ndarray:
    """Return the cells as numbers, NaN where they are missing or not numbers."""
    import pandas as pd

    return np.asarray(pd.to_numeric(column, errors="coerce").to_numpy(np.float64, na_value=np.nan))


def coarse_range(column: Any) -> tuple[float, float] | None:
    """Return the bounds of a column of numbers, rounded outwards to a power of ten.

    Rounded bounds reveal no single row. None if all numbers are equal.

    Examples
    --------
    >>> import pandas as pd
    >>> coarse_range(pd.Series([18, 97, None])), coarse_range(pd.Series(["1200", "98000"]))
    ((10.0, 100.0), (0.0, 100000.0))
    """
    numbers = as_numbers(column)
    low, high = np.nanmin(numbers), np.nanmax(numbers)
    if not low < high:
        return None
    step = 10.0 ** np.floor(np.log10(high - low))
    return float(np.floor(low / step) * step), float(np.ceil(high / step) * step)

"""Records as they come in: checked once, at the border."""

from __future__ import annotations

import pandas as pd

from ._names import CELL, MEASURES

COLUMNS = [*CELL, "repeat", *MEASURES, "converged", "warning_codes", "error"]


def check_records(records: pd.DataFrame) -> pd.DataFrame:
    """Return the records with plain types and the scores of failed fits blanked.

    Parameters
    ----------
    records : DataFrame
        One row a fit.

    Returns
    -------
    DataFrame
        A copy of the columns used here and a column `failed`.
    """
    missing = [column for column in COLUMNS if column not in records.columns]
    if missing:
        raise ValueError(f"`records` must have a column for {', '.join(missing)}; got none.")
    table = records[COLUMNS].copy()
    table["error"] = table["error"].astype(object).where(table["error"].notna(), "").astype(str)
    table["failed"] = table["error"] != ""
    table["warning_codes"] = [_codes(value) for value in table["warning_codes"]]
    table["n"] = pd.to_numeric(table["n"]).fillna(0).astype(int)
    # .1 + .2 and .3 are one label frequency.
    table["c"] = pd.to_numeric(table["c"]).astype(float).round(9)
    for measure in MEASURES:
        table[measure] = pd.to_numeric(table[measure]).astype(float).mask(table["failed"])
    for column in ("study", "dataset", "mechanism", "method", "setting"):
        table[column] = table[column].astype(str)
    table["n"] = _known_sizes(table)
    _refuse_repeated(table)
    return table


def _known_sizes(table: pd.DataFrame) -> pd.Series:
    """Return n, with that of the other repeats where a fit failed before its rows were drawn."""
    largest = table.groupby(["study", "dataset"])["n"].transform("max")
    return table["n"].where(table["n"] > 0, largest)


def _codes(value: object) -> str:
    """Return warning codes as one string, whatever they were kept as."""
    if isinstance(value, str):
        return value
    if value is None or isinstance(value, float):
        return ""
    return " ".join(str(code) for code in value)  # type: ignore[attr-defined]


def _refuse_repeated(table: pd.DataFrame) -> None:
    repeated = table.duplicated([*CELL, "repeat"])
    if repeated.any():
        first = table.loc[repeated, [*CELL, "repeat"]].iloc[0].to_dict()
        raise ValueError(
            f"`records` must hold every fit once; got {int(repeated.sum())} of them again, "
            f"the first {first}. Remove the repeated rows."
        )

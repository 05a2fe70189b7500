"""A new table brought into the form of the one a model was fitted to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ._as_held import as_held
from ._differences import of_cells, of_columns
from ._features import TableFeatures
from ._read import Table, read_columns
from ._words import TableError, listed, perhaps_meant


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

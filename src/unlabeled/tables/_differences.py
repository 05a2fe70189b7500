"""What is different in a new table, where it can be used all the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ._features import TableFeatures
from ._ranges import far_outside
from ._read import Table
from ._words import TableError, count, listed, rows_in_words

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

"""Means, standard errors and counts of every cell of the studies."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ._names import CELL, MEASURES


def summarise(records: pd.DataFrame) -> pd.DataFrame:
    r"""Mean and standard error of every measure in every cell, with the fits that failed.

    The standard error is :math:`s/\sqrt{m}` with the sample standard deviation s (divisor
    m - 1) of the m fits that have the measure; of one fit it is not a number.

    Parameters
    ----------
    records : DataFrame
        Checked records.

    Returns
    -------
    DataFrame
        One row a cell and measure: the cell, `measure`, `mean`, `se`, `repeats` (fits that
        have the measure), `fits` and `failed`.
    """
    long = records.melt([*CELL, "repeat"], list(MEASURES), "measure", "value")
    groups = long.groupby([*CELL, "measure"], dropna=False)["value"]
    table = groups.agg(mean="mean", sd="std", repeats="count").reset_index()
    table["se"] = table.pop("sd") / np.sqrt(table["repeats"].where(table["repeats"] > 1))
    table = table.merge(count_fits(records, CELL)[[*CELL, "fits", "failed"]], on=CELL)
    measured = (table["repeats"] > 0) | (table["measure"].isin(["f1", "balanced_accuracy"]))
    columns = [*CELL, "measure", "mean", "se", "repeats", "fits", "failed"]
    return table.loc[measured, columns].reset_index(drop=True)


def count_fits(records: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Count the fits, those that failed, did not converge or gave a warning.

    Parameters
    ----------
    records : DataFrame
        Checked records.
    by : list of str
        Columns that name a group.

    Returns
    -------
    DataFrame
        The groups and `fits`, `failed`, `not_converged`, `warned`, `codes`, `first_error`.
    """
    stopped_early = records["converged"].astype("boolean").eq(False).fillna(False)
    marked = records.assign(
        not_converged=stopped_early.astype(bool) & ~records["failed"],
        warned=records["warning_codes"] != "",
    )
    return (
        marked.groupby(by, dropna=False)
        .agg(
            fits=("failed", "size"),
            failed=("failed", "sum"),
            not_converged=("not_converged", "sum"),
            warned=("warned", "sum"),
            codes=("warning_codes", _distinct_codes),
            first_error=("error", lambda errors: next((e for e in errors if e), "")),
        )
        .reset_index()
    )


def _distinct_codes(codes: pd.Series) -> str:
    words = {word for text in codes for word in text.replace(",", " ").split()}
    return " ".join(sorted(words))


def repeats_by_study(records: pd.DataFrame) -> pd.DataFrame:
    """Fits, failures and repeats of each study; complete ones have all cells."""
    rows = []
    for study, own in records.groupby("study"):
        cells = own.groupby("repeat").size()
        complete = int((cells == len(own[CELL].drop_duplicates())).sum())
        rows.append((study, len(own), int(own["failed"].sum()), len(cells), complete))
    return pd.DataFrame(rows, columns=["study", "fits", "failed", "repeats", "complete_repeats"])

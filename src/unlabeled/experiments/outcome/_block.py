"""The results one part of a claim speaks of, as an array over repeats, cells and methods."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ._claim import Part
from ._names import PLACE, method_name, setting_of
from ._statistics import OF_EVERY_FIT, Array


@dataclass(frozen=True)
class Block:
    """Repeats in which every cell, method and measure has a value.

    For statistics that compare no pairs, repeats in which any has; then values may be NaN.

    Attributes
    ----------
    values : ndarray of shape (repeats, cells, methods, measures)
    cells : DataFrame
        Data set, mechanism, n and c of each cell.
    left_out : int
        Repeats with a missing or failed fit among these.
    failed : int
        Failed fits among these.
    missing : tuple of str
        Data sets and methods that the records lack.
    """

    values: Array
    cells: pd.DataFrame
    left_out: int
    failed: int
    missing: tuple[str, ...]


def gather(records: pd.DataFrame, part: Part, setting: str) -> Block:
    """Collect what a part of a claim needs from checked records."""
    rows = _rows(records, part, setting)
    cells = _cells_of_all(rows, part.methods)
    shape = (len(cells), len(part.methods), len(part.measures))
    failed = int(rows["failed"].sum())
    if not len(cells):
        values = np.empty((0, *shape))
        return Block(values, cells, rows["repeat"].nunique(), failed, _missing(rows, part))
    wide = rows.pivot(index="repeat", columns=[*PLACE, "method"], values=list(part.measures))
    columns = [
        (measure, *cell, method)
        for cell in cells.itertuples(index=False, name=None)
        for method in part.methods
        for measure in part.measures
    ]
    wide = wide.reindex(columns=pd.MultiIndex.from_tuples(columns))
    values = wide.to_numpy(dtype=float).reshape(-1, *shape)
    there = np.isfinite(values)
    if part.statistic in OF_EVERY_FIT:
        kept = there.any(axis=(1, 2, 3))
    else:
        kept = there.all(axis=(1, 2, 3))
    return Block(values[kept], cells, int(np.sum(~kept)), failed, _missing(rows, part))


def _rows(records: pd.DataFrame, part: Part, setting: str) -> pd.DataFrame:
    where = part.where
    keep = (
        (records["study"] == where.study)
        & records["method"].isin(part.methods)
        & records["setting"].isin(setting_of(setting))
        & records["c"].between(where.c[0] - 1e-9, where.c[1] + 1e-9)
        & records["n"].between(*where.n)
    )
    if where.datasets:
        keep &= records["dataset"].isin(where.datasets)
    if where.mechanisms:
        keep &= records["mechanism"].isin(where.mechanisms)
    return records[keep]


def _cells_of_all(rows: pd.DataFrame, methods: tuple[str, ...]) -> pd.DataFrame:
    """Return the cells that every method has been run in."""
    counts = rows.groupby(PLACE)["method"].nunique()
    cells = counts[counts == len(methods)].index
    return cells.to_frame(index=False)


def _missing(rows: pd.DataFrame, part: Part) -> tuple[str, ...]:
    sets = [name for name in part.where.datasets if name not in set(rows["dataset"])]
    methods = [method_name(name) for name in part.methods if name not in set(rows["method"])]
    return (*sets, *methods)

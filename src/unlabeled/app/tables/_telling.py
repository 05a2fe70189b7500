"""Columns that are not used, and give the label away: nobody who checks rows may see them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from ._columns import storage
from ._prepare import FOUND_BY_CHECKING, Prepared

TELLS = "; it gives the label away"
"""What the reason of such a column ends with."""


def mark_telling(prepared: Prepared, frame: Any, s: np.ndarray) -> Prepared:
    """Say of unused columns whether nearly all rows are labeled in some region of them.

    Parameters
    ----------
    prepared : Prepared
    frame : pandas.DataFrame
        All columns of the table.
    s : ndarray of shape (n_rows,)
        1 for labeled rows, 0 for the others.

    Returns
    -------
    prepared : Prepared
        With `TELLS` at the end of their reasons.
    """
    asked = [
        name
        for name, why in prepared.dropped.items()
        if name in frame and name not in (prepared.id, prepared.group) and why != FOUND_BY_CHECKING
    ]
    told = {name: f"{prepared.dropped[name]}{TELLS}" for name in _telling(frame, s, asked)}
    return replace(prepared, dropped=prepared.dropped | told) if told else prepared


def _telling(frame: Any, s: np.ndarray, names: Iterable[str]) -> list[str]:
    from ...linear_model import purest_regions, state_of  # a help text needs no scikit-learn

    columns = {name: _in_order(frame[name]) for name in names}
    if not columns or not s.any():
        return []
    n_labeled = int(s.sum())
    ranked = purest_regions(columns, s, None)
    return [one.feature for one in ranked if state_of(one, n_labeled, 0.0) != "fine"]


def _in_order(column: Any) -> np.ndarray:
    """Return numbers as they are, and the place of other values in their order; NaN if missing."""
    import pandas as pd

    if storage(column) == "number":
        return np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan))
    words = column.astype(str).where(column.notna(), None)
    codes = pd.factorize(words, sort=True)[0]
    return np.where(codes < 0, np.nan, codes)

"""A frame with every kind of column, to and from plain lists that JSON holds."""

from __future__ import annotations

from typing import Any

import pandas as pd

_KINDS = {
    "ward": "category",
    "insured": "boolean",
    "answered": "object",
    "visit": "datetime64[ns]",
    "seen": "datetime64[ns]",
    "size": "Int64",
}


def typed(columns: dict[str, list[Any]]) -> pd.DataFrame:
    """Return a frame of lists of plain values, each column stored in the way of its name."""
    frame = pd.DataFrame({name: pd.Series(cells) for name, cells in columns.items()})
    for name, kind in _KINDS.items():
        if name in frame:
            frame[name] = pd.Series(columns[name], dtype="object").astype(kind)
    if "seen" in frame:
        frame["seen"] = frame["seen"].dt.tz_localize("Europe/Warsaw")
    return frame

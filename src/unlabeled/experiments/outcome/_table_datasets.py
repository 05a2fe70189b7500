"""The paper's table of data sets, ours beside it."""

from __future__ import annotations

from typing import Any

import pandas as pd

from ...datasets import SPECS, paper_table
from ._table import Table
from ._words import number


def dataset_table(records: pd.DataFrame, manifest: dict[str, Any]) -> Table:
    """Make the paper's table of data sets, with ours beside it.

    Ours are the manifest's `datasets` (name to size, features and fraction) or, without one,
    the sizes and counts that the loader insists on.
    """
    used = set(records.loc[records["study"] == "real", "dataset"])
    rows = [(*row, *_ours(row.name, manifest), row.name in used) for row in paper_table()]
    kinds = ["size", "features", "fraction"]
    columns = ["name", *(f"paper_{k}" for k in kinds), *(f"our_{k}" for k in kinds), "in_records"]
    numbers = pd.DataFrame(rows, columns=columns)
    shown = pd.DataFrame(
        {
            "Name": numbers["name"],
            "Size (paper)": numbers["paper_size"].astype(str),
            "Size (ours)": numbers["our_size"].astype(str),
            "Features (paper)": numbers["paper_features"].astype(str),
            "Features (ours)": numbers["our_features"].astype(str),
            "Positives (paper)": [number(value, 2) for value in numbers["paper_fraction"]],
            "Positives (ours)": [number(value, 4) for value in numbers["our_fraction"]],
            "In these records": ["yes" if here else "no" for here in numbers["in_records"]],
        }
    )
    note = "Rows, features and fraction of positives: the paper's, and ours after preparation."
    return Table("datasets", "Data sets", note, (("", shown),), numbers)


def _ours(name: str, manifest: dict[str, Any]) -> tuple[int, int, float]:
    found = manifest.get("datasets")
    if isinstance(found, dict) and isinstance(found.get(name), dict):
        own = found[name]
        return own["size"], own["features"], own["fraction"]
    spec = SPECS[name]
    return spec.n_rows, spec.n_features, spec.n_positives / spec.n_rows

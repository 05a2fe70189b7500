"""What the fitted steps of a table do to one column, as numbers: for a graph."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..tables import TableFeatures


class Number(NamedTuple):
    """Features of a column of numbers: itself, filled, or whether it is missing."""

    fills: tuple[float | None, ...]
    """For each feature the number in place of missing ones; None for an indicator."""
    single: bool
    """Whether it goes through single precision, as true/false and text of numbers do."""


class Levels(NamedTuple):
    """Features of a category: a row of numbers for each known text, and one for all others."""

    texts: tuple[str, ...]
    rows: np.ndarray
    otherwise: np.ndarray


def encoding_of(table: TableFeatures, column: str) -> Number | Levels | None:
    """Return what becomes of a column; None where it has no feature."""
    features = [one for one in table.features_ if one.source == column]
    if not features:
        return None
    if table.kinds_[column] != "category":
        fills = tuple(None if one.indicates_missing else one.fill for one in features)
        return Number(fills, table.storage_in_[column] != "number")
    vectoriser: Any = table.vectoriser_
    steps = [
        step.transformers_[column]
        for _, step in vectoriser._pipeline.steps
        if column in getattr(step, "transformers_", {})
    ]
    outputs = vectoriser.input_to_outputs_[column]
    places = [outputs.index(one.output) for one in features]
    return _levels(vectoriser.transformers_[column], column, _missing_texts(steps), places)


def _levels(encoder: Any, column: str, missing: tuple[str, ...], places: list[int]) -> Levels:
    """Ask the fitted encoder for its rows: of every level, of a missing cell, of another text."""
    import pandas as pd

    known = [level for level in encoder.categories_[0] if isinstance(level, str)]
    other = "".join(known) + "?"  # longer than all of them
    cells = pd.DataFrame({column: [*known, np.nan, other]}, dtype=object)
    *rows, if_missing, otherwise = encoder.transform(cells).to_numpy(dtype=np.float64)[:, places]
    row_of = dict(zip(known, rows, strict=True)) | dict.fromkeys(missing, if_missing)
    return Levels(tuple(row_of), np.array(list(row_of.values())), otherwise)


def _missing_texts(steps: list[Any]) -> tuple[str, ...]:
    """Texts that say that a cell is missing."""
    said = [text for step in steps for text in getattr(step, "null_strings_", ())]
    return tuple(dict.fromkeys(["", *said, *([" "] if said else [])]))

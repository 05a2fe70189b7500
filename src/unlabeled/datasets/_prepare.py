"""The paper's preparation: numbers filled, categories to 0/1 columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._frame import numbers
from ._pandas import require_pandas
from ._uci_table import UCISpec

_MISSING = "?"
_MOST_LEVELS = 10
_OR_RARER = " or rarer"


def prepare(frame: Any, spec: UCISpec) -> tuple[np.ndarray, tuple[str, ...]]:
    """Turn the original columns into the paper's features.

    Numeric columns come first, missing values filled with the column's median (or mean). Each
    categorical column follows as 0/1 columns: missing is a level of its own, `?`; beyond ten
    levels the rarer ones are merged into the tenth; the first level in sorted order is the
    reference and has no column.

    Parameters
    ----------
    frame : DataFrame
        The original columns as text, missing as NaN.
    spec : UCISpec

    Returns
    -------
    X : ndarray of shape (n_rows, n_features), float64
    feature_names : tuple of str
    """
    numeric = [name for name in spec.columns if name not in spec.categorical]
    blocks = [_fill(numbers(frame[name]), spec.fill)[:, np.newaxis] for name in numeric]
    names = list(numeric)
    for name in spec.categorical:
        block, levels = _indicators(frame[name], spec.missing_counts_as_level)
        blocks.append(block)
        names.extend(f"{name}={level}" for level in levels)
    return np.ascontiguousarray(np.hstack(blocks)), tuple(names)


def _fill(values: np.ndarray, fill: str) -> np.ndarray:
    missing = np.isnan(values)
    center = np.median if fill == "median" else np.mean
    return np.where(missing, center(values[~missing]), values)


def _indicators(column: Any, missing_counts: bool) -> tuple[np.ndarray, list[str]]:
    pd = require_pandas()
    codes, levels = pd.factorize(column.astype(object).where(column.notna(), _MISSING))
    label_of_code, labels = _merge_rare([str(level) for level in levels], codes, missing_counts)
    order = sorted(range(len(labels)), key=labels.__getitem__)
    indicators = np.eye(len(labels))[np.asarray(label_of_code)[codes]][:, order[1:]]
    return indicators, [labels[i] for i in order[1:]]


def _merge_rare(
    levels: list[str], codes: np.ndarray, missing_counts: bool
) -> tuple[list[int], list[str]]:
    """Return the label every level is counted under, by position, and those labels."""
    counts = np.bincount(codes, minlength=len(levels))
    ranked = sorted(range(len(levels)), key=lambda i: (-counts[i], levels[i]))
    if not missing_counts:
        ranked.sort(key=lambda i: levels[i] != _MISSING)  # stable: `?` first, then by rank
    room = _MOST_LEVELS + (not missing_counts and _MISSING in levels)
    labels = [levels[i] for i in ranked[:room]]
    position = {i: min(rank, len(labels) - 1) for rank, i in enumerate(ranked)}
    if len(ranked) > room:
        labels[-1] += _OR_RARER
    return [position[i] for i in range(len(levels))], labels

"""Some of many rows."""

from __future__ import annotations

import numpy as np

from ..blocks import Array


def draw_rows(s: Array, most_rows: int | None, rng: np.random.RandomState) -> Array:
    """Draw at most so many rows, as many of them labelled as in the table; in their order."""
    if most_rows is None or most_rows >= len(s):
        return np.arange(len(s))
    n_labelled = round(most_rows * float(np.mean(s)))
    drawn = [
        rng.permutation(np.flatnonzero(s == value))[:size]
        for value, size in ((1, n_labelled), (0, most_rows - n_labelled))
    ]
    return np.sort(np.concatenate(drawn))

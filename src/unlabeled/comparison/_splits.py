"""Rows and splits, drawn stratified by label."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.model_selection import StratifiedShuffleSplit

Split = tuple[np.ndarray, np.ndarray]
"""Row numbers to fit to, and row numbers held out."""

# A label-frequency estimator with two folds needs two labelled rows; recall needs one.
_FEWEST_TO_FIT, _FEWEST_HELD_OUT = 2, 1


@dataclass(frozen=True)
class Drawn:
    """Which rows are compared on, and how many of them were fitted to and held out."""

    n_rows: int
    n_used: int
    n_labelled: int
    n_train: int
    n_test: int
    note: str | None


def draw_splits(s: np.ndarray, n_repeats: int, test_size: float, seed: int) -> list[Split]:
    """Split rows so many times, with the share of labelled rows kept on both sides."""
    splitter = StratifiedShuffleSplit(n_repeats, test_size=test_size, random_state=seed)
    try:
        splits = list(splitter.split(s, s))
    except ValueError:  # a side without room for both kinds
        splits = []
    if not splits or not all(_has_enough(s, *split) for split in splits):
        raise ValueError(
            f"`y` must have enough labelled and unlabelled rows to fit to {_FEWEST_TO_FIT} and "
            f"hold out {_FEWEST_HELD_OUT} of each; got {int(s.sum())} labelled of {len(s)} rows "
            f"with `test_size` {test_size:g}. Label more rows, or give another `test_size`."
        )
    return splits


def _has_enough(s: np.ndarray, train: np.ndarray, test: np.ndarray) -> bool:
    return all(
        fewest <= s[side].sum() <= len(side) - fewest
        for side, fewest in ((train, _FEWEST_TO_FIT), (test, _FEWEST_HELD_OUT))
    )

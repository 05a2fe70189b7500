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


def draw_rows(s: np.ndarray, most_rows: int | None, rng: np.random.RandomState) -> np.ndarray:
    """Draw at most so many rows, as many of them labelled as in the table; in their order."""
    if most_rows is None or most_rows >= len(s):
        return np.arange(len(s))
    n_labelled = round(most_rows * float(np.mean(s)))
    drawn = [
        rng.permutation(np.flatnonzero(s == value))[:size]
        for value, size in ((1, n_labelled), (0, most_rows - n_labelled))
    ]
    return np.sort(np.concatenate(drawn))


def draw_splits(s: np.ndarray, n_repeats: int, test_size: float, seed: int) -> list[Split]:
    """Split rows so many times, with the share of labelled rows kept on both sides."""
    fewest = _fewest(s, n_repeats, test_size, seed)
    if isinstance(fewest, str):
        raise ValueError(
            f"`y` must have enough labelled and unlabelled rows to fit to {_FEWEST_TO_FIT} and "
            f"hold out {_FEWEST_HELD_OUT} of each; {fewest}. Label more rows, or give "
            "another `test_size`."
        )
    return fewest


def _fewest(s: np.ndarray, n_repeats: int, test_size: float, seed: int) -> list[Split] | str:
    """Return the splits, or what is wrong with them."""
    n_labelled = int(s.sum())
    got = f"got {n_labelled} labelled of {len(s)} rows with `test_size` {test_size:g}"
    if min(n_labelled, len(s) - n_labelled) < _FEWEST_TO_FIT + _FEWEST_HELD_OUT:
        return got
    splitter = StratifiedShuffleSplit(n_repeats, test_size=test_size, random_state=seed)
    try:
        splits = list(splitter.split(s, s))
    except ValueError:  # a side without room for both kinds
        return got
    for train, test in splits:
        for side, fewest in ((s[train], _FEWEST_TO_FIT), (s[test], _FEWEST_HELD_OUT)):
            if not fewest <= side.sum() <= len(side) - fewest:
                return got
    return splits

"""Rows in the layouts that the trees of TIcE count them in."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

_BLOCK = 2048  # rows at once: they stay in the cache, and float32 counts stay exact


def scale_features(X: np.ndarray, scale: Literal["minmax", "none"] = "minmax") -> np.ndarray:
    """Codes of the columns cut at .25, .5 and .75: 0 below .25, up to 3 from .75 on.

    "minmax" maps every column of `X` onto [0, 1] first and drops the constant
    ones; "none" cuts the columns as they are. Returns uint8, a row for a row.
    """
    if scale == "none":
        return _cut(X)
    low, high = X.min(axis=0), X.max(axis=0)
    varies = high > low
    low, width = low[varies], (high - low)[varies]
    codes = np.empty((len(X), len(low)), dtype=np.uint8)
    for start in range(0, len(X), _BLOCK):
        rows = slice(start, start + _BLOCK)
        codes[rows] = _cut((X[rows, varies] - low) / width)
    return codes


def _cut(X: np.ndarray) -> np.ndarray:
    codes: np.ndarray = (X >= 0.25).view(np.uint8)
    codes += X >= 0.5
    codes += X >= 0.75
    return codes


class Part(NamedTuple):
    """Rows of a node, as a slice of an order of rows, with their counts."""

    start: int
    stop: int
    labelled: float
    total: float

    def bound(self, spread: float) -> float:
        """Lower bound of c: the labelled share less Cantelli's one-sided correction."""
        return self.labelled / self.total - math.sqrt(spread / self.total)


@dataclass(frozen=True)
class Table:
    """The data in the layouts that counting needs."""

    keys: np.ndarray  # (p, n): 2 code + s
    bins: np.ndarray  # (n, n_bins): indicators of the bins that occur, by feature
    features: np.ndarray  # (n_bins,): the feature of every bin
    mass: np.ndarray  # (n, 3): one, weight if labelled, weight
    weight: np.ndarray | None  # (n,)

    @classmethod
    def make(cls, codes: np.ndarray, s: np.ndarray, weight: np.ndarray | None) -> Table:
        """Lay out the bins of every row, its label and its weight."""
        labelled = np.asarray(s, dtype=bool)
        occurs = np.stack([(codes == code).any(axis=0) for code in range(4)], axis=1)
        occurs[occurs.sum(axis=1) < 2] = False
        features, values = np.nonzero(occurs)
        bins = (codes.take(features, axis=1) == values.astype(np.uint8)).view(np.uint8)
        keys = np.ascontiguousarray(codes.T) * np.uint8(2) + labelled
        ones = np.ones(len(s), dtype=np.float32 if weight is None else np.float64)
        total = ones if weight is None else weight
        mass = np.stack([ones, total * labelled, total], axis=1)
        return cls(keys, bins, features, mass, weight)

    def part(self, rows: np.ndarray) -> Part:
        """All of an order of rows, `rows`."""
        counts = self.mass.take(rows, axis=0).sum(axis=0, dtype=np.float64).tolist()
        return Part(0, len(rows), counts[1], counts[2])

    def best_feature(self, rows: np.ndarray, k: float) -> int | None:
        """Feature that divides `rows` with the largest L / (T + k) in one of its bins."""
        if not len(self.features):
            return None
        counts = np.zeros((3, len(self.features)))
        for start in range(0, len(rows), _BLOCK):
            block = rows[start : start + _BLOCK]
            bins = self.bins.take(block, axis=0).astype(self.mass.dtype)
            counts += self.mass.take(block, axis=0).T @ bins
        n_rows, labelled, total = counts
        divides = (n_rows > 0) & (n_rows < len(rows))
        score = np.divide(labelled, total + k, out=np.zeros(len(total)), where=divides)
        best = score.argmax()
        return int(self.features[best]) if score[best] > 0 else None

    def divide(self, order: np.ndarray, part: Part, feature: int) -> list[Part]:
        """Sort `part` of `order` by the bins of `feature`; return the four bins."""
        rows = order[part.start : part.stop]
        keys = self.keys[feature].take(rows)
        sizes = np.bincount(keys, minlength=8).tolist()
        counts = sizes
        if self.weight is not None:
            counts = np.bincount(keys, self.weight.take(rows), minlength=8).tolist()
        order[part.start : part.stop] = rows.take(keys.argsort(kind="stable"))
        parts, start = [], part.start
        for key in range(0, 8, 2):
            stop = start + sizes[key] + sizes[key + 1]
            parts.append(Part(start, stop, counts[key + 1], counts[key] + counts[key + 1]))
            start = stop
        return parts

"""A score cut into bins: exact counts at every edge of a bin."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..blocks import Array, pooled, reduce_rows

N_BINS = 2**13
# A weight under this share of its cell's is rounding.
_ROUNDING = 1e-9

Answer = tuple[Any, ...]


@dataclass(frozen=True)
class Grid:
    r"""Equal steps of :math:`\operatorname{asinh}((t - m)/d)`: narrow where scores are many.

    Cell 0 holds what lies below `low`, cell `n_bins` + 1 what lies above `high`.

    Attributes
    ----------
    center, scale : float
        m and d, mean and standard deviation of the score.
    low, high : float
        Ends of the steps, in the stretched score.
    n_bins : int
    """

    center: float
    scale: float
    low: float
    high: float
    n_bins: int = N_BINS

    def cell(self, score: Array) -> Array:
        """Number of the cell of every score."""
        place = np.arcsinh((score - self.center) / self.scale)
        number = np.floor(np.clip((place - self.low) / self.step, -1.0, float(self.n_bins)))
        return number.astype(np.intp) + 1

    @property
    def step(self) -> float:
        """Width of a bin, in the stretched score."""
        return (self.high - self.low) / self.n_bins

    def lower_edge(self, cell: Array) -> Array:
        """Lowest score of each cell."""
        return self.center + self.scale * np.sinh(self.low + (cell - 1) * self.step)

    def inside(self, score: Array, cell: Array) -> Array:
        """Return scores, moved to the nearest edge where rounding put them outside their cell."""
        edges = self.lower_edge(np.arange(1, self.n_bins + 2))
        edges = np.concatenate([[-np.inf], edges, [np.inf]])
        return np.clip(score, edges[cell], edges[cell + 1])

    def between(self, first: int, last: int) -> Grid:
        """Return the grid that cuts the cells from `first` to `last`, and one more on each side.

        Its own center and scale keep it precise where it is narrow; the margin holds
        what rounding moves over an edge.
        """
        low, high = self.lower_edge(np.array([max(first - 1, 1), min(last + 2, self.n_bins + 1)]))
        half = 0.5 * float(high - low)
        end = float(np.arcsinh(1.0))
        return Grid(float(low) + half, half, -end, end, self.n_bins)


class ScoreRange(NamedTuple):
    """Where a score lies: its ends, its mean and its standard deviation."""

    low: float
    high: float
    mean: float
    deviation: float


@dataclass(frozen=True)
class ScoreBins:
    """What lies in every cell of a grid.

    Attributes
    ----------
    grid : Grid
    labelled, total : ndarray of shape (n_cells,)
        Labelled rows and all rows: integers, or sums of weights.
    n_rows : ndarray of shape (n_cells,)
        All rows, counted.
    labelled_score, total_score : ndarray of shape (n_cells,)
        Sums of their scores.
    """

    grid: Grid
    labelled: Array
    total: Array
    n_rows: Array
    labelled_score: Array
    total_score: Array

    def as_rows(self) -> tuple[Array, Array, Array]:
        """Stand-ins for the rows: score, label and weight, at most two a cell.

        A smooth function of the score has the same mean over them, up to the square
        of a bin's width.
        """
        labelled = (1.0, self.labelled, self.labelled_score)
        other = (0.0, self.total - self.labelled, self.total_score - self.labelled_score)
        parts = []
        for s, weight, score in (labelled, other):
            # A difference of sums of weights may be rounding, and its score anything.
            kept = np.flatnonzero(weight > _ROUNDING * self.total)
            mean = self.grid.inside(score[kept] / weight[kept], kept)
            parts.append((mean, np.full(len(mean), s), weight[kept]))
        score, label, weight = (np.concatenate(column) for column in zip(*parts, strict=True))
        return score, label, weight.astype(np.float64)


def score_range(score: Any, weight: Any) -> ScoreRange:
    """Look for the ends, the mean and the spread of a score."""
    low, high, total, mean, spread = reduce_rows(_range_of_block, score, weight, combine=_wider)
    return ScoreRange(float(low), float(high), float(mean), float(np.sqrt(spread / total)))


def first_grid(found: ScoreRange, n_bins: int = N_BINS) -> Grid:
    """Return the grid over all scores."""
    scale = found.deviation or 1.0
    low, high = (np.arcsinh((end - found.mean) / scale) for end in (found.low, found.high))
    room = 1e-6 * max(high - low, 1e-6)
    return Grid(found.mean, scale, float(low - room), float(high + room), n_bins)


def bin_score(score: Any, s: Any, weight: Any, grid: Grid) -> ScoreBins:
    """Count what lies in every cell of a grid."""
    counted = reduce_rows(partial(_bins_of_block, grid), score, s, weight)
    labelled, total, labelled_score, total_score, *n_rows = counted
    counted_rows = n_rows[0] if n_rows else total
    return ScoreBins(grid, labelled, total, counted_rows, labelled_score, total_score)


def _range_of_block(score: Array, weight: Array | None) -> Answer:
    mass = np.ones_like(score) if weight is None else weight
    total = float(mass.sum())
    mean = float(mass @ score) / total
    spread = float(mass @ (score - mean) ** 2)
    return float(score.min()), float(score.max()), total, mean, spread


def _wider(first: Answer, second: Answer) -> Answer:
    low, high = min(first[0], second[0]), max(first[1], second[1])
    return low, high, *pooled(first[2:], second[2:])


def _bins_of_block(grid: Grid, score: Array, s: Array, weight: Array | None) -> Answer:
    """Labelled rows and all rows in each cell, sums of their scores, and rows if weighted."""
    cell, n_cells = grid.cell(score), grid.n_bins + 2
    is_labelled = np.flatnonzero(s > 0)
    labelled, labelled_score = cell[is_labelled], score[is_labelled]
    if weight is None:
        return (
            np.bincount(labelled, minlength=n_cells),
            np.bincount(cell, minlength=n_cells),
            _sums(labelled, labelled_score, n_cells),
            _sums(cell, score, n_cells),
        )
    mass = weight[is_labelled]
    return (
        _sums(labelled, mass, n_cells),
        _sums(cell, weight, n_cells),
        _sums(labelled, mass * labelled_score, n_cells),
        _sums(cell, weight * score, n_cells),
        np.bincount(cell, minlength=n_cells),
    )


def _sums(cell: Array, values: Array, n_cells: int) -> Array:
    # Without rows NumPy returns integers.
    return np.bincount(cell, values, minlength=n_cells).astype(np.float64, copy=False)

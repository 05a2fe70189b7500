"""Counts of a score in bins: the rows may be in memory or in chunks, and are read once or twice."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import Any, NamedTuple

import numpy as np

from .arrays import Array
from .rows import Chunks, pooled, reduce_rows

N_BINS = 2**13
"""How many bins a score is counted in."""

# A weight below this fraction of its cell's weight is a rounding error.
_ROUNDING = 1e-9
# Means that differ by less than this fraction of the width of a bin are the same.
_SAME = 1e-6
# Grids around some of the scores reach beyond them by this fraction of their range.
_BEYOND = 0.25

Answer = tuple[Any, ...]


@dataclass(frozen=True)
class Grid:
    r"""Equal steps of :math:`\operatorname{asinh}((t - m)/d)`: narrow where scores are dense.

    Cell 0 holds the scores below `low`, cell `n_bins` + 1 those above `high`.

    Attributes
    ----------
    center, scale : float
        m and d, mean and standard deviation of the score.
    low, high : float
        Lower and upper end of the grid, in the stretched score.
    n_bins : int
    """

    center: float
    scale: float
    low: float
    high: float
    n_bins: int = N_BINS

    def cell(self, score: Array) -> Array:
        """Return the index of the cell of every score."""
        z = (score - self.center) / self.scale
        return asinh_cells(z, self.low, self.high, self.n_bins) + 1

    @property
    def step(self) -> float:
        """Width of a bin, in the stretched score."""
        return (self.high - self.low) / self.n_bins

    def lower_edge(self, cell: Array) -> Array:
        """Lowest score of each cell."""
        return self.center + self.scale * np.sinh(self.low + (cell - 1) * self.step)

    def inside(self, score: Array, cell: Array) -> Array:
        """Move scores that rounding put outside their cell to its nearest edge."""
        edges = self.lower_edge(np.arange(1, self.n_bins + 2))
        edges = np.concatenate([[-np.inf], edges, [np.inf]])
        return np.clip(score, edges[cell], edges[cell + 1])

    def between(self, first: int, last: int) -> Grid:
        """Return a finer grid over the cells from `first` to `last`, and one more on each side.

        Its own center and scale keep it precise where it is narrow. The margin holds
        scores that rounding moves over an edge.
        """
        low, high = self.lower_edge(np.array([max(first - 1, 1), min(last + 2, self.n_bins + 1)]))
        half = 0.5 * float(high - low)
        end = float(np.arcsinh(1.0))
        return Grid(float(low) + half, half, -end, end, self.n_bins)


def asinh_cells(z: Array, low: float, high: float, n_bins: int) -> Array:
    """Return the bin index of each number, among `n_bins` equal steps of asinh on (low, high).

    -1 below `low`, and `n_bins` from `high` on.
    """
    bin_index = (np.arcsinh(z) - low) / ((high - low) / n_bins)
    return np.floor(np.clip(bin_index, -1.0, float(n_bins))).astype(np.intp)


class ScoreRange(NamedTuple):
    """The extremes, the mean and the standard deviation of a score."""

    low: float
    high: float
    mean: float
    deviation: float


@dataclass(frozen=True)
class ScoreBins:
    """Counts in every cell of a grid.

    Attributes
    ----------
    grid : Grid
    labeled, total : ndarray of shape (n_cells,)
        Labeled rows and all rows: integers, or sums of weights.
    n_rows : ndarray of shape (n_cells,)
        Number of rows, whatever their weights.
    labeled_score, total_score : ndarray of shape (n_cells,)
        Sums of their scores.
    """

    grid: Grid
    labeled: Array
    total: Array
    n_rows: Array
    labeled_score: Array
    total_score: Array

    @property
    def unlabeled(self) -> Array:
        """Unlabeled rows in each cell."""
        rest = self.total - self.labeled
        return np.where(rest > _ROUNDING * self.total, rest, 0)

    def as_rows(self) -> tuple[Array, Array, Array]:
        """Return score, label and weight of representatives of the rows, at most two per cell.

        The mean of a smooth function of the score is the same over them, up to the square of a
        bin's width. If all rows of a cell have one score, so have its two representatives.
        """
        tied = self._tied()
        labeled = (1.0, self.labeled, self.labeled_score)
        other = (0.0, self.total - self.labeled, self.total_score - self.labeled_score)
        parts = []
        for s, weight, score in (labeled, other):
            # A difference of sums of weights may be rounding alone; its score is then arbitrary.
            kept = np.flatnonzero(weight > _ROUNDING * self.total)
            mean = np.where(tied[kept], self.mean_score[kept], score[kept] / weight[kept])
            mean = self.grid.inside(mean, kept)
            parts.append((mean, np.full(len(mean), s), weight[kept]))
        score, label, weight = (np.concatenate(column) for column in zip(*parts, strict=True))
        return score, label, weight.astype(np.float64)

    @property
    def mean_score(self) -> Array:
        """Mean score in each cell; 0 in empty ones."""
        return self.total_score / np.where(self.total > 0, self.total, 1)

    def _tied(self) -> Array:
        """Whether labeled and all rows of a cell have the same mean, up to rounding."""
        labeled = self.labeled_score / np.where(self.labeled > 0, self.labeled, 1)
        cells = np.arange(len(self.total))
        width = self.grid.lower_edge(cells + 1) - self.grid.lower_edge(cells)
        return np.abs(labeled - self.mean_score) <= _SAME * width


def score_range(score: Any, weight: Any) -> ScoreRange:
    """Find the extremes, the mean and the standard deviation of a score."""
    return _as_range(*reduce_rows(_range_of_block, score, weight, combine=_wider))


def _as_range(low: float, high: float, total: float, mean: float, spread: float) -> ScoreRange:
    return ScoreRange(float(low), float(high), float(mean), float(np.sqrt(spread / total)))


def first_grid(ends: ScoreRange, n_bins: int = N_BINS) -> Grid:
    """Return the grid over all scores."""
    scale = ends.deviation or 1.0
    low, high = (np.arcsinh((end - ends.mean) / scale) for end in (ends.low, ends.high))
    room = 1e-6 * max(high - low, 1e-6)
    return Grid(ends.mean, scale, float(low - room), float(high + room), n_bins)


def bin_score(score: Any, s: Any, weight: Any, grid: Grid) -> ScoreBins:
    """Count the rows in every cell of a grid."""
    return ScoreBins(grid, *_in_order(reduce_rows(partial(_bins_of_block, grid), score, s, weight)))


def bin_chunks(chunks: Chunks) -> ScoreBins:
    """Count chunks that load as (score, s, weight); they are read twice."""
    ranges = chunks.each([_range_of_chunk] * len(chunks))
    ends = reduce(_wider, (one for one in ranges if one is not None))
    counts = partial(_bins_of_chunk, first_grid(_as_range(*ends)))
    return ScoreBins(counts.args[0], *_in_order(chunks.reduced(counts, _together)))


def _range_of_chunk(chunk: Answer) -> Answer | None:
    score, _, weight = chunk
    return _range_of_block(score, weight) if len(score) else None


def _bins_of_chunk(grid: Grid, chunk: Answer) -> Answer:
    return _bins_of_block(grid, *chunk)


def _together(answers: list[Answer]) -> Answer:
    return tuple(sum(parts[1:], start=parts[0]) for parts in zip(*answers, strict=True))


def _in_order(counted: Answer) -> Answer:
    """Return the counts of a block as `ScoreBins` has them."""
    labeled, total, labeled_score, total_score, *n_rows = counted
    return labeled, total, n_rows[0] if n_rows else total, labeled_score, total_score


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
    """Labeled rows and all rows in each cell, sums of their scores, and rows if weighted."""
    cell, n_cells = grid.cell(score), grid.n_bins + 2
    is_labeled = np.flatnonzero(s > 0)
    labeled, labeled_score = cell[is_labeled], score[is_labeled]
    if weight is None:
        return (
            np.bincount(labeled, minlength=n_cells),
            np.bincount(cell, minlength=n_cells),
            _sums(labeled, labeled_score, n_cells),
            _sums(cell, score, n_cells),
        )
    mass = weight[is_labeled]
    return (
        _sums(labeled, mass, n_cells),
        _sums(cell, weight, n_cells),
        _sums(labeled, mass * labeled_score, n_cells),
        _sums(cell, weight * score, n_cells),
        np.bincount(cell, minlength=n_cells),
    )


def _sums(cell: Array, values: Array, n_cells: int) -> Array:
    # Without rows NumPy returns integers.
    return np.bincount(cell, values, minlength=n_cells).astype(np.float64, copy=False)


@dataclass(frozen=True)
class ScoreCounter:
    """Counts rows by several scores at once, in one pass over them; it holds no rows.

    The grids are set before the pass, from the scores of some rows. Rows beyond them are counted
    too, in the two cells outside.

    Attributes
    ----------
    grids : tuple of Grid
        One per score.
    """

    grids: tuple[Grid, ...]

    @classmethod
    def around(cls, scores: Array) -> ScoreCounter:
        """Lay grids around the scores of some rows, one column per score."""
        return cls(tuple(_wide_grid(score_range(one, None)) for one in scores.T))

    def __call__(self, scores: Array, s: Array, weight: Array | None) -> Answer:
        """Count a block of rows; one column per score."""
        if not np.all(np.isfinite(scores)):
            raise ValueError(
                "The scores of all rows must be finite numbers; got NaN or inf. Use an estimator "
                "that scores every row."
            )
        parts = zip(self.grids, scores.T, strict=True)
        return tuple(
            (*_range_of_block(one, weight), *_bins_of_block(grid, one, s, weight))
            for grid, one in parts
        )

    def both(self, first: Answer, second: Answer) -> Answer:
        """Return the counts of two sets of rows together; neither is changed."""
        return tuple(
            (*_wider(one[:5], two[:5]), *(a + b for a, b in zip(one[5:], two[5:], strict=True)))
            for one, two in zip(first, second, strict=True)
        )

    def bins(self, counted: Answer) -> list[tuple[ScoreBins, ScoreRange]]:
        """Return the bins and the range of each score."""
        return [
            (ScoreBins(grid, *_in_order(one[5:])), _as_range(*one[:5]))
            for grid, one in zip(self.grids, counted, strict=True)
        ]


def _wide_grid(ends: ScoreRange) -> Grid:
    grid = first_grid(ends)
    beyond = _BEYOND * (grid.high - grid.low)
    return replace(grid, low=grid.low - beyond, high=grid.high + beyond)

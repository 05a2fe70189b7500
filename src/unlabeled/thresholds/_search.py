"""The best cut of a score of many rows: bins first, then the rows where it may lie."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from ..engine.arrays import Array, in_double, namespace_of, on_device, precision_of, to_host
from ..engine.rows import reduce_rows
from ..engine.sampling import Sampling
from ..engine.score_bins import (
    N_BINS,
    Grid,
    ScoreBins,
    ScoreCounter,
    ScoreRange,
    bin_score,
    first_grid,
    score_range,
)
from ..rates import f1_pu
from ._cuts import TIED, Cuts, count_above, cuts_of_groups, group_ends, tie_width
from ._rules import enough_rows

# With fewer than this many rows in memory every cut is scanned.
_FEW_ROWS = 2**15
# At most this many rows around the best cut are gathered and scanned.
_MOST_ROWS = 2**18
_MOST_ROUNDS = 6
# A range of scores narrower than this, relative to their size, is not divided further.
_NARROWEST = 1e-12
# Number of bins on a device, by the bytes per number: more would be finer than the scores'
# rounding.
_N_BINS_ON_DEVICE = {4: 2**11, 8: N_BINS}

Counts = tuple[Array, Array, Array]


@dataclass(frozen=True)
class ScoreSummary:
    """The cuts of a score, exact around the best one, and weighted representatives of the rows.

    Attributes
    ----------
    cuts : Cuts
        Every cut near the one with the largest F1_PU, and one per bin elsewhere.
    bound : float
        No cut of the score has a larger F1_PU.
    rows : tuple of ndarray
        Score, label and weight of the rows, or of at most two representatives per bin.
    """

    cuts: Cuts
    bound: float
    rows: tuple[Array, Array, Array | None]


@dataclass(frozen=True)
class PopulationLimits:
    r"""What F1_PU of the population needs if labeled rows are not part of it.

    No cut has more positives than rows above it, so the share is at least
    :math:`\alpha r`. Otherwise a cut with hardly any unlabeled row above it could be the best.

    Attributes
    ----------
    class_prior : float
        P(Y=1) of the population.
    fewest_labeled, fewest_unlabeled : float
        A cut has at least so many rows of each kind above it.
    """

    class_prior: float
    fewest_labeled: float = 0.0
    fewest_unlabeled: float = 0.0

    @classmethod
    def of(cls, class_prior: float, labeled: float, unlabeled: float) -> PopulationLimits:
        """Require as many rows above a cut as `choose_cut` does by a rule that is a ratio."""
        fewest = enough_rows(labeled)
        return cls(class_prior, fewest, enough_rows(unlabeled, max(1, fewest)))

    def allows(self, labeled: Any, unlabeled: Any) -> Any:
        """Whether there are enough rows above a cut."""
        return (labeled >= self.fewest_labeled) & (unlabeled >= self.fewest_unlabeled)

    def least(self, labeled: float, unlabeled: float) -> float:
        """Return the smallest number of population rows per labeled row above a cut."""
        return self.class_prior * unlabeled / labeled


def summarize_score(
    score: Any, s: Any, weight: Any = None, limits: PopulationLimits | None = None
) -> ScoreSummary:
    r"""Find the cut with the largest F1_PU, for rows in memory, in chunks or on a device.

    On a device, and with few rows in memory, every cut is scanned. Other rows are counted
    in 8192 bins of the score. Let :math:`T` rows lie above a bin, :math:`L` of them labeled,
    and let the bin hold :math:`l` labeled rows. Then no cut inside the bin exceeds
    :math:`(L + l)^2 / (T + l)`. The bins whose bound reaches the value of the best bin edge
    are divided into finer bins, until few enough rows remain to be scanned individually.
    If too many always remain, the best bin edge is returned, and `bound` is an upper bound of
    the best F1_PU.

    With two samples :math:`T` counts unlabeled rows, and the bound is that of :math:`L + l`
    labeled rows and :math:`T` others.
    """
    if _is_small(score):
        cuts = count_above(score, s, weight, _sampling(limits))
        return ScoreSummary(cuts, _largest(cuts, limits), (score, s, weight))
    if on_device(score):
        ordered = SortedScore(score, s, weight)
        cuts = ordered.best_cuts(limits)
        return ScoreSummary(cuts, _largest(cuts, limits), ordered.bins().as_rows())
    return _zoomed(score, s, weight, _MOST_ROWS, limits)


def _zoomed(
    score: Any, s: Any, weight: Any, most: int, limits: PopulationLimits | None = None
) -> ScoreSummary:
    """Count the score in bins, and divide those where the best cut may lie into finer ones."""
    found = score_range(score, weight)
    whole = bins = _search_bins(score, s, weight, first_grid(found), limits)
    for _ in range(_MOST_ROUNDS):
        finer = _finer(bins)
        if bins.n_rows[_wanted(bins)].sum() <= most or finer.scale < _NARROWEST * abs(finer.center):
            break
        bins = _search_bins(score, s, weight, finer, limits)
    rows = _rows_in(score, s, weight, bins.grid, _wanted(bins), most)
    if rows is None:
        cuts = _at_edges(bins, found, _sampling(limits))
        return ScoreSummary(cuts, float(np.max(_bounds(bins)[1:-1])), whole.as_rows())
    cuts = _near_the_best(bins, rows, found, precision_of(score))
    return ScoreSummary(cuts, _largest(cuts, limits), whole.as_rows())


@dataclass(frozen=True)
class _SearchBins(ScoreBins):
    """Counts in every cell of a grid, and what F1_PU of a cut needs besides."""

    limits: PopulationLimits | None = None

    @property
    def population(self) -> Array:
        """Rows of the population in each cell."""
        return self.total if self.limits is None else self.unlabeled

    @property
    def least(self) -> float:
        """The smallest number of population rows per labeled row above a cut."""
        if self.limits is None:
            return 0.0
        return self.limits.least(float(self.labeled.sum()), float(self.population.sum()))

    @property
    def scale(self) -> float:
        """F1_PU is this times the square of labeled rows over rows of the population."""
        return float(self.population.sum()) / float(self.labeled.sum()) ** 2


def _search_bins(
    score: Any, s: Any, weight: Any, grid: Grid, limits: PopulationLimits | None
) -> _SearchBins:
    return _SearchBins(**vars(bin_score(score, s, weight, grid)), limits=limits)


def bin_cuts(
    score: Any, s: Any, weight: Any = None, sampling: Sampling = Sampling.ONE
) -> tuple[Cuts, tuple[Array, Array, Array]]:
    """Count many rows in bins of a score, wherever they are.

    Returns
    -------
    cuts : Cuts
        One at the lower edge of every bin that has rows; all counts are exact.
    rows : tuple of ndarray
        Score, label and weight of at most two representatives per bin.
    """
    if on_device(score):
        ordered = SortedScore(score, s, weight)
        bins, ends = ordered.bins(), ordered.range
    else:
        ends = score_range(score, weight)
        bins = bin_score(score, s, weight, first_grid(ends))
    return _at_edges(bins, ends, sampling), bins.as_rows()


def cuts_of_counts(
    counter: ScoreCounter, counted: Any, sampling: Sampling = Sampling.ONE
) -> list[tuple[Cuts, tuple[Array, Array, Array]]]:
    """Return what `bin_cuts` does, for each score that was counted in one pass."""
    return [
        (_at_edges(bins, ends, sampling), bins.as_rows()) for bins, ends in counter.bins(counted)
    ]


def rows_or_stand_ins(score: Any, s: Any, weight: Any) -> tuple[Array, Array, Array | None]:
    """Return score, label and weight of the rows, or of representatives if there are many."""
    if _is_small(score):
        return score, s, weight
    if on_device(score):
        return SortedScore(score, s, weight).bins().as_rows()
    return bin_score(score, s, weight, first_grid(score_range(score, weight))).as_rows()


def _sampling(limits: PopulationLimits | None) -> Sampling:
    return Sampling.ONE if limits is None else Sampling.TWO


def _is_small(score: Any) -> bool:
    return isinstance(score, np.ndarray) and len(score) < _FEW_ROWS


def _largest(cuts: Cuts, limits: PopulationLimits | None = None) -> float:
    if limits is None:
        return float(np.max(f1_pu(cuts.recall, cuts.share)))
    values = f1_pu(cuts.recall, np.maximum(cuts.share, limits.class_prior * cuts.recall))
    return float(np.max(np.where(limits.allows(cuts.labeled, cuts.total), values, 0.0)))


def _above(bins: _SearchBins) -> tuple[Array, Array]:
    """Labeled rows and rows of the population above each cell."""
    columns = (bins.labeled, bins.population)
    labeled, total = (np.cumsum(part[::-1])[::-1] - part for part in columns)
    return labeled, total


def _bounds(bins: _SearchBins) -> Array:
    """F1_PU that no cut inside a cell, or at its lower edge, exceeds; 0 for empty cells."""
    labeled, total = _above(bins)
    filled, found = bins.total > 0, labeled + bins.labeled
    least = total + bins.labeled
    if bins.limits is not None:
        least = np.maximum(total, bins.limits.fewest_unlabeled)
        # At its lower edge a cell has the most rows above.
        filled &= bins.limits.allows(found, total + bins.population)
    least = np.where(filled, np.maximum(least, bins.least * found), 1.0)
    least = np.where(least > 0, least, np.where(filled, bins.total, 1.0))
    return np.where(filled, found**2 / least * bins.scale, 0.0)


def _may_hold_the_best(bins: _SearchBins) -> Array:
    """Which cells may hold the best cut; the two cells outside the grid are already excluded."""
    labeled, total = _above(bins)
    filled = bins.total > 0
    found = labeled + bins.labeled
    rows = np.maximum(total + bins.population, bins.least * found)
    values = f1_pu(found, rows)
    if bins.limits is not None:
        values = np.where(bins.limits.allows(found, total + bins.population), values, 0.0)
    best = np.max(values[filled]) * bins.scale
    candidates = filled & (_bounds(bins) >= best * (1 - TIED))
    candidates[[0, -1]] = False
    return candidates


def _wanted(bins: _SearchBins) -> Array:
    """Which cells to gather: where the best cut may lie, and the next lower one with rows."""
    filled = np.flatnonzero(bins.total > 0)
    chosen = _may_hold_the_best(bins)[filled]
    chosen[:-1] |= chosen[1:]
    wanted = np.zeros(len(bins.total), dtype=bool)
    wanted[filled[chosen]] = True
    return wanted


def _finer(bins: _SearchBins) -> Grid:
    cells = np.flatnonzero(_wanted(bins))
    return bins.grid.between(int(cells[0]), int(cells[-1]))


def _rows_in(
    score: Any, s: Any, weight: Any, grid: Grid, wanted: Array, most: int
) -> Counts | None:
    """Distinct scores in the wanted cells with their counts; None if there are too many."""
    found = reduce_rows(
        partial(_distinct_of_block, grid, wanted, most),
        score,
        s,
        weight,
        combine=partial(_merged, most),
    )
    return None if found[0] is None else found


def _distinct_of_block(
    grid: Grid, wanted: Array, most: int, score: Any, s: Any, weight: Any
) -> tuple[Any, ...]:
    rows = np.flatnonzero(wanted[grid.cell(score)])
    score, s = score[rows], s[rows]
    weight = None if weight is None else weight[rows]
    mass = np.ones(len(rows)) if weight is None else np.asarray(weight, dtype=np.float64)
    return _few(most, np.asarray(score, dtype=np.float64), mass * s, mass)


def _merged(most: int, first: tuple[Any, ...], second: tuple[Any, ...]) -> tuple[Any, ...]:
    if first[0] is None or second[0] is None:
        return None, None, None
    return _few(most, *(np.concatenate(pair) for pair in zip(first, second, strict=True)))


def _few(most: int, score: Array, labeled: Array, total: Array) -> tuple[Any, ...]:
    """Merge equal scores if there are more than `most`; None if that is not enough."""
    if len(score) <= most:
        return score, labeled, total
    values, position = np.unique(score, return_inverse=True)
    if len(values) > most:
        return None, None, None
    return values, np.bincount(position, labeled), np.bincount(position, total)


def _near_the_best(
    bins: _SearchBins, best_rows: Counts, ends: ScoreRange, dtype: np.dtype[Any]
) -> Cuts:
    """Every cut among the rows found, and one for each other cell; all counts are exact."""
    rest = np.flatnonzero((bins.total > 0) & ~_wanted(bins))
    mean_score = bins.grid.inside(bins.total_score[rest] / bins.total[rest], rest)
    filled = np.flatnonzero(bins.total > 0)
    mean_score[rest == filled[0]], mean_score[rest == filled[-1]] = ends.low, ends.high
    score = np.concatenate([best_rows[0], mean_score])
    labeled = np.concatenate([best_rows[1], bins.labeled[rest]])
    total = np.concatenate([best_rows[2], bins.total[rest]])
    if bins.limits is not None:
        total = total - labeled
    if bins.total.dtype.kind == "i":
        labeled, total = np.rint(labeled).astype(np.int64), np.rint(total).astype(np.int64)
    order = np.argsort(-score, kind="stable")
    ordered = score[order]
    last = group_ends(ordered, tie_width(ordered, dtype))
    labeled, total = np.cumsum(labeled[order])[last], np.cumsum(total[order])[last]
    cuts = cuts_of_groups(ordered, last, labeled, total)
    return replace(cuts, sampling=_sampling(bins.limits))


def _at_edges(bins: ScoreBins, ends: ScoreRange, sampling: Sampling) -> Cuts:
    """One cut at the lower edge of every cell that has rows."""
    filled = np.flatnonzero(bins.total > 0)[::-1]
    population = bins.unlabeled if sampling.is_two else bins.total
    labeled, total = np.cumsum(bins.labeled[filled]), np.cumsum(population[filled])
    edge = bins.grid.lower_edge(filled)
    edge[-1] = ends.low
    # No row lies between the upper edge of the next cell that has rows and this one.
    following = np.append(bins.grid.lower_edge(filled[1:] + 1), -np.inf)
    return Cuts(edge, following, labeled, total, sampling)


class SortedScore:
    """A score on a device, sorted and counted there; only a few numbers leave it.

    Attributes
    ----------
    score : array of shape (n_rows,)
        The scores from largest to smallest; on the device, like the others.
    labeled, total : array of shape (n_rows,)
        Weight of the labeled rows, and of all rows, down to here.
    """

    def __init__(self, score: Any, s: Any, weight: Any) -> None:
        xp = namespace_of(score)
        order = xp.argsort(score, descending=True)
        self.score, self.weighted = xp.take(score, order), weight is not None
        label = in_double(xp.take(s, order))
        mass = xp.ones_like(label) if weight is None else in_double(xp.take(weight, order))
        self.labeled = xp.cumulative_sum(label * mass)
        self.total = xp.cumulative_sum(mass)
        self._label, self._mass = label, mass

    def best_cuts(self, limits: PopulationLimits | None = None) -> Cuts:
        """Return the cuts with the largest F1_PU, and the one that predicts all rows."""
        xp = namespace_of(self.score)
        n = self.score.shape[0]
        ends = np.asarray(to_host(xp.stack([self.score[0], self.score[-1]])), dtype=np.float64)
        width = float(tie_width(ends, precision_of(self.score)))
        population, least = self.total, 0.0
        if limits is not None:
            population = self.total - self.labeled
            least = limits.least(float(self.labeled[-1]), float(population[-1]))
        rows = xp.maximum(population, least * self.labeled)
        values = xp.where(rows > 0, self.labeled**2 / xp.where(rows > 0, rows, 1.0), 0.0)
        if limits is not None:
            values = xp.where(limits.allows(self.labeled, population), values, 0.0)
        # Of rows with the same score only the last is a cut.
        last = in_double(self.score[:-1]) - in_double(self.score[1:]) > width
        values = xp.concat([xp.where(last, values[:-1], 0.0), values[-1:]])
        near = to_host(xp.nonzero(values >= xp.max(values) * (1 - TIED))[0])
        places = np.union1d(near, [n - 1])
        following = np.minimum(places + 1, n - 1)
        score, below, labeled, total = (
            self._taken(column, where)
            for column, where in (
                (self.score, places),
                (self.score, following),
                (self.labeled, places),
                (population, places),
            )
        )
        below = np.where(places == n - 1, -np.inf, below)
        if places[0] > 0:
            # A dummy cut at the largest score; without a labeled row it is never chosen.
            score, below = np.append(ends[0], score), np.append(ends[0], below)
            labeled, total = np.append(0.0, labeled), np.append(float(population[0]), total)
        if not self.weighted:
            labeled, total = np.rint(labeled).astype(np.int64), np.rint(total).astype(np.int64)
        return Cuts(score, below, labeled, total, _sampling(limits))

    @cached_property
    def range(self) -> ScoreRange:
        """The extremes, the mean and the standard deviation of the score."""
        xp = namespace_of(self.score)
        values, total = in_double(self.score), float(self.total[-1])
        mean = float(xp.sum(self._mass * values)) / total
        spread = float(xp.sum(self._mass * (values - mean) ** 2)) / total
        return ScoreRange(float(values[-1]), float(values[0]), mean, float(np.sqrt(spread)))

    def bins(self) -> ScoreBins:
        """Count the rows in every cell of a grid over all scores."""
        xp = namespace_of(self.score)
        values = in_double(self.score)
        weighted = self._mass * values
        grid = first_grid(self.range, _N_BINS_ON_DEVICE[precision_of(self.score).itemsize])
        edges = grid.lower_edge(np.arange(1, grid.n_bins + 2))
        rising = xp.flip(values)
        above = values.shape[0] - xp.searchsorted(rising, xp.asarray(edges, device=values.device))
        columns = (
            self.labeled,
            self.total,
            xp.cumulative_sum(weighted * self._label),
            xp.cumulative_sum(weighted),
        )
        counted = [self._in_cells(column, above) for column in columns]
        if not self.weighted:
            counted[:2] = [np.rint(count).astype(np.int64) for count in counted[:2]]
        return ScoreBins(grid, counted[0], counted[1], counted[1], counted[2], counted[3])

    def _taken(self, column: Any, places: Array) -> Array:
        xp = namespace_of(column)
        where = xp.asarray(places, device=column.device)
        return np.asarray(to_host(xp.take(column, where)), dtype=np.float64)

    def _in_cells(self, running: Any, above: Any) -> Array:
        """Differences of a running total at the edges: one cell below, the bins, one above."""
        xp = namespace_of(running)
        padded = xp.concat([xp.zeros_like(running[:1]), running])
        at_edge = np.append(np.asarray(to_host(xp.take(padded, above))), 0.0)
        return np.append(float(running[-1]), at_edge[:-1]) - at_edge

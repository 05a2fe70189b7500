"""The best cut of a score whose rows are not here: bins first, then rows where it may lie."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..blocks import Array, is_chunked, on_host, precision_of, reduce_rows
from ._cuts import TIED, Cuts, count_above, cuts_of_groups, group_ends, tie_width
from ._device_scan import SortedScore
from ._score_bins import Grid, ScoreBins, ScoreRange, bin_score, first_grid, score_range

# Fewer rows in memory are sorted.
_FEW_ROWS = 2**15
# So many rows of the neighbourhood of the best cut are brought here.
_MOST_ROWS = 2**18
_MOST_ROUNDS = 6
# A part of the score narrower than this, for its size, is not cut any further.
_NARROWEST = 1e-12

Found = tuple[Array, Array, Array]


@dataclass(frozen=True)
class ScoreSummary:
    """What is known of a score: cuts, exact where the best one is, and stand-ins for its rows.

    Attributes
    ----------
    cuts : Cuts
        Every cut near the one with the largest F1_PU, and one a bin elsewhere.
    bound : float
        No cut of the score has a larger F1_PU.
    rows : tuple of ndarray
        Score, label and weight of the rows, or of at most two stand-ins a bin.
    """

    cuts: Cuts
    bound: float
    rows: tuple[Array, Array, Array | None]


def summarise_score(score: Any, s: Any, weight: Any = None) -> ScoreSummary:
    r"""Find the cut with the largest F1_PU, wherever the rows live.

    On a device, and of few rows in memory, every cut is scanned. Others are counted in 8192
    bins of the score. With :math:`L` labelled of :math:`T` rows above a bin that holds
    :math:`l` labelled ones, no cut inside it can do better than
    :math:`(L + l)^2 / (T + l)`; the bins whose bound reaches the best edge are
    cut into bins in turn, until the rows in them can be brought here and scanned
    one by one. If that never comes to be, the best edge stays, and `bound` tells
    how much better a cut might be.
    """
    if _is_small(score):
        cuts = count_above(score, s, weight)
        return ScoreSummary(cuts, _largest(cuts), (score, s, weight))
    if _is_on_device(score):
        ordered = SortedScore(score, s, weight)
        cuts = ordered.best_cuts()
        return ScoreSummary(cuts, _largest(cuts), ordered.bins().as_rows())
    return _zoomed(score, s, weight, _MOST_ROWS)


def _zoomed(score: Any, s: Any, weight: Any, most: int) -> ScoreSummary:
    """Cut the score into bins, and those where the best cut may be into finer ones."""
    found = score_range(score, weight)
    whole = bins = bin_score(score, s, weight, first_grid(found))
    for _ in range(_MOST_ROUNDS):
        finer = _finer(bins)
        if bins.n_rows[_wanted(bins)].sum() <= most or finer.scale < _NARROWEST * abs(finer.center):
            break
        bins = bin_score(score, s, weight, finer)
    rows = _rows_in(score, s, weight, bins.grid, _wanted(bins), most)
    if rows is None:
        cuts = _at_edges(bins, found)
        return ScoreSummary(cuts, float(np.max(_bounds(bins)[1:-1])), whole.as_rows())
    cuts = _near_the_best(bins, rows, found, precision_of(score))
    return ScoreSummary(cuts, _largest(cuts), whole.as_rows())


def rows_or_stand_ins(score: Any, s: Any, weight: Any) -> tuple[Array, Array, Array | None]:
    """Score, label and weight of the rows, or stand-ins for them where they are many."""
    if _is_small(score):
        return score, s, weight
    if _is_on_device(score):
        return SortedScore(score, s, weight).bins().as_rows()
    return bin_score(score, s, weight, first_grid(score_range(score, weight))).as_rows()


def _is_small(score: Any) -> bool:
    return on_host(score) and len(score) < _FEW_ROWS


def _is_on_device(score: Any) -> bool:
    return not on_host(score) and not is_chunked(score)


def _largest(cuts: Cuts) -> float:
    return float(np.max(cuts.recall**2 / cuts.share))


def _above(bins: ScoreBins) -> tuple[Array, Array]:
    """Labelled rows and rows above each cell."""
    labelled, total = (np.cumsum(part[::-1])[::-1] - part for part in (bins.labelled, bins.total))
    return labelled, total


def _bounds(bins: ScoreBins) -> Array:
    """F1_PU that no cut inside a cell, or at its lower edge, exceeds; 0 for empty cells."""
    labelled, total = _above(bins)
    filled = bins.total > 0
    least = np.where(filled, total + bins.labelled, 1.0)
    least = np.where(least > 0, least, np.where(filled, bins.total, 1.0))
    scale = bins.total.sum() / float(bins.labelled.sum()) ** 2
    return np.where(filled, (labelled + bins.labelled) ** 2 / least * scale, 0.0)


def _may_hold_the_best(bins: ScoreBins) -> Array:
    """Cells of the grid, those beyond its ends left out: these were ruled out before."""
    labelled, total = _above(bins)
    filled = bins.total > 0
    at_edge = (labelled + bins.labelled) ** 2 / np.where(filled, total + bins.total, 1.0)
    best = np.max(at_edge[filled]) * bins.total.sum() / float(bins.labelled.sum()) ** 2
    candidates = filled & (_bounds(bins) >= best * (1 - TIED))
    candidates[[0, -1]] = False
    return candidates


def _wanted(bins: ScoreBins) -> Array:
    """Cells whose rows are wanted: where the best may be, and the next lower one with rows."""
    filled = np.flatnonzero(bins.total > 0)
    chosen = _may_hold_the_best(bins)[filled]
    chosen[:-1] |= chosen[1:]
    wanted = np.zeros(len(bins.total), dtype=bool)
    wanted[filled[chosen]] = True
    return wanted


def _finer(bins: ScoreBins) -> Grid:
    cells = np.flatnonzero(_wanted(bins))
    return bins.grid.between(int(cells[0]), int(cells[-1]))


def _rows_in(score: Any, s: Any, weight: Any, grid: Grid, wanted: Array, most: int) -> Found | None:
    """Distinct scores in the wanted cells with their counts; None where they are too many."""
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


def _few(most: int, score: Array, labelled: Array, total: Array) -> tuple[Any, ...]:
    """The same counts, equal scores put together where there are too many; None if too many."""
    if len(score) <= most:
        return score, labelled, total
    values, place = np.unique(score, return_inverse=True)
    if len(values) > most:
        return None, None, None
    return values, np.bincount(place, labelled), np.bincount(place, total)


def _near_the_best(bins: ScoreBins, found: Found, ends: ScoreRange, dtype: np.dtype[Any]) -> Cuts:
    """Every cut among the rows found, and one for each other cell, counts being exact."""
    rest = np.flatnonzero((bins.total > 0) & ~_wanted(bins))
    place = bins.grid.inside(bins.total_score[rest] / bins.total[rest], rest)
    filled = np.flatnonzero(bins.total > 0)
    place[rest == filled[0]], place[rest == filled[-1]] = ends.low, ends.high
    score = np.concatenate([found[0], place])
    labelled = np.concatenate([found[1], bins.labelled[rest]])
    total = np.concatenate([found[2], bins.total[rest]])
    if bins.total.dtype.kind == "i":
        labelled, total = np.rint(labelled).astype(np.int64), np.rint(total).astype(np.int64)
    order = np.argsort(-score, kind="stable")
    ordered = score[order]
    last = group_ends(ordered, tie_width(ordered, dtype))
    labelled, total = np.cumsum(labelled[order])[last], np.cumsum(total[order])[last]
    return cuts_of_groups(ordered, last, labelled, total)


def _at_edges(bins: ScoreBins, ends: ScoreRange) -> Cuts:
    """One cut at the lower edge of every cell that has rows."""
    filled = np.flatnonzero(bins.total > 0)[::-1]
    labelled, total = np.cumsum(bins.labelled[filled]), np.cumsum(bins.total[filled])
    edge = bins.grid.lower_edge(filled)
    edge[-1] = ends.low
    following = np.append(edge[:-1], -np.inf)
    return Cuts(edge, following, labelled, total)

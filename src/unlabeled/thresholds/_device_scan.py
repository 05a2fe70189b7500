"""The scan of a score on a device: sorted and counted there, a few numbers come here."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..blocks import Array, in_double, namespace_of, precision_of, to_host
from ._cuts import TIED, Cuts, tie_width
from ._score_bins import ScoreBins, ScoreRange, first_grid

# By the bytes of a number: bins this narrow are as exact as the scores in them.
_N_BINS = {4: 2**11, 8: 2**13}


class SortedScore:
    """Scores from the largest to the smallest, with running totals.

    Attributes
    ----------
    score : array of shape (n_rows,)
        On the device, as the others are.
    labelled, total : array of shape (n_rows,)
        Weight of the labelled rows, and of all rows, down to here.
    """

    def __init__(self, score: Any, s: Any, weight: Any) -> None:
        xp = namespace_of(score)
        order = xp.argsort(score, descending=True)
        self.score, self.weighted = xp.take(score, order), weight is not None
        label = in_double(xp.take(s, order))
        mass = xp.ones_like(label) if weight is None else in_double(xp.take(weight, order))
        self.labelled = xp.cumulative_sum(label * mass)
        self.total = xp.cumulative_sum(mass)
        self._label, self._mass = label, mass

    def best_cuts(self) -> Cuts:
        """Return the cuts with the largest F1_PU, and the one that takes all rows."""
        xp = namespace_of(self.score)
        n = self.score.shape[0]
        ends = np.asarray(to_host(xp.stack([self.score[0], self.score[-1]])), dtype=np.float64)
        width = float(tie_width(ends, precision_of(self.score)))
        values = self.labelled**2 / self.total
        # Of rows with the same score only the last is a cut.
        last = in_double(self.score[:-1]) - in_double(self.score[1:]) > width
        values = xp.concat([xp.where(last, values[:-1], 0.0), values[-1:]])
        near = to_host(xp.nonzero(values >= xp.max(values) * (1 - TIED))[0])
        places = np.union1d(near, [n - 1])
        following = np.minimum(places + 1, n - 1)
        score, below, labelled, total = (
            self._taken(column, where)
            for column, where in (
                (self.score, places),
                (self.score, following),
                (self.labelled, places),
                (self.total, places),
            )
        )
        below = np.where(places == n - 1, -np.inf, below)
        if places[0] > 0:  # the largest score comes first, whatever it is worth
            # and no labelled row is counted for it, so that it is never chosen.
            score, below = np.append(ends[0], score), np.append(ends[0], below)
            labelled, total = np.append(0.0, labelled), np.append(float(self.total[0]), total)
        if not self.weighted:
            labelled, total = np.rint(labelled).astype(np.int64), np.rint(total).astype(np.int64)
        return Cuts(score, below, labelled, total)

    def bins(self) -> ScoreBins:
        """Count what lies in every cell of a grid over all scores."""
        xp = namespace_of(self.score)
        values = in_double(self.score)
        weighted = self._mass * values
        total = float(self.total[-1])
        mean = float(xp.sum(weighted)) / total
        spread = float(xp.sum(self._mass * (values - mean) ** 2)) / total
        found = ScoreRange(float(values[-1]), float(values[0]), mean, float(np.sqrt(spread)))
        grid = first_grid(found, _N_BINS[precision_of(self.score).itemsize])
        edges = grid.lower_edge(np.arange(1, grid.n_bins + 2))
        rising = xp.flip(values)
        above = values.shape[0] - xp.searchsorted(rising, xp.asarray(edges, device=values.device))
        columns = (
            self.labelled,
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

"""Where a fit to a score starts from: the likelihood of the label frequency on bins of it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ._profile import Line, Lines, ScoreProfile
from ._score_rows import WIDEST_LOGITS, ScoreRows

# Values of c to start from, as fractions of the way from the share of labelled rows to 1.
_WAYS = (0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.9)
_BINS = 128
# Finer bins, on which a fit goes nearly all the way before it looks at all rows: where rows
# are so many times more that this saves time.
_FINE_BINS = 16 * _BINS
_ROWS_A_FINE_BIN = 4
# Twice the log-likelihood that a fit to bins may be short of its best.
_ROUGHLY = 1e-3
# Log-likelihood that bins may take for rows.
_AS_GOOD_ON_BINS = 1.0


@dataclass(frozen=True)
class ScoreStarts:
    """The best line of the bins for some label frequencies, c = 1 the last of them.

    Attributes
    ----------
    frequencies : ndarray of shape (n_frequencies,)
    lines : Lines
        One for each of them.
    deviation : float
        Of the score.
    """

    frequencies: np.ndarray
    lines: Lines
    deviation: float

    @classmethod
    def of(cls, bins: ScoreProfile, rows: ScoreRows) -> ScoreStarts:
        """Look at label frequencies between the share of labelled rows and 1."""
        share = rows.labelled_share
        return cls._at(np.append(share + np.array(_WAYS) * (1 - share), 1.0), bins, rows)

    @classmethod
    def logistic_of(cls, bins: ScoreProfile, rows: ScoreRows) -> ScoreStarts:
        """Look at c = 1 only."""
        return cls._at(np.ones(1), bins, rows)

    @classmethod
    def _at(cls, frequencies: np.ndarray, bins: ScoreProfile, rows: ScoreRows) -> ScoreStarts:
        lines = bins.lines(bins.labelled_share / frequencies, None, _ROUGHLY)
        return cls(frequencies, lines, rows.deviation)

    @property
    def logistic(self) -> Line:
        """The line for c = 1."""
        return self.line(-1)

    @property
    def logistic_log_likelihood(self) -> float:
        """Log-likelihood of the bins with c = 1."""
        return float(self.lines.log_likelihood[-1])

    def line(self, k: int) -> Line:
        """One of the lines; where no slope is steep enough, one that is."""
        intercept, slope = float(self.lines.intercept[k]), float(self.lines.slope[k])
        less = min(1.0, WIDEST_LOGITS / max(slope * self.deviation, WIDEST_LOGITS))
        return Line(less * intercept, less * slope)

    def peaks(self) -> np.ndarray:
        """Which c below 1 are likelier than those beside them, and not far from the likeliest."""
        log_likelihood = self.lines.log_likelihood[:-1]
        beside = np.concatenate([[-np.inf], log_likelihood, [-np.inf]])
        peak = (log_likelihood >= beside[:-2]) & (log_likelihood >= beside[2:])
        return np.flatnonzero(peak & (log_likelihood >= log_likelihood.max() - _AS_GOOD_ON_BINS))


def binned(rows: ScoreRows) -> tuple[ScoreRows, ScoreProfile]:
    """Cut the rows into bins that are narrow where scores are many; keep fine ones with them."""
    if len(rows.s) < _ROWS_A_FINE_BIN * _FINE_BINS:
        cell = _cells(rows.place, _BINS)
        weight = rows.part * rows.total_weight
        return rows, ScoreProfile.of_cells(cell, rows.score, rows.s, weight, _BINS)
    fine, cell = _fine_bins(rows)
    cell //= _FINE_BINS // _BINS
    weight = fine.part * rows.total_weight
    profile = ScoreProfile.of_cells(cell, fine.score, fine.s, weight, _BINS)
    return replace(rows, fine=fine), profile


def _fine_bins(rows: ScoreRows) -> tuple[ScoreRows, np.ndarray]:
    """Fine bins as rows, and the number of each."""
    cell = _cells(rows.place, _FINE_BINS)
    of_rows = (rows.part, rows.part * rows.s, rows.part * rows.score)
    sums = [np.bincount(cell, one, _FINE_BINS) for one in of_rows]
    filled = np.flatnonzero(sums[0] > 0)
    part, labelled, total = (of_bins[filled] for of_bins in sums)
    score = total / part
    place = (score - rows.mean) / rows.deviation
    s = np.minimum(labelled / part, 1.0)
    return replace(rows, score=score, place=place, s=s, part=part), filled


def _cells(place: np.ndarray, n_bins: int) -> np.ndarray:
    spread = np.arcsinh(place)
    low, high = spread.min(), spread.max()
    cell = ((spread - low) * (n_bins / (high - low))).astype(np.intp)
    return np.minimum(cell, n_bins - 1)

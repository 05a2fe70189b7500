"""Which rows to check: strata of the score, how many rows of each, and a draw."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]

# Rows of a stratum, on average.
_ROWS_PER_STRATUM = 12
# Rows that every stratum gets before the others are shared out.
_ROWS_FIRST = 5
# The posterior may be wrong: it is shifted and flattened in these ways, and the standard
# deviations of the answers are averaged over them.
_SHIFTS, _SLOPES = (0.0, 1.5), (1.0, 0.5)
# How far the number of drawn rows follows these standard deviations.
_FOLLOWED = 0.25


@dataclass(frozen=True)
class Design:
    """A stratified sample of rows, simple random within strata.

    Attributes
    ----------
    stratum : ndarray of shape (n_rows,)
        Number of the stratum of every row. Strata are numbered from the lowest score upwards.
    drawn : ndarray of shape (n_strata,)
        How many rows of each stratum to draw.
    """

    stratum: Array
    drawn: Array

    @property
    def rows(self) -> Array:
        """Number of rows in each stratum."""
        return np.bincount(self.stratum, minlength=len(self.drawn))

    def draw(self, random: np.random.RandomState) -> Array:
        """Draw positions of rows, in random order."""
        order = random.permutation(len(self.stratum))
        place = np.empty(len(order), dtype=np.int64)
        by_stratum = order[np.argsort(self.stratum[order], kind="stable")]
        first = np.cumsum(self.rows) - self.rows
        of_stratum = self.stratum[by_stratum]
        place[by_stratum] = np.arange(len(order)) - first[of_stratum]
        # `order` is random, so the first n of each stratum in it are a simple random sample.
        return np.asarray(order[place[order] < self.drawn[self.stratum[order]]])


def tilts() -> list[tuple[float, float]]:
    """Shifts and slopes of the logit under which the posterior may be wrong."""
    return [(shift, slope) for shift in _SHIFTS for slope in _SLOPES]


def tilted_deviation(logit: Array) -> Array:
    r"""Standard deviation of an answer, averaged over ways in which the posterior may be wrong.

    .. math:: w_i = \tfrac14\sum_{a \in \{0, 1.5\}}\sum_{b \in \{1, 1/2\}}
              \sqrt{f_{ab}(1 - f_{ab})}, \qquad f_{ab} = \sigma(a + b\,\mathrm{logit} f_i)
    """
    moved = [shift + slope * logit for shift, slope in tilts()]
    # sqrt(f(1-f)) without overflow: 1 / (2 cosh(t/2)).
    half = [np.exp(-np.abs(t) / 2) / (1 + np.exp(-np.abs(t))) for t in moved]
    return np.asarray(np.mean(half, axis=0))


def size_of_rows(logit: Array | None, n_rows: int) -> Array:
    """Relative size of every row: 1 without a posterior, else between .75 and about 1.5."""
    if logit is None:
        return np.ones(n_rows)
    deviation = tilted_deviation(logit)
    return (1 - _FOLLOWED) + _FOLLOWED * deviation / deviation.mean()


def design_rows(score: Array, size_of_row: Array, predicted: Array, n_drawn: int) -> Design:
    """Divide rows into strata of the score that break at the cut, and share out the drawn rows.

    Parameters
    ----------
    score : ndarray of shape (n_rows,)
        The score.
    size_of_row : ndarray of shape (n_rows,)
        Strata have about equal sums of these, and the numbers of drawn rows follow them.
    predicted : ndarray of shape (n_rows,)
        Whether the row is predicted positive. Every stratum is on one side.
    n_drawn : int
        How many rows to draw.

    Returns
    -------
    design : Design
    """
    # Ties keep the order of the rows: any fixed rule that does not see the answers is valid.
    order = np.lexsort((score, predicted))
    sides = [order[~predicted[order]], order[predicted[order]]]
    n_strata = _strata_per_side([size_of_row[side] for side in sides], n_drawn)
    stratum = np.empty(len(score), dtype=np.int64)
    before = 0
    for side, n in zip(sides, n_strata, strict=True):
        if n == 0:
            continue
        reached = np.cumsum(size_of_row[side])
        part = np.minimum((reached - 0.5 * size_of_row[side]) / reached[-1] * n, n - 1)
        stratum[side] = before + part.astype(np.int64)
        before += n
    _, stratum = np.unique(stratum, return_inverse=True)
    rows = np.bincount(stratum)
    sizes = np.bincount(stratum, size_of_row)
    return Design(stratum, _shared_out(rows, sizes, n_drawn))


def _strata_per_side(sizes: list[Array], n_drawn: int) -> list[int]:
    """Number of strata on each side of the cut; at least one where there are rows."""
    total = sum(float(side.sum()) for side in sizes)
    n_strata = max(2, n_drawn // _ROWS_PER_STRATUM)
    numbers = [
        min(len(side), max(1, round(n_strata * float(side.sum()) / total))) if len(side) else 0
        for side in sizes
    ]
    while sum(numbers) > max(n_strata, 2):
        numbers[int(np.argmax(numbers))] -= 1
    return numbers


def _shared_out(rows: Array, sizes: Array, n_drawn: int) -> Array:
    """How many rows to draw of each stratum: a few of each, the rest by size."""
    first = min(_ROWS_FIRST, n_drawn // len(rows))
    drawn = np.minimum(first, rows)
    for _ in range(n_drawn - int(drawn.sum())):
        wanted = np.where(drawn < rows, sizes / (drawn + 0.5), -1.0)
        drawn[int(np.argmax(wanted))] += 1
    return drawn

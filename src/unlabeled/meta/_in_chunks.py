"""Scores of rows in chunks: a model fitted to a part of them, and all of them counted in bins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..engine.rows import Effects, Rows, Sample, content_hash, reduce_rows, rows_at
from ..engine.score_bins import ScoreCounter
from ..scores import label_effects

# So many labeled rows are in the part that a model is fitted to, if there are as many.
_ENOUGH_LABELED = 2**12


def part_to_fit(rows: Rows, max_rows: int, random_state: Any) -> Sample:
    """Draw the rows to fit from rows in chunks; all of them if they are not twice as many."""
    n_rows = int(rows.s.shape[0])
    size = n_rows if n_rows < 2 * max_rows else max_rows
    return rows.sample(size, random_state, _ENOUGH_LABELED)


def count_all(
    part: Sample, known: np.ndarray, scores: Callable[[Any], np.ndarray], judge: Any
) -> Any:
    """Score the rows that are not in the part, chunk by chunk, and add them to those that are.

    Parameters
    ----------
    part : Sample
    known : ndarray of shape (n_drawn, n_scores)
        Scores of the rows of the part; rows with NaN are left out.
    scores : callable
        Maps a block of X to an array of shape (n_rows, n_scores). It may be sent to another
        machine.
    judge : callable
        Maps (scores, s, weight) of rows to an answer; `judge.both` adds two answers.

    Returns
    -------
    answer : tuple
    """
    rest, rows = part.rest, _scored(part.rows, known)
    column = rest.X.mapped(_OfBlock(scores, known.shape[1]))
    of_rest = reduce_rows(judge, column, rest.s, rest.weight, combine=judge.both)
    return judge.both(of_rest, judge(*rows))


def _scored(rows: Rows, known: np.ndarray) -> tuple[Any, ...]:
    there = np.all(np.isfinite(known), axis=1)
    weight = None if rows.weight is None else rows.weight[there]
    return known[there], rows.s[there], weight


def effects_of_part(part: Sample, score: np.ndarray) -> Effects:
    """Design effects of the weights, from the scores of the rows of a part."""
    there, rows = np.isfinite(score), part.weighted
    weight, unit = (None if one is None else one[there] for one in (rows.weight, rows.unit))
    return label_effects(score[there], rows.s[there], weight, None, unit)


def counter_around(known: np.ndarray) -> ScoreCounter:
    """Return a counter of scores whose grids reach beyond the known ones."""
    return ScoreCounter.around(known[np.all(np.isfinite(known), axis=1)])


@dataclass(frozen=True)
class _OfBlock:
    """Scores of a loaded block of X, which may be empty."""

    scores: Callable[[Any], np.ndarray]
    n_scores: int

    def of(self, X: Any) -> np.ndarray:
        """Return one row of scores per row of the block."""
        if X.shape[0] == 0:
            return np.empty((0, self.n_scores))
        scores = np.asarray(self.scores(X), dtype=np.float64)
        return scores.reshape(X.shape[0], self.n_scores)


@dataclass(frozen=True, eq=False)
class RoundRobinScorer:
    """Scores rows by several models, each row by one of them, chosen by a hash of its cells.

    The models of folds are fitted to fewer rows than the model of all. If some rows were scored
    by the former and some by the latter, the two kinds would not be comparable: labeled rows of a
    table in which they are rare would all be of one kind.

    Attributes
    ----------
    models : tuple of callable
        Each maps rows to one number per row.
    """

    models: tuple[Callable[[Any], np.ndarray], ...]

    def __call__(self, X: Any) -> np.ndarray:
        """Return the scores of a block of rows."""
        if len(self.models) == 1:
            return np.asarray(self.models[0](X))
        turn = content_hash(X) % np.uint64(len(self.models))
        scores = np.empty(len(turn))
        for k, model in enumerate(self.models):
            rows = np.flatnonzero(turn == k)
            if len(rows):
                scores[rows] = model(rows_at(X, rows))
        return scores

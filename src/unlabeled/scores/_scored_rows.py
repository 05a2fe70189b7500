"""A held-out score beside what is known of the rows: all that a decision looks at."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..engine.arrays import Array
from ..engine.rows import Rows
from ..engine.sampling import Sampling
from ..thresholds import Cuts, bin_cuts, count_above
from ._label_logit import label_design_effect


@dataclass(frozen=True, eq=False)
class ScoredRows:
    """Rows with a score by a fit that has not seen them.

    Many rows are represented by weighted ones, at most two per bin of the score.

    Attributes
    ----------
    score : ndarray of shape (n_rows,)
    s : ndarray of shape (n_rows,)
        1 for labelled rows, 0 for the others.
    weight : ndarray of shape (n_rows,) or None
    sampling : Sampling
        Which rows stand for the population.
    groups : ndarray of shape (n_rows,) or None
        Which rows belong together.
    checked : ndarray of shape (n_rows,) or None
        The answers of checked rows, as in `Rows`.
    counted : Cuts or None
        The cuts of all rows, if these represent them.
    """

    score: Array
    s: Array
    weight: Array | None = None
    sampling: Sampling = Sampling.ONE
    groups: Array | None = None
    checked: Array | None = None
    counted: Cuts | None = None

    @classmethod
    def of(cls, rows: Rows, score: Array) -> ScoredRows:
        """Put a score beside rows in memory; rows without one are left out."""
        columns = (rows.s, rows.weight, rows.groups, rows.checked)
        there = np.isfinite(score)
        if not there.all():
            score = score[there]
            columns = tuple(None if one is None else one[there] for one in columns)
        s, weight, groups, checked = columns
        return cls(score, s, weight, rows.sampling, groups, checked)

    @classmethod
    def binned(cls, rows: Rows, score: Any) -> ScoredRows:
        """Count many rows, wherever they are, in bins of a score that lies beside them."""
        cuts, representatives = bin_cuts(score, rows.s, rows.weight, rows.sampling)
        return cls(*representatives, rows.sampling, counted=cuts)

    @classmethod
    def of_cuts(cls, cuts: Cuts) -> ScoredRows:
        """Represent the rows between two cuts by one, whose label is their labelled share."""
        labelled, unlabelled = (
            np.diff(count, prepend=0).astype(np.float64)
            for count in (cuts.labelled, cuts.unlabelled)
        )
        total = labelled + unlabelled
        return cls(cuts.score, labelled / total, total, cuts.sampling, counted=cuts)

    @cached_property
    def cuts(self) -> Cuts:
        """Numbers of rows above every cut of the score."""
        if self.counted is not None:
            return self.counted
        return count_above(self.score, self.s, self.weight, self.sampling)

    def design_effect(self, logits: Array) -> float:
        """Design effect of groups on label residuals around a line along these logits.

        This many rows tell as much as one.
        """
        return label_design_effect(logits, self.s, self.weight, self.groups)

    @property
    def known_positive(self) -> Array:
        """1.0 for rows known to be positive: the labelled ones, and those found positive."""
        return self.s if self.checked is None else np.where(self.checked == 1, 1.0, self.s)

    @property
    def unknown(self) -> Array:
        """True for rows that are neither labelled nor checked."""
        return self.s == 0 if self.checked is None else (self.s == 0) & np.isnan(self.checked)

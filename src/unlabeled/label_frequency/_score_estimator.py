"""What estimators of the label frequency from out-of-fold scores have in common."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from ..labels import LabelledRows
from ..parameters import check_ridge, check_stopping
from ._base import LabelFrequencyEstimator
from ._derived_rows import scaled_rows
from ._out_of_fold import NaiveFit, naive_scores

_MOST_FOLDS = 10


class ScoreFrequencyEstimator(LabelFrequencyEstimator):
    """Base class: c from the out-of-fold scores of a ridge fit to the labels.

    A subclass writes `_estimate_from_scores(score, rows)`, which returns c.
    """

    def __init__(
        self,
        *,
        cv: Any = "auto",
        C: float = 0.1,
        tol: float = 1e-4,
        max_iter: int = 1000,
        positive_label: Any = None,
        random_state: Any = None,
    ) -> None:
        self.cv = cv
        self.C = C
        self.tol = tol
        self.max_iter = max_iter
        self.positive_label = positive_label
        self.random_state = random_state

    def _estimate(self, rows: LabelledRows) -> float:
        self._check_parameters()
        names = getattr(self, "feature_names_in_", None)
        fit = NaiveFit(self.C, True, self.tol, self.max_iter, names, self._watch)
        folds = self._folds(rows)
        scores = naive_scores(
            scaled_rows(rows), fit, folds, self.random_state, also="'auto' or None"
        )
        self.converged_ = scores.converged
        return self._estimate_from_scores(scores.values, rows)

    def _folds(self, rows: LabelledRows) -> Any:
        if not (isinstance(self.cv, str) and self.cv == "auto"):
            return self.cv
        rarer = min(rows.n_labelled, len(rows.s) - rows.n_labelled)
        if rarer < 2:
            raise ValueError(
                f"{type(self).__name__} needs at least 2 labelled and 2 unlabelled rows to score "
                f"them out of fold; got {rows.n_labelled} labelled of {len(rows.s)} rows."
            )
        return min(_MOST_FOLDS, rarer)

    def _check_parameters(self) -> None:
        check_ridge(self.C)
        check_stopping(self.tol, self.max_iter)

    @abstractmethod
    def _estimate_from_scores(self, score: np.ndarray, rows: LabelledRows) -> float:
        """Return the estimate of c."""

"""Intervals of a classifier that keeps the honest scores of its rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..inference import FrequencyInterval, Interval, intervals_of_scores
from ..labels import LabelledRows
from ..losses import KnownFrequencyLoss, LogisticLoss
from ..objective import FEATURES, Objective
from ._comparable_features import divided
from ._with_covariance import Optimum, WithCovariance, interval_facts


class WithScoreIntervals(WithCovariance):
    """Mixin for `PULogistic`, whose coefficients are those of a ridge.

    It keeps, as a plain tuple for model files, what the ridge fit was told and found: c, the
    intercept, and the scale of the features.
    """

    _ridge_fit: tuple[float, float, np.ndarray]

    def label_frequency_interval(
        self, X: Any = None, y: Any = None, sample_weight: Any = None, *, level: float = 0.95
    ) -> FrequencyInterval:
        """Profile-likelihood interval of the label frequency, from the left-out scores.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features), optional
            The rows of the fit, whose scores are kept: it may be left out, and is here to
            be called as `JointLogistic` is.
        y : array-like of shape (n_rows,), optional
            Their labels.
        sample_weight : array-like of shape (n_rows,), optional
            Their weights.
        level : float, default=0.95
            Of the interval.

        Returns
        -------
        interval : FrequencyInterval
            Its `estimate` is where the likelihood is largest; `label_frequency_`
            averages over the likelihood instead.
        """
        self._check_prior_is_estimated()
        self._check_rows_of_fit(X, y, sample_weight)
        return intervals_of_scores(self.observed_cuts_, level).label_frequency

    def class_prior_interval(
        self, X: Any = None, y: Any = None, sample_weight: Any = None, *, level: float = 0.95
    ) -> Interval:
        """Interval of the class prior, P(Y=1), from the left-out scores.

        Supposes SCAR and a logistic posterior along the score. Rows are
        counted by their weights.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features), optional
            The rows of the fit, whose scores are kept: it may be left out, and is here to
            be called as `JointLogistic` is.
        y : array-like of shape (n_rows,), optional
            Their labels.
        sample_weight : array-like of shape (n_rows,), optional
            Their weights.
        level : float, default=0.95
            Of the interval.

        Returns
        -------
        interval : Interval
            Around `class_prior_`.
        """
        self._check_prior_is_estimated()
        self._check_rows_of_fit(X, y, sample_weight)
        found = intervals_of_scores(self.observed_cuts_, level).class_prior
        # With two or three labelled rows a mean may lie outside of what is likely.
        lower, upper = min(found.lower, self.class_prior_), max(found.upper, self.class_prior_)
        return Interval(self.class_prior_, lower, upper, level, found.method)

    def _check_prior_is_estimated(self) -> None:
        check_is_fitted(self)
        if self.class_prior is not None:
            raise ValueError(
                "`class_prior` must be None for an interval of it; it was given as "
                f"{self.class_prior!r}. Fit without it."
            )

    def _check_rows_of_fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        """Refuse rows that cannot be those whose scores were kept."""
        if X is None and y is None:
            return
        rows, kept = self._rows_of(X, y, sample_weight), self.observed_cuts_
        passed = (rows.total_weight * rows.labelled_share, rows.total_weight)
        if not np.allclose(passed, (kept.labelled[-1], kept.total[-1])):
            raise ValueError(
                "`X` and `y` must be the rows of the fit, whose scores the interval is computed "
                f"from; got {passed[1]:g} rows, {passed[0]:g} of them labelled, and the fit had "
                f"{kept.total[-1]:g} and {kept.labelled[-1]:g}. Leave them out."
            )

    def _further_facts(
        self, X: Any, y: Any, sample_weight: Any, level: float
    ) -> tuple[tuple[str, str], ...]:
        facts: tuple[tuple[str, str], ...] = (("ridge, C", f"{self.C_:.4g}"),)
        if self.class_prior is None:
            facts += interval_facts(
                self.label_frequency_interval(level=level), self.class_prior_interval(level=level)
            )
        held = "intervals hold ridge and label frequency; the ridge shrinks towards 0"
        return (*facts, ("caution", held))

    def _optimum(self, rows: LabelledRows) -> Optimum:
        frequency, intercept, scale = self._ridge_fit
        loss = LogisticLoss() if frequency == 1 else KnownFrequencyLoss(frequency)
        theta = np.append(self._sign * self.coef_[0] * scale, intercept)
        X, ridge = divided(rows.X, scale), 1.0 / (self.C_ * rows.total_weight)
        objective = Objective(loss, (FEATURES,), X, rows.s, rows.weight, ridge)
        return Optimum(objective, theta, self._parameter_names(), np.append(scale, 1.0))

"""The likelihood of the label frequency, and intervals from it."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import logit
from sklearn.utils.validation import check_is_fitted

from ..inference import (
    FrequencyInterval,
    Interval,
    frequency_interval,
    prior_interval,
    share_correlation,
)
from ..labels import LabelledRows
from ..losses import ProductLoss
from ..objective import CONSTANT
from ..solvers import LinearProblem
from ._frequency_profile import FrequencyProfile
from ._with_covariance import WithCovariance, interval_facts


class WithProfile(WithCovariance):
    """Mixin for classifiers that maximise the likelihood of the labels over c as well."""

    def label_frequency_interval(
        self, X: Any = None, y: Any = None, sample_weight: Any = None, *, level: float = 0.95
    ) -> FrequencyInterval:
        """Profile-likelihood interval of the label frequency.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            The rows of the fit: a model does not keep them.
        y : array-like of shape (n_rows,)
            Their labels.
        sample_weight : array-like of shape (n_rows,), optional
            Their weights, as numbers of rows.
        level : float, default=0.95
            Of the interval.

        Returns
        -------
        interval : FrequencyInterval
            The label frequencies that a likelihood-ratio test does not reject, and whether
            c = 1 is among them.
        """
        rows = self._rows_of_free_frequency(X, y, sample_weight)
        profile = self._profile(rows)
        return frequency_interval(profile, self.label_frequency_, rows.labelled_share, level)

    def class_prior_interval(
        self, X: Any = None, y: Any = None, sample_weight: Any = None, *, level: float = 0.95
    ) -> Interval:
        r"""Interval of the class prior, :math:`P(Y=1)`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            The rows of the fit: a model does not keep them.
        y : array-like of shape (n_rows,)
            Their labels.
        sample_weight : array-like of shape (n_rows,), optional
            Their weights, as numbers of rows.
        level : float, default=0.95
            Of the interval.

        Returns
        -------
        interval : Interval
            From the profile likelihood of c and the uncertainty of the share
            of labelled rows, as they are correlated.
        """
        frequency = self.label_frequency_interval(X, y, sample_weight, level=level)
        rows = self._rows_of(X, y, sample_weight)
        objective = self._objective(ProductLoss(), rows, CONSTANT)
        with np.errstate(divide="ignore"):
            theta = np.append(self._theta(), logit(self.label_frequency_))
        correlation = share_correlation(objective, theta)
        return prior_interval(frequency, rows.labelled_share, rows.total_weight, correlation)

    def label_frequency_profile(
        self, X: Any, y: Any, sample_weight: Any = None, *, frequencies: Any = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Profile log-likelihood of the label frequency: the largest at each fixed c.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            The rows of the fit: a model does not keep them.
        y : array-like of shape (n_rows,)
            Their labels.
        sample_weight : array-like of shape (n_rows,), optional
            Their weights, as numbers of rows.
        frequencies : array-like of shape (n_frequencies,), optional
            Where to compute it, above the share of labelled rows and at most
            1; if None 41 equally spaced ones.

        Returns
        -------
        frequencies, log_likelihood : ndarray of shape (n_frequencies,)
            Penalised where the model has a ridge.
        """
        rows = self._rows_of_free_frequency(X, y, sample_weight)
        share = rows.labelled_share
        if frequencies is None:
            frequencies = share + (1 - share) * np.arange(1, 42) / 41
        frequencies = np.atleast_1d(np.asarray(frequencies, dtype=np.float64))
        impossible = frequencies[~((frequencies > share) & (frequencies <= 1))]
        if len(impossible):
            raise ValueError(
                f"`frequencies` must be above the share of labelled rows, {share:.4g}, and at "
                f"most 1; got {float(impossible[0])!r}. Leave it out."
            )
        log_likelihood = np.empty(len(frequencies))
        profile = self._profile(rows)
        # From the estimate outwards, so that the nearest fit is near.
        for k in np.argsort(np.abs(frequencies - self.label_frequency_), kind="stable"):
            log_likelihood[k] = profile(float(frequencies[k]))
        return frequencies, log_likelihood

    def _further_facts(
        self, X: Any, y: Any, sample_weight: Any, level: float
    ) -> tuple[tuple[str, str], ...]:
        if self.label_frequency is not None:
            return ()
        c = self.label_frequency_interval(X, y, sample_weight, level=level)
        prior = self.class_prior_interval(X, y, sample_weight, level=level)
        facts = interval_facts(c, prior)
        if c.upper >= 1:
            facts += (
                ("caution", "nearly all positives may be labelled: intervals below are too short"),
            )
        return facts

    def _rows_of_free_frequency(self, X: Any, y: Any, sample_weight: Any) -> LabelledRows:
        check_is_fitted(self)
        if self.label_frequency is not None:
            raise ValueError(
                "`label_frequency` must be None for an interval of it; it was given as "
                f"{self.label_frequency!r}. Fit without it."
            )
        if X is None or y is None:
            raise ValueError(
                "`X` and `y` must be the rows of the fit; got None. "
                f"{type(self).__name__} does not keep them: pass them again."
            )
        return self._rows_of(X, y, sample_weight)

    def _profile(self, rows: LabelledRows) -> FrequencyProfile:
        linear = LinearProblem.of(rows.X, rows.weight, self.C, self.fit_intercept)
        estimate = self.label_frequency_, self._theta()
        return FrequencyProfile(linear, rows, 0.01 * self.tol, self.max_iter, estimate)

"""Standard errors and intervals for classifiers that maximise a likelihood of the labels."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from ..engine.losses import RowLoss
from ..engine.objective import FEATURES, FEATURES_WITHOUT_INTERCEPT, Design, Objective
from ..engine.parameters import check_choice
from ..engine.rows import (
    LabelledRows,
    encode_labels,
    is_dask,
    is_on_device,
    names_or_numbers,
    validate_new_rows,
    validate_rows,
    validate_weight,
    with_distinct_entries,
)
from ..inference import COVARIANCES, Estimates, FrequencyInterval, Interval, Summary, covariance


class Optimum(NamedTuple):
    """An objective, the parameters that minimise it, their names, and what they are divided by."""

    objective: Objective
    theta: np.ndarray
    names: tuple[str, ...]
    scale: np.ndarray | float = 1.0


class WithCovariance:
    """Mixin: a subclass writes `_optimum(rows)`, towards the positive class."""

    def estimates(
        self, X: Any, y: Any, sample_weight: Any = None, *, kind: str = "sandwich"
    ) -> Estimates:
        """Estimates with their covariance.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            The rows of the fit: a model does not keep them.
        y : array-like of shape (n_rows,)
            Their labels.
        sample_weight : array-like of shape (n_rows,), optional
            Their weights, as numbers of rows.
        kind : {"sandwich", "observed", "expected"}, default="sandwich"
            White's covariance, or the inverse of the observed or expected
            information, which suppose that the model is right.

        Returns
        -------
        estimates : Estimates
            Coefficients in the order of the features, the intercept, and for
            JOINT the logit of c; signs are those of `coef_`.
        """
        check_is_fitted(self)
        check_choice("kind", kind, COVARIANCES)
        optimum = self._optimum(self._rows_of(X, y, sample_weight))
        found = covariance(optimum.objective, optimum.theta, kind)
        factor = np.full(len(optimum.theta), self._sign)
        if "logit c" in optimum.names:
            factor[-1] = 1.0
        factor /= optimum.scale
        return Estimates(optimum.names, factor * optimum.theta, np.outer(factor, factor) * found)

    def summary(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        kind: str = "sandwich",
        level: float = 0.95,
    ) -> Summary:
        """Table of the estimates, as text and HTML.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            The rows of the fit.
        y : array-like of shape (n_rows,)
            Their labels.
        sample_weight : array-like of shape (n_rows,), optional
            Their weights, as numbers of rows.
        kind : {"sandwich", "observed", "expected"}, default="sandwich"
            Of the covariance, see `estimates`.
        level : float, default=0.95
            Of the intervals.

        Returns
        -------
        summary : Summary
            Prints as text; a notebook shows it as a table.
        """
        estimates = self.estimates(X, y, sample_weight, kind=kind)
        rows = self._rows_of(X, y, sample_weight)
        facts = (
            ("rows", str(len(rows.s))),
            ("labelled rows", str(rows.n_labelled)),
            ("label frequency", f"{self.label_frequency_:.4f}"),
            ("class prior", f"{self.class_prior_:.4f}"),
            ("converged", "yes" if self.converged_ else "no"),
            ("covariance", kind),
            *self._further_facts(X, y, sample_weight, level),
        )
        if not self.converged_:
            facts += (("caution", "no finite optimum was reached: standard errors mean nothing"),)
        return Summary(type(self).__name__, facts, estimates, level)

    def _further_facts(
        self, X: Any, y: Any, sample_weight: Any, level: float
    ) -> tuple[tuple[str, str], ...]:
        """What else a summary says above its table."""
        return ()

    @abstractmethod
    def _optimum(self, rows: LabelledRows) -> Optimum:
        """What the fit minimised on these rows, and where."""

    def _rows_of(self, X: Any, y: Any, sample_weight: Any) -> LabelledRows:
        if is_dask(X) or is_on_device(X):
            anywhere = self._takes_rows_anywhere
            return validate_rows(
                self, X, y, sample_weight, self.positive_class_, anywhere, reset=False
            )
        X = with_distinct_entries(validate_new_rows(self, X))
        s, encoding = encode_labels(y, self.positive_class_)
        check_consistent_length(X, s)
        return LabelledRows(X, s, validate_weight(sample_weight, len(s)), encoding)

    def _objective(self, loss: RowLoss, rows: LabelledRows, *further: Design) -> Objective:
        """Mean loss of the rows with the model's ridge: features first, `further` after them."""
        design = FEATURES if self.fit_intercept else FEATURES_WITHOUT_INTERCEPT
        ridge = 0.0 if np.isinf(self.C) else 1.0 / (self.C * rows.total_weight)
        return Objective(loss, (design, *further), rows.X, rows.s, rows.weight, ridge)

    def _theta(self) -> np.ndarray:
        """Fitted coefficients towards the positive class, the intercept last if there is one."""
        intercept = getattr(self, "naive_intercept_", self.intercept_[0])
        return np.append(self.coef_[0], [intercept] * bool(self.fit_intercept)) * self._sign

    def _parameter_names(self) -> tuple[str, ...]:
        names = names_or_numbers(self._feature_names, self.n_features_in_)
        return (*names, *(["intercept"] * bool(getattr(self, "fit_intercept", True))))


def interval_facts(
    label_frequency: FrequencyInterval, class_prior: Interval
) -> tuple[tuple[str, str], ...]:
    """Say which label frequencies and class priors are left, above the table of a summary."""
    named = (("label frequency", label_frequency), ("class prior", class_prior))
    return tuple(
        (f"{name}, {one.level:.0%}", f"{one.lower:.4f} to {one.upper:.4f}") for name, one in named
    )

"""Base of the classifiers that maximize a likelihood of the labels: their standard errors."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Any, NamedTuple, Never, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..engine.estimators import reject_other_arguments, reject_other_groups
from ..engine.linear_fits import ridge_strength
from ..engine.losses import RowLoss
from ..engine.objective import Design, Objective, feature_design
from ..engine.parameters import check_choice
from ..engine.rows import (
    Rows,
    names_or_numbers,
    reject_beside_rows,
    rows_passed_again,
    validate_checked,
    validate_groups,
)
from ..engine.sampling import Sampling
from ..inference import COVARIANCES, CovarianceKind, Estimates, Interval, Summary, covariance
from ._base import LinearPUClassifier

# How far means of the score may be from those of the fit: in standard deviations of the score,
# and in parts of the means, which rounding changes.
_SAME_MEANS, _SAME_NUMBERS = 1e-5, 1e-7


class Optimum(NamedTuple):
    """Where a fit ended: its objective, and the parameters there.

    Attributes
    ----------
    objective : Objective
    theta : ndarray of shape (n_parameters,)
        Coefficients toward the positive class, the intercept if there is one, and for JOINT the
        logit of c.
    names : tuple of str
        Names of the parameters.
    factor : ndarray of shape (n_parameters,)
        Factors (signs and scales) that convert `theta` to the reported parameters.
    rows : Rows
        The rows of the objective: what their weights and groups say of its variance.
    """

    objective: Objective
    theta: np.ndarray
    names: tuple[str, ...]
    factor: np.ndarray
    rows: Rows

    def estimates(self, kind: str) -> Estimates:
        """Return the parameters with their covariance of this kind."""
        groups = self.rows.groups if kind == "sandwich" else None
        found = covariance(self.objective, self.theta, kind, self.rows.unit, groups)
        values = self.factor * self.theta
        return Estimates(self.names, values, np.outer(self.factor, self.factor) * found)


def penalized_objective(
    loss: RowLoss,
    rows: Rows,
    C: float,
    fit_intercept: bool,
    *further: Design,
    scale: np.ndarray | None = None,
) -> Objective:
    """Mean loss of the rows plus a ridge; `further` holds the designs of the other predictors.

    With a `scale` the ridge is that of features divided by it.
    """
    designs = (feature_design(fit_intercept), *further)
    ridge = ridge_strength(C, rows.total_weight, scale)
    if scale is not None:
        ridge = np.append(ridge, np.zeros(sum(one.n_parameters(len(scale)) for one in further)))
    return Objective(loss, designs, rows.X, rows.target, rows.weight, ridge)


class LikelihoodClassifier(LinearPUClassifier):
    """Base class: a subclass writes `_estimates`, for intervals and tables of coefficients."""

    def estimates(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        kind: CovarianceKind = "sandwich",
        checked: Any = None,
        groups: Any = None,
    ) -> Estimates:
        """Compute the estimates and their covariance.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            The training rows, which the model does not store. Others are rejected.
        y : array-like of shape (n_rows,)
            Labels of the training rows.
        sample_weight : array-like of shape (n_rows,), optional
            Their weights, as in `fit`.
        kind : {"sandwich", "observed", "expected"}, default="sandwich"
            White's sandwich covariance, or the inverse of the observed or
            expected information; the last two assume that the model is right.
            "expected" is not for fits with checked rows.
        checked : array-like of shape (n_rows,), optional
            The answers of checked rows, if the fit had any.
        groups : array-like of shape (n_rows,) or "copies", optional
            Which rows belong together. The sandwich then takes whole groups as independent, not
            rows: trust it from about forty groups with labeled rows on. After a fit with groups
            they must be given.

        Returns
        -------
        estimates : Estimates
            Coefficients in the order of the features, the intercept, and for
            JOINT the logit of c; signs are those of `coef_`.
        """
        check_is_fitted(self)
        self._check_kind(kind, groups)
        rows = self._rows_of_fit(X, y, sample_weight, checked, groups)
        return self._estimates(rows, kind)

    def summary(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        kind: CovarianceKind = "sandwich",
        confidence_level: float = 0.95,
        checked: Any = None,
        groups: Any = None,
    ) -> Summary:
        """Make a table of the estimates, as text and HTML.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            The training rows, which the model does not store. Others are rejected.
        y : array-like of shape (n_rows,)
            Labels of the training rows.
        sample_weight : array-like of shape (n_rows,), optional
            Their weights, as in `fit`.
        kind : {"sandwich", "observed", "expected"}, default="sandwich"
            Kind of covariance, see `estimates`.
        confidence_level : float, default=0.95
            Coverage of the intervals.
        checked : array-like of shape (n_rows,), optional
            The answers of checked rows, if the fit had any.
        groups : array-like of shape (n_rows,) or "copies", optional
            Which rows belong together, see `estimates`.

        Returns
        -------
        summary : Summary
            Prints as text; a notebook shows it as a table.
        """
        check_is_fitted(self)
        self._check_kind(kind, groups)
        rows = self._rows_of_fit(X, y, sample_weight, checked, groups)
        return self._summary(rows, kind, confidence_level)

    def _rows_of_fit(self, X: Any, y: Any, sample_weight: Any, checked: Any, groups: Any) -> Rows:
        """Validate the training rows, and raise if they cannot be those of the fit."""
        rows = self._rows_of(X, y, sample_weight, checked)
        self._reject_other_rows(rows, "Pass what was passed to `fit`.")
        if groups is not None:
            if not rows.in_memory:
                reject_beside_rows(groups=groups)
            numbers = validate_groups(groups, rows.s.shape[0], X=rows.X)
            rows = replace(rows, groups=numbers)
        present = rows if rows.weight is None or groups is None else rows.keep(rows.weight > 0)
        reject_other_groups(self, present.n_groups)
        return rows

    def _reject_other_rows(self, rows: Rows, advice: str) -> None:
        """Raise if these cannot be the rows of the fit."""
        known = getattr(self, "_known_of_rows_", None)
        if known is None:  # a model saved before this was kept
            return
        found = self._told_by(rows)
        words = "`X` and `y` must be the rows of the fit"
        if not np.allclose(found[:2], known[:2]):
            raise ValueError(
                f"{words}; got {found[0]:g} rows, {found[1]:g} of them labeled, and the fit had "
                f"{known[0]:g} and {known[1]:g}. {advice}"
            )
        means, spread = known[2:4], known[4:]
        if spread and len(found) == len(known):
            near = _SAME_MEANS * spread[0] + _SAME_NUMBERS * np.abs(means).max()
            if not np.allclose(found[2:4], means, rtol=0, atol=near):
                raise ValueError(f"{words}; got other features, labels or weights. {advice}")

    def _check_kind(self, kind: str, groups: Any) -> None:
        check_choice("kind", kind, COVARIANCES)
        if groups is not None and kind != "sandwich":
            raise ValueError(
                f"`kind` must be 'sandwich' with groups; got {kind!r}, which takes every row as "
                "independent."
            )

    def _summary(self, rows: Rows, kind: str, confidence_level: float) -> Summary:
        estimates = self._estimates(rows, kind)
        facts = (
            ("rows", str(len(rows.s))),
            ("labeled rows", str(rows.n_labeled)),
            *((("checked rows", str(rows.n_checked)),) if rows.n_checked else ()),
            (_frequency_words(rows), f"{self.label_frequency_:.4f}"),
            ("class prior", f"{self.class_prior_:.4f}"),
            ("converged", "yes" if self.converged_ else "no"),
            ("covariance", kind if rows.groups is None else f"{kind}, {rows.n_groups} groups"),
            *self._further_facts(rows, confidence_level),
        )
        if not self.converged_:
            facts += (("caution", "the fit did not converge; ignore the standard errors"),)
        return Summary(type(self).__name__, facts, estimates, confidence_level)

    @abstractmethod
    def _estimates(self, rows: Rows, kind: str) -> Estimates:
        """Return the parameters with their covariance of this kind."""

    def _further_facts(self, rows: Rows, confidence_level: float) -> tuple[tuple[str, str], ...]:
        """Further lines above the table of a summary."""
        return ()

    def _rows_of(self, X: Any, y: Any, sample_weight: Any, checked: Any = None) -> Rows:
        """Validate the training rows, which the user passes again."""
        if checked is not None:
            raise ValueError(
                f"`checked` must be None for {type(self).__name__}, which fits labels alone; got "
                "answers. Leave it out, or use PULogistic or JointLogistic."
            )
        anywhere = self._takes_rows_anywhere
        return rows_passed_again(self, X, y, sample_weight, self.positive_class_, anywhere)

    def _parameters(
        self, intercept: float | None
    ) -> tuple[np.ndarray, tuple[str, ...], np.ndarray]:
        """Return coefficients toward the positive class, their names, and their sign in `coef_`.

        `intercept`, with the sign of `intercept_`, comes last unless it is None.
        """
        names = names_or_numbers(self._feature_names, self.n_features_in_)
        theta = self.coef_[0]
        if intercept is not None:
            name = "intercept, both samples" if Sampling.of_model(self).is_two else "intercept"
            theta, names = np.append(theta, intercept), (*names, name)
        return theta * self._sign, names, np.full(len(theta), self._sign)


class CheckedRowsClassifier(LikelihoodClassifier):
    """Base class: a likelihood that takes checked rows beside the labels."""

    n_checked_: int

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        checked: Any = None,
        **other: Never,
    ) -> Self:
        """Fit the classifier.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            Feature rows. A sparse matrix is never converted to a dense one as a whole;
            formats other than CSR are converted to CSR once. `JointLogistic` (with its
            default solver and settings) also accepts Dask collections and arrays on a GPU.
        y : array-like of shape (n_rows,)
            Two values; `pos_label` says which one marks labeled rows.
        sample_weight : array-like of shape (n_rows,), optional
            Row weights; `weights` says what they mean. By default only their ratios matter.
        checked : array-like of shape (n_rows,), optional
            What somebody found who looked at the row: 1 for positive, 0 for negative, missing
            (NaN, None) for a row that nobody checked. Rows may be chosen for checking by
            anything that is in X. An answer 1 about a labeled row says nothing new; an answer
            0 about one is rejected. Not for rows in chunks or on a GPU.
        **other : never
            What this fit does not take is rejected, with what takes it.

        Returns
        -------
        self : object
            The fitted classifier.
        """
        reject_other_arguments(self, other)
        return self._fit(X, y, sample_weight, checked)

    def _check_kind(self, kind: str, groups: Any) -> None:
        super()._check_kind(kind, groups)
        if kind == "expected" and self.n_checked_:
            raise ValueError(
                "`kind` must be 'sandwich' or 'observed' after a fit with checked rows; got "
                "'expected', which needs to know how rows were chosen for checking."
            )

    def _rows_of(self, X: Any, y: Any, sample_weight: Any, checked: Any = None) -> Rows:
        """Validate the training rows and the answers about them, which the user passes again."""
        rows = super()._rows_of(X, y, sample_weight)
        if checked is not None:
            rows = replace(rows, checked=validate_checked(checked, rows.s))
        if rows.n_checked != self.n_checked_:
            raise ValueError(
                f"`checked` must have the answers of the fit, {self.n_checked_} about unlabeled "
                f"rows; got {rows.n_checked}. Pass `checked` as in `fit`."
            )
        return rows


def estimates_from_part(model: LikelihoodClassifier, X: Any, y: Any) -> Estimates:
    """Return the estimates with the covariance of some rows of the fit, which is wider.

    `estimates` itself wants all rows of the fit.
    """
    return model._estimates(model._rows_of(X, y, None), "sandwich")


def _frequency_words(rows: Rows) -> str:
    return "label frequency, both samples" if rows.sampling.is_two else "label frequency"


def interval_facts(label_frequency: Interval, class_prior: Interval) -> tuple[tuple[str, str], ...]:
    """Lines of a summary with the intervals of the label frequency and the class prior."""
    named = (("label frequency", label_frequency), ("class prior", class_prior))
    return tuple(
        (f"{name}, {one.confidence_level:.0%}", f"{one.lower:.4f} to {one.upper:.4f}")
        for name, one in named
    )

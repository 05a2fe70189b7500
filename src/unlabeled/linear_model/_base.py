"""What every linear classifier has in common: a score, a cut, a posterior."""

from __future__ import annotations

from abc import abstractmethod
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from ..labels import LabelEncoding, LabelledRows, validate_new_rows, validate_rows
from ..losses import softplus_and_sigmoid


class LinearPUClassifier(ClassifierMixin, BaseEstimator):
    """Base class: `fit` checks its input and calls `_fit_rows`, which a subclass writes.

    `_fit_rows` sets `coef_`, `intercept_`, `n_iter_`, `converged_` and the
    posterior's line, `_posterior_line` = (intercept, slope) in the score
    without intercept.
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LinearPUClassifier:
        """Fit the classifier.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            Feature rows.
        y : array-like of shape (n_rows,)
            Two values; by default the larger marks labelled rows.
        sample_weight : array-like of shape (n_rows,), optional
            Row weights; a row of weight 2 counts as two rows.

        Returns
        -------
        self : object
            The fitted classifier.
        """
        self._check_parameters()
        sparse = get_tags(self).input_tags.sparse
        rows = validate_rows(self, X, y, sample_weight, self.positive_label, accept_sparse=sparse)
        self.classes_ = rows.encoding.classes
        self._fit_rows(rows)
        return self

    @abstractmethod
    def _fit_rows(self, rows: LabelledRows) -> None:
        """Fit to checked rows."""

    def decision_function(self, X: Any) -> np.ndarray:
        """Signed distance from the cut: positive where `predict` says positive.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            Feature rows.

        Returns
        -------
        score : ndarray of shape (n_rows,)
            The linear score, intercept included.
        """
        score = self._score(X)
        return score + score.dtype.type(self.intercept_[0])

    def predict(self, X: Any) -> np.ndarray:
        """Predicted class of each row, as a label value: `classes_[1]` is positive.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            Feature rows.

        Returns
        -------
        y_pred : ndarray of shape (n_rows,)
            Label values.
        """
        positive = self.decision_function(X) > 0
        return LabelEncoding(self.classes_).decode(positive)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Estimated posterior P(Y=1|x) of the hidden class, not of the label.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            Feature rows.

        Returns
        -------
        proba : ndarray of shape (n_rows, 2)
            Columns in the order of `classes_`: negative, positive.
        """
        score = self._score(X)
        intercept, slope = self._posterior_line
        _, positive = softplus_and_sigmoid(intercept + slope * score)
        return np.column_stack([1 - positive, positive])

    def _score(self, X: Any) -> np.ndarray:
        """Score without intercept, computed in the same way in fit and predict."""
        check_is_fitted(self)
        X = validate_new_rows(self, X)
        return linear_score(X, self.coef_[0])

    def _check_parameters(self) -> None:
        _check_positive("C", self.C, Real, "a positive number, inf for no penalty")
        _check_positive("tol", self.tol, Real, "a positive number")
        _check_positive("max_iter", self.max_iter, Integral, "a whole number of at least 1")
        check_flag("fit_intercept", self.fit_intercept)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = True
        return tags


def linear_score(X: Any, coef: np.ndarray) -> np.ndarray:
    """X @ coef in the precision of X."""
    return np.asarray(X @ coef.astype(X.dtype, copy=False))


def check_flag(name: str, value: Any) -> None:
    """Refuse anything but True and False."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"`{name}` must be True or False; got {value!r}.")


def _check_positive(name: str, value: Any, kind: type, allowed: str) -> None:
    if isinstance(value, bool) or not isinstance(value, kind) or not value > 0:
        raise ValueError(f"`{name}` must be {allowed}; got {value!r}.")

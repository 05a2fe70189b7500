"""What every linear classifier has in common: a score, a cut, a posterior."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from ..labels import LabelEncoding, LabelledRows, validate_new_rows, validate_rows
from ..losses import softplus_and_sigmoid
from ..metrics import f1_pu_score
from ..objective import linear_score
from ..parameters import check_flag, check_positive


class LinearPUClassifier(ClassifierMixin, BaseEstimator):
    """Base class: `fit` checks its input and calls `_fit_rows`, which a subclass writes.

    `_fit_rows` sets `n_iter_`, `converged_` and calls `_set_model`.
    """

    # Set by the bootstrap: weights are copies of rows.
    _weights_are_copies = False

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LinearPUClassifier:
        """Fit the classifier.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            Feature rows. A sparse matrix is never made dense; formats other than CSR
            are converted to it once.
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
        rows = validate_rows(self, X, y, sample_weight, self.positive_label)
        self.classes_ = np.sort(rows.encoding.classes)
        self.positive_class_ = rows.encoding.classes[1]
        # scikit-learn's signs point to classes_[1]; the positive class is that one, or the other.
        self._sign = 1.0 if self.classes_[1] == self.positive_class_ else -1.0
        self._fit_rows(replace(rows, are_copies=self._weights_are_copies))
        return self

    @abstractmethod
    def _fit_rows(self, rows: LabelledRows) -> None:
        """Fit to checked rows."""

    def _set_model(
        self, coef: np.ndarray, intercept: float, posterior_line: tuple[float, float]
    ) -> None:
        """Store a model whose score points to the positive class.

        `posterior_line` is the posterior's (intercept, slope) in the score without intercept.
        """
        self.coef_ = self._sign * coef[None, :]
        self.intercept_ = np.array([self._sign * intercept])
        self._posterior_line = posterior_line

    def decision_function(self, X: Any) -> np.ndarray:
        """Signed distance from the cut: above 0 where `predict` says `classes_[1]`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            Feature rows.

        Returns
        -------
        score : ndarray of shape (n_rows,)
            The linear score, intercept included.
        """
        return self._score(X) + self.intercept_[0]

    def predict(self, X: Any) -> np.ndarray:
        """Predicted class of each row, as a label value: `positive_class_` or the other.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            Feature rows.

        Returns
        -------
        y_pred : ndarray of shape (n_rows,)
            Label values.
        """
        positive = self.decision_function(X) * self._sign > 0
        other = self.classes_[self.classes_ != self.positive_class_][0]
        return LabelEncoding(np.array([other, self.positive_class_])).decode(positive)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Estimated posterior P(Y=1|x) of the hidden class, not of the label.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            Feature rows.

        Returns
        -------
        proba : ndarray of shape (n_rows, 2)
            Columns in the order of `classes_`; that of `positive_class_` is
            P(Y=1|x), the last one unless `positive_label` is the smaller value.
        """
        score = self._score(X) * self._sign
        intercept, slope = self._posterior_line
        _, positive = softplus_and_sigmoid(intercept + slope * score)
        columns = [1 - positive, positive]
        return np.column_stack(columns if self._sign > 0 else columns[::-1])

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """F1_PU of the predictions: recall squared over the share predicted positive.

        Accuracy against the labels, what scikit-learn's classifiers return
        here, is largest when nobody is predicted positive.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            Feature rows.
        y : array-like of shape (n_rows,)
            Label column.
        sample_weight : array-like of shape (n_rows,), optional
            Row weights.

        Returns
        -------
        f1_pu : float
            Larger is better; 1 is reached by predicting everybody positive.
        """
        return f1_pu_score(
            y, self.predict(X), positive_label=self.positive_class_, sample_weight=sample_weight
        )

    def _score(self, X: Any) -> np.ndarray:
        """Score without intercept, computed in the same way in fit and predict."""
        check_is_fitted(self)
        X = validate_new_rows(self, X)
        return linear_score(X, self.coef_[0])

    def _check_parameters(self) -> None:
        check_positive("C", self.C, Real, "a positive number, inf for no penalty")
        check_positive("tol", self.tol, Real, "a positive number")
        check_positive("max_iter", self.max_iter, Integral, "a whole number of at least 1")
        check_flag("fit_intercept", self.fit_intercept)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = True
        return tags


def refuse_impossible_frequency(label_frequency: float | None, labelled_share: float) -> None:
    """Raise where a known c is below the share of labelled rows: P(Y=1) would exceed 1."""
    if label_frequency is not None and label_frequency < labelled_share * (1 - 1e-9):
        raise ValueError(
            f"`label_frequency` must be at least the share of labelled rows, {labelled_share:.4g}, "
            f"or there would be more positives than rows; got {label_frequency!r}."
        )

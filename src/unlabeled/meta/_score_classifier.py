"""What follows from a score, a threshold and a posterior: predictions and probabilities."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from ..engine.rows import LabelEncoding, check_features, is_dask, lazy_column
from ..engine.sampling import ONE_SAMPLE
from ..metrics import f1_pu_score


class ScoreClassifier(ClassifierMixin, BaseEstimator):
    """Base class: a subclass writes `positive_score`, for rows in memory, and `posterior_at`.

    A fitted one has `threshold_`, `classes_` and `positive_class_`, and `held_out_score_` if it
    has scored its training rows by fits without them. Results for rows in chunks of Dask are lazy:
    a subclass calls `_lazily` for them.
    """

    threshold_: float
    held_out_score_: np.ndarray
    classes_: np.ndarray
    positive_class_: Any

    @abstractmethod
    def positive_score(self, X: Any) -> np.ndarray:
        """Compute the score; rows above `threshold_` are predicted positive."""

    @abstractmethod
    def posterior_at(self, score: Any) -> np.ndarray:
        """Estimate P(Y=1|score)."""

    def decision_function(self, X: Any) -> np.ndarray:
        """Compute the score minus the threshold; rows above 0 are predicted as `classes_[1]`.

        Parameters
        ----------
        X : array-like, sparse matrix, frame or list
            Rows.

        Returns
        -------
        score : ndarray of shape (n_rows,)
            `positive_score` minus `threshold_`; with the opposite sign if `positive_class_` is
            ``classes_[0]``.
        """
        if is_dask(X):
            return self._lazily(X, "decision_function")
        return (self.positive_score(X) - self.threshold_) * self._sign()

    def predict(self, X: Any) -> np.ndarray:
        """Predict the class of each row, as a label value.

        Parameters
        ----------
        X : array-like, sparse matrix, frame or list
            Rows.

        Returns
        -------
        y_pred : ndarray of shape (n_rows,)
            `positive_class_` or the other value.
        """
        if is_dask(X):
            return self._lazily(X, "predict")
        positive = self.positive_score(X) > self.threshold_
        return LabelEncoding(self.classes_[:: self._sign()]).decode(positive)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Estimate the posterior P(Y=1|x) of the hidden class, not of the label.

        Parameters
        ----------
        X : array-like, sparse matrix, frame or list
            Rows.

        Returns
        -------
        proba : ndarray of shape (n_rows, 2)
            Columns in the order of `classes_`.
        """
        if is_dask(X):
            return self._lazily(X, "predict_proba", 2)
        positive = self.posterior_at(self.positive_score(X))
        return np.column_stack([1 - positive, positive][:: self._sign()])

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Compute the logarithm of `predict_proba`; -inf if a probability is rounded to 0.

        Parameters
        ----------
        X : array-like, sparse matrix, frame or list
            Rows.

        Returns
        -------
        log_proba : ndarray of shape (n_rows, 2)
            Columns in the order of `classes_`.
        """
        if is_dask(X):
            return self._lazily(X, "predict_log_proba", 2)
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Compute F1_PU of the predictions, as in `EnhancedLogistic.score`.

        Parameters
        ----------
        X : array-like, sparse matrix, frame or list
            Rows.
        y : array-like of shape (n_rows,)
            Label column.
        sample_weight : array-like of shape (n_rows,), optional
            Row weights.

        Returns
        -------
        f1_pu : float
            Larger is better.
        """
        return f1_pu_score(
            y,
            self.predict(X),
            positive_label=self.positive_class_,
            sample_weight=sample_weight,
            sampling=getattr(self, "sampling", ONE_SAMPLE),
        )

    @property
    def held_out_posterior_(self) -> np.ndarray:
        """P(Y=1|x) of every training row, by a fit without that row."""
        check_is_fitted(self, "threshold_")
        if "held_out_score_" not in vars(self):
            raise AttributeError(
                f"`held_out_posterior_` needs a {type(self).__name__} with `held_out_score_`; got "
                "one without. A fit with held-out scores has it; a model file and a fit to rows in "
                "chunks do not."
            )
        return self.posterior_at(self.held_out_score_)

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Models saved before this parameter existed.
        super().__setstate__({"sampling": ONE_SAMPLE} | state)

    def _sign(self) -> int:
        return 1 if self.classes_[1] == self.positive_class_ else -1

    def _lazily(self, X: Any, method: str, n_columns: int | None = None) -> Any:
        """Return a Dask array of the method's results, chunk by chunk; nothing is computed yet."""
        check_is_fitted(self, "threshold_")
        check_features(self, X)
        dtype = self.classes_.dtype if method == "predict" else np.dtype(np.float64)
        of_chunk = _OfChunk(getattr(self, method), dtype, n_columns, method)
        return lazy_column(X, of_chunk, dtype, n_columns)


@dataclass(frozen=True)
class _OfChunk:
    """A method of a fitted classifier on one chunk, which it gets as it is."""

    function: Any
    dtype: Any
    n_columns: int | None
    name: str

    @property
    def __name__(self) -> str:
        """Name of the task in Dask."""
        return self.name

    def __call__(self, chunk: Any) -> np.ndarray:
        if chunk.shape[0] == 0:  # scikit-learn rejects a table without rows
            return np.empty((0,) if self.n_columns is None else (0, self.n_columns), self.dtype)
        return np.asarray(self.function(chunk))

"""What every linear classifier has in common: a score, a threshold, a posterior."""

from __future__ import annotations

import sys
from abc import abstractmethod
from contextlib import nullcontext
from copy import copy
from dataclasses import dataclass
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from ..codes import LIBRARIES, each_warning_once
from ..engine.linear_fits import Watch
from ..engine.losses import softplus_and_sigmoid
from ..engine.objective import linear_score
from ..engine.parameters import (
    check_flag,
    check_fraction,
    check_ridge,
    check_stopping,
    check_verbose,
)
from ..engine.rows import (
    LabelEncoding,
    LabelledRows,
    float_type,
    is_dask,
    is_on_device,
    lazy_column,
    matrix_of,
    namespace_of,
    on_host,
    one_blas_thread,
    restore_on_failure,
    validate_new_rows,
    validate_rows,
)
from ..metrics import f1_pu_score

# Whether a fit is all that Ctrl-C would end.

# A pipeline fits its last step once; base.py checks the parameters of that call.
_ONE_FIT = tuple(str(Path(sklearn.__file__).parent / name) for name in ("pipeline.py", "base.py"))


def is_outermost_fit() -> bool:
    """Whether the function that asks was called by the user's code alone, or through a pipeline.

    A search, a bootstrap, a worker or a command of this library, of scikit-learn or of
    joblib goes on after a fit that returns: there Ctrl-C must not be taken for the end of one fit.
    """
    frame = sys._getframe(1).f_back
    while frame is not None:
        file = frame.f_code.co_filename
        if file.startswith(LIBRARIES) and file not in _ONE_FIT:
            return False
        frame = frame.f_back
    return True


# The label frequency a classifier is given as a number.


def reject_impossible_frequency(label_frequency: float | None, labelled_share: float) -> None:
    """Raise where a known c is below the share of labelled rows: P(Y=1) would exceed 1."""
    if label_frequency is not None and label_frequency < labelled_share * (1 - 1e-9):
        raise ValueError(
            f"`label_frequency` must be at least the share of labelled rows, {labelled_share:.4g}, "
            f"or there would be more positives than rows; got {label_frequency!r}."
        )


def check_known_frequency(given: Any, labelled_share: float) -> float:
    """Return a label frequency that is a number the labels allow."""
    if not isinstance(given, Real):
        raise ValueError(
            "`label_frequency` must be a number in (0, 1] or an estimator such as "
            f"ElkanNoto(); got {given!r}."
        )
    check_fraction("label_frequency", given)
    reject_impossible_frequency(given, labelled_share)
    return float(given)


# What every linear classifier has in common: a score, a cut, a posterior.


class LinearPUClassifier(ClassifierMixin, BaseEstimator):
    """Base class: `fit` checks its input and calls `_fit_rows`, which a subclass writes.

    `_fit_rows` sets `n_iter_`, `converged_` and calls `_set_model`; `watch` sees its
    evaluations and, where the user watches this one fit, may keep the best at Ctrl-C.
    """

    # Whether rows may stay in chunks of Dask or on a device; others must be in memory.
    _takes_rows_anywhere = False

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LinearPUClassifier:
        """Fit the classifier.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            Feature rows. A sparse matrix is never made dense; formats other than CSR
            are converted to it once. `NaiveLogistic`, `EnhancedLogistic` and
            `JointLogistic` take rows in chunks of Dask and arrays on a device
            as they are.
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
        check_verbose(self.verbose)
        keeps = self.verbose > 0 and is_outermost_fit()
        watch = Watch(type(self).__name__, self.verbose, keeps)
        with restore_on_failure(self), each_warning_once():
            self._fit(X, y, sample_weight, watch)
        return self

    def _fit(self, X: Any, y: Any, sample_weight: Any, watch: Watch) -> None:
        rows = validate_rows(
            self,
            X,
            y,
            sample_weight,
            self.positive_label,
            anywhere=self._takes_rows_anywhere,
        )
        self.classes_ = np.sort(rows.encoding.classes)
        self.positive_class_ = rows.encoding.classes[1]
        # Where the rows are elsewhere, what is left to do here is small; and Dask has threads
        # of its own.
        with nullcontext() if on_host(rows.X) else one_blas_thread():
            self._fit_rows(rows, watch)

    @property
    def threshold_(self) -> float:
        """Rows whose `positive_score` lies above it are predicted positive."""
        return 0.0 - self._sign * float(self.intercept_[0])

    @property
    def _sign(self) -> float:
        """1 where `classes_[1]`, to which scikit-learn's signs point, is positive; else -1."""
        return 1.0 if self.classes_[1] == self.positive_class_ else -1.0

    @property
    def _feature_names(self) -> np.ndarray | None:
        """Names of the features, for warnings and tables; None where they have none."""
        return getattr(self, "feature_names_in_", None)

    @abstractmethod
    def _fit_rows(self, rows: LabelledRows, watch: Watch) -> None:
        """Fit to checked rows."""

    def _set_model(
        self, coef: np.ndarray, intercept: float, posterior_line: tuple[float, float]
    ) -> None:
        """Store a model whose score points to the positive class.

        `posterior_line` is the posterior's (intercept, slope) in the score without intercept.
        """
        self.coef_ = self._sign * coef[None, :]
        self.intercept_ = np.array([self._sign * intercept])
        self.posterior_line_ = (float(posterior_line[0]), float(posterior_line[1]))

    def positive_score(self, X: Any) -> np.ndarray:
        """Score towards the positive class: above `threshold_` where `predict` says positive.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            Feature rows.

        Returns
        -------
        score : ndarray of shape (n_rows,)
            ``X @ coef_[0]``, without the intercept; minus that where `positive_class_` is
            ``classes_[0]``.
        """
        if is_dask(X):
            return self._lazily(X, "positive_score", np.dtype(np.float64))
        return self._score(X) * self._sign

    def posterior_at(self, score: Any) -> np.ndarray:
        """Estimated P(Y=1|score), which `predict_proba` gives to rows with that score.

        Parameters
        ----------
        score : array-like
            Values of `positive_score`.

        Returns
        -------
        posterior : ndarray of the shape of `score`
            The sigmoid of a + b times the score, with a and b from `posterior_line_`.
        """
        check_is_fitted(self)
        if is_dask(score):
            return score.map_blocks(self.posterior_at, dtype=np.dtype(np.float64))
        score = score if is_on_device(score) else np.asarray(score, dtype=np.float64)
        intercept, slope = self.posterior_line_
        return softplus_and_sigmoid(intercept + slope * score)[1]

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
        if is_dask(X):
            return self._lazily(X, "decision_function", np.dtype(np.float64))
        return self._score(X) + float(self.intercept_[0])

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
        check_is_fitted(self)
        if is_dask(X):
            return self._lazily(X, "predict", self.classes_.dtype)
        positive = self.positive_score(X) > self.threshold_
        return LabelEncoding(self.classes_[:: int(self._sign)]).decode(positive)

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
        if is_dask(X):
            return self._lazily(X, "predict_proba", np.dtype(np.float64), 2)
        positive = self.posterior_at(self.positive_score(X))
        columns = [1 - positive, positive]
        xp = namespace_of(positive)
        return xp.stack(columns if self._sign > 0 else columns[::-1], axis=1)

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithm of `predict_proba`, -inf where that is 0 by rounding.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            Feature rows.

        Returns
        -------
        log_proba : ndarray of shape (n_rows, 2)
            Columns in the order of `classes_`.
        """
        if is_dask(X):
            return self._lazily(X, "predict_log_proba", np.dtype(np.float64), 2)
        proba = self.predict_proba(X)
        with np.errstate(divide="ignore"):
            return namespace_of(proba).log(proba)

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

    def _lazily(self, X: Any, method: str, dtype: Any, n_columns: int | None = None) -> Any:
        """Return a Dask array of what a method says about each chunk of X, not computed yet."""
        check_is_fitted(self)
        computed_in = float_type(self, X, reset=False)
        return lazy_column(X, _OfChunk(self, method, computed_in), dtype, n_columns)

    def _score(self, X: Any) -> np.ndarray:
        """Score without intercept, computed in the same way in fit and predict."""
        check_is_fitted(self)
        X = validate_new_rows(self, X)
        return linear_score(X, self.coef_[0])

    def _check_parameters(self) -> None:
        check_ridge(self.C)
        check_stopping(self.tol, self.max_iter)
        check_flag("fit_intercept", self.fit_intercept)

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Models that were saved before there was `verbose`.
        super().__setstate__({"verbose": 0} | state)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = True
        tags.array_api_support = self._takes_rows_anywhere
        return tags


@dataclass(frozen=True)
class _OfChunk:
    """A fitted model's word on one chunk, whose feature names were checked before."""

    model: LinearPUClassifier
    method: str
    dtype: Any

    @property
    def __name__(self) -> str:
        """What Dask calls the task."""
        return self.method

    def __call__(self, chunk: Any) -> Any:
        X = matrix_of(chunk, self.dtype)
        names = getattr(self.model, "feature_names_in_", None)
        if X.shape[0] == 0:
            # scikit-learn takes no table without rows; one row tells the shape.
            return self(np.zeros((1, X.shape[1]), self.dtype))[:0]
        model = self.model
        if names is not None:
            model = copy(model)
            del model.feature_names_in_
        return getattr(model, self.method)(X)

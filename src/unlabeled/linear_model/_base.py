"""Base class of the linear classifiers: a score, a threshold, a posterior."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from contextlib import nullcontext
from copy import copy
from functools import partial
from typing import Any, Never, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..classifier import PUClassifier
from ..codes import Message, each_warning_once, warn
from ..engine.estimators import reject_other_arguments, restore_on_failure
from ..engine.linear_fits import BLOCK_ROWS, Watch, share_above_zero
from ..engine.objective import linear_score
from ..engine.parallel import one_blas_thread
from ..engine.parameters import (
    check_flag,
    check_ridge,
    check_stopping,
    check_verbose,
)
from ..engine.rows import (
    Rows,
    chunk_by_chunk,
    effects_on_share,
    float_type,
    map_rows,
    matrix_of,
    plus,
    reject_record_of_negatives,
    validate_new_rows,
    validate_rows,
)
from ..thresholds import warn_if_nearly_all_positive
from ._far_cells import far_cells, is_mapped, report_far_cells, within_limits


def reject_impossible_frequency(label_frequency: float, rows: Rows) -> None:
    """Raise if a known c is below the fraction of labeled rows, or 1 with unlabeled positives."""
    labeled_share = rows.labeled_share
    if label_frequency == 1 and rows.checked is not None and np.any(rows.checked == 1):
        raise ValueError(
            "`label_frequency` must be below 1 if an unlabeled row was found positive; got "
            f"{label_frequency!r}, which means that every positive is labeled. Pass a smaller "
            "one, or None."
        )
    if label_frequency < labeled_share * (1 - 1e-9):
        raise ValueError(
            f"`label_frequency` must be at least the share of labeled rows, {labeled_share:.4g}; "
            f"got {label_frequency!r}, which means more positives than rows. Pass a larger one."
        )


# Fewer answers may all be "no" by chance.
_MANY_CHECKED = 10


def warn_if_all_negative(rows: Rows) -> None:
    """Warn if many rows were checked, though not all, and none was found positive."""
    if rows.checked is None or np.any(rows.checked == 1):
        return
    if _MANY_CHECKED <= rows.n_checked < len(rows.s) - rows.n_labeled:
        warn(
            "PU123",
            Message(
                f"none of {rows.n_checked} checked rows is positive, so all numbers rest on "
                "your word that they were chosen before their class was known. If they were "
                "recorded because they are negative, the class prior is far too small.",
                python="Then pass them as `negatives` to PUEnsemble, or leave `checked` out.",
            ),
        )


FEW_LABELED = 10
"""With fewer labeled rows, PU114 warns, and commands decline; docs/checks.rst says why ten."""
# Sums of weights are rounded.
_ROUNDING = 1e-9


def warn_if_few_labeled(rows: Rows) -> None:
    """Warn if few rows are labeled, or if their weights make them count as few."""
    n_labeled, _ = rows.units_by_label
    if n_labeled < FEW_LABELED:
        n_all, unit = rows.s.shape[0], "rows"
        if rows.n_groups is not None:
            n_all, unit = rows.n_groups, "groups"
        warn(
            "PU114",
            f"only {n_labeled} of {n_all} {unit} labeled: too few for a reliable class prior and "
            "cut. The result depends on the model more than on these rows. Label more "
            f"{unit}.",
        )
    elif rows.weight is not None:
        labeled, words = rows.total_weight * rows.labeled_share, "add up to"
        if rows.unit is not None:
            labeled /= effects_on_share(rows.s, rows.weight, rows.unit).labeled
            words = "are so uneven that they tell as much as"
        if labeled < FEW_LABELED * (1 - _ROUNDING):
            warn(
                "PU114",
                f"the weights of {rows.n_labeled} labeled rows {words} {labeled:.3g}: too few for "
                "a reliable class prior and cut. Label more rows, or check the weights.",
            )


class LinearPUClassifier(PUClassifier):
    """Base class: `fit` validates its input and calls `_fit_rows`, which a subclass writes.

    `_fit_rows` sets the attributes below, `posterior_line_` (intercept and slope of the logit of
    the posterior along ``X @ coef``), and calls `_set_score`. `watch` prints the progress.
    """

    C: Any
    fit_intercept: bool
    tol: float
    max_iter: int
    pos_label: Any
    verbose: int
    coef_: np.ndarray
    intercept_: np.ndarray
    label_frequency_: float
    class_prior_: float
    n_features_in_: int
    feature_names_in_: np.ndarray
    n_iter_: int
    converged_: bool
    # Whether a fit takes cells that lie absurdly far out as at the end of the others.
    _limits_far_cells = False
    # Whether `fit` accepts Dask collections and arrays on a device, or only rows in memory.
    _takes_rows_anywhere = False

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **other: Never) -> Self:
        """Fit the classifier.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            Feature rows. A sparse matrix is never converted to a dense one as a whole;
            formats other than CSR are converted to CSR once. `PULogistic`, `NaiveLogistic`,
            `EnhancedLogistic` and `JointLogistic` (with its default solver and settings)
            also accept Dask collections and arrays on a GPU.
        y : array-like of shape (n_rows,)
            Two values; `pos_label` says which one marks labeled rows.
        sample_weight : array-like of shape (n_rows,), optional
            Row weights; `weights` says what they mean. By default only their ratios matter.
        **other : never
            What this fit does not take is rejected, with what takes it.

        Returns
        -------
        self : object
            The fitted classifier.
        """
        reject_other_arguments(self, other)
        return self._fit(X, y, sample_weight)

    def _fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        checked: Any = None,
        groups: Any = None,
    ) -> Self:
        """Validate the rows and fit."""
        self._check_parameters()
        check_verbose(self.verbose)
        watch = Watch(type(self).__name__, self.verbose)
        anywhere = self._takes_rows_anywhere
        with restore_on_failure(self), each_warning_once():
            rows = validate_rows(
                self,
                X,
                y,
                sample_weight,
                self.pos_label,
                anywhere,
                checked=checked,
                groups=groups,
            )
            reject_record_of_negatives(checked, rows.checked, rows.s)
            warn_if_all_negative(rows)
            warn_if_few_labeled(rows)
            self.classes_ = np.sort(rows.encoding.classes)
            self.positive_class_ = rows.encoding.classes[1]
            # For Dask or GPU input, little is computed in this process, and Dask runs its own
            # threads.
            with nullcontext() if rows.in_memory else one_blas_thread():
                self._fit_rows(self._limited(rows, report=True), watch)
                self._known_of_rows_ = self._told_by(rows)
        return self

    def _limited(self, rows: Rows, report: bool = False) -> Rows:
        """Return the rows as the fit takes them: far cells may get limits."""
        if rows.in_chunks or is_mapped(rows.X):
            return rows
        far = far_cells(rows.X)
        if report:
            report_far_cells(rows, far, self._feature_names, self._limits_far_cells)
        return within_limits(rows, far) if self._limits_far_cells else rows

    @abstractmethod
    def _fit_rows(self, rows: Rows, watch: Watch) -> None:
        """Fit to validated rows."""

    def _check_parameters(self) -> None:
        check_ridge(self.C)
        check_stopping(self.tol, self.max_iter)
        check_flag("fit_intercept", self.fit_intercept)

    def _strength(self, rows: Rows) -> float:
        """Return C for weights with mean 1; as given it is for the sum of the given weights."""
        return float(self.C) * rows.mean_weight

    def _set_score(self, coef: np.ndarray, intercept: float) -> None:
        """Store a score, which points to the positive class, and its cut."""
        self.coef_ = self._sign * coef[None, :]
        self.intercept_ = np.array([self._sign * intercept])

    def _set_posterior(self, rows: Rows, coef: np.ndarray, intercept: float) -> None:
        """Store a logistic posterior, which also decides; `label_frequency_` must be set."""
        intercept = rows.population_intercept(float(intercept), self.label_frequency_)
        self._set_score(coef, intercept)
        self.posterior_line_ = (intercept, 1.0)
        share = share_above_zero(plus(linear_score(rows.X, coef), intercept), rows.weight)
        warn_if_nearly_all_positive(share, "the cut at a posterior of 1/2")

    def _told_by(self, rows: Rows) -> tuple[float, ...]:
        """Return by what rows are recognized, in any order and whether dense or sparse.

        Their total weight and that of labeled ones. Of rows in memory also the mean score, that of
        labeled rows, and the standard deviation of the score. A plain tuple, for model files.
        """
        total = rows.given_weight
        sizes = (float(total), float(total * rows.labeled_share))
        if not rows.in_memory:
            return sizes
        of_block = partial(linear_score, coef=self.coef_[0])
        score = np.asarray(map_rows(of_block, BLOCK_ROWS, rows.X), dtype=np.float64)
        weight = np.ones(len(score)) if rows.weight is None else rows.weight
        mean = float(np.average(score, weights=weight))
        of_labeled = float(np.average(score, weights=weight * rows.s))
        spread = float(np.sqrt(np.average((score - mean) ** 2, weights=weight)))
        of_scores = (mean, of_labeled, spread)
        return (*sizes, *of_scores) if np.all(np.isfinite(of_scores)) else sizes

    @property  # `coef_` and `intercept_` say it
    def threshold_(self) -> float:  # type: ignore[override]
        """Rows whose `positive_score` lies above it are predicted positive."""
        check_is_fitted(self, "intercept_")
        return 0.0 - self._sign * float(self.intercept_[0])

    @property
    def _feature_names(self) -> np.ndarray | None:
        """Names of the features, for warnings and tables; None if they have no names."""
        return getattr(self, "feature_names_in_", None)

    @chunk_by_chunk()
    def positive_score(self, X: Any) -> np.ndarray:
        """Compute the score of each row; rows above `threshold_` are predicted positive.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            Feature rows.

        Returns
        -------
        score : ndarray of shape (n_rows,)
            ``X @ coef_[0]``, without the intercept; minus that if `positive_class_` is
            ``classes_[0]``.
        """
        return self._score(X) * self._sign

    def _score(self, X: Any) -> np.ndarray:
        """Score without intercept, computed in the same way in fit and predict."""
        check_is_fitted(self)
        return linear_score(validate_new_rows(self, X), self.coef_[0])

    def _for_chunks(self, X: Any) -> tuple[PUClassifier, Callable[[Any], Any]]:
        as_matrix = partial(matrix_of, dtype=float_type(self, X, reset=False))
        if getattr(self, "feature_names_in_", None) is None:
            return self, as_matrix
        model = copy(self)  # names were validated
        del model.feature_names_in_
        return model, as_matrix

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Models saved before this parameter existed.
        super().__setstate__({"verbose": 0} | state)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = True
        tags.array_api_support = self._takes_rows_anywhere
        return tags

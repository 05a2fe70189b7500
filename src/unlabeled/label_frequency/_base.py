"""What estimators of the label frequency have in common."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.preprocessing import StandardScaler
from sklearn.utils import ClassifierTags

from ..codes import warn
from ..engine.linear_fits import NOBODY, LinearProblem, Watch, report_fit
from ..engine.parameters import check_ridge, check_stopping
from ..engine.rows import (
    LabelledRows,
    join_folds,
    label_folds,
    reject_one_kind,
    reject_sparse,
    restore_on_failure,
    validate_rows,
)

# Rows made of rows: some of them, or all with features of unit variance.


def part_of(rows: LabelledRows, numbers: np.ndarray) -> LabelledRows:
    """The rows with these numbers."""
    weight = None if rows.weight is None else rows.weight[numbers]
    return replace(rows, X=rows.X[numbers], s=rows.s[numbers], weight=weight, kept=None)


def scaled_rows(rows: LabelledRows) -> LabelledRows:
    """Rows whose features have unit variance, so that a ridge treats them alike."""
    scaler = StandardScaler(with_mean=not sparse.issparse(rows.X))
    return replace(rows, X=scaler.fit_transform(rows.X, sample_weight=rows.weight))


# From the share of positives among unlabelled rows to the label frequency.


def frequency_of_share(unlabelled_share: float, labelled_share: float) -> float:
    r"""Label frequency when `unlabelled_share` of the unlabelled rows are positive.

    With :math:`p_s = P(S=1)` and :math:`\alpha_u = P(Y=1|S=0)` the class prior of
    the whole sample is :math:`\alpha = p_s + (1-p_s)\,\alpha_u`, and
    :math:`c = p_s/\alpha`. A cut of a score with recall r among the labelled rows,
    share q among all and :math:`q_u` among the unlabelled ones has
    :math:`q/r = p_s + (1-p_s)\,q_u/r`, so both samples give the same bound.
    """
    return labelled_share / (labelled_share + (1 - labelled_share) * unlabelled_share)


# Quantiles of values that weigh differently.

# Sums of weights are rounded: a level is reached a little before it.
_ROUNDING = 1e-12


def weighted_quantile(
    values: np.ndarray, weight: np.ndarray | None, level: float | np.ndarray
) -> np.ndarray:
    """Smallest value up to which lies at least `level` of all weight; None weighs rows alike.

    Examples
    --------
    >>> values, weight = np.array([3.0, 1.0, 2.0]), np.array([1.0, 2.0, 1.0])
    >>> weighted_quantile(values, weight, np.array([0.5, 0.75])).tolist()
    [1.0, 2.0]
    """
    order = np.argsort(values)
    mass = np.cumsum(np.ones_like(values) if weight is None else weight[order])
    enough = np.asarray(level) * mass[-1] * (1 - _ROUNDING)
    return np.asarray(values[order][np.searchsorted(mass, enough)])


# What every estimator of the label frequency has in common.


class LabelFrequencyEstimator(BaseEstimator):
    """Base class: `fit` sets `label_frequency_` (c) and `class_prior_` (P(Y=1), whole sample).

    To write an estimator of one's own, give a subclass a constructor parameter `positive_label`
    and the method `_estimate(rows)`, which returns its estimate of c as a float. The name keeps
    it apart from what users call; what it gets is kept as it is from version to version:

    - ``rows.X``: the features, checked, of floats; dense, or CSR where sparse rows were given
      (columns of a data frame are in order, their names in ``self.feature_names_in_``);
    - ``rows.s``: 1.0 for labelled rows and 0.0 for the others, whatever the labels were;
    - ``rows.weight``: positive weights, or None; rows of weight zero have left;
    - ``rows.labelled_share``: the weighted share of labelled rows, below which c cannot lie;
    - ``rows.n_labelled`` and ``rows.total_weight``: how many rows are labelled, and the
      weight of all.

    `_estimate` checks the parameters of the constructor and may set attributes that end in an
    underscore. `fit` does the rest: an estimate outside of [P(S=1), 1] is set to the nearer end,
    with the warning PU108.

    Attributes
    ----------
    label_frequency_ : float
        The estimate of c = P(S=1|Y=1).
    class_prior_ : float
        The share of labelled rows over `label_frequency_`.

    See Also
    --------
    BestBin : An estimator from the scores of rows left out of a fit.

    Examples
    --------
    >>> import numpy as np
    >>> from unlabeled.label_frequency import LabelFrequencyEstimator
    >>> class LargestShare(LabelFrequencyEstimator):
    ...     def __init__(self, positive_label=None):
    ...         self.positive_label = positive_label
    ...     def _estimate(self, rows):
    ...         values = np.unique(rows.X[:, 0])
    ...         return max(rows.s[rows.X[:, 0] == value].mean() for value in values)
    >>> X = np.array([[0], [0], [0], [0], [1], [1], [1], [1]])
    >>> y = np.array(["no", "no", "no", "yes", "yes", "yes", "no", "yes"])
    >>> LargestShare(positive_label="yes").fit(X, y).label_frequency_
    0.75
    """

    # What to use for sparse rows, where a subclass would have to make them dense.
    _instead_of_sparse: str | None = None
    # Set by `_fit_watched` while it runs.
    _watch: Watch = NOBODY

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LabelFrequencyEstimator:
        """Estimate the label frequency.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            Feature rows. A sparse matrix is never made dense; formats other than CSR
            are converted to it once. `TIcE` needs dense rows.
        y : array-like of shape (n_rows,)
            Two values; by default the larger marks labelled rows.
        sample_weight : array-like of shape (n_rows,), optional
            Row weights.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        if self._instead_of_sparse is not None:
            reject_sparse(X, type(self).__name__, self._instead_of_sparse)
        with restore_on_failure(self):
            rows = validate_rows(self, X, y, sample_weight, self.positive_label)
            self.label_frequency_ = self._within_range(self._estimate(rows), rows.labelled_share)
            self.class_prior_ = rows.labelled_share / self.label_frequency_
        return self

    def _fit_watched(self, watch: Watch, X: Any, s: Any, **weight: Any) -> Any:
        """Fit within the fit of a classifier, whose `watch` sees it."""
        self._watch = watch
        try:
            return self.fit(X, s, **weight)
        finally:
            del self._watch

    @abstractmethod
    def _estimate(self, rows: LabelledRows) -> float:
        """Return the estimate of c."""

    def _within_range(self, estimate: float, labelled_share: float) -> float:
        if labelled_share <= estimate <= 1.0:
            return float(estimate)
        bound = min(1.0, max(labelled_share, estimate))
        warn(
            "PU108",
            f"{type(self).__name__} estimated the label frequency as {estimate:.4g}; it must lie "
            f"between the share of labelled rows, {labelled_share:.4g}, and 1. "
            f"`label_frequency_` was set to {bound:.4g}.",
        )
        return float(bound)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.classifier_tags = ClassifierTags(multi_class=False)  # y has two values
        tags.input_tags.sparse = self._instead_of_sparse is None
        return tags


def fit_watched(estimator: Any, watch: Watch, X: Any, s: Any, **weight: Any) -> Any:
    """Fit an estimator of c within the fit of a classifier, whose `watch` sees it."""
    watch.announce(f"label frequency by {type(estimator).__name__}")
    if not isinstance(estimator, LabelFrequencyEstimator):
        return estimator.fit(X, s, **weight)
    return estimator._fit_watched(watch, X, s, **weight)


# Scores of a logistic fit to the labels, each row scored by a fit that did not see it.


@dataclass(frozen=True)
class NaiveFit:
    """How the logistic model of the labels is fitted, names for warnings, and who watches."""

    C: float
    fit_intercept: bool
    tol: float
    max_iter: int
    names: Any = None
    watch: Watch = NOBODY

    def score(self, seen: LabelledRows, new: LabelledRows, fold: str = "") -> NaiveScores:
        """Fit to some rows; return the linear predictor of others."""
        reject_one_kind(seen.s)
        problem = LinearProblem.of(seen.X, seen.weight, self.C, self.fit_intercept)
        stage = self.watch.stage(f"label frequency, naive{fold}")
        fit = problem.fit_logistic(seen.s, self.tol, self.max_iter, stage=stage)
        converged = report_fit(seen, fit, self.names)
        return NaiveScores(np.asarray(new.X @ fit.coef + fit.intercept), converged)


@dataclass(frozen=True)
class NaiveScores:
    """Linear predictors, and whether all fits behind them reached a finite optimum."""

    values: np.ndarray
    converged: bool


def naive_scores(
    rows: LabelledRows, fit: NaiveFit, cv: Any, random_state: Any, also: str = "None"
) -> NaiveScores:
    """Score every row out of fold, or with `cv` None by one fit to all rows.

    A row in the test part of several splits gets the mean of its scores.
    """
    if cv is None:
        return fit.score(rows, rows)
    splits = label_folds(rows, cv, random_state, also=also)
    parts, converged = [], True
    for k, (train, test) in enumerate(splits, start=1):
        seen, new = part_of(rows, train), part_of(rows, test)
        scores = fit.score(seen, new, f", fold {k} of {len(splits)}")
        parts.append((test, scores.values))
        converged &= scores.converged
    return NaiveScores(join_folds(len(rows.s), parts), converged)


# What estimators of the label frequency from out-of-fold scores have in common.

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

"""What every estimator of the label frequency has in common."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.utils import ClassifierTags

from ..codes import warn
from ..labels import LabelledRows, fit_or_leave, refuse_sparse, validate_rows
from ..solvers import NOBODY, Watch


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
            refuse_sparse(X, type(self).__name__, self._instead_of_sparse)
        with fit_or_leave(self):
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

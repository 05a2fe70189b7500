"""The base class of all estimators of the label frequency, and what its subclasses share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple, Self, TypeVar

import numpy as np
from scipy import sparse
from sklearn.preprocessing import StandardScaler
from sklearn.utils import ClassifierTags

from ..codes import Message, warn
from ..engine.estimators import restore_on_failure
from ..engine.rows import SAMPLING, Rows, reject_without_folds, remember_labels, validate_rows
from ..engine.sampling import ONE_SAMPLE
from ..engine.sklearn_types import BaseEstimator

# Tolerance: sums of weights carry rounding errors.
_ROUNDING = 1e-12


class EstimatorWords(NamedTuple):
    """What the documentation says of an estimator: what it looks at, and what breaks it."""

    looks_at: str
    breaks: str


ESTIMATORS: dict[type[BaseEstimator], EstimatorWords] = {}
"""Every estimator of this part, with its words."""

_Class = TypeVar("_Class", bound=type[BaseEstimator])


def estimator(*, looks_at: str, breaks: str) -> Callable[[_Class], _Class]:
    """Register the estimator below with its words."""

    def register(one: _Class) -> _Class:
        ESTIMATORS[one] = EstimatorWords(looks_at, breaks)
        return one

    return register


class LabelFrequencyEstimator(BaseEstimator):
    """Base class of all estimators of the label frequency; subclass it to write your own.

    Give the subclass a constructor parameter `pos_label` and a method `_estimate(rows)`
    that returns its estimate of c as a float. The argument `rows` is stable across versions:

    - ``rows.X``: the validated features, as floats; dense, or CSR if the input was sparse
      (the column names of a data frame are in ``self.feature_names_in_``);
    - ``rows.s``: 1.0 for labeled rows and 0.0 for the others, whatever the label values;
    - ``rows.weight``: positive weights, or None; rows of weight zero are already removed;
    - ``rows.groups``: which rows belong together, or None;
    - ``rows.labeled_share``: the weighted fraction of labeled rows, a lower bound of c;
    - ``rows.n_labeled`` and ``rows.total_weight``: the number of labeled rows, and the total
      weight of all rows.

    `_estimate` validates the constructor parameters and may set attributes that end in an
    underscore. `fit` does the rest: it validates the input and sets `label_frequency_` and
    `class_prior_`. It moves an estimate outside [P(S=1), 1] to the nearer end, with the warning
    PU108.

    Attributes
    ----------
    label_frequency_ : float
        The estimate of c = P(S=1|Y=1).
    class_prior_ : float
        P(Y=1) in the whole sample: the fraction of labeled rows divided by `label_frequency_`.
        If a subclass has a parameter `sampling` that is "two-sample", P(Y=1) of the population,
        that is of the unlabeled rows.

    See Also
    --------
    BestBin : An estimator that uses out-of-fold scores.

    Examples
    --------
    >>> import numpy as np
    >>> from unlabeled.label_frequency import LabelFrequencyEstimator
    >>> class LargestShare(LabelFrequencyEstimator):
    ...     def __init__(self, pos_label=None):
    ...         self.pos_label = pos_label
    ...     def _estimate(self, rows):
    ...         values = np.unique(rows.X[:, 0])
    ...         return max(rows.s[rows.X[:, 0] == value].mean() for value in values)
    >>> X = np.array([[0], [0], [0], [0], [1], [1], [1], [1]])
    >>> y = np.array(["no", "no", "no", "yes", "yes", "yes", "no", "yes"])
    >>> LargestShare(pos_label="yes").fit(X, y).label_frequency_
    0.75
    """

    pos_label: Any
    label_frequency_: float
    class_prior_: float
    n_features_in_: int
    feature_names_in_: np.ndarray

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Estimate the label frequency.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            Feature rows. A sparse matrix is never converted to a dense one as a whole; formats
            other than CSR are converted to CSR once. `TIcE` needs dense rows.
        y : array-like of shape (n_rows,)
            Two values; `pos_label` says which one marks labeled rows.
        sample_weight : array-like of shape (n_rows,), optional
            Row weights; `weights` says what they mean. By default only their ratios matter.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        self._fit(X, y, sample_weight)
        return self

    def _fit(self, X: Any, y: Any, sample_weight: Any, groups: Any = None) -> None:
        with restore_on_failure(self):
            rows = validate_rows(self, X, y, sample_weight, self.pos_label, groups=groups)
            self.label_frequency_ = self._within_range(self._estimate(rows), rows.labeled_share)
            self.class_prior_ = rows.population_prior(rows.labeled_share / self.label_frequency_)

    @abstractmethod
    def _estimate(self, rows: Rows) -> float:
        """Return the estimate of c."""

    def _within_range(self, estimate: float, labeled_share: float) -> float:
        if labeled_share <= estimate <= 1.0:
            return float(estimate)
        bound = min(1.0, max(labeled_share, estimate))
        warn(
            "PU108",
            Message(
                f"{type(self).__name__} estimated the label frequency as {estimate:.4g}; it must "
                f"lie between the share of labeled rows, {labeled_share:.4g}, and 1.",
                python=f"`label_frequency_` was set to {bound:.4g}.",
            ),
        )
        return float(bound)

    def __sklearn_clone__(self) -> Any:
        return remember_labels(super().__sklearn_clone__())

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Estimators saved before these parameters existed.
        super().__setstate__({"sampling": ONE_SAMPLE, "weights": SAMPLING} | state)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.classifier_tags = ClassifierTags(multi_class=False)  # y has two values
        tags.input_tags.sparse = True
        return tags


class FoldsFrequencyEstimator(LabelFrequencyEstimator):
    """Base class of estimators that hold rows out by their parameter `cv`, whole groups if any."""

    cv: Any

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None) -> Self:
        """Estimate the label frequency.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            Feature rows. A sparse matrix is never converted to a dense one as a whole; formats
            other than CSR are converted to CSR once. `TIcE` needs dense rows.
        y : array-like of shape (n_rows,)
            Two values; `pos_label` says which one marks labeled rows.
        sample_weight : array-like of shape (n_rows,), optional
            Row weights; `weights` says what they mean. By default only their ratios matter.
        groups : array-like of shape (n_rows,) or "copies", optional
            Which rows belong together, such as those of one person or one place. They are never
            in different folds.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        if self.cv is None:
            reject_without_folds(self.cv, groups, "holds no rows out")
        self._fit(X, y, sample_weight, groups)
        return self


def frequency_of_share(unlabeled_share: float, labeled_share: float) -> float:
    r"""Return the label frequency, given the fraction of positives among the unlabeled rows.

    With :math:`p_s = P(S=1)` and :math:`\alpha_u = P(Y=1|S=0)` the class prior of
    the whole sample is :math:`\alpha = p_s + (1-p_s)\,\alpha_u`, and
    :math:`c = p_s/\alpha`. Let a cut of a score have recall r among the labeled rows,
    share q among all rows and share :math:`q_u` among the unlabeled rows. Then
    :math:`q/r = p_s + (1-p_s)\,q_u/r`, so bounds from the unlabeled rows and from all rows
    agree.
    """
    return labeled_share / (labeled_share + (1 - labeled_share) * unlabeled_share)


def scale_rows(rows: Rows) -> Rows:
    """Give the features unit variance, so that a ridge treats them alike."""
    scaler = StandardScaler(with_mean=not sparse.issparse(rows.X))
    return replace(rows, X=scaler.fit_transform(rows.X, sample_weight=rows.weight))

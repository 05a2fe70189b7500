"""Input and output of a check: a `Case` in, a `CheckResult` out.

A check is a function ``check_<name>(case: Case) -> CheckResult`` in the file ``_check_<name>.py``.
It may raise `NotApplicable`. `CHECKS` in `_diagnose.py` gives it its name and its code.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils.validation import validate_data

from ..classifier import held_out_label_logit
from ..codes import PUWarning
from ..engine import parameters
from ..engine.arrays import with_distinct_entries
from ..engine.intervals import Interval
from ..engine.linear_fits import (
    NEAR,
    LinearFit,
    LinearProblem,
    is_separated,
    separating_columns,
)
from ..engine.rows import Effects, LabelEncoding, Rows, RowWeights, names_or_numbers
from ..engine.sampling import Sampling
from ..labeling import columns_named_by, labeling_of
from ..linear_model import (
    Direction,
    JointLogistic,
    PULogistic,
    WeightedLogistic,
    held_out_direction,
)
from ..meta import PUThresholdClassifier
from ..scores import FollowedColumn, followed_column, label_effects
from ..thresholds import Cuts, count_above

# Tolerances of the fits that checks make.
_TOL, _MOST_ITERATIONS = 1e-4, 1000
_MOST_LISTED = 3


@dataclass(frozen=True)
class CheckResult:
    """What a check found.

    Attributes
    ----------
    state : {"fine", "note", "warning", "serious"}
    message : str
        What was found, what it means, what to do.
    facts : dict
        The numbers behind the message: plain numbers, texts and lists of them.
    code : str, optional
        Key of `codes.CODES`, if it is not the check's own code.
    """

    state: str
    message: str
    facts: dict[str, Any] = field(default_factory=dict)
    code: str | None = None


class NotApplicable(Exception):  # noqa: N818  (it is not an error)
    """Raised if a check does not apply. The message must fit after "because"."""


@dataclass(frozen=True, eq=False)
class Case:
    """A fitted classifier and its rows; what several checks need is computed once.

    Attributes
    ----------
    inner : InnerModel
        The classifier, the model inside it, and the features that reach the model.
    X : object
        The features as the user gave them.
    s : ndarray of shape (n_rows,)
        1.0 for labeled rows, 0.0 for the others.
    caught : tuple of Warning or None
        Warnings of the fit; None if the classifier was already fitted.
    random_state : object
        Controls the folds and resamples of checks that need them.
    groups : ndarray of shape (n_rows,) or None
        Which rows belong together.
    weights : RowWeights
        Row weights; without them every row counts once.
    """

    inner: InnerModel
    X: Any
    s: np.ndarray
    caught: tuple[Warning, ...] | None
    random_state: Any = None
    groups: np.ndarray | None = None
    weights: RowWeights = RowWeights()  # noqa: RUF009 (it cannot be changed)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the features that reach the model."""
        return self.inner.names

    @property
    def sources(self) -> tuple[str, ...]:
        """The column of the user's table that each feature was made from."""
        return self.inner.sources or self.names

    @property
    def n_labeled(self) -> int:
        """Number of labeled rows."""
        return int(self.s.sum())

    @cached_property
    def rows(self) -> Rows:
        """The features that reach the model, as finite numbers, with their labels."""
        X = self.inner.X
        is_sparse = bool(sparse.issparse(X))
        if not is_sparse:
            if X.ndim != 2 or X.dtype.kind not in "biuf":
                raise NotApplicable("the features that reach the model are not all numbers")
            X = np.ascontiguousarray(X, dtype=np.float64)
        else:
            X = with_distinct_entries(X.tocsr().astype(np.float64, copy=False))
        if not np.all(np.isfinite(X.data if is_sparse else X)):
            raise NotApplicable("some values of the features are missing")
        encoding = LabelEncoding(np.array([0, 1]))
        rows = Rows(X, self.s, None, encoding, groups=self.groups, sampling=self.sampling)
        return replace(rows, weight=self.weights.weight, unit=self.weights.unit)

    @property
    def sampling(self) -> Sampling:
        """Whether the unlabeled rows alone are a sample of the population."""
        return Sampling.of_model(self.inner.classifier)

    def need_independent_rows(self) -> None:
        """Raise if rows come in groups, or have weights: the test would find too much."""
        if self.groups is not None:
            raise NotApplicable("the test takes rows as independent, and these come in groups")
        if self.weights.weight is not None:
            raise NotApplicable("the test takes all rows as equally sure, and these have weights")

    @property
    def labels_follow(self) -> tuple[str, ...]:
        """What labeling follows in this fit; nothing if labels are given at random."""
        features = getattr(self.inner.model, "propensity_features_", ())
        named = labeling_of(getattr(self.inner.classifier, "labeling", None))
        if named is not None:
            return tuple(map(self._named, columns_named_by(named))) or (repr(named),)
        return tuple(dict.fromkeys(self.sources[int(j)] for j in features))

    def _named(self, column: Any) -> str:
        is_position = isinstance(column, Integral)
        return self.sources[int(column)] if is_position else str(column)

    def need_labels_at_random(self) -> None:
        """Raise if the fit does not take labels as given at random: the test would."""
        if self.labels_follow:
            raise NotApplicable(
                "the test takes labels as given at random, and in this fit they follow "
                f"{listed(self.labels_follow)}"
            )

    @property
    def dense(self) -> np.ndarray:
        """The features as an array."""
        if sparse.issparse(self.rows.X):
            raise NotApplicable("the features are a sparse matrix")
        return np.asarray(self.rows.X)

    @property
    def is_linear(self) -> bool:
        """Whether the model's score is linear in the features."""
        return hasattr(self.inner.model, "coef_")

    @property
    def is_penalized(self) -> bool:
        """Whether a penalty, such as a ridge, keeps the model from memorizing rows."""
        if not self.is_linear:
            return True
        C = getattr(self.inner.model, "C", np.inf)
        return getattr(self.inner.model, "penalty", "") is not None and C != np.inf

    @property
    def uses_naive_direction(self) -> bool:
        """Whether the model's direction is that of a logistic fit to the labels."""
        model = self.inner.model
        if isinstance(model, PULogistic):
            return model.direction_ == "naive"
        return self.is_linear and not isinstance(model, JointLogistic | WeightedLogistic)

    @cached_property
    def separating(self) -> np.ndarray:
        """Columns in which all labeled rows are on one side of all others, ties allowed."""
        return separating_columns(self.rows.X, self.s)

    @cached_property
    def linear(self) -> LinearProblem:
        """The features without separating columns, prepared for unpenalized fits."""
        kept = np.setdiff1d(np.arange(self.rows.X.shape[1]), self.separating)
        if len(kept) == 0:
            raise NotApplicable("in every feature all labeled rows lie on one side of all others")
        X = self.rows.X if len(self.separating) == 0 else self.rows.X[:, kept]
        return LinearProblem.of(X, None)

    @cached_property
    def naive(self) -> LinearFit:
        """The unpenalized logistic fit to the labels, without separating columns."""
        return self.linear.fit_logistic(self.s, _TOL, _MOST_ITERATIONS)

    @cached_property
    def is_separated(self) -> bool:
        """Whether the naive fit has no finite optimum."""
        apart = is_separated(self.naive.predictor(), self.s)
        return apart or self.naive.result.distance > NEAR or not self.naive.result.converged

    @property
    def finite_naive(self) -> LinearFit:
        """The naive fit; not applicable with too few labeled rows, or without a finite optimum."""
        if self.n_labeled <= self.linear.X.shape[1]:
            raise NotApplicable("the check needs more labeled rows than features")
        if self.is_separated:
            raise NotApplicable("the naive fit does not converge on these rows without a penalty")
        return self.naive

    @cached_property
    def _joint(self) -> JointLogistic:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PUWarning)
            return JointLogistic(tol=_TOL).fit(self.linear.X, self.s)

    @property
    def joint(self) -> JointLogistic:
        """JOINT without a penalty and without separating columns."""
        if self.n_labeled <= self.linear.X.shape[1]:
            raise NotApplicable("the check needs more labeled rows than features")
        if self.is_separated or not self._joint.converged_:
            raise NotApplicable("JointLogistic does not converge on these rows without a penalty")
        return self._joint

    @cached_property
    def held_out(self) -> Direction:
        """The naive direction with a ridge, and held-out scores of all rows."""
        return direction_of_labels(self.rows, self.random_state)

    @cached_property
    def followed(self) -> FollowedColumn:
        """The column that labels follow most, along held-out scores of the classifier itself."""
        score = self._own_score
        score = self.held_out.point.score if score is None else score
        there, X = np.isfinite(score), self.rows.X
        by_column: Any = X.tocsc() if sparse.issparse(X) else X  # type: ignore[attr-defined]
        columns = (_cells_of(by_column, j)[there] for j in range(X.shape[1]))
        found = followed_column(score[there], columns, self.s[there])
        if found is None:
            raise NotApplicable("no column has more than one value")
        return found

    @property
    def _own_score(self) -> np.ndarray | None:
        """Held-out scores of the labels by the classifier; None if it has none of these rows."""
        score = held_out_label_logit(self.inner.classifier)
        return score if score is not None and len(score) == len(self.s) else None

    def own_prior(self, confidence_level: float) -> Interval | None:
        """Return what the classifier says of the class prior; None if it estimates none."""
        if getattr(self.inner.classifier, "class_prior_density_", None) is None:
            return None
        interval: Interval = self.inner.classifier.class_prior_interval(
            confidence_level=confidence_level
        )
        return interval

    @cached_property
    def cuts(self) -> Cuts:
        """Numbers of labeled rows and of all rows above every held-out score."""
        return count_above(self.held_out.point.score, self.s, self.weights.weight, self.sampling)

    @cached_property
    def effects(self) -> Effects:
        """How many rows tell as much as one independent row; 1 without groups and weights."""
        weight, unit, _ = self.weights
        return label_effects(self.held_out.point.score, self.s, weight, self.groups, unit)


def direction_of_labels(rows: Rows, random_state: Any) -> Direction:
    """Return the naive direction with the best ridge, and held-out scores of all rows."""
    if min(rows.fold_units_by_label) < 2:
        unit = rows.fold_unit.removesuffix("s")
        raise NotApplicable(f"only one {unit} is labeled, or unlabeled")
    return held_out_direction(rows, random_state, _TOL, _MOST_ITERATIONS)


def _cells_of(X: Any, j: int) -> np.ndarray:
    column = X[:, [j]]
    return np.ravel(column if isinstance(column, np.ndarray) else column.toarray())


class InnerModel(NamedTuple):
    """A fitted classifier without its wrappers, such as pipelines and searches.

    Attributes
    ----------
    classifier : object
        The classifier with the threshold and the class prior.
    model : object
        The model with the score: the classifier itself, or the one inside a
        `PUThresholdClassifier`.
    X : array, sparse matrix or what the model takes
        The features that reach the model.
    names : tuple of str
        Names of these features.
    sources : tuple of str
        The column of the user's table that each feature was made from, if the transformer has
        the attribute ``output_to_input_``, as `TableFeatures` has; otherwise the feature's name.
    """

    classifier: Any
    model: Any
    X: Any
    names: tuple[str, ...]
    sources: tuple[str, ...] = ()


def inner_model(estimator: Any, X: Any) -> InnerModel:
    """Unwrap pipelines, searches and threshold classifiers down to the model inside."""
    classifier, names = None, getattr(X, "columns", None)
    source_of: dict[Any, Any] = {}
    while True:
        if hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        elif hasattr(estimator, "steps"):
            if len(estimator.steps) > 1:
                X, names = estimator[:-1].transform(X), _names_out(estimator[:-1])
                source_of = getattr(estimator[-2], "output_to_input_", {})
            estimator = estimator[-1]
        elif isinstance(estimator, PUThresholdClassifier):
            _reject_other_features(estimator, X)
            classifier = estimator
            estimator = estimator.estimator_
        else:
            break
    if classifier is None:
        _reject_other_features(estimator, X)
    if not sparse.issparse(X):
        X = np.asarray(X)
    if names is None or X.ndim != 2 or len(names) != X.shape[1]:
        names = None
    names = names_or_numbers(names, X.shape[-1])
    sources = tuple(str(source_of.get(name, name)) for name in names)
    return InnerModel(classifier or estimator, estimator, X, names, sources)


def _reject_other_features(estimator: Any, X: Any) -> None:
    """Raise if the features differ, in number or name, from those of the fit."""
    validate_data(estimator, X, reset=False, skip_check_array=True)


def _names_out(steps: Any) -> Any:
    """Return the names of the steps' output; None if a step does not name it."""
    try:
        return steps.get_feature_names_out()
    except (AttributeError, ValueError):
        return None


def listed(names: Sequence[str]) -> str:
    """Write the first few names, and dots if there are more.

    Examples
    --------
    >>> listed(["age", "dose"]), listed("abcd")
    ("'age', 'dose'", "'a', 'b', 'c', ...")
    """
    return parameters.listed([str(name) for name in names], most=_MOST_LISTED)

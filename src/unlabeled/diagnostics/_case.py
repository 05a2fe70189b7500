"""Data and a classifier as the checks see them, and what a check is."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils.validation import validate_data

from ..codes import PUWarning
from ..engine.linear_fits import (
    NEAR,
    LinearFit,
    LinearProblem,
    RidgePath,
    is_separated,
    separating_columns,
)
from ..engine.rows import (
    LabelEncoding,
    LabelledRows,
    names_or_numbers,
    with_distinct_entries,
)
from ..linear_model import (
    ComparableFeatures,
    Direction,
    JointLogistic,
    PULogistic,
    WeightedLogistic,
    held_out_splits,
    naive_direction,
)
from ..meta import PUThresholdClassifier
from ..thresholds import Cuts, count_above
from ._finding import Finding

# What a classifier sees: the features that reach it, and their names.


class InnerModel(NamedTuple):
    """A fitted classifier without what is wrapped around it.

    Attributes
    ----------
    classifier : object
        The classifier that cuts and has a class prior.
    model : object
        The one that scores, the same unless a `PUThresholdClassifier` is around it.
    X : array, sparse matrix or what the model takes
        The features that reach the model.
    names : tuple of str
        Names of the features.
    sources : tuple of str
        The column of the user's table each feature was made from, where the step
        that made it says so (``output_to_input_``, as skrub calls it); else its name.
    """

    classifier: Any
    model: Any
    X: Any
    names: tuple[str, ...]
    sources: tuple[str, ...] = ()


def seen_by(estimator: Any, X: Any) -> InnerModel:
    """Walk through pipelines, searches and threshold classifiers to the model inside."""
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
            reject_other_features(estimator, X)
            classifier = estimator
            estimator = estimator.estimator_
        else:
            break
    if classifier is None:
        reject_other_features(estimator, X)
    if not sparse.issparse(X):
        X = np.asarray(X)
    if names is None or X.ndim != 2 or len(names) != X.shape[1]:
        names = None
    names = names_or_numbers(names, X.shape[-1])
    sources = tuple(str(source_of.get(name, name)) for name in names)
    return InnerModel(classifier or estimator, estimator, X, names, sources)


def reject_other_features(estimator: Any, X: Any) -> None:
    """Raise where the features differ, in number or name, from those of the fit."""
    validate_data(estimator, X, reset=False, skip_check_array=True)


def _names_out(steps: Any) -> Any:
    """Names the steps give to what they return; None where one of them does not say."""
    try:
        return steps.get_feature_names_out()
    except (AttributeError, ValueError):
        return None


def missing_columns(X: Any) -> dict[str, np.ndarray]:
    """Return which cells are missing, for the columns of the user's table that have some."""
    if sparse.issparse(X):
        return {}
    if hasattr(X, "iloc"):  # pandas knows, without a copy of the table as objects
        columns = {str(name): X.iloc[:, j].isna().to_numpy() for j, name in enumerate(X.columns)}
    else:
        names = getattr(X, "columns", None)
        values = np.asarray(X, dtype=object if names is not None else None)
        if values.ndim != 2 or values.dtype.kind not in "fO":
            return {}
        known = names_or_numbers(names, values.shape[1])
        columns = {name: _is_missing(values[:, j]) for j, name in enumerate(known)}
    return {name: missing for name, missing in columns.items() if 0 < missing.sum() < len(missing)}


def _is_missing(column: np.ndarray) -> np.ndarray:
    if column.dtype.kind == "f":
        return np.isnan(column)
    return np.array([value is None or _differs_from_itself(value) for value in column], dtype=bool)


def _differs_from_itself(value: Any) -> bool:
    try:
        return bool(value != value)
    except TypeError:  # pandas' NA refuses to say
        return True


# Data and a classifier as the checks see them; what several checks need is computed once.

_TOL, _MOST_ITERATIONS = 1e-4, 1000


class NotApplicable(Exception):  # noqa: N818  (it is no error)
    """Raised where a check cannot be made; the message completes "because"."""


@dataclass(frozen=True, eq=False)
class Case:
    """A fitted classifier and the rows to judge it by.

    Attributes
    ----------
    seen : Seen
        The classifier, the model inside, the features that reach it.
    X : object
        The features as the user gave them.
    s : ndarray of shape (n_rows,)
        1.0 for labelled rows, 0.0 for the others.
    caught : tuple of Warning or None
        What the fit warned of; None where the classifier came fitted.
    random_state : object
        Draws folds and resamples, where a check needs any.
    """

    seen: InnerModel
    X: Any
    s: np.ndarray
    caught: tuple[Warning, ...] | None
    random_state: Any = None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the features that reach the model."""
        return self.seen.names

    @property
    def n_labelled(self) -> int:
        """How many rows are labelled."""
        return int(self.s.sum())

    @cached_property
    def rows(self) -> LabelledRows:
        """The features that reach the model, as finite numbers, with their labels."""
        X = self.seen.X
        is_sparse = bool(sparse.issparse(X))
        if not is_sparse:
            if X.ndim != 2 or X.dtype.kind not in "biuf":
                raise NotApplicable("the features that reach the model are not a table of numbers")
            X = np.ascontiguousarray(X, dtype=np.float64)
        else:
            X = with_distinct_entries(X.tocsr().astype(np.float64, copy=False))
        if not np.all(np.isfinite(X.data if is_sparse else X)):
            raise NotApplicable("some features are missing")
        return LabelledRows(X, self.s, None, LabelEncoding(np.array([0, 1])))

    @property
    def dense(self) -> np.ndarray:
        """The features as an array."""
        if sparse.issparse(self.rows.X):
            raise NotApplicable("the features are a sparse matrix")
        return np.asarray(self.rows.X)

    @property
    def is_linear(self) -> bool:
        """Whether the model's score is linear in the features."""
        return hasattr(self.seen.model, "coef_")

    @property
    def is_penalised(self) -> bool:
        """Whether something, such as a ridge, keeps the model from memorising rows."""
        if not self.is_linear:
            return True
        C = getattr(self.seen.model, "C", np.inf)
        return getattr(self.seen.model, "penalty", "") is not None and C != np.inf

    @property
    def uses_naive_direction(self) -> bool:
        """Whether the model's direction is that of a logistic fit to the labels."""
        model = self.seen.model
        if isinstance(model, PULogistic):
            return model.direction_ == "naive"
        return self.is_linear and not isinstance(model, JointLogistic | WeightedLogistic)

    @cached_property
    def separating(self) -> np.ndarray:
        """Columns with all labelled rows on one side of all others, touching allowed."""
        return separating_columns(self.rows.X, self.s)

    @cached_property
    def linear(self) -> LinearProblem:
        """The features that do not separate, ready for unpenalised fits."""
        kept = np.setdiff1d(np.arange(self.rows.X.shape[1]), self.separating)
        if len(kept) == 0:
            raise NotApplicable("every feature separates labelled from unlabelled rows")
        X = self.rows.X if len(self.separating) == 0 else self.rows.X[:, kept]
        return LinearProblem.of(X, None)

    @cached_property
    def naive(self) -> LinearFit:
        """The unpenalised logistic fit to the labels, by the features that do not separate."""
        return self.linear.fit_logistic(self.s, _TOL, _MOST_ITERATIONS)

    @cached_property
    def is_separated(self) -> bool:
        """Whether that fit has no finite optimum."""
        apart = is_separated(self.naive.predictor(), self.s)
        return apart or self.naive.result.distance > NEAR or not self.naive.result.converged

    @property
    def finite_naive(self) -> LinearFit:
        """That fit, where there are labelled rows enough for it and it has a finite optimum."""
        if self.n_labelled <= self.linear.X.shape[1]:
            raise NotApplicable("there are no more labelled rows than features")
        if self.is_separated:
            raise NotApplicable("the naive fit has no finite optimum on these rows")
        return self.naive

    @cached_property
    def _joint(self) -> JointLogistic:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PUWarning)
            return JointLogistic(tol=_TOL).fit(self.linear.X, self.s)

    @property
    def joint(self) -> JointLogistic:
        """JOINT without a penalty, by the features that do not separate."""
        if self.n_labelled <= self.linear.X.shape[1]:
            raise NotApplicable("there are no more labelled rows than features")
        if self.is_separated or not self._joint.converged_:
            raise NotApplicable("JOINT has no finite unpenalised optimum on these rows")
        return self._joint

    @cached_property
    def honest(self) -> Direction:
        """The naive direction with a ridge, and the score of every row by a fit without it."""
        return held_out_direction(self.rows, self.random_state)

    @cached_property
    def cuts(self) -> Cuts:
        """Labelled and all rows above every honest score."""
        return count_above(self.honest.point.score, self.s)


def held_out_direction(rows: LabelledRows, random_state: Any) -> Direction:
    """The naive direction with the best ridge, its rows scored by fits that left them out."""
    if min(rows.n_labelled, len(rows.s) - rows.n_labelled) < 2:
        raise NotApplicable("only one row is labelled, or unlabelled")
    features = ComparableFeatures.of(rows)
    splits = held_out_splits(features, random_state)
    return naive_direction(
        RidgePath(features.rows, features.spread, splits, _TOL, _MOST_ITERATIONS)
    )


# What a check is: a name, a code, and a look at a case.

_MOST_LISTED = 3


@dataclass(frozen=True)
class CheckResult:
    """What a look at a case found: a finding without the name of its check.

    `code` is given where it is not the check's own.
    """

    state: str
    message: str
    facts: dict[str, Any] = field(default_factory=dict)
    code: str | None = None


@dataclass(frozen=True)
class Check:
    """A check by name; calling it with a case gives a finding.

    Attributes
    ----------
    name : str
        What users ask for it by.
    code : str
        Key of `codes.CODES`, with a section in `docs/checks.rst`.
    look : callable
        From a `Case` to a `CheckResult`. It may raise `NotApplicable` with a reason.
    """

    name: str
    code: str
    look: Callable[[Case], CheckResult]

    def __call__(self, case: Case) -> Finding:
        """Look at a case."""
        try:
            look = self.look(case)
        except NotApplicable as reason:
            look = CheckResult("not applicable", f"because {reason}.")
        return Finding(self.name, look.code or self.code, look.state, look.message, look.facts)


def listed(names: Sequence[str]) -> str:
    """Write a few names, and that there are more.

    Examples
    --------
    >>> listed(["age", "dose"]), listed("abcd")
    ("'age', 'dose'", "'a', 'b', 'c', ...")
    """
    shown = ", ".join(repr(str(name)) for name in names[:_MOST_LISTED])
    return shown + (", ..." if len(names) > _MOST_LISTED else "")

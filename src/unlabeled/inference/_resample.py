"""An estimator fitted to the rows of a bootstrap, and what their labels mean to it."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import clone, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import (
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    has_fit_parameter,
)

from ..codes import PUWarning
from ..engine.rows import (
    encode_labels,
    fitted_model,
    positive_class_of,
    reject_chunks,
    weights_are_copies,
)

# One resample of the rows: every step of an estimator refitted, and what came of it.

PARAMETERS = ("label_frequency", "class_prior")
"""Fitted numbers that are looked at, where an estimator has them."""

PLACES = ("own", "original", "left_out")
"""Where a refitted rule is looked at: its resample, the original rows, those it did not see."""

COUNTS = ("labelled_above", "labelled", "above", "total")
"""Labelled rows predicted positive, labelled rows, rows predicted positive, rows."""

_MOST_DRAWS = 1000


@dataclass(frozen=True)
class Rows:
    """Rows as the user gave them, the label column in the user's values, and s."""

    X: Any
    y: np.ndarray
    s: np.ndarray

    @classmethod
    def of(cls, X: Any, y: np.ndarray, s: np.ndarray) -> Rows:
        """Rows in a form of which some can be taken."""
        return cls(indexable(X), y, s)

    def take(self, numbers: np.ndarray) -> tuple[Any, np.ndarray]:
        """Return features and labels of some rows."""
        return _safe_indexing(self.X, numbers), self.y[numbers]


def indexable(X: Any) -> Any:
    """X in a form of which rows can be taken: sparse rows as CSR, lists as arrays."""
    if hasattr(X, "tocsr"):
        return X.tocsr()
    return X if hasattr(X, "shape") else np.asarray(X)


def refit(estimator: Any, rows: Rows, multiplicity: np.ndarray) -> tuple[Any, list[str]]:
    """Fit a clone to a resample; return it and what it warned of.

    Rows drawn twice weigh two where weights can be given, so that a row left out is left out
    with its copies; else they are there twice.
    """
    model, drawn = clone(estimator), np.flatnonzero(multiplicity)
    weight = _weight_parameter(model)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if weight is None:
            model.fit(*rows.take(np.repeat(drawn, multiplicity[drawn])))
        else:
            times = multiplicity[drawn].astype(np.float64)
            with weights_are_copies(fitted_model(model)):
                model.fit(*rows.take(drawn), **{weight: times})
    return model, sorted({warning_name(w) for w in caught})


def warning_name(warning: warnings.WarningMessage) -> str:
    """Code of one of our warnings, class of any other."""
    if isinstance(warning.message, PUWarning):
        return warning.message.code
    return warning.category.__name__


def _weight_parameter(model: Any) -> str | None:
    """What weights are called in `fit`, if they reach the model.

    Steps before a pipeline's last would not have them, so a pipeline gets copies, unless its
    last step leaves rows out by itself: copies of a row would be on both sides.
    """
    steps = getattr(model, "steps", None)
    if steps:
        name, last = steps[-1]
        inner = _weight_parameter(last) if hasattr(last, "cv") else None
        return None if inner is None else f"{name}__{inner}"
    if hasattr(model, "refit") and hasattr(model, "estimator"):  # a search
        return _weight_parameter(model.estimator)
    if not has_fit_parameter(model, "sample_weight"):
        return None
    inside = getattr(model, "estimator", None)
    reaches = inside is None or _weight_parameter(inside) == "sample_weight"
    return "sample_weight" if reaches else None


def parameters_of(model: Any) -> dict[str, float]:
    """Fitted label frequency and class prior, where there are any."""
    last = fitted_model(model)
    found = {name: getattr(last, f"{name}_", None) for name in PARAMETERS}
    return {name: float(value) for name, value in found.items() if isinstance(value, Real)}


def columns_of(model: Any) -> tuple[str, ...]:
    """Names of the numbers that a refit gives."""
    rule: tuple[str, ...] = ()
    if hasattr(model, "predict"):
        rule = tuple(f"{place}.{name}" for place in PLACES for name in COUNTS)
    return (*parameters_of(model), *rule)


def numbers_of(model: Any, rows: Rows, multiplicity: np.ndarray) -> dict[str, float]:
    """Fitted numbers, and counts of the rule on its resample, all rows, and the others."""
    found = parameters_of(model)
    if hasattr(model, "predict"):
        positive = predicted_positive(model, rows)
        everybody = np.ones(len(rows.s))
        for place, times in zip(PLACES, (multiplicity, everybody, multiplicity == 0), strict=True):
            counted = counts(positive, rows.s, np.asarray(times, dtype=np.float64))
            found |= {f"{place}.{name}": n for name, n in zip(COUNTS, counted, strict=True)}
    return found


def predicted_positive(model: Any, rows: Rows) -> np.ndarray:
    """Which rows a model predicts positive."""
    positive = positive_class_of(model)
    if positive is None:
        positive = rows.y[rows.s == 1][0]
    return np.asarray(model.predict(rows.X)) == positive


def counts(positive: np.ndarray, s: np.ndarray, multiplicity: np.ndarray) -> np.ndarray:
    """Count what `COUNTS` names, each row as often as it was drawn."""
    labelled = multiplicity * s
    return np.array(
        [labelled @ positive, labelled.sum(), multiplicity @ positive, multiplicity.sum()],
        dtype=np.float64,
    )


def draw_multiplicity(s: np.ndarray, n_draws: int, seed: int) -> np.ndarray:
    """Draw rows with replacement; again, if fewer than two rows of a kind came."""
    rng = np.random.RandomState(seed)
    for _ in range(_MOST_DRAWS):
        multiplicity = np.bincount(rng.randint(len(s), size=n_draws), minlength=len(s))
        if 2 <= multiplicity @ s <= n_draws - 2:
            return multiplicity
    raise ValueError(
        "resamples must have two labelled and two unlabelled rows; with "
        f"{int(s.sum())} labelled of {len(s)} rows, {n_draws} draws hardly ever have. "
        "Draw or label more rows."
    )


def fitted_to(estimator: Any, X: Any, y: Any, positive_label: Any) -> tuple[Any, Rows]:
    """Return the estimator fitted, itself or a clone, and its rows."""
    _reject_what_cannot_be_refitted(estimator)
    reject_chunks(X, "the bootstrap")
    y = column_or_1d(y)
    check_consistent_length(X, y)
    X = indexable(X)
    model = _fitted(estimator, X, y)
    s, _ = encode_labels(y, _positive_value(model, positive_label))
    return model, Rows(X, y, s)


def _reject_what_cannot_be_refitted(estimator: Any) -> None:
    if is_regressor(estimator):
        raise ValueError(
            "`estimator` must be a classifier or an estimator of the label frequency; got "
            f"{type(estimator).__name__}, a regressor."
        )
    if getattr(fitted_model(estimator), "cv", None) == "prefit":
        raise ValueError(
            "`estimator` must be refitted to resamples, which cv='prefit' rules out. Give `cv` "
            "another value."
        )


def _fitted(estimator: Any, X: Any, y: np.ndarray) -> Any:
    try:
        check_is_fitted(estimator)
    except NotFittedError:
        return clone(estimator).fit(X, y)
    return estimator


def _positive_value(model: Any, positive_label: Any) -> Any:
    """The label value that the estimator, or else the caller, says marks labelled rows."""
    positive = positive_class_of(model)
    if positive is None:
        positive = getattr(model, "positive_label", None)
    if positive is None:
        return positive_label
    if positive_label is not None and positive_label != positive:
        raise ValueError(
            f"`positive_label` must be the class the estimator takes as positive, {positive}; "
            f"got {positive_label!r}. Leave it out."
        )
    return positive

"""One resample of the rows: draw it, refit the estimator, and return the numbers."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import (
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    has_fit_parameter,
)

from ..codes import ignore_codes, warning_name
from ..engine.arrays import indexable
from ..engine.estimators import (
    agreed_pos_label,
    checked_argument,
    fit_columns,
    fit_parameter,
    fitted_model,
    groups_argument,
    parameters_of,
    positive_class_of,
    reject_other_groups,
    reject_other_labels,
    reject_weighted_fit,
    rows_of_last_step,
    weight_argument,
)
from ..engine.rows import (
    SAMPLING,
    CopyCounts,
    Rows,
    encode_labels,
    reject_chunks,
    validate_checked,
    validate_groups,
    validate_weight,
)
from ..engine.sampling import Sampling
from ..metrics import counts

PLACES = ("own", "original", "left_out")
"""The rows that a refitted classifier predicts: its resample, the original and the unseen rows."""

_SMALLEST_CHANCE = 1e-6

COUNTS = ("labeled_above", "labeled", "above", "total")
"""The numbers that `metrics.counts` returns."""

_MOST_DRAWS = 1000


def refit(estimator: Any, rows: Rows, multiplicity: np.ndarray) -> tuple[Any, list[str]]:
    """Fit a clone to a resample; return it and the names of its warnings.

    A row drawn twice gets twice its weight if the estimator takes weights, so that
    cross-validation puts all copies into the same fold. Otherwise the row is repeated, and folds of
    ours keep the copies together.
    """
    model, drawn = clone(estimator), np.flatnonzero(multiplicity)
    weight = _weight_parameter(model)
    # A resample repeats rows.
    with ignore_codes("PU129"), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if weight is None:
            resample = rows.take(np.repeat(drawn, multiplicity[drawn]))
            further = weight_argument(model, resample.weight) | fit_columns(model, resample)
        else:
            resample = rows.take(drawn)
            counts = multiplicity[drawn] * (1 if resample.weight is None else resample.weight)
            further = {weight: CopyCounts.of(counts)} | fit_columns(model, resample)
        model.fit(resample.X, resample.labels, **further)
    return model, sorted({warning_name(w) for w in caught})


def _weight_parameter(model: Any) -> str | None:
    """Return the name of the weights in `fit`; None if weights would not reach every step.

    A pipeline passes weights to one step only, so rows are repeated instead. The exception is a
    last step that cross-validates: copies of a row would be in both training and test folds.
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


def columns_of(model: Any) -> tuple[str, ...]:
    """Return the names of the numbers that `numbers_of` gives."""
    rule: tuple[str, ...] = ()
    if hasattr(model, "predict"):
        rule = tuple(f"{place}.{name}" for place in PLACES for name in COUNTS)
    return (*parameters_of(model), *rule)


def numbers_of(model: Any, rows: Rows, multiplicity: np.ndarray) -> dict[str, float]:
    """Return fitted numbers, and counts of the predictions on the three sets in `PLACES`."""
    found = parameters_of(model)
    if hasattr(model, "predict"):
        positive = _predicted_positive(model, rows)
        everybody = np.ones(len(rows.s)) if rows.weight is None else rows.weight
        labeled = _times_labeled(model, rows)
        for place, times in zip(PLACES, (multiplicity, 1, multiplicity == 0), strict=True):
            times = np.asarray(times * everybody, dtype=np.float64)
            counted = counts(labeled, positive, times, rows.sampling)
            found |= {f"{place}.{name}": n for name, n in zip(COUNTS, counted, strict=True)}
    return found


def _times_labeled(model: Any, rows: Rows) -> np.ndarray:
    """Return s, or s/e with the same sum if the model knows the propensity e of its labels."""
    last = fitted_model(model)
    if len(getattr(last, "propensity_features_", ())) == 0:
        return rows.s
    chance = np.maximum(last.propensity(rows_of_last_step(model, rows.X)), _SMALLEST_CHANCE)
    times = rows.s / chance
    return np.asarray(times * (rows.s.sum() / times.sum()))


def _predicted_positive(model: Any, rows: Rows) -> np.ndarray:
    positive = positive_class_of(model)
    if positive is None:
        positive = rows.encoding.classes[1]
    return np.asarray(model.predict(rows.X)) == positive


def draw_multiplicity(
    s: np.ndarray,
    seed: int,
    groups: np.ndarray | None = None,
    sampling: Sampling = Sampling.ONE,
) -> np.ndarray:
    """Draw rows, or whole groups, with replacement, until both kinds have at least two rows.

    `groups` has a number from 0 on for each row. Two samples keep their sizes: units with a
    labeled row are drawn apart from the others.
    """
    rng = np.random.RandomState(seed)
    n_units = len(s) if groups is None else int(groups.max()) + 1
    samples = [np.arange(n_units)]
    if sampling.is_two:
        has_label = (s if groups is None else np.bincount(groups, s, n_units)) > 0
        samples = [np.flatnonzero(has_label), np.flatnonzero(~has_label)]
    for _ in range(_MOST_DRAWS):
        drawn = [one[rng.randint(len(one), size=len(one))] for one in samples]
        multiplicity = np.bincount(np.concatenate(drawn), minlength=n_units)
        if groups is not None:
            multiplicity = multiplicity[groups]
        if 2 <= multiplicity @ s <= multiplicity.sum() - 2:
            return multiplicity
    raise ValueError(
        "resamples must have at least two labeled and two unlabeled rows; with "
        f"{int(s.sum())} labeled of {len(s)} rows they almost never do. Label more rows."
    )


def fit_if_needed(
    estimator: Any,
    X: Any,
    y: Any,
    pos_label: Any,
    checked: Any = None,
    groups: Any = None,
    sample_weight: Any = None,
) -> tuple[Any, Rows]:
    """Return the estimator, or a fitted clone if it is not fitted, and its rows."""
    _reject_unrefittable(estimator)
    further = checked_argument(estimator, checked)
    reject_chunks(X, "the bootstrap")
    y = column_or_1d(y)
    check_consistent_length(X, y)
    X = indexable(X)
    number = validate_groups(groups, len(y), X=X)
    further |= groups_argument(estimator, number)
    weight = validate_weight(sample_weight, len(y))
    further |= weight_argument(estimator, weight)
    try:
        check_is_fitted(estimator)
        model = estimator
    except NotFittedError:
        model = clone(estimator).fit(X, y, **further)
    if weight is None:
        reject_weighted_fit(model, "the bootstrap")
    positive = agreed_pos_label(model, pos_label)
    reject_other_labels(model, y)
    s, encoding = encode_labels(y, positive)
    sampling = Sampling.of_model(fitted_model(model))
    answers = validate_checked(checked, s)
    rows = Rows(X, s, weight, encoding, checked=answers, groups=number, sampling=sampling)
    _reject_other_answers(model, rows.checked)
    reject_other_groups(model, None if rows.groups is None else rows.n_units)
    if weight is None:
        return model, rows
    rows = rows.keep(weight > 0)
    if getattr(fitted_model(model), "weights", SAMPLING) == SAMPLING:
        return model, rows.weighted_as(SAMPLING, warns=False)
    return model, replace(_repeated(rows), weight=None)


def _repeated(rows: Rows) -> Rows:
    """Repeat rows as often as their weights say, which must be numbers of copies."""
    times = np.round(rows.weight).astype(np.intp)
    if not np.array_equal(times, rows.weight):
        raise ValueError(
            "`sample_weight` must hold whole numbers if the estimator has weights='frequency'; got "
            f"{rows.weight[times != rows.weight][0]:g}. If a weight is how many rows of the "
            "population a row stands for, use weights='sampling'."
        )
    return rows.take(np.repeat(np.arange(len(times)), times))


def _reject_other_answers(model: Any, checked: np.ndarray | None) -> None:
    """Raise if a model was fitted with other checked rows than those of its refits."""
    if fit_parameter(model, "checked") is None:
        return
    given = 0 if checked is None else int(np.sum(~np.isnan(checked)))
    fitted = getattr(fitted_model(model), "n_checked_", given)
    if fitted != given:
        raise ValueError(
            f"`checked` must have the answers of the fit, {fitted} about unlabeled rows; got "
            f"{given}. Pass `checked` as in `fit`."
        )


def _reject_unrefittable(estimator: Any) -> None:
    if getattr(fitted_model(estimator), "n_negatives_", 0):
        raise ValueError(
            "`estimator` must be fitted without `negatives`, which refits do not get; got "
            f"{fitted_model(estimator).n_negatives_}. Use class_prior_interval."
        )
    if is_regressor(estimator):
        raise ValueError(
            "`estimator` must be a classifier or an estimator of the label frequency; got "
            f"{type(estimator).__name__}, a regressor."
        )
    if getattr(fitted_model(estimator), "cv", None) == "prefit":
        raise ValueError(
            "`estimator` must be an estimator that can be refitted to resamples; got one with "
            "cv='prefit'. Give `cv` another value."
        )

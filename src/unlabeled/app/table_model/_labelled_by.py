"""What the labelling follows: how often positive rows are labelled, by the named columns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit

from ...engine.losses import shift_to_mean
from ...engine.rows import weighted_mean
from ._fit import TableFit

_QUANTILES = (0.1, 0.9)
# Columns that the sentence is about, the ones that matter most first.
_MOST_SAID = 3
# Below this, a column is said to matter hardly at all.
_HARDLY = 1.05


class Setting(NamedTuple):
    """A value of a column: its words, and what it adds to the logit of the propensity."""

    words: str
    tilt: float
    rows: int | None


def label_frequency_of(fit: TableFit, average: float) -> float | np.ndarray:
    """Return how often positive rows are labelled: one number, or one for every row.

    Parameters
    ----------
    fit : TableFit
        A table and the classifier fitted to it.
    average : float
        The label frequency c, for classifiers that take labels as given at random.

    Returns
    -------
    frequency : float or ndarray of shape (n_rows,)
        The propensity of every row, if the classifier has one.
    """
    model = fit.classifier
    return model.propensity(fit.X_numeric) if _has_propensity(model) else average


def label_frequency_given(
    fit: TableFit, posterior: np.ndarray, class_prior: float
) -> float | np.ndarray:
    """Return the same for another class prior, whose posterior is given.

    The level of the propensity is moved so that as many labels are expected as there are.
    """
    share = float(np.mean(fit.labels.s))
    if not _has_propensity(fit.classifier):
        return min(1.0, share / class_prior)
    logits = _logits(fit)
    # With more labels than positives the shift is infinite: every positive is labelled.
    return np.asarray(expit(logits + shift_to_mean(logits, share / posterior.mean(), posterior)))


def label_weight_effect(fit: TableFit) -> float:
    """Return how many labelled rows tell as much about recall as one with equal weights.

    With a propensity e, recall counts a labelled row 1/e times.
    """
    if not _has_propensity(fit.classifier):
        return 1.0
    # The cuts count as many labelled rows as would tell as much with equal weights.
    return float(fit.labels.n_labelled / fit.classifier.cuts_.labelled[-1])


def labelled_by_record(fit: TableFit, columns: Iterable[str]) -> dict[str, Any] | None:
    """Describe what the labelling follows, for JSON; None if labels are taken as given at random.

    Parameters
    ----------
    fit : TableFit
        A table and a `PropensityLogistic` fitted to it.
    columns : list of str
        The columns that labelling follows.

    Returns
    -------
    record : dict or None
        ``columns``; ``settings``: for values of each column, the share of positive rows that are
        labelled; ``times``: by what factor the largest share of a column exceeds the smallest;
        ``sentence``; ``weight_effect``, see `label_weight_effect`; and ``swap_ratio``.

    Notes
    -----
    The share at a value of a column is the mean propensity of the positive rows if all of them had
    that value: the propensity, averaged with the weights of the posterior. So it differs between
    the values of a column by that column alone.
    """
    model = fit.classifier
    if not _has_propensity(model):
        return None
    columns, found = list(columns), []
    for column in columns:
        found += _rated(fit, column)
    times = {
        column: _times([one for one in found if one["column"] == column]) for column in columns
    }
    return {
        "columns": columns,
        "settings": found,
        "times": times,
        "sentence": _sentence(columns, found, times),
        "weight_effect": label_weight_effect(fit),
        "swap_ratio": None if model.swap_ratio_ is None else float(model.swap_ratio_),
    }


def _has_propensity(model: Any) -> bool:
    return len(getattr(model, "propensity_features_", ())) > 0


def _logits(fit: TableFit) -> np.ndarray:
    model = fit.classifier
    named = fit.X_numeric[:, model.propensity_features_]
    return np.asarray(model.propensity_intercept_ + named @ model.propensity_coef_)


def _rated(fit: TableFit, column: str) -> list[dict[str, Any]]:
    """Return the values of a column, each with the share of positives that are labelled."""
    own = _tilt(fit, column)
    others, posterior = _logits(fit) - own, fit.scored.posterior
    found = [
        {
            "column": column,
            "value": one.words,
            "rows": one.rows,
            "labelled": weighted_mean(expit(others + one.tilt), posterior),
        }
        for one in _settings(fit, column, own)
    ]
    return sorted(found, key=lambda one: -one["labelled"])


def _tilt(fit: TableFit, column: str) -> np.ndarray:
    """Return what a column adds to the logit of each row's propensity."""
    model, features = fit.classifier, fit.pipeline[0].features_
    of_column = np.array([features[j].source == column for j in model.propensity_features_])
    places = model.propensity_features_[of_column]
    return np.asarray(fit.X_numeric[:, places] @ model.propensity_coef_[of_column])


def _settings(fit: TableFit, column: str, tilt: np.ndarray) -> list[Setting]:
    """Return the levels of a category, or what a tenth of the rows lie below and above."""
    cells, kind = fit.prepared.X[column], fit.pipeline[0].kinds_[column]
    missing = cells.isna().to_numpy()
    found: list[Setting] = []
    if missing.any():
        found.append(Setting("missing", float(tilt[missing].mean()), int(missing.sum())))
    present = np.flatnonzero(~missing)
    if not len(present):
        return found
    if kind == "category":
        return found + _levels(fit, column, tilt, missing)
    if kind == "true/false":
        is_true = cells.iloc[present].astype(bool).to_numpy()
        for words, rows in (("yes", present[is_true]), ("no", present[~is_true])):
            if len(rows):
                found.append(Setting(words, float(tilt[rows].mean()), len(rows)))
        return found
    order = tilt[present] if kind == "text" else _first_feature(fit, column)[present]
    ranked = present[np.argsort(order, kind="stable")]
    for quantile in _QUANTILES:
        row = ranked[int(quantile * (len(ranked) - 1))]
        found.append(Setting(_words(fit, column, kind, row, quantile), float(tilt[row]), None))
    return found


def _levels(fit: TableFit, column: str, tilt: np.ndarray, missing: np.ndarray) -> list[Setting]:
    """Return one setting per feature of a category, and one for the level without a feature."""
    features = fit.pipeline[0].features_
    places = [j for j, one in enumerate(features) if one.source == column]
    found, left = [], ~missing
    for j in places:
        rows = (fit.X_numeric[:, j] == 1) & ~missing
        if rows.any():
            words = features[j].name.removeprefix(f"{column}=")
            found.append(Setting(words, float(tilt[rows].mean()), int(rows.sum())))
            left &= ~rows
    if left.any():
        words = str(fit.prepared.X[column][left].mode().iloc[0])
        found.append(Setting(words, float(tilt[left].mean()), int(left.sum())))
    return found


def _first_feature(fit: TableFit, column: str) -> np.ndarray:
    for j, one in enumerate(fit.pipeline[0].features_):
        if one.source == column and not one.indicates_missing:
            return np.asarray(fit.X_numeric[:, j])
    return np.zeros(len(fit.X_numeric))  # only whether the cell is missing is a feature


def _words(fit: TableFit, column: str, kind: str, row: int, quantile: float) -> str:
    """Write a cell without naming a single row: rounded, and a date as its month."""
    cell = fit.prepared.X[column].iloc[row]
    if kind == "number":
        return str(np.format_float_positional(float(f"{float(cell):.4g}"), trim="-"))
    if kind == "date":
        import pandas as pd

        written_as = fit.pipeline[0].date_formats_.get(column)
        return pd.to_datetime(cell, format=written_as).strftime("%Y-%m")
    return "text that is rarely labelled" if quantile < 0.5 else "text that is often labelled"


def _times(settings: list[dict[str, Any]]) -> float:
    """Return by what factor the most labelled value exceeds the least labelled one."""
    if not settings:
        return 1.0
    return float(settings[0]["labelled"] / max(settings[-1]["labelled"], 1e-12))


def _sentence(columns: list[str], found: list[dict[str, Any]], times: dict[str, float]) -> str:
    """Say what the labelling follows, and how much it differs."""
    sentences = [f"Labels follow: {', '.join(columns)}."]
    by_weight = sorted(columns, key=lambda column: -times[column])
    for column in by_weight[:_MOST_SAID]:
        settings = [one for one in found if one["column"] == column]
        if not settings or times[column] < _HARDLY:
            sentences.append(f"{column} hardly changes how often a positive row is labelled.")
            continue
        most, least = settings[0], settings[-1]
        sentences.append(
            f"A positive row with {column} {most['value']} is labelled "
            f"{_factor(times[column])} as often as one with {column} {least['value']} "
            f"({most['labelled']:.0%} and {least['labelled']:.0%})."
        )
    return " ".join(sentences)


def _factor(times: float) -> str:
    return f"{times:.1f} times" if times < 100 else "more than 100 times"

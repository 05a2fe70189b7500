"""What the record says of columns: their coefficients, and what if labels follow them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit

from ...engine.rows import weighted_mean
from ...inference import (
    Intervals,
    LabelingSensitivity,
    UnlabeledPartError,
    labeling_sensitivity,
)
from ...linear_model import JointLogistic, PULogistic, estimates_from_part
from ..tables import count
from ._fit import TableFit

# With more features than this, a covariance takes too much memory.
_MOST_FEATURES = 1000
# Labels may have followed so many of the columns; so many are tried, if some cannot be split; and
# their positives may be labeled so many times as often as the others.
_MOST_COLUMNS, _MOST_TRIED = 3, 6
_TIMES = (0.5, 1.0, 2.0)
# Of a column of numbers that labels follow, these quantiles are described.
_QUANTILES = (0.1, 0.9)
# Columns that the sentence is about, the ones that matter most first.
_MOST_SAID = 3
# Below this, a column is said to matter hardly at all.
_HARDLY = 1.05
# The part of the rows that stands for an end of a column of numbers.
_FIFTH = 0.2
_TINY = 1e-12


def coefficients_record(fit: TableFit, level: float) -> dict[str, Any]:
    """Return the coefficients, sorted by effect size; empty if the score is not linear."""
    model = getattr(fit.classifier, "estimator_", fit.classifier)
    if not hasattr(model, "coef_") or getattr(fit.classifier, "is_mended", False):
        return {"scale": None, "interval": None, "level": level, "rows": []}
    # The log-odds of the class are a line along the score; its slope scales the coefficients.
    slope = fit.classifier.posterior_line_[1]
    coef = slope * np.asarray(model.coef_[0], dtype=np.float64)
    intervals, how = _intervals(model, fit, level, slope)
    spread = fit.in_memory.X_numeric.std(axis=0)
    topics = fit.topics
    rows: list[dict[str, Any]] = [
        {
            "feature": name,
            "column": source,
            # Words that are typical of large, and of small, values of a text feature.
            "words": {end: list(words) for end, words in topics[name]._asdict().items()}
            if name in topics
            else None,
            "coef": float(coef[j]),
            "lower": _number(intervals.lower[j]),
            "upper": _number(intervals.upper[j]),
            "spread": float(spread[j]),
            "effect": float(coef[j] * spread[j]),
        }
        for j, (name, source, *_) in enumerate(fit.features)
    ]
    rows.sort(key=lambda row: -abs(row["effect"]))
    scale = "log-odds of the class, per unit of the feature"
    return {"scale": scale, "interval": how, "level": level, "rows": rows}


def _intervals(model: Any, fit: TableFit, level: float, slope: float) -> tuple[Intervals, str]:
    n_features = fit.X_numeric.shape[1]
    unknown = np.full(n_features, np.nan)
    none = Intervals(unknown, unknown, unknown, level, "none")
    if not hasattr(model, "estimates"):
        return none, "none: this method gives no standard errors"
    if n_features > _MOST_FEATURES:
        return none, f"none: there are more than {_MOST_FEATURES} features"
    if not model.converged_:
        return none, "none: the fit did not converge"
    rows, groups = fit.in_memory.as_fitted, fit.prepared.groups
    if fit.in_memory is fit:
        estimates = model.estimates(*rows, groups=groups, **fit.of_checked)
    elif groups is not None:
        return none, "none: standard errors would take the rows of a group as independent"
    else:
        estimates = estimates_from_part(model, *rows)
    intervals = estimates.interval(level)[:n_features]
    if np.isnan(intervals.lower).all():
        return intervals, "none: there are too few labeled rows for so many features"
    if isinstance(model, PULogistic) and not fit.labeled_by:
        return intervals, (
            "for the log-odds of the class, if they are a weighted sum of the features. They are "
            "averaged over what the labels say about the number of positives, and come from a fit "
            "that is not pulled toward 0 as the score is. So an effect can lie outside"
        ) + _from_a_part(fit)
    intervals = intervals.map(lambda end: slope * end)
    if isinstance(model, PULogistic):
        return intervals, (
            "normal, with robust (sandwich) standard errors. They treat the ridge and the scale of "
            "the posterior as known, so the intervals are too narrow"
        )
    if isinstance(model, JointLogistic):
        return intervals, "normal, with robust (sandwich) standard errors"
    return intervals, (
        "normal, with robust (sandwich) standard errors. They treat the scale of the posterior as "
        "known, so the intervals are too narrow"
    )


def _from_a_part(fit: TableFit) -> str:
    """Say that intervals come from a part of the rows, if they do."""
    n_rows, n_drawn = len(fit.labels.s), len(fit.in_memory.labels.s)
    if n_drawn == n_rows:
        return ""
    return (
        f". They come from {count(n_drawn)} of the {count(n_rows)} rows, drawn at random, and are "
        "wider than those of all rows"
    )


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


# If labels follow one of the columns that matter most.


def sensitivity_record(fit: TableFit, level: float, followed: str | None = None) -> dict[str, Any]:
    """Return count, recall and precision if labels followed one of the columns that matter most.

    The column of the feature `followed`, which a check found, comes first. There are at most three
    ``columns``; ``why_not`` is the reason if there are none.
    """
    why_not, columns = _why_no_sensitivity(fit), []
    if why_not is None:
        for position in _strongest(fit, followed):
            try:
                found = labeling_sensitivity(
                    fit.classifier, *fit.as_fitted, position, times=_TIMES, confidence_level=level
                )
            except UnlabeledPartError:
                continue
            columns.append(_of_column(fit, position, found))
            if len(columns) == _MOST_COLUMNS:
                break
        if not columns:
            why_not = "no column splits the rows into two parts that both have labeled rows"
    return {"level": level, "columns": columns, "why_not": why_not}


def _why_no_sensitivity(fit: TableFit) -> str | None:
    """Return why labels that follow a column cannot be tried, or None."""
    model = fit.classifier
    if fit.labels.cases is not None:
        return "the labeled rows come from another file, and are no part of this table"
    if fit.in_memory is not fit:
        return "the table was read in parts, and this needs all rows at once"
    if not hasattr(model, "held_out_score_"):
        return "this method keeps no scores of held-out rows"
    if fit.labeled_by:
        return "this method lets labels follow columns already"
    if model.class_prior_density_ is None or getattr(model, "is_mended", False):
        return "the class prior was given, or rows were checked"
    return None


def _strongest(fit: TableFit, followed: str | None = None) -> list[int]:
    """Return the strongest feature of each column that is not text, the strongest first.

    A feature that labels seem to follow comes before all. The strength is that of one standard
    deviation: by the coefficient, or by the correlation with the score if that is not linear.
    """
    model, X_numeric = getattr(fit.classifier, "estimator_", fit.classifier), fit.X_numeric
    spread = X_numeric.std(axis=0)
    if hasattr(model, "coef_"):
        strength = np.abs(np.ravel(model.coef_)) * spread
    else:
        score = fit.scored.score - fit.scored.score.mean()
        strength = np.abs(score @ X_numeric) / np.where(spread > 0, spread, 1.0)
    features, kinds = fit.features, fit.kinds
    strength = np.where([one.name == followed for one in features], np.inf, strength)
    first_of: dict[Any, int] = {}
    for position in np.argsort(-strength, kind="stable"):
        column = features[position].source
        if spread[position] > 0 and kinds.get(column) != "text":
            first_of.setdefault(column, int(position))
    return list(first_of.values())[:_MOST_TRIED]


def _of_column(fit: TableFit, position: int, found: LabelingSensitivity) -> dict[str, Any]:
    n_rows = len(fit.labels.s)
    feature, column = fit.features[position][:2]
    values = np.unique(fit.X_numeric[:, position])
    # A feature such as "sex=male" says itself which rows it is about.
    is_level = feature != column and values.tolist() == [0.0, 1.0]
    group = feature if is_level else found.group.replace(found.feature, feature, 1)
    return {
        "column": column,
        "feature": feature,
        "group": group,
        "rows": found.n_group,
        "scenarios": [
            {
                "times": float(found.times[k]),
                "positives": n_rows * prior.estimate,
                "lower": n_rows * prior.lower,
                "upper": n_rows * prior.upper,
                "recall": float(found.recall[k]),
                "precision": float(found.precision[k]),
            }
            for k, prior in enumerate(found.class_prior)
        ],
    }


# Columns that labels follow, as the user says.


class Setting(NamedTuple):
    """A value of a column: its words, and what it adds to the logit of the propensity."""

    words: str
    logit: float
    rows: int | None


def labeled_by_record(fit: TableFit) -> dict[str, Any] | None:
    """Describe the columns that labeling follows; None if it is taken to be at random.

    ``settings`` has, for values of each column, the share of positive rows that are labeled. With
    a propensity it is the mean propensity of the positive rows if all of them had that value, so
    it differs between the values of a column by that column alone. Otherwise it is the share among
    the rows that have that value, and the fifths of a column of numbers stand for its ends.
    ``times`` is by what factor the largest share of a column exceeds the smallest.
    """
    if not fit.labeled_by:
        return None
    columns, found = list(fit.labeled_by), []
    for column in columns:
        found += _rated(fit, column) if fit.has_propensity else _counted(fit, column)
    times = {
        column: _times([one for one in found if one["column"] == column]) for column in columns
    }
    return {
        "columns": columns,
        "settings": found,
        "times": times,
        "sentence": _labeled_by_sentence(columns, found, times, fit.has_propensity),
        # How many labeled rows tell as much about recall as one with equal weights: it counts a
        # labeled row with the propensity e 1/e times.
        "weight_effect": float(fit.labels.n_labeled / fit.classifier.cuts_.labeled[-1])
        if fit.has_propensity
        else 1.0,
        "swap_ratio": _swap_ratio(fit),
    }


def _swap_ratio(fit: TableFit) -> float | None:
    ratio = fit.classifier._swap_ratio_ if fit.has_propensity else None
    return None if ratio is None else float(ratio)


def _rated(fit: TableFit, column: str) -> list[dict[str, Any]]:
    """Return the values of a column, each with the share of positives that are labeled."""
    own = _logit_of(fit, column)
    others, posterior = fit.propensity_logits - own, fit.scored.posterior
    found = [
        {
            "column": column,
            "value": one.words,
            "rows": one.rows,
            "labeled": weighted_mean(expit(others + one.logit), posterior),
        }
        for one in _settings(fit, column, own)
    ]
    return sorted(found, key=lambda one: -one["labeled"])


def _counted(fit: TableFit, column: str) -> list[dict[str, Any]]:
    """Return the values of a column, each with the labeled share of the positives that have it."""
    s, r = fit.labels.s, np.nan_to_num(fit.classifier.held_out_posterior_if_unlabeled_)
    found = []
    for one, rows in _rows_of_values(fit, column):
        labeled = float(s[rows].sum())
        share = labeled / max(labeled + float(r[rows & (s == 0)].sum()), _TINY)
        found.append({"column": column, "value": one.words, "rows": one.rows, "labeled": share})
    return sorted(found, key=lambda one: -one["labeled"])


def _rows_of_values(fit: TableFit, column: str) -> list[tuple[Setting, np.ndarray]]:
    """Return the values of a column, and the rows that have each, or one near it."""
    kind, order = fit.kinds[column], _first_feature(fit, column)
    settings = _settings(fit, column, order)
    cells = fit.prepared.X[column]
    found = []
    for one in settings:
        if one.rows is not None:
            found.append((one, _rows_with(fit, column, one.words)))
        elif kind != "text":  # an end of a column of numbers: the fifth around it
            present = cells.notna().to_numpy()
            low, high = np.quantile(order[present], (_FIFTH, 1 - _FIFTH))
            is_low = one.logit <= low
            found.append((one, present & (order <= low if is_low else order >= high)))
    return found


def _rows_with(fit: TableFit, column: str, words: str) -> np.ndarray:
    """Return the rows whose cell is described by these words, see `_settings`."""
    cells, missing = fit.prepared.X[column], fit.prepared.X[column].isna().to_numpy()
    if words == "missing" and missing.any():
        return missing
    if fit.kinds[column] == "true/false":
        is_true = np.zeros(len(cells), dtype=bool)
        is_true[~missing] = cells[~missing].astype(bool)
        return ~missing & (is_true if words == "yes" else ~is_true)
    left = ~missing
    for j, feature in enumerate(fit.features):
        if feature.source == column:
            rows = (fit.X_numeric[:, j] == 1) & ~missing
            if feature.name.removeprefix(f"{column}=") == words:
                return rows
            left &= ~rows
    return left


def _logit_of(fit: TableFit, column: str) -> np.ndarray:
    """Return what a column adds to the logit of each row's propensity."""
    model, features = fit.classifier, fit.features
    of_column = np.array([features[j].source == column for j in model.propensity_features_])
    places = model.propensity_features_[of_column]
    return np.asarray(fit.X_numeric[:, places] @ model.propensity_coef_[of_column])


def _settings(fit: TableFit, column: str, logit: np.ndarray) -> list[Setting]:
    """Return the levels of a category, or what a tenth of the rows lie below and above."""
    cells, kind = fit.prepared.X[column], fit.kinds[column]
    missing = cells.isna().to_numpy()

    def of(words: str, rows: np.ndarray) -> list[Setting]:
        return [Setting(words, float(logit[rows].mean()), int(rows.sum()))] if rows.any() else []

    settings = of("missing", missing)
    present = np.flatnonzero(~missing)
    if not len(present):
        return settings
    if kind == "category":  # one per feature, and one for the level without a feature
        left = ~missing
        for j, feature in enumerate(fit.features):
            if feature.source == column:
                rows = (fit.X_numeric[:, j] == 1) & ~missing
                settings += of(feature.name.removeprefix(f"{column}="), rows)
                left &= ~rows
        return settings + (of(str(cells[left].mode().iloc[0]), left) if left.any() else [])
    if kind == "true/false":
        is_true = np.zeros(len(cells), dtype=bool)
        is_true[present] = cells.iloc[present].astype(bool)
        return settings + of("yes", is_true) + of("no", ~missing & ~is_true)
    order = logit[present] if kind == "text" else _first_feature(fit, column)[present]
    ranked = present[np.argsort(order, kind="stable")]
    for quantile in _QUANTILES:
        row = ranked[int(quantile * (len(ranked) - 1))]
        words = _typical_cell(fit, column, kind, row, quantile)
        settings.append(Setting(words, float(logit[row]), None))
    return settings


def _first_feature(fit: TableFit, column: str) -> np.ndarray:
    for j, one in enumerate(fit.features):
        if one.source == column and not one.indicates_missing:
            return np.asarray(fit.X_numeric[:, j])
    return np.zeros(len(fit.X_numeric))  # only whether the cell is missing is a feature


def _typical_cell(fit: TableFit, column: str, kind: str, row: int, quantile: float) -> str:
    """Write a cell without naming a single row: rounded, and a date as its month."""
    cell = fit.prepared.X[column].iloc[row]
    if kind == "number":
        return str(np.format_float_positional(float(f"{float(cell):.4g}"), trim="-"))
    if kind == "date":
        import pandas as pd

        written_as = fit.pipeline[0].date_formats_.get(column)
        return pd.to_datetime(cell, format=written_as).strftime("%Y-%m")
    return "text that is rarely labeled" if quantile < 0.5 else "text that is often labeled"


def _times(settings: list[dict[str, Any]]) -> float:
    """Return by what factor the most labeled value exceeds the least labeled one."""
    if not settings:
        return 1.0
    return float(settings[0]["labeled"] / max(settings[-1]["labeled"], 1e-12))


def _labeled_by_sentence(
    columns: list[str],
    found: list[dict[str, Any]],
    times: dict[str, float],
    has_every: bool,
) -> str:
    """Say what the labeling follows, and how much it differs.

    `has_every` says whether columns of text, too, would have values.
    """
    sentences = [f"Labels follow: {', '.join(columns)}."]
    by_weight = sorted(columns, key=lambda column: -times[column])
    for column in by_weight[:_MOST_SAID]:
        settings = [one for one in found if one["column"] == column]
        if not settings and not has_every:
            continue
        if not settings or times[column] < _HARDLY:
            sentences.append(f"{column} hardly changes how often a positive row is labeled.")
            continue
        most, least = settings[0], settings[-1]
        sentences.append(
            f"A positive row with {column} {most['value']} is labeled "
            f"{_factor(times[column])} as often as one with {column} {least['value']} "
            f"({most['labeled']:.0%} and {least['labeled']:.0%})."
        )
    return " ".join(sentences)


def _factor(times: float) -> str:
    return f"{times:.1f} times" if times < 100 else "more than 100 times"

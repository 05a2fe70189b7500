"""What the record says about labels that may have followed a column."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...inference import LabellingSensitivity, UnlabelledPartError, labelling_sensitivity
from ._fit import TableFit

_MOST_COLUMNS = 3
_TIMES = (0.5, 1.0, 2.0)
# Columns that are tried, if those before them cannot be split.
_MOST_TRIED = 6


def sensitivity_record(fit: TableFit, level: float) -> dict[str, Any]:
    """Return count, recall and precision if labels followed one of the columns that matter most.

    Parameters
    ----------
    fit : TableFit
        A table and the classifier fitted to it.
    level : float
        Level of the intervals.

    Returns
    -------
    record : dict
        ``columns``, at most three; ``level``; and ``why_not``, the reason if there are none.
    """
    why_not, columns = _why_not(fit), []
    if why_not is None:
        columns = _columns(fit, level)
        if not columns:
            why_not = "no column splits the rows into two parts that both have labelled rows"
    return {"level": level, "columns": columns, "why_not": why_not}


def _why_not(fit: TableFit) -> str | None:
    """Return why labels that follow a column cannot be tried, or None."""
    model = fit.classifier
    if fit.labels.cases is not None:
        return "the labelled rows come from another file, and are no part of this table"
    if fit.part is not fit:
        return "the table was read in parts, and this needs all rows at once"
    if not hasattr(model, "held_out_score_"):
        return "this method keeps no scores of held-out rows"
    if model.class_prior_density_ is None:
        return "the class prior was given, or rows were checked"
    if len(getattr(model, "propensity_features_", ())):
        return "this method lets labels follow columns already"
    return None


def _columns(fit: TableFit, level: float) -> list[dict[str, Any]]:
    """Return the columns that matter most to the score, each with what would follow."""
    found: list[dict[str, Any]] = []
    for position in _strongest(fit):
        try:
            tried = labelling_sensitivity(
                fit.classifier, fit.X_numeric, fit.labels.s, position, times=_TIMES, level=level
            )
        except UnlabelledPartError:
            continue
        found.append(_record(fit, position, tried))
        if len(found) == _MOST_COLUMNS:
            break
    return found


def _strongest(fit: TableFit) -> list[int]:
    """Return the strongest feature of each column that is not text, the strongest first.

    The strength is that of one standard deviation: by the coefficient, or by the correlation with
    the score if that is not linear.
    """
    model, X_numeric = getattr(fit.classifier, "estimator_", fit.classifier), fit.X_numeric
    spread = X_numeric.std(axis=0)
    if hasattr(model, "coef_"):
        strength = np.abs(np.ravel(model.coef_)) * spread
    else:
        score = fit.scored.score - fit.scored.score.mean()
        strength = np.abs(score @ X_numeric) / np.where(spread > 0, spread, 1.0)
    features = fit.pipeline[0]
    first_of: dict[Any, int] = {}
    for position in np.argsort(-strength, kind="stable"):
        column = features.features_[position].source
        if spread[position] > 0 and features.kinds_.get(str(column)) != "text":
            first_of.setdefault(column, int(position))
    return list(first_of.values())[:_MOST_TRIED]


def _record(fit: TableFit, position: int, found: LabellingSensitivity) -> dict[str, Any]:
    n_rows = len(fit.labels.s)
    feature = fit.feature_names[position]
    column = str(fit.pipeline[0].output_to_input_[feature])
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

"""What drives the score: coefficients with their intervals."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..linear_model import JointLogistic, PULogistic
from ..tables import Topic, topics_of
from ._fit import TableFit

# More features than this, and a covariance is not worth its memory.
_MOST_FEATURES = 1000
_SCALE = "log-odds of the class, per unit of the feature"


def coefficients_of(fit: TableFit, level: float) -> dict[str, Any]:
    """Coefficients of the features, the strongest first; none of a score that is not linear."""
    model = getattr(fit.classifier, "estimator_", fit.classifier)
    if not hasattr(model, "coef_"):
        return {"scale": None, "interval": None, "level": level, "rows": []}
    # The posterior is a line along the score: its slope makes log-odds of coefficients.
    slope = fit.classifier.posterior_line_[1]
    coef = slope * np.asarray(model.coef_[0], dtype=np.float64)
    ends, how = _interval(model, fit, level)
    ends = slope * ends
    spread = fit.numbers.std(axis=0)
    sources = fit.pipeline[0].output_to_input_
    topics = topics_of(fit.pipeline[0], fit.prepared.X, fit.numbers)
    rows = [
        {
            "feature": name,
            "column": sources[name],
            "words": _words(topics.get(name)),
            "coef": float(coef[j]),
            "lower": _number(ends[j, 0]),
            "upper": _number(ends[j, 1]),
            "spread": float(spread[j]),
            "effect": float(coef[j] * spread[j]),
        }
        for j, name in enumerate(fit.feature_names)
    ]
    rows.sort(key=lambda row: -abs(row["effect"]))
    return {"scale": _SCALE, "interval": how, "level": level, "rows": rows}


def _interval(model: Any, fit: TableFit, level: float) -> tuple[np.ndarray, str]:
    n_features = fit.numbers.shape[1]
    none = np.full((n_features, 2), np.nan)
    if not hasattr(model, "estimates"):
        return none, "none: this method gives no standard errors"
    if n_features > _MOST_FEATURES:
        return none, f"none: there are more than {_MOST_FEATURES} features"
    if not model.converged_:
        return none, "none: the fit has no finite optimum"
    ends = model.estimates(fit.numbers, fit.labels.s).interval(level)[:n_features]
    if isinstance(model, PULogistic):
        return ends, (
            "normal, from the sandwich covariance; the ridge, the label frequency and the scale of "
            "the posterior are held, and the ridge shrinks coefficients towards 0"
        )
    if isinstance(model, JointLogistic):
        return ends, "normal, from the sandwich covariance"
    return ends, "normal, from the sandwich covariance; the scale of the posterior is held"


def _words(topic: Topic | None) -> dict[str, list[str]] | None:
    """Words of rows where a feature of text is large, and where it is small."""
    return None if topic is None else {"large": list(topic.large), "small": list(topic.small)}


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None

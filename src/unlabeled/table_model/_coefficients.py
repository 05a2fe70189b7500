"""What drives the score: coefficients with their intervals."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..linear_model import EnhancedLogistic, JointLogistic, NaiveLogistic, PULogistic
from ._fit import TableFit

# More features than this, and a covariance is not worth its memory.
_MOST_FEATURES = 1000
_OF_CLASS = "log-odds of the class, per unit of the feature"
_OF_LABEL = "log-odds of the label, per unit of the feature: right in direction, not in size"


def coefficients_of(fit: TableFit, level: float) -> dict[str, Any]:
    """Coefficients of the features, the strongest first; none of a score that is not linear."""
    model = getattr(fit.classifier, "estimator_", fit.classifier)
    if not hasattr(model, "coef_"):
        return {"scale": None, "interval": None, "level": level, "rows": []}
    coef = np.asarray(model.coef_[0], dtype=np.float64)
    ends, how = _interval(model, fit, level)
    spread = fit.numbers.std(axis=0)
    sources = fit.pipeline[0].output_to_input_
    rows = [
        {
            "feature": name,
            "column": sources[name],
            "coef": float(coef[j]),
            "lower": _number(ends[j, 0]),
            "upper": _number(ends[j, 1]),
            "spread": float(spread[j]),
            "effect": float(coef[j] * spread[j]),
        }
        for j, name in enumerate(fit.feature_names)
    ]
    rows.sort(key=lambda row: -abs(row["effect"]))
    naive = isinstance(model, NaiveLogistic | EnhancedLogistic)
    scale = _OF_LABEL if naive else _OF_CLASS
    return {"scale": scale, "interval": how, "level": level, "rows": rows}


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
            "normal, from the sandwich covariance, the ridge and the label frequency being held: "
            "the ridge shrinks coefficients towards 0, and intervals with them"
        )
    if isinstance(model, JointLogistic):
        return ends, "normal, from the sandwich covariance"
    return ends, "normal, from the sandwich covariance, of what the naive fit aims at"


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None

"""One resample of the rows: every step of an estimator refitted, and what came of it."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import has_fit_parameter

from ..codes import PUWarning
from ..labels import positive_class_of

PARAMETERS = ("label_frequency", "class_prior")
"""Fitted numbers that are looked at, where an estimator has them."""

COUNTS = ("labelled_above", "labelled", "above", "total")
"""Labelled rows predicted positive, labelled rows, rows predicted positive, rows."""


@dataclass(frozen=True)
class Rows:
    """Rows as the user gave them, the label column in the user's values, and s."""

    X: Any
    y: np.ndarray
    s: np.ndarray

    def take(self, numbers: np.ndarray) -> tuple[Any, np.ndarray]:
        """Return features and labels of some rows."""
        return _safe_indexing(self.X, numbers), self.y[numbers]


def refit(estimator: Any, rows: Rows, multiplicity: np.ndarray) -> tuple[Any, list[str]]:
    """Fit a clone to a resample; return it and the codes of its warnings.

    Rows drawn twice weigh two where weights can be given, so that a row left out is left out
    with its copies; else they are there twice.
    """
    model, drawn = clone(estimator), np.flatnonzero(multiplicity)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if has_fit_parameter(model, "sample_weight"):
            X, y = rows.take(drawn)
            model.fit(X, y, sample_weight=multiplicity[drawn].astype(np.float64))
        else:
            model.fit(*rows.take(np.repeat(drawn, multiplicity[drawn])))
    codes = [w.message.code for w in caught if isinstance(w.message, PUWarning)]
    return model, sorted(set(codes))


def parameters_of(model: Any) -> dict[str, float]:
    """Fitted label frequency and class prior, where there are any."""
    last = model[-1] if hasattr(model, "steps") else model
    last = getattr(last, "best_estimator_", last)
    found = {name: getattr(last, f"{name}_", None) for name in PARAMETERS}
    return {name: float(value) for name, value in found.items() if isinstance(value, Real)}


def predicted_positive(model: Any, rows: Rows) -> np.ndarray | None:
    """Which rows a model predicts positive; None if it does not predict."""
    if not hasattr(model, "predict"):
        return None
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
    while True:
        multiplicity = np.bincount(rng.randint(len(s), size=n_draws), minlength=len(s))
        if 2 <= multiplicity @ s <= n_draws - 2:
            return multiplicity

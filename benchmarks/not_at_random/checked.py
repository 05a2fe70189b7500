"""A hundred checked rows under each mechanism: which classifier to give them to."""

from __future__ import annotations

import warnings
from itertools import product
from typing import Any

import numpy as np

from unlabeled import PropensityLogistic, PULogistic
from unlabeled.audit import draw_audit, recut
from unlabeled.datasets import DATASET_NAMES
from unlabeled.paper.studies.draw import seed_of

from ..audit.cells import MECHANISMS, draw_cell, features_of, oracle_posterior
from ..rows_of_cells import study_command

FILE = "checked.csv"
NAMES = ("dataset", "labelling", "repeat")
CELLS = list(product(DATASET_NAMES, MECHANISMS))
REPEATS = 10
CHECKED = 100
MOST_ROWS = 3000
"""Rows of the larger sets, drawn at random."""

METHODS = {
    "line": "`PULogistic`, labels alone",
    "line_checked": "`PULogistic`",
    "unnamed": "`PropensityLogistic`, told nothing",
    "named": "`PropensityLogistic`, told the features",
    "recut": "`recut` of `PULogistic`",
}
MEASURES = {"error": "posterior error", "prior": "class prior error", "f1": "F1"}


def measure(dataset: str, labelling: str, repeat: int) -> dict[str, float]:
    """Draw labels and a hundred rows to check, by an audit of the fit to the labels alone."""
    cell = draw_cell(dataset, labelling, repeat)
    seed = seed_of("not at random", "checked", dataset, labelling, repeat)
    rng = np.random.default_rng(seed)
    rows = rng.permutation(len(cell.s))[:MOST_ROWS]
    X, s, y = cell.X[rows], cell.s[rows], cell.y_true[rows]
    posterior = oracle_posterior(dataset)[rows]
    features = features_of(dataset, labelling)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        line = PULogistic().fit(X, s)
        audit = draw_audit(line, X, s, CHECKED, random_state=seed % 2**31)
        checked = np.full(len(s), np.nan)
        checked[audit.rows] = y[audit.rows]
        fitted = {
            "line": line,
            "line_checked": PULogistic().fit(X, s, checked=checked),
            "unnamed": PropensityLogistic().fit(X, s, checked=checked),
        }
        if features is not None:
            fitted["named"] = PropensityLogistic(features).fit(X, s, checked=checked)
        mended = recut(line, X, s, audit, y[audit.rows])
    found = {"truth": float(y.mean())}
    for name in METHODS:
        values = dict.fromkeys(MEASURES, np.nan)
        if name in fitted:
            values = _values(fitted[name], X, posterior, y)
        elif name == "recut":
            values = _values(mended, X, posterior, y)
        found |= {f"{name}_{key}": value for key, value in values.items()}
    return found


def _values(
    model: Any, X: np.ndarray, posterior: np.ndarray, y_true: np.ndarray
) -> dict[str, float]:
    return {}

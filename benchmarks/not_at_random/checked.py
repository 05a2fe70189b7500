"""A hundred checked rows under each mechanism: which classifier to give them to."""

from __future__ import annotations

import warnings
from itertools import product

import numpy as np
from sklearn.metrics import f1_score

from reproduction.studies.draw import seed_of
from unlabeled import PropensityLogistic, PULogistic
from unlabeled.audit import draw_audit
from unlabeled.datasets import DATASET_NAMES

from ..audit.cells import MECHANISMS, draw_cell, features_of, oracle_of
from ..study import Records, repeated

CELLS = list(product(DATASET_NAMES, MECHANISMS))
REPEATS = 10
CHECKED = 100
MOST_ROWS = 3000
"""Rows of the larger sets, drawn at random."""

METHODS = {
    "line": "PULogistic, labels alone",
    "line_checked": "PULogistic",
    "unnamed": "PropensityLogistic, told nothing",
    "named": "PropensityLogistic, told the features",
    "recut": "recut of PULogistic",
}
MEASURES = {"error": "posterior error", "prior": "class prior error", "f1": "F1"}


def measure(dataset: str, labeling: str, repeat: int) -> dict[str, float]:
    """Draw labels and a hundred rows to check, by an audit of the fit to labels alone.

    Posteriors are compared with those of a logistic regression of all true classes, on the rows
    of the fit that nobody checked and that are not labeled.
    """
    cell = draw_cell(dataset, labeling, repeat)
    seed = seed_of("not at random", "checked", dataset, labeling, repeat)
    rows = np.random.default_rng(seed).permutation(len(cell.s))[:MOST_ROWS]
    X, s, y = cell.X[rows], cell.s[rows], cell.y_true[rows]
    features = features_of(dataset, labeling)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        line = PULogistic().fit(X, s)
        audit = draw_audit(line, X, s, min(CHECKED, int(np.sum(s == 0)) // 2), random_state=seed)
        checked = np.full(len(s), np.nan)
        checked[audit.rows] = y[audit.rows]
        result = audit.estimate(y[audit.rows])
        models = {
            "line": line,
            "line_checked": PULogistic().fit(X, s, checked=checked),
            "unnamed": PropensityLogistic().fit(X, s, checked=checked),
            "recut": result.recut(line),
        }
        if features is not None:
            models["named"] = PropensityLogistic(propensity_features=features).fit(
                X, s, checked=checked
            )
    hidden = (s == 0) & np.isnan(checked)
    truth = oracle_of(dataset).predict_proba(X[hidden])[:, 1]
    found = {"truth": float(y.mean()), "propensity_C": models["unnamed"].propensity_C_}
    for name in METHODS:
        values = dict.fromkeys(MEASURES, np.nan)
        if name in models:
            posterior = models[name].predict_proba(X[hidden])[:, 1]
            prior = (
                result.recalibration.class_prior if name == "recut" else models[name].class_prior_
            )
            values = {
                "error": float(np.mean(np.abs(posterior - truth))),
                "prior": abs(prior - found["truth"]),
                "f1": float(f1_score(y[hidden], models[name].predict(X[hidden]))),
            }
        found |= {f"{name}_{key}": value for key, value in values.items()}
    for name in ("unnamed", "named"):
        ends = (np.nan, np.nan)
        if name in models:
            interval = models[name].class_prior_interval()
            ends = (interval.lower, interval.upper)
        found |= {f"{name}_lower": ends[0], f"{name}_upper": ends[1]}
    return found


RECORDS = Records(
    "checked.csv", ("dataset", "labeling", "repeat"), measure, lambda: repeated(CELLS, REPEATS)
)

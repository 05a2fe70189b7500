"""Told what the labeling followed: nine sets, split into training and test rows."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.metrics import balanced_accuracy_score, f1_score, roc_auc_score

from reproduction.studies.draw import seed_of
from unlabeled import PropensityLogistic, PULogistic
from unlabeled.datasets import DATASET_NAMES

from ..audit.cells import draw_cell, feature_of
from ..study import Records, repeated

LABELINGS = {
    "random": "at random",
    "middling": "by a middling feature",
    "strongest": "by the strongest feature",
}
CELLS = [(dataset, labeling) for dataset in DATASET_NAMES for labeling in LABELINGS]
REPEATS = 20
TEST_SHARE = 0.25
MOST_ROWS = 4000
"""Training rows of the larger sets."""

METHODS = {
    "line": "`PULogistic`",
    "named": "`PropensityLogistic`, told the feature",
    "unnamed": "`PropensityLogistic`, told nothing",
    "oracle": "`PULogistic`, given the true classes",
}
METRICS = {"auc": "AUC", "f1": "F1", "ba": "balanced accuracy"}


def measure(dataset: str, labeling: str, repeat: int) -> dict[str, float]:
    """Fit to the training rows of one split, and judge on its test rows by the true classes.

    Labels at random come with a name too: that of the middling feature.
    """
    cell = draw_cell(dataset, labeling, repeat)
    feature = feature_of(dataset, "strongest" if labeling == "strongest" else "middling")
    order = np.random.default_rng(seed_of("not at random", dataset, repeat)).permutation(
        len(cell.s)
    )
    n_test = round(TEST_SHARE * len(order))
    test, train = order[:n_test], order[n_test:][:MOST_ROWS]
    X, s, y = cell.X[train], cell.s[train], cell.y_true[train]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        named = PropensityLogistic(propensity_features=[feature]).fit(X, s)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        models = {
            "line": PULogistic().fit(X, s),
            "named": named,
            "oracle": PULogistic(class_prior=float(y.mean())).fit(X, y),
        }
        if labeling == "random":
            models["unnamed"] = PropensityLogistic().fit(X, s)
    found = {"truth": float(y.mean()), "slope": float(named.propensity_coef_[0])}
    found["warned"] = float(any(getattr(one.message, "code", "") == "PU122" for one in caught))
    found["swap_ratio"] = np.nan if named._swap_ratio_ is None else named._swap_ratio_
    interval = named.class_prior_interval()
    found |= {"named_lower": interval.lower, "named_upper": interval.upper}
    for name in METHODS:
        values = _values(models[name], cell.X[test], cell.y_true[test]) if name in models else {}
        found |= {f"{name}_{metric}": values.get(metric, np.nan) for metric in (*METRICS, "prior")}
    return found


def _values(model: Any, X: np.ndarray, y_true: np.ndarray) -> dict[str, float]:
    predicted = model.predict(X)
    return {
        "auc": float(roc_auc_score(y_true, model.positive_score(X))),
        "f1": float(f1_score(y_true, predicted)),
        "ba": float(balanced_accuracy_score(y_true, predicted)),
        "prior": model.class_prior_,
    }


RECORDS = Records(
    "splits.csv", ("dataset", "labeling", "repeat"), measure, lambda: repeated(CELLS, REPEATS)
)

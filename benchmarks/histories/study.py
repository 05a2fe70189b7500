"""What a history counts, beside labels alone and beside a propensity that follows it."""

from __future__ import annotations

import warnings
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from reproduction.studies.draw import seed_of
from unlabeled import PropensityLogistic, PULogistic, PUThresholdClassifier
from unlabeled.datasets import DATASET_NAMES, load_uci

from ..study import Key, Records, repeated
from .designs import DESIGNS, N_ROWS, Rows, Table, draw

LINE, FOREST, LABELS, PROPENSITY = "line", "forest", "labels alone", "propensity"
METHODS = {LINE: 400, LABELS: 100, PROPENSITY: 60, FOREST: 30}
"""What is fitted, and to how many tables: a history along two scores, and what has none."""


METHODS_OF_SETS = {LINE: 10, LABELS: 4, FOREST: 2}
"""The same on each of the nine sets, where the assumptions about the labels hold."""


def fitted(method: str, table: Table, seed: int) -> Any:
    """Fit a classifier to a table."""
    if method == LABELS:
        return PULogistic(random_state=seed).fit(table.X, table.s)
    if method == PROPENSITY:
        # The propensity may follow what the history says of each row.
        X = table.X.assign(followed=table.followed)
        named = PropensityLogistic(propensity_features=["followed"], random_state=seed)
        return named.fit(X, table.s)
    score = make_pipeline(StandardScaler(), LogisticRegression())
    if method == FOREST:
        score = ExtraTreesClassifier(100, min_samples_leaf=5, random_state=seed)
    model = PUThresholdClassifier(score, labeling=table.labeling, random_state=seed)
    return model.fit(table.X, table.s, history=table.history)


def measure(design: str, method: str, repeat: int) -> dict[str, float]:
    """Return the interval of the share of positives, the truth, and the ranking of the rows."""
    table = draw(design, np.random.default_rng(seed_of("histories", design, repeat)))
    return measured(method, table, repeat)


def measure_set(dataset: str, design: str, method: str, repeat: int) -> dict[str, float]:
    """Return the same for rows of a real set, with labels that come about by a design."""
    rng = np.random.default_rng(seed_of("histories", dataset, design, repeat))
    table = DESIGNS[design].draw(rows_of(dataset, rng), rng)
    try:
        return {"refused": 0.0} | measured(method, table, repeat)
    except ValueError as error:  # two sources share too few rows, or too few labels have a date
        if "must have at least 5 rows" not in str(error) and "at least 5 lab" not in str(error):
            raise
        return {"refused": 1.0}


def rows_of(dataset: str, rng: np.random.Generator) -> Rows:
    """Draw rows of a set, and choose a column that drives the class and a middling one."""
    data = load_uci(dataset)
    drawn = rng.permutation(len(data.X))[:N_ROWS]
    X, y_true = np.asarray(data.X, dtype=np.float64)[drawn], data.y_true[drawn] == 1
    X = X[:, X.std(axis=0) > 0]
    X = np.clip((X - X.mean(axis=0)) / X.std(axis=0), -2.5, 2.5)
    strength = np.argsort(np.abs((y_true - y_true.mean()) @ X), kind="stable")
    names = [f"column {k}" for k in range(X.shape[1])]
    driver, other = names[strength[-1]], names[strength[(len(names) - 1) // 2]]
    return Rows(pd.DataFrame(X, columns=names), y_true, driver, other)


def measured(method: str, table: Table, seed: int) -> dict[str, float]:
    """Fit a method to a table; return what it says, and the truth."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model = fitted(method, table, seed)
        interval = model.class_prior_interval()
    codes = {getattr(one.message, "code", "") for one in told}
    return {
        "estimate": interval.estimate,
        "lower": interval.lower,
        "upper": interval.upper,
        "counted": table.counted,
        "positive": float(table.y_true.mean()),
        "labeled": float(table.s.mean()),
        "auc": float(roc_auc_score(table.y_true, model.held_out_score_)),
        **{code: float(code in codes) for code in ("PU125", "PU126", "PU127", "PU128")},
    }


def _even(cells: list[Key], repeats: dict[str, int]) -> list[Key]:
    """Return keys whose last two parts are method and repeat, all methods equally far."""
    keys = [key for key in repeated(cells, max(repeats.values())) if key[-1] < repeats[key[-2]]]
    return sorted(keys, key=lambda key: key[-1] / repeats[key[-2]])


def keys() -> list[Key]:
    """Return the cells of simulated tables; each method is as far as the others."""
    return _even(list(product(DESIGNS, METHODS)), METHODS)


def keys_of_sets() -> list[Key]:
    """Return the cells of the nine sets."""
    right = [name for name, one in DESIGNS.items() if one.holds]
    return _even(list(product(DATASET_NAMES, right, METHODS_OF_SETS)), METHODS_OF_SETS)


RECORDS = Records("tables.csv", ("design", "method", "repeat"), measure, keys)
SETS = Records("sets.csv", ("dataset", "design", "method", "repeat"), measure_set, keys_of_sets)

"""The protocol of the ECAI 2023 paper on double logistic regression, with our classifiers.

Six sets, a quarter of the rows for testing, labels at random (scenario 1) or by a product of five
features (scenario 3). Accuracy is that of the posterior cut at 1/2; the other measure is the mean
distance of the posterior from that of a logistic regression of the true classes.
"""

from __future__ import annotations

import warnings
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from reproduction.outcome import number, with_error
from reproduction.studies.draw import seed_of
from unlabeled import NaiveLogistic, PropensityLogistic, PULogistic
from unlabeled.datasets import hide_labels, load_uci, propensity

from ..study import Records, repeated

DATASETS = ("adult", "credit-a", "spambase", "diabetes", "breast-w", "breast-cancer")
FREQUENCIES = (0.1, 0.3, 0.5, 0.7, 0.9)
"""Label frequencies of scenario 1. In scenario 3 the features decide, and it is written as 0."""

CELLS = [(dataset, 1, c) for dataset, c in product(DATASETS, FREQUENCIES)]
CELLS += [(dataset, 3, 0.0) for dataset in DATASETS]
REPEATS = 20
PUBLISHED = {
    1: {
        "NAIVE": (0.747, 0.192),
        "SAR-EM": (0.795, 0.142),
        "TM": (0.810, 0.122),
        "double logistic": (0.791, 0.162),
        "LBE": (0.804, 0.149),
    },
    3: {
        "NAIVE": (0.714, 0.225),
        "SAR-EM": (0.780, 0.154),
        "TM": (0.804, 0.126),
        "double logistic": (0.780, 0.172),
        "LBE": (0.805, 0.147),
    },
}
"""Accuracy and posterior error of the paper's supplement, means over its sets."""

METHODS = {
    "naive": "`NaiveLogistic`",
    "sar_em": "`PropensityLogistic` with the settings of SAR-EM",
    "line": "`PULogistic`; also `PropensityLogistic`, told nothing",
    "named": "`PropensityLogistic`, told the five features",
    "oracle": "logistic regression of the true classes",
}
SAR_EM_REPEATS, SAR_EM_ROWS = 5, 6000
"""SAR-EM takes long: it runs in the first repeats, and not on larger sets."""

_FACTORS, _LOWER, _UPPER = 5, 0.2, 0.6
_TEST_SHARE = 0.25


@cache
def rows_of(dataset: str) -> tuple[np.ndarray, np.ndarray]:
    """Return standardized features and classes; in breast cancer, malignant is positive."""
    if dataset == "breast-cancer":
        X, y = load_breast_cancer(return_X_y=True)
        return StandardScaler().fit_transform(X), 1 - y
    loaded = load_uci(dataset)
    return StandardScaler().fit_transform(loaded.X), loaded.y_true


def measure(dataset: str, scenario: int, label_frequency: float, repeat: int) -> dict[str, float]:
    """Fit all methods to the training rows of one split."""
    X, y = rows_of(dataset)
    seed = seed_of("ecai", dataset, scenario, label_frequency, repeat)
    rng = np.random.RandomState(seed)
    features = rng.choice(np.flatnonzero(np.ptp(X, axis=0) > 0), _FACTORS, replace=False)
    if scenario == 1:
        e = np.full(len(y), label_frequency)
    else:
        e = propensity("product", X, columns=features, lower=_LOWER, upper=_UPPER)
    s = hide_labels(y, propensity=e, random_state=seed)
    train, test = train_test_split(
        np.arange(len(y)), test_size=_TEST_SHARE, random_state=seed, stratify=y
    )
    oracle = LogisticRegression(max_iter=5000).fit(X[train], y[train])
    truth = oracle.predict_proba(X[test])[:, 1]
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        models: dict[str, Any] = {
            "naive": NaiveLogistic(C=1.0).fit(X[train], s[train]),
            "line": PULogistic().fit(X[train], s[train]),
            "oracle": oracle,
        }
        if scenario == 3:
            models["named"] = PropensityLogistic(propensity_features=features).fit(
                X[train], s[train]
            )
        if repeat < SAR_EM_REPEATS and len(y) <= SAR_EM_ROWS:
            models["sar_em"] = PropensityLogistic(settings="sar-em").fit(X[train], s[train])
    for name in METHODS:
        accuracy = error = np.nan
        if name in models:
            posterior = models[name].predict_proba(X[test])[:, 1]
            accuracy = float(np.mean((posterior > 0.5) == y[test]))
            error = float(np.mean(np.abs(posterior - truth)))
        found |= {f"{name}_accuracy": accuracy, f"{name}_error": error}
    return found


def ecai_table(folder: Path) -> pd.DataFrame | None:
    """Accuracy and posterior error of both scenarios, ours beside the published ones."""
    cells = RECORDS.read(folder)
    if not len(cells):
        return None
    lines = []
    for scenario, published in PUBLISHED.items():
        own = cells[cells["scenario"] == scenario]
        for method, (accuracy, error) in published.items():
            lines.append(
                {
                    "scenario": str(scenario),
                    "method": f"{method}, as published",
                    "accuracy": number(accuracy),
                    "posterior error": number(error),
                    "sets": "",
                    "fits": "",
                }
            )
        for method, words in METHODS.items():
            fits = own.dropna(subset=[f"{method}_accuracy"])
            if len(fits):
                lines.append(
                    {
                        "scenario": str(scenario),
                        "method": words.replace("`", ""),
                        "accuracy": _with_error(fits, f"{method}_accuracy"),
                        "posterior error": _with_error(fits, f"{method}_error"),
                        "sets": str(fits["dataset"].nunique()),
                        "fits": str(len(fits)),
                    }
                )
    return pd.DataFrame(lines)


def _with_error(fits: pd.DataFrame, column: str) -> str:
    """Mean over the sets, with the standard error over splits and labels."""
    by_cell = fits.groupby(["dataset", "label_frequency"])[column]
    variance = by_cell.var() / by_cell.count()
    return with_error(by_cell.mean().mean(), float(np.sqrt(variance.sum())) / len(variance))


RECORDS = Records(
    "ecai.csv",
    ("dataset", "scenario", "label_frequency", "repeat"),
    measure,
    lambda: repeated(CELLS, REPEATS),
)

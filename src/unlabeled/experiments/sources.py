"""The rows of real data sets: loaded once in each process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from ..datasets import load_uci, make_paper_gaussian
from .methods import ORACLE_MOST_ITERATIONS

BREAST_CANCER = "breast_cancer"
"""Scikit-learn's own set, malignant positive: in every installation."""

BREAST_CANCER_BENIGN = "breast_cancer_benign"
"""The same set, benign positive."""

ADULT_STAND_IN = "adult_stand_in"
"""As many rows and features as adult, for timing without data."""

_ADULT_ROWS, _ADULT_FEATURES, _INFORMATIVE = 32561, 57, 3


@dataclass(frozen=True, eq=False)
class Rows:
    """Features and true classes."""

    X: np.ndarray
    y_true: np.ndarray


def _malignant() -> Rows:
    X, benign = load_breast_cancer(return_X_y=True)
    return Rows(X, 1 - benign)


def _benign() -> Rows:
    return Rows(*load_breast_cancer(return_X_y=True))


def _adult_stand_in() -> Rows:
    noise = _ADULT_FEATURES - _INFORMATIVE
    sample = make_paper_gaussian(_ADULT_ROWS, 1.0, random_state=0, n_noise_features=noise)
    return Rows(sample.X, sample.y_true)


IN_EVERY_INSTALLATION: dict[str, Callable[[], Rows]] = {
    BREAST_CANCER: _malignant,
    BREAST_CANCER_BENIGN: _benign,
    ADULT_STAND_IN: _adult_stand_in,
}
"""Sets that need no files, by name."""


@cache
def load_rows(dataset: str, data_home: str | None = None) -> Rows:
    """Load a data set by name: one of the paper's nine, or one that needs no data.

    Raises
    ------
    DatasetError
        If the data are missing, cut off, altered or out of reach.
    """
    if dataset in IN_EVERY_INSTALLATION:
        return IN_EVERY_INSTALLATION[dataset]()
    loaded = load_uci(dataset, data_home)
    return Rows(loaded.X, loaded.y_true)


def describe_rows(dataset: str, data_home: str | None = None) -> dict[str, float]:
    """Return size, number of features and fraction of positives of a data set."""
    rows = load_rows(dataset, data_home)
    size, features = rows.X.shape
    return {"size": size, "features": features, "fraction": round(float(rows.y_true.mean()), 6)}


@cache
def fitted_posterior(dataset: str, data_home: str | None = None) -> np.ndarray:
    """P(Y=1|x) of every row by the oracle's logistic fit to the whole set."""
    rows = load_rows(dataset, data_home)
    X = StandardScaler().fit_transform(rows.X)
    oracle = LogisticRegression(C=np.inf, max_iter=ORACLE_MOST_ITERATIONS).fit(X, rows.y_true)
    return np.asarray(oracle.predict_proba(X)[:, 1])

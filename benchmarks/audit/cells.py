"""The cells of the audit's studies: ten data sets, each labeled by five mechanisms."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from reproduction.studies.draw import seed_of
from unlabeled.datasets import DATASET_NAMES, hide_labels, load_uci, propensity
from unlabeled.linear_model import PULogistic

from ..nhanes import load_nhanes

RARE = "rare"
"""20 000 generated rows: ten normal features, a logistic posterior, 2 % positives."""

NHANES = "nhanes"
"""The adults of `load_nhanes`, for other studies; the true class is diabetes."""

DATASETS = (*DATASET_NAMES, RARE)
"""The sets: the paper's nine, all of their rows, and the generated one."""

MECHANISMS = {
    "random": "at random",
    "posterior": "by the posterior",
    "middling": "by a middling feature",
    "strongest": "by the strongest feature",
    "product": "by a product of five features",
}
"""Mechanisms in words. Only the first is SCAR."""

LABEL_FREQUENCY = 0.4
"""Mean propensity of the positives, where the mechanism reaches it."""

_FACTORS = 5  # features of the product, or all if there are fewer
_ORACLE_MOST_ITERATIONS = 5000


@dataclass(frozen=True, eq=False)
class Cell:
    """A data set with its labels.

    Attributes
    ----------
    dataset, mechanism : str
        One of `DATASETS`; a key of `MECHANISMS`.
    X : ndarray of shape (n, p)
        Standardized features.
    y_true, s : ndarray of shape (n,), int
        The class, and the observed label.
    propensity : ndarray of shape (n,)
        P(S=1|Y=1, x) of every row.
    label_frequency : float
        Mean propensity of the positives of the whole set: `LABEL_FREQUENCY`, or the largest that
        the mechanism reaches.
    """

    dataset: str
    mechanism: str
    X: np.ndarray
    y_true: np.ndarray
    s: np.ndarray
    propensity: np.ndarray
    label_frequency: float

    @property
    def name(self) -> str:
        """Name of the cell, for records and tables."""
        return f"{self.dataset}-{self.mechanism}"

    def fit(self) -> PULogistic:
        """Fit `PULogistic`; its warnings about doubtful assumptions are expected here."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return PULogistic(random_state=0).fit(self.X, self.s)


def draw_cell(dataset: str, mechanism: str, repeat: int = 0) -> Cell:
    """Label a data set; each `repeat` draws other labels from the same propensity."""
    X, y_true = _rows(dataset)
    propensity, label_frequency = _propensity(dataset, mechanism)
    seed = seed_of("audit", "labels", dataset, mechanism, repeat)
    s = hide_labels(y_true, propensity=propensity, random_state=seed)
    return Cell(dataset, mechanism, X, y_true, s, propensity, label_frequency)


def draw_cells(repeat: int = 0) -> Iterator[Cell]:
    """Yield every cell, one data set after the other."""
    for dataset in DATASETS:
        for mechanism in MECHANISMS:
            yield draw_cell(dataset, mechanism, repeat)


@cache
def _rows(dataset: str) -> tuple[np.ndarray, np.ndarray]:
    """Return standardized features and classes."""
    if dataset == RARE:
        return _rare()
    loaded = load_nhanes() if dataset == NHANES else load_uci(dataset)
    return StandardScaler().fit_transform(loaded.X), loaded.y_true


def _rare() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed_of("audit", RARE))
    X = StandardScaler().fit_transform(rng.standard_normal((20_000, 10)))
    logit = X @ np.array([2.0, -1.5, 1.2, -1.0, 0.8, -0.6, 0.4, -0.2, 0.1, 0.0])
    intercept = brentq(lambda a: expit(a + logit).mean() - 0.02, -30, 0)
    return X, (rng.random(len(X)) < expit(intercept + logit)).astype(np.int64)


@cache
def _propensity(dataset: str, mechanism: str) -> tuple[np.ndarray, float]:
    """Return the propensity of every row and its mean over the positives."""
    X, y_true = _rows(dataset)
    target = {"label_frequency": LABEL_FREQUENCY, "y_true": y_true}
    if mechanism == "random":
        return np.full(len(y_true), LABEL_FREQUENCY), LABEL_FREQUENCY
    if mechanism == "product":
        return _product(X, y_true, _factors(dataset))
    oracle = oracle_of(dataset)
    if mechanism == "posterior":
        posterior = oracle.predict_proba(X)[:, 1]
        return propensity("posterior", posterior, link="logit", **target), LABEL_FREQUENCY
    feature = feature_of(dataset, mechanism)
    return propensity("feature", X, column=feature, slope=2.0, **target), LABEL_FREQUENCY


def feature_of(dataset: str, mechanism: str) -> int:
    """Return the feature that drives "middling" or "strongest".

    It is the one whose oracle coefficient has the median, or the largest, absolute value.
    """
    X, _ = _rows(dataset)
    varying = _varying(X)
    size = np.abs(oracle_of(dataset).coef_[0][varying])
    place = {"middling": (len(varying) - 1) // 2, "strongest": len(varying) - 1}[mechanism]
    return int(varying[np.argsort(size, kind="stable")[place]])


def features_of(dataset: str, mechanism: str) -> list[int] | None:
    """Return the features that drive a mechanism; None if none or all of them do."""
    if mechanism in ("middling", "strongest"):
        return [feature_of(dataset, mechanism)]
    if mechanism == "product":
        return [int(one) for one in _factors(dataset)]
    return None


def _factors(dataset: str) -> np.ndarray:
    """Features of the product."""
    varying = _varying(_rows(dataset)[0])
    random = np.random.RandomState(seed_of("audit", "features", dataset))
    return random.choice(varying, min(_FACTORS, len(varying)), replace=False)


def _product(X: np.ndarray, y_true: np.ndarray, features: np.ndarray) -> tuple[np.ndarray, float]:
    plain = propensity("product", X, columns=features)
    highest = float(plain[y_true == 1].mean() / plain.max())
    reached = min(LABEL_FREQUENCY, highest)
    return propensity(
        "product", X, columns=features, label_frequency=reached, y_true=y_true
    ), reached


def _varying(X: np.ndarray) -> np.ndarray:
    """Positions of the columns that are not constant."""
    return np.flatnonzero(np.ptp(X, axis=0) > 0)


@cache
def oracle_of(dataset: str) -> LogisticRegression:
    """Logistic regression of the true classes on all rows."""
    X, y_true = _rows(dataset)
    return LogisticRegression(max_iter=_ORACLE_MOST_ITERATIONS).fit(X, y_true)

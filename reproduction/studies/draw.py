"""The rows and labels of a task: drawn from its key alone, so the same in every process.

Data sets that need no files are in `IN_EVERY_INSTALLATION`, labeling mechanisms in
`draw_labels`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from unlabeled.datasets import hide_labels, load_uci, make_paper_gaussian, propensity

from .methods import ORACLE_MOST_ITERATIONS
from .plan import PAPER_GAUSSIAN, SYNTHETIC_TEST_ROWS, TEST_SHARE, Task

MOST_ATTEMPTS = 100
"""Maximum number of draws; a draw without both classes or without labels is repeated."""


@dataclass(frozen=True, eq=False)
class Sample:
    """Training and test rows of a task, standardized by the training rows' mean and deviation.

    Attributes
    ----------
    X, s, y_true : ndarray
        Training rows: features, labels, true classes.
    X_test, y_test : ndarray
        Test rows and their true classes.
    scale : ndarray
        Standard deviations the features were divided by.
    direction : ndarray or None
        The true slopes on the original scale, if known.
    """

    X: np.ndarray
    s: np.ndarray
    y_true: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray
    scale: np.ndarray
    direction: np.ndarray | None

    @property
    def has_all_classes(self) -> bool:
        """Whether labels and classes take both values, as methods and scores need."""
        columns = (self.s, self.y_true, self.y_test)
        return all(0 < column.sum() < len(column) for column in columns)


def draw_sample(task: Task, data_home: str | None = None) -> Sample:
    """Draw the rows of a task.

    All label frequencies of a repeat share the split; each draws its own labels.
    """
    for attempt in range(MOST_ATTEMPTS):
        if task.cell.dataset == PAPER_GAUSSIAN:
            sample = _draw_synthetic(task, attempt)
        else:
            sample = _draw_real(task, data_home, attempt)
        if sample.has_all_classes:
            return sample
    raise ValueError(
        f"a draw from `{task.cell.dataset}` with label frequency {task.cell.c} must have labeled "
        f"and unlabeled rows and both classes; none of {MOST_ATTEMPTS} did. Use more rows."
    )


def _split_seed(what: str, task: Task, attempt: int) -> int:
    return seed_of(what, task.drawn_by, task.cell.dataset, task.cell.n, task.repeat, attempt)


def _labels_seed(task: Task, attempt: int) -> int:
    cell = task.cell
    key = ("labels", task.drawn_by, cell.dataset, cell.mechanism, cell.n, cell.c)
    return seed_of(*key, task.repeat, attempt)


def _draw_synthetic(task: Task, attempt: int) -> Sample:
    cell = task.cell
    train = make_paper_gaussian(cell.n, 1.0, random_state=_split_seed("train", task, attempt))
    test_seed = seed_of("test", task.drawn_by, cell.dataset, task.repeat, attempt)
    test = make_paper_gaussian(SYNTHETIC_TEST_ROWS, 1.0, random_state=test_seed)
    posterior = expit(train.beta[0] + train.X @ train.beta[1:])
    seed = _labels_seed(task, attempt)
    s = draw_labels(cell.mechanism, cell.c, train.X, train.y_true, posterior, seed)
    scaler = StandardScaler().fit(train.X)
    X_test = scaler.transform(test.X)
    X = scaler.transform(train.X)
    return Sample(X, s, train.y_true, X_test, test.y_true, scaler.scale_, train.beta[1:])


def _draw_real(task: Task, data_home: str | None, attempt: int) -> Sample:
    """Split a set at random, not stratified, then standardize its features."""
    rows = load_rows(task.cell.dataset, data_home)
    y_true, n_rows = rows.y_true, len(rows.y_true)
    order = np.random.RandomState(_split_seed("split", task, attempt)).permutation(n_rows)
    n_test = int(np.ceil(TEST_SHARE * n_rows))
    test, train = order[:n_test], order[n_test:]
    s = _draw_real_labels(task, data_home, attempt, train)
    scaler = StandardScaler().fit(rows.X[train])
    X, X_test = scaler.transform(rows.X[train]), scaler.transform(rows.X[test])
    return Sample(X, s, y_true[train], X_test, y_true[test], scaler.scale_, None)


def _draw_real_labels(
    task: Task, data_home: str | None, attempt: int, train: np.ndarray
) -> np.ndarray:
    """Label the whole set, so that it has the label frequency; return the training rows' labels."""
    cell, seed = task.cell, _labels_seed(task, attempt)
    rows = load_rows(cell.dataset, data_home)
    if cell.mechanism == TEN_LABELS:
        return label_ten(rows.y_true[train], seed)
    needs_posterior = cell.mechanism.startswith("posterior")
    posterior = fitted_posterior(cell.dataset, data_home) if needs_posterior else None
    s = draw_labels(cell.mechanism, cell.c, rows.X, rows.y_true, posterior, seed)
    return s[train]


def seed_of(*key: str | int | float) -> int:
    """Return the 32-bit seed of a key.

    Seeds derived from keys make results independent of order, number of jobs and backend.

    Parameters
    ----------
    *key : str, int or float
        Parts of the key. Floats are rounded to six significant digits.

    Returns
    -------
    seed : int
        The first four bytes of the SHA-256 of the key.

    Examples
    --------
    >>> from reproduction.studies.draw import seed_of
    >>> seed_of("split", "real", "adult", 0) == seed_of("split", "real", "adult", 0)
    True
    """
    words = [f"{part:.6g}" if isinstance(part, float) else str(part) for part in key]
    return int.from_bytes(hashlib.sha256("|".join(words).encode()).digest()[:4], "big")


BREAST_CANCER = "breast_cancer"
"""Scikit-learn's set, malignant positive: in every installation."""

BREAST_CANCER_BENIGN = "breast_cancer_benign"
"""The same set, benign positive."""

ADULT_STAND_IN = "adult_stand_in"
"""Simulated rows of adult's size, for timing without data."""

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
"""Data sets that need no files, by name."""


@cache
def load_rows(dataset: str, data_home: str | None = None) -> Rows:
    """Load one of the paper's nine sets, or one that needs no files; once per process.

    Raises
    ------
    DatasetError
        If the data are missing, truncated or altered, or cannot be downloaded.
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
    """Return P(Y=1|x) of every row, by a logistic fit of the true classes to the whole set."""
    rows = load_rows(dataset, data_home)
    X = StandardScaler().fit_transform(rows.X)
    oracle = LogisticRegression(C=np.inf, max_iter=ORACLE_MOST_ITERATIONS).fit(X, rows.y_true)
    return np.asarray(oracle.predict_proba(X)[:, 1])


MECHANISMS = ("scar", "logistic", "posterior", "posterior_squared")
"""SCAR; e(x) logistic in the features; e(x) that grows with the posterior or its square."""

TEN_LABELS = "ten_labels"
"""The mechanism that labels exactly ten positive training rows, for any label frequency."""

_POWERS = {"posterior": 1.0, "posterior_squared": 2.0}


def draw_labels(
    mechanism: str,
    c: float,
    X: np.ndarray,
    y_true: np.ndarray,
    posterior: np.ndarray | None,
    seed: int,
) -> np.ndarray:
    """Label positives with mean frequency `c` by one of `MECHANISMS`.

    Parameters
    ----------
    mechanism : str
        One of `MECHANISMS`.
    c : float
        Mean of e(x) over the positive rows.
    X, y_true : ndarray
        Features and true classes.
    posterior : ndarray or None
        P(Y=1|x) of every row. Only the mechanisms named after it need it.
    seed : int
        Controls the draw of the labels.

    Notes
    -----
    "logistic": e(x) = sigmoid(a + u), where u is the sum of the standardized features divided by
    its standard deviation. So e(x) is not a function of the posterior. "posterior" and
    "posterior_squared": e(x) = min(1, k y(x)^power). e(x) is capped at 1 only if `c` is too
    large otherwise.
    """
    if mechanism == "scar":
        return hide_labels(y_true, c, random_state=seed)
    if mechanism == "logistic":
        propensity = _logistic(c, X, y_true)
    else:
        assert posterior is not None
        propensity = _growing_with_posterior(c, posterior, y_true, _POWERS[mechanism])
    return hide_labels(y_true, propensity=propensity, random_state=seed)


def label_ten(y_true: np.ndarray, seed: int) -> np.ndarray:
    """Label ten positive rows, completely at random; `y_true` are the training rows' classes."""
    positives = np.flatnonzero(y_true == 1)
    if len(positives) <= 10:
        raise ValueError(
            f"`y_true` must have more than ten positives; got {len(positives)}. Use more rows."
        )
    s = np.zeros_like(y_true)
    s[np.random.RandomState(seed).choice(positives, 10, replace=False)] = 1
    return s


def _logistic(c: float, X: np.ndarray, y_true: np.ndarray) -> np.ndarray:
    total = StandardScaler().fit_transform(X).sum(axis=1, keepdims=True)
    return propensity("logistic", total / total.std(), coef=[1.0], label_frequency=c, y_true=y_true)


def _growing_with_posterior(
    c: float, posterior: np.ndarray, y_true: np.ndarray, power: float
) -> np.ndarray:
    shape = posterior**power
    among_positives = shape[y_true == 1]

    def excess(cap: float) -> float:
        return float(np.minimum(among_positives, cap).mean()) / cap - c

    highest = float(shape.max())
    if excess(highest) >= 0:
        cap = highest
    else:
        cap = float(
            brentq(excess, float(among_positives.min()) * 1e-3 + 1e-300, highest, xtol=1e-15)
        )
        cap *= 1 - 1e-9  # on the side where the mean can be reached
    return propensity(
        "posterior",
        posterior,
        label_frequency=c,
        y_true=y_true,
        function=lambda y: np.minimum(y**power, cap),
    )

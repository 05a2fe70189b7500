"""Data made to set off a check, and data made not to."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.special import expit

from unlabeled.datasets import hide_labels, make_paper_gaussian, propensity
from unlabeled.diagnostics import diagnose

Data = tuple[np.ndarray, np.ndarray]


def honest(n: int = 2000, c: float = 0.6, seed: int = 1) -> Data:
    """The paper's design."""
    sample = make_paper_gaussian(n, c, random_state=seed)
    return sample.X, sample.s


def apart(n: int = 2000, c: float = 0.6, seed: int = 0) -> Data:
    """Normal classes that overlap little."""
    rng = np.random.default_rng(seed)
    y_true = rng.random(n) < 0.3
    X = rng.normal(size=(n, 4))
    X[:, 0] += 3 * y_true
    X[:, 1] += 1.5 * y_true
    return X, (y_true & (rng.random(n) < c)).astype(int)


def small() -> Data:
    return honest(1000, seed=0)


def few() -> Data:
    X, s = honest()
    return X, s * (np.cumsum(s) <= 6)


def memorized() -> Data:
    X, s = honest()
    noise = np.random.default_rng(0).normal(size=(len(s), 12))
    return np.column_stack([X, noise]), s * (np.cumsum(s) <= 12)


def rare_column() -> Data:
    X, s = honest()
    rare = (np.arange(len(s)) % 50 == 0) & (s == 0)
    return np.column_stack([X, rare]), s


def nearly_separated() -> Data:
    X, s = apart(c=1.0)
    noisy = np.where(np.random.default_rng(1).random(len(s)) < 0.003, 1 - s, s)
    return np.column_stack([X, 9 * noisy + X[:, 2]]), s


def flat() -> Data:
    """Rare positives: the labels cannot separate c from the intercept."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 2))
    y_true = rng.random(1000) < expit(-3 + X @ [0.4, 0.2])
    return X, (y_true & (rng.random(1000) < 0.6)).astype(int)


def skewed() -> Data:
    """A logistic posterior of exponential and binary features."""
    rng = np.random.default_rng(0)
    n = 5000
    X = np.column_stack([rng.exponential(size=n), rng.integers(0, 2, n), rng.normal(size=n)])
    y_true = rng.random(n) < expit(-3 + X @ [1.0, 2.0, 1.0])
    return X, (y_true & (rng.random(n) < 0.3)).astype(int)


def leak() -> Data:
    """The last column was filled in after most rows were labeled."""
    X, s = honest()
    rng = np.random.default_rng(0)
    date = np.where((s == 1) & (rng.random(len(s)) < 0.8), rng.uniform(1, 30, len(s)), 0.0)
    return np.column_stack([X, date]), s


def flipped() -> Data:
    """A twentieth of the labels were moved to rows drawn from the unlabeled ones."""
    X, s = apart(5000)
    rng, s = np.random.default_rng(1), s.copy()
    k = round(0.05 * s.sum())
    to, away = (rng.choice(np.flatnonzero(s == value), k, replace=False) for value in (0, 1))
    s[to], s[away] = 1, 0
    return X, s


def copied() -> Data:
    """Every labeled row was also left in the unlabeled table."""
    X, s = honest()
    return np.vstack([X, X[s == 1]]), np.append(s, np.zeros(s.sum(), dtype=int))


def few_copied() -> Data:
    """A tenth of the labeled rows was also left in the unlabeled table."""
    X, s = honest()
    some = np.flatnonzero(s == 1)[::10]
    return np.vstack([X, X[some]]), np.append(s, np.zeros(len(some), dtype=int))


def stacked() -> Data:
    """The whole table again, without its labels."""
    X, s = honest()
    return np.vstack([X, X]), np.append(s, np.zeros(len(s), dtype=int))


def inverted() -> Data:
    X, s = apart()
    return X, 1 - s


def inverted_minority() -> Data:
    """Most rows are positive and have a label, and the others were taken for the labeled."""
    rng = np.random.default_rng(0)
    y_true = rng.random(2000) < 0.8
    X = rng.normal(size=(2000, 2)) + 3 * y_true[:, None]
    return X, 1 - (y_true & (rng.random(2000) < 0.75)).astype(int)


def nearly_all() -> Data:
    """Labels that no column predicts; 94 % of the rows have one."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(500, 3)), (rng.random(500) < 0.94).astype(int)


MAKERS: dict[str, Callable[..., Data]] = {
    maker.__name__: maker
    for maker in (
        honest,
        apart,
        small,
        few,
        memorized,
        rare_column,
        nearly_separated,
        flat,
        skewed,
        leak,
        flipped,
        copied,
        few_copied,
        stacked,
        inverted,
        inverted_minority,
        nearly_all,
    )
}


@pytest.fixture(scope="session")
def made() -> Callable[..., Data]:
    """Return data by name; without arguments they are made once."""
    kept: dict[str, Data] = {}

    def make(name: str, **arguments: object) -> Data:
        if arguments:
            return MAKERS[name](**arguments)
        return kept.setdefault(name, MAKERS[name]())

    return make


@pytest.fixture(scope="session")
def find():
    """Return the finding of one check; the warnings of the fit go to the check `fit`."""

    def finding(check, model, X, s):
        return diagnose(model, X, s, checks=["fit", check])[check]

    return finding


@pytest.fixture(scope="session", name="honest")
def sample_under_scar():
    return make_paper_gaussian(1500, label_frequency=0.6, random_state=5)


@pytest.fixture(scope="session")
def dependent():
    """Labeling depends on the first feature."""
    data = make_paper_gaussian(4000, label_frequency=0.6, random_state=1)
    e = propensity("logistic", data.X, coef=[1.5, 0, 0], label_frequency=0.4, y_true=data.y_true)
    return data.X, hide_labels(data.y_true, propensity=e, random_state=2)

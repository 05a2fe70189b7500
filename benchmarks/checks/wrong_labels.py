"""Of the labels that the check "label quality" doubts: how many are wrong, beside what it says."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from itertools import product

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from reproduction.studies.draw import load_rows, seed_of
from unlabeled import PULogistic
from unlabeled.datasets import DATASET_NAMES, hide_labels
from unlabeled.diagnostics import STATES, diagnose

from ..study import Records, repeated

REPEATS = 16
ROWS = 3000
FREQUENCIES = (0.5, 0.3)
WRONG = {
    "none": (0.0, "every label is right"),
    "few": (0.02, "2 % of the labels are on random negatives"),
    "some": (0.05, "5 % of the labels are on random negatives"),
    "many": (0.1, "10 % of the labels are on random negatives"),
    "look-alikes": (0.1, "10 % of the labels are on negatives that look like positives"),
}
"""Kinds of labels: the share of the labels that are wrong, and in words."""

_SHARE = 0.3


def _normal(apart: float) -> Callable[[np.random.Generator], tuple[np.ndarray, np.ndarray]]:
    def draw(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        y = rng.random(ROWS) < _SHARE
        X = rng.normal(size=(ROWS, 5))
        X[:, 0] += apart * y
        return X, y

    return draw


def _two_kinds(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draw positives of which every tenth looks like a negative in every column."""
    y = rng.random(ROWS) < _SHARE
    seen = y & (rng.random(ROWS) < 0.9)
    X = rng.normal(size=(ROWS, 5))
    X[:, 0] += 3 * seen
    return X, y


def _skewed(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draw columns with heavy right tails."""
    y = rng.random(ROWS) < _SHARE
    X = np.exp(rng.normal(size=(ROWS, 5)))
    X[:, :2] *= np.where(y, 4.0, 1.0)[:, None]
    return X, y


MADE = {
    "classes 2 apart": _normal(2.0),
    "classes 3.5 apart": _normal(3.5),
    "unseen positives": _two_kinds,
    "heavy tails": _skewed,
}
"""Tables of our own, by name."""


def draw(table: str, wrong: str, c: float, repeat: int) -> tuple[np.ndarray, ...]:
    """Return columns, classes, and labels of which some are wrong."""
    seed = seed_of("wrong labels", table, wrong, c, repeat)
    rng = np.random.default_rng(seed)
    if table in MADE:
        X, y = MADE[table](rng)
    else:
        data = load_rows(table)
        kept = rng.permutation(len(data.y_true))[:ROWS]
        X, y = np.asarray(data.X)[kept], data.y_true[kept] == 1
    s = np.asarray(hide_labels(y.astype(int), c, random_state=seed))
    share = WRONG[wrong][0]
    negative = np.flatnonzero(~y)
    n_wrong = min(round(share / (1 - share) * s.sum()), len(negative) // 2)
    weight = _likeness(X, y)[negative] if wrong == "look-alikes" else np.ones(len(negative))
    s[rng.choice(negative, n_wrong, replace=False, p=weight / weight.sum())] = 1
    return X, y, s


def _likeness(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the probability of being positive by a fit to the classes."""
    fit = make_pipeline(StandardScaler(), LogisticRegression(C=0.1, max_iter=1000)).fit(X, y)
    return np.asarray(fit.predict_proba(X)[:, 1])


def measure(table: str, wrong: str, c: float, repeat: int) -> dict[str, float]:
    """Check one table: the state of the finding, its list, and how much of it is wrong."""
    X, y, s = draw(table, wrong, c, repeat)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = PULogistic(random_state=0)
        found = diagnose(model, X, s, checks="label quality", random_state=0)["label quality"]
    rows = np.array(found.facts.get("rows", []), dtype=int)
    return {
        "labeled": float(s.sum()),
        "wrong_labels": float(s[~y].sum()),
        "state": float(STATES.index(found.state)),
        "p_value": found.facts.get("p_value", np.nan),
        "listed": float(len(rows)),
        "wrong_listed": float(np.sum(~y[rows])),
        "said": found.facts.get("expected_share_of_negatives_in_rows", np.nan),
        "share": found.facts.get("estimated_share_of_negatives_among_labeled", np.nan),
        "over_slow": found.facts.get("better_than_slow_tail_by", np.nan),
    }


RECORDS = Records(
    "wrong_labels.csv",
    ("table", "wrong", "c", "repeat"),
    measure,
    lambda: repeated([*product((*MADE, *DATASET_NAMES), WRONG, FREQUENCIES)], REPEATS),
)

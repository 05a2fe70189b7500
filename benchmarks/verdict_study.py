"""How often the verdict of a comparison, and the choice of ``--method auto``, are right.

The records are those of the page "Which method". Every draw is a table of 2000 rows.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier

from unlabeled import NaiveLogistic, PUEnsemble, PULogistic, PUThresholdClassifier
from unlabeled.app.table_model import line_or_ensemble
from unlabeled.comparison import compare_methods

from .study import Records, repeated

REPEATS = 40
ROWS, COLUMNS, SPLITS = 2000, 5, 5
# The rule was settled on the tables of the seeds before this one.
FIRST_SEED = 1000


@dataclass(frozen=True)
class Truth:
    """A population, and the verdicts that are right for it."""

    logit: Callable[[np.ndarray], np.ndarray]
    c: float
    right: tuple[str, ...]
    ensemble: bool


TRUTHS = {
    "linear, c = .4": Truth(
        lambda X: -0.5 + 1.5 * X[:, 0] - X[:, 1] + 0.5 * X[:, 2],
        0.4,
        ("naive-cut", "pu-logistic"),
        False,
    ),
    "interaction, c = .4": Truth(
        lambda X: -0.5 + 1.5 * X[:, 0] + 1.5 * X[:, 1] * X[:, 2], 0.4, ("trees",), True
    ),
    "linear, balanced, c = .95": Truth(
        lambda X: 1.5 * X[:, 0] - X[:, 1] + 0.5 * X[:, 2], 0.95, ("naive",), False
    ),
}


def measure(truth: str, draw: int) -> dict[str, float]:
    """Return which method is the simplest not clearly beaten, and which choices are right."""
    own, seed = TRUTHS[truth], FIRST_SEED + draw
    X, s = drawn(own, seed)
    models = _models(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compared = compare_methods(
            models, X, s, n_repeats=SPLITS, random_state=seed, order=tuple(models)
        )
        ensemble = takes_ensemble(X, s, seed)
    simplest = compared.verdict().not_beaten
    return {
        **{name: float(name == simplest) for name in models},
        "right": float(simplest in own.right),
        "auto_right": float(ensemble == own.ensemble),
    }


def drawn(truth: Truth, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw rows and labels."""
    rng = np.random.default_rng([seed, ROWS])
    X = rng.normal(size=(ROWS, COLUMNS))
    positive = rng.random(ROWS) < expit(truth.logit(X))
    return X, (positive & (rng.random(ROWS) < truth.c)).astype(int)


def takes_ensemble(X: np.ndarray, s: np.ndarray, seed: int) -> bool:
    """Return whether `auto` takes the ensemble, here one of small members."""
    boosting = HistGradientBoostingClassifier(max_iter=40, max_leaf_nodes=4)
    members = [("line", PULogistic()), ("trees", _trees(seed)), ("boosting", boosting)]
    model = PUEnsemble(members=members, cv=3, random_state=seed).fit(X, s)
    return line_or_ensemble(model, X, s).ensemble


def _models(seed: int) -> dict[str, Any]:
    """Return the methods of the verdict; trees alone stand for the ensemble, to save time."""
    return {
        "naive": NaiveLogistic(),
        "naive-cut": PUThresholdClassifier(NaiveLogistic(), "f1_pu", random_state=seed),
        "pu-logistic": PULogistic(random_state=seed),
        "trees": PUThresholdClassifier(_trees(seed), "f1_pu", cv="oob"),
    }


def _trees(seed: int) -> ExtraTreesClassifier:
    return ExtraTreesClassifier(
        60, min_samples_leaf=5, bootstrap=True, oob_score=True, random_state=seed
    )


RECORDS = Records(
    "verdicts.csv",
    ("truth", "repeat"),
    measure,
    lambda: repeated([(name,) for name in TRUTHS], REPEATS),
)

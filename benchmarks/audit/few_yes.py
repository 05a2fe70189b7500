"""Few checked rows are positive: what the audited cut gains or loses beside the cut of the fit."""

from __future__ import annotations

import warnings
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.metrics import balanced_accuracy_score, f1_score, recall_score

from reproduction.studies.draw import seed_of
from unlabeled.audit import draw_audit
from unlabeled.datasets import DATASET_NAMES, hide_labels
from unlabeled.linear_model import PULogistic

from ..study import Key, Records, repeated
from .cells import draw_cell

SIZES = (10, 20, 50, 100)
REPEATS = 10
MECHANISMS = ("random", "posterior", "strongest")
RARE = {
    f"{share:.1%} positive, {apart:g} apart": (share, apart)
    for share, apart in product((0.005, 0.02, 0.05), (1.5, 3.0))
}
"""Generated tables: the share of positives, and how far the two normal classes are apart."""

ROWS, COLUMNS, FREQUENCY = 10_000, 5, 0.4
RULES = {"f1": f1_score, "balanced_accuracy": balanced_accuracy_score}


def rare(table: str, mechanism: str, repeat: int) -> tuple[np.ndarray, ...]:
    """Draw a table of few positives; return columns, classes and labels."""
    share, apart = RARE[table]
    rng = np.random.default_rng(seed_of("few yes", table, mechanism, repeat))
    y = (rng.random(ROWS) < share).astype(int)
    X = rng.normal(size=(ROWS, COLUMNS))
    X[:, 0] += apart * y
    X[:, 1] += 0.5 * y
    along = {
        "random": np.zeros(ROWS),
        "posterior": apart * (X[:, 0] - apart),
        "strongest": -X[:, 1],
    }
    chance = expit(2 * along[mechanism])
    chance = np.clip(FREQUENCY * chance / chance[y == 1].mean(), 0, 1)
    return X, y, hide_labels(y, propensity=chance, random_state=rng.integers(2**31))


@lru_cache(maxsize=1)
def _fits(table: str, mechanism: str, repeat: int) -> tuple[Any, ...]:
    if table in RARE:
        X, y, s = rare(table, mechanism, repeat)
    else:
        cell = draw_cell(table, mechanism, repeat)
        X, y, s = cell.X, cell.y_true, cell.s
    return X, y, s, {rule: PULogistic(rule, random_state=0).fit(X, s) for rule in RULES}


def measure(table: str, mechanism: str, size: int, repeat: int) -> dict[str, float]:
    """Check some rows; judge the cut of the fit and the audited one on all rows."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        X, y, s, models = _fits(table, mechanism, repeat)
        judged: dict[str, float] = {"labeled": float(s.sum())}
        for rule, judge in RULES.items():
            model = models[rule]
            seed = seed_of("few yes", "draw", table, mechanism, size, repeat)
            audit = draw_audit(model, X, s, size, random_state=seed)
            answers = y[audit.rows]
            cut = audit.estimate(answers).recalibration.choose(rule)
            score = model.held_out_score_
            judged["yes"] = float(answers.sum())
            judged["yes_above"] = float(answers[audit.score > model.threshold_].sum())
            for name, threshold in (("before", model.threshold_), ("after", cut.threshold)):
                judged[f"{rule}_{name}"] = float(judge(y, score > threshold))
                judged[f"{rule}_recall_{name}"] = float(recall_score(y, score > threshold))
    return judged


def keys() -> list[Key]:
    """Return the draws; the sizes of one fit follow each other."""
    fits = repeated([*product((*RARE, *DATASET_NAMES), MECHANISMS)], REPEATS)
    return [(*key[:2], size, key[2]) for key in fits for size in SIZES]


RECORDS = Records("few_yes.csv", ("table", "mechanism", "size", "repeat"), measure, keys)

"""How often the check "inverted" asks: about right labels, and about the same labels inverted."""

from __future__ import annotations

import warnings

import numpy as np

from reproduction.studies.draw import load_rows, seed_of
from unlabeled import NaiveLogistic
from unlabeled.datasets import DATASET_NAMES, hide_labels
from unlabeled.diagnostics import diagnose

from ..study import Records, repeated

REPEATS = 8
FREQUENCIES = (0.1, 0.3, 0.5, 0.7, 0.9)
CELLS = [(dataset, c) for dataset in DATASET_NAMES for c in FREQUENCIES]
ROWS = 1500


def measure(dataset: str, c: float, repeat: int) -> dict[str, float]:
    """Ask about the labels of some rows of a set, and about the same labels inverted."""
    seed, data = seed_of("inverted", dataset, c, repeat), load_rows(dataset)
    kept = np.random.default_rng(seed).permutation(len(data.y_true))[:ROWS]
    X, s = np.asarray(data.X)[kept], hide_labels(data.y_true[kept], c, random_state=seed)
    return {
        "labeled_share": float(s.mean()),
        "asked": _asks(X, s),
        "asked_inverted": _asks(X, 1 - s),
    }


def _asks(X: np.ndarray, s: np.ndarray) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = NaiveLogistic(C=1.0).fit(X, s)  # the check looks at the labels, not at the model
        finding = diagnose(model, X, s, checks="inverted", random_state=0)["inverted"]
    return float(finding.state == "warning")


RECORDS = Records(
    "inverted.csv", ("dataset", "c", "repeat"), measure, lambda: repeated(CELLS, REPEATS)
)

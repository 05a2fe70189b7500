"""One draw of labels, diagnosed: how bad each check finds it."""

from __future__ import annotations

import time
import warnings
from itertools import product

from reproduction.studies.draw import BREAST_CANCER, load_rows, seed_of
from unlabeled import PULogistic
from unlabeled.datasets import DATASET_NAMES, hide_labels
from unlabeled.diagnostics import CHECKS, STATES, diagnose

from ..study import Key, Records, repeated

FREQUENCIES = (0.5, 0.3)
MEASURED = tuple(name for name in CHECKS if name not in ("scar", "labeling"))
"""The checks studied here; the others depend on what labels follow, see `followed`."""

REPEATS = dict.fromkeys(DATASET_NAMES, 50) | {"adult": 20, "musk": 20}
TRIAL_REPEATS = 3


def measure(dataset: str, c: float, repeat: int) -> dict[str, float]:
    """Hide the labels of all rows of a set; return how bad each check finds them, as a number.

    The number is the place of the state in `STATES`.
    """
    rows = load_rows(dataset)
    s = hide_labels(rows.y_true, c, random_state=seed_of("checks", dataset, c, repeat))
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        diagnosis = diagnose(PULogistic(), rows.X, s, checks=MEASURED, random_state=0)
    seconds = time.perf_counter() - start
    levels = {finding.check: STATES.index(finding.state) for finding in diagnosis.findings}
    return {"labeled": float(s.sum()), "seconds": seconds, **levels}


def keys() -> list[Key]:
    """Return the draws; the slowest sets have fewer."""
    draws = repeated(list(product(DATASET_NAMES, FREQUENCIES)), max(REPEATS.values()))
    return [key for key in draws if key[-1] < REPEATS[key[0]]]


RECORDS = Records("draws.csv", ("dataset", "c", "repeat"), measure, keys)
TRIAL = Records(
    RECORDS.file,
    RECORDS.names,
    measure,
    lambda: repeated([(BREAST_CANCER, c) for c in FREQUENCIES], TRIAL_REPEATS),
)
"""The same for a set that scikit-learn brings: how a new check does."""

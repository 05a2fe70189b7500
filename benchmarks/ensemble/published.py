"""Spambase and breast cancer, by the protocols of numbers that others have published."""

from __future__ import annotations

import warnings
from itertools import product
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from reproduction.studies import Cell
from reproduction.studies.draw import (
    BREAST_CANCER,
    BREAST_CANCER_BENIGN,
    Sample,
    draw_sample,
    load_rows,
    seed_of,
)
from reproduction.studies.plan import TEST_SHARE, Task
from unlabeled import PUEnsemble

from ..study import Key, Records
from .nine_sets import judged

SPAMBASE = "spambase"
SPAMBASE_FREQUENCIES, SPAMBASE_REPEATS = (0.1, 0.3, 0.5), 10
CANCERS = {BREAST_CANCER_BENIGN: "benign positive", BREAST_CANCER: "malignant positive"}
CANCER_FREQUENCY, CANCER_REPEATS = 0.3, 20

SPAMBASE_NUMBERS: tuple[tuple[str, float, float], ...] = (
    ("Dist-PU", 0.865, 0.952),
    ("LBE", 0.851, 0.943),
    ("VPU", 0.851, 0.950),
    ("nnPU", 0.837, 0.949),
    ("the best variant of these", 0.885, 0.956),
    ("the same network on the true classes", 0.911, 0.970),
)
"""F1 and AUC as others report them, means over c = .1, .3, .5 and ten seeds."""

CANCER_NUMBERS: tuple[tuple[str, str, tuple[float, float], tuple[float, float]], ...] = (
    ("logistic regression on the true classes", "–", (0.981, 0.971), (0.966, 0.971)),
    ("nnPU", "yes", (0.951, 0.925), (0.940, 0.952)),
    ("nnPU with pulearn's prior estimate", "no", (0.904, 0.905), (0.927, 0.935)),
    ("reliable negatives, quantile (pulearn)", "no", (0.950, 0.917), (0.901, 0.929)),
    ("two-step spy (pulearn)", "no", (0.947, 0.937), (0.862, 0.883)),
    ("Elkan-Noto (pulearn)", "no", (0.904, 0.899), (0.801, 0.844)),
    ("bagging, 100 logistic regressions", "no", (0.877, 0.886), (0.888, 0.903)),
    ("pu-toolbox auto", "no", (0.842, 0.828), (0.815, 0.853)),
    ("Enhanced as published", "no", (0.860, 0.868), (0.703, 0.777)),
)
"""Method, whether it needs the true prior, (F1, balanced accuracy) with benign and malignant
positives: means over 20 splits that were drawn otherwise, when the packages were first tried."""


def keys() -> list[Key]:
    """Return every cell, repeat by repeat."""
    spam = product(range(SPAMBASE_REPEATS), (SPAMBASE,), SPAMBASE_FREQUENCIES)
    cancer = product(range(CANCER_REPEATS), CANCERS, (CANCER_FREQUENCY,))
    return [(dataset, c, repeat) for repeat, dataset, c in (*spam, *cancer)]


def measure(dataset: str, c: float, repeat: int) -> dict[str, float]:
    """Fit the ensemble once; judge it and its line on test rows. Neither is told the prior."""
    sample = draw(dataset, c, repeat)
    seed = seed_of("published", dataset, repeat)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = PUEnsemble(random_state=seed).fit(sample.X, sample.s)
    found: dict[str, float] = {}
    fitted: dict[str, Any] = {"ensemble": model, "line": model.members_["line"]}
    for name, one in fitted.items():
        score = one.positive_score(sample.X_test)
        found |= judged(name, one.cuts_, one.class_prior_, score, sample)
        found[f"{name}_auc"] = float(roc_auc_score(sample.y_test, score))
        found[f"{name}_class_prior"] = one.class_prior_
    return found | {"class_prior": float(sample.y_true.mean())}


def draw(dataset: str, c: float, repeat: int) -> Sample:
    """Draw Spambase as the benchmark does, and breast cancer as the field page does."""
    if dataset == SPAMBASE:
        return draw_spambase(c, repeat)
    return draw_sample(Task("breast_cancer", Cell(dataset, "scar", 0, c), repeat))


def draw_spambase(c: float, repeat: int) -> Sample:
    """Scale all rows, draw test rows within each class, label a share c of training positives."""
    rows = load_rows(SPAMBASE)
    scaler = StandardScaler().fit(rows.X)
    X, X_test, y_true, y_test = train_test_split(
        scaler.transform(rows.X),
        rows.y_true,
        test_size=TEST_SHARE,
        stratify=rows.y_true,
        random_state=seed_of("split", "published", SPAMBASE, repeat),
    )
    positives = np.flatnonzero(y_true == 1)
    rng = np.random.RandomState(seed_of("labels", "published", SPAMBASE, c, repeat))
    s = np.zeros_like(y_true)
    s[rng.choice(positives, round(c * len(positives)), replace=False)] = 1
    return Sample(X, s, y_true, X_test, y_test, scaler.scale_, None)


RECORDS = Records("published.csv", ("dataset", "c", "repeat"), measure, keys)

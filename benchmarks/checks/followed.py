"""The search for a column that labels follow: how often it speaks, and whether it is right."""

from __future__ import annotations

import time
import warnings
from itertools import product

import numpy as np

from reproduction.studies.draw import seed_of
from unlabeled import PUEnsemble, PULogistic
from unlabeled.datasets import DATASET_NAMES, hide_labels
from unlabeled.diagnostics import STATES, diagnose

from ..audit.cells import MECHANISMS, draw_cell, feature_of
from ..study import Records, repeated

REPEATS = 4
MOST_ROWS = 1500
FREQUENCIES = (0.1, 0.2, 0.6)
"""Label frequencies of labels at random, beside that of the mechanisms."""

AT_RANDOM = ("random", *(f"random {c:g}" for c in FREQUENCIES))
LABELINGS = (*AT_RANDOM, *(name for name in MECHANISMS if name != "random"))
SCORES = ("line", "ensemble")
CELLS = list(product(DATASET_NAMES, SCORES, LABELINGS))


def measure(dataset: str, score: str, labeling: str, repeat: int) -> dict[str, float]:
    """Label rows of a set, fit them, and search the column that labels follow."""
    mechanism, _, frequency = labeling.partition(" ")
    cell = draw_cell(dataset, mechanism, repeat)
    seed = seed_of("followed", dataset, labeling, repeat)
    rows = np.random.default_rng(seed).permutation(len(cell.s))[:MOST_ROWS]
    X, s, y = cell.X[rows], cell.s[rows], cell.y_true[rows]
    if frequency:
        s = hide_labels(y, float(frequency), random_state=seed)
    varies = np.flatnonzero(np.ptp(X, axis=0) > 0)
    model = PULogistic() if score == "line" else PUEnsemble(random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X[:, varies], s)
        start = time.perf_counter()
        found = diagnose(model, X[:, varies], s, checks="labeling", random_state=0)["labeling"]
        seconds = time.perf_counter() - start
        scar = diagnose(model, X[:, varies], s, checks="scar", random_state=0)["scar"]
    facts, named = found.facts, np.nan
    if facts and mechanism in ("middling", "strongest"):
        followed = feature_of(dataset, mechanism)
        named = float(varies[int(str(facts["feature"]).removeprefix("x"))] == followed)
    prior = facts.get("class_prior", dict.fromkeys(("estimate", "lower", "upper"), np.nan))
    return {
        "labeled": float(s.sum()),
        "p_value": facts.get("p_value", np.nan),
        "columns": facts.get("columns_tried", np.nan),
        "right": named,
        "truth": float(y.mean()),
        "unnamed_prior": float(model.class_prior_),
        "named_prior": prior["estimate"],
        "named_lower": prior["lower"],
        "named_upper": prior["upper"],
        "scar": float(STATES.index(scar.state)),
        "scar_p_value": scar.facts.get("p_value", np.nan),
        "seconds": seconds,
    }


RECORDS = Records(
    "followed.csv",
    ("dataset", "score", "labeling", "repeat"),
    measure,
    lambda: repeated(CELLS, REPEATS),
)

"""What the count is worth with few labeled rows: how often its interval holds, and its length."""

from __future__ import annotations

import warnings

import numpy as np

from reproduction.studies.draw import seed_of
from unlabeled import PULogistic

from ..study import Records, repeated

REPEATS = 200
ROWS, COLUMNS, SHARE = 1000, 3, 0.3
APART = (0.7, 1.5)
"""How far the two normal classes are apart in every column, in standard deviations."""

LABELED = (3, 5, 10, 20, 40)
CELLS = [(apart, labeled) for apart in APART for labeled in LABELED]


def measure(apart: float, labeled: int, repeat: int) -> dict[str, float]:
    """Fit a table of which exactly this number of rows is labeled, at random."""
    rng = np.random.default_rng(seed_of("few labeled", apart, labeled, repeat))
    y = rng.random(ROWS) < SHARE
    X = rng.normal(size=(ROWS, COLUMNS)) + apart * y[:, None]
    s = np.zeros(ROWS, dtype=int)
    s[rng.choice(np.flatnonzero(y), labeled, replace=False)] = 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = PULogistic(random_state=0).fit(X, s)
    interval, truth = model.class_prior_interval(), float(y.mean())
    return {
        "holds": float(interval.lower <= truth <= interval.upper),
        "length": interval.upper - interval.lower,
        "recall": float(np.mean(model.predict(X)[y] == 1)),
    }


RECORDS = Records(
    "few_labeled.csv", ("apart", "labeled", "repeat"), measure, lambda: repeated(CELLS, REPEATS)
)

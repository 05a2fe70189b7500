"""CPU seconds that answers take, beyond the fit to labels: adult's columns, more and more rows."""

from __future__ import annotations

from itertools import product
from time import process_time

import numpy as np

from reproduction.studies.draw import seed_of
from unlabeled import PULogistic
from unlabeled.scores import Columns, ResolvedPrior, ScoredRows, fit_answers

from ..audit.cells import draw_cell
from ..study import Records, repeated
from .scores import SIZES, label_logit

ROWS = (3000, 10_000, 30_000)
REPEATS = 3


def measure(rows: int, size: int, repeat: int) -> dict[str, float]:
    """Fit a line to labels, and time what its answers take."""
    cell = draw_cell("adult", "strongest", repeat)
    random = np.random.default_rng(seed_of("knowledge", "cost", rows, size, repeat))
    here = random.permutation(len(cell.s))[:rows]
    X, s, y = cell.X[here], cell.s[here], cell.y_true[here]
    model = PULogistic().fit(X, s)
    checked = np.full(rows, np.nan)
    chosen = random.choice(np.flatnonzero(s == 0), size, replace=False)
    checked[chosen] = y[chosen]
    scored = ScoredRows(label_logit(model), s.astype(np.float64), checked=checked)
    prior = ResolvedPrior(model.class_prior_, model.class_prior_density_)
    start = process_time()
    fit_answers(scored, Columns().of_fit(X, s)(None), prior)
    return {"seconds": process_time() - start}


RECORDS = Records(
    "cost.csv",
    ("rows", "size", "repeat"),
    measure,
    lambda: repeated(list(product(ROWS, SIZES)), REPEATS),
    timed=True,
)

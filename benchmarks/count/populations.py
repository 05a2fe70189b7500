"""The share of positives of tables from populations with a logistic posterior, by PULogistic."""

from __future__ import annotations

import warnings
from itertools import product

import numpy as np

from reproduction.studies.draw import seed_of
from unlabeled import PULogistic

from ..coverage.designs import DESIGNS, population
from ..coverage.studies import FREQUENCIES, INTERVAL_DESIGNS, MANY_FEATURES, SIZES
from ..study import Records, repeated
from .nine_sets import STATES, as_before

RARE = "rare"
"""The design whose positives are rare and hardly differ from the others."""

CELLS = [
    *product(INTERVAL_DESIGNS, SIZES, FREQUENCIES),
    MANY_FEATURES,
    *((RARE, n, c) for n, c in ((5000, 0.3), (5000, 0.6), (5000, 0.9), (20_000, 0.5))),
]
REPEATS = 200


def measure(design: str, n: int, c: float, repeat: int) -> dict[str, float]:
    """Draw a table; count its positives, and those of the population."""
    chosen, rng = DESIGNS[design], np.random.default_rng(seed_of("count", design, n, c, repeat))
    X = chosen.features(rng.uniform(size=(n, chosen.n_features)))
    y = rng.uniform(size=n) < chosen.posterior(X)
    s = (y & (rng.uniform(size=n) < c)).astype(float)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = PULogistic().fit(X, s)
    of_table, of_all = (model.class_prior_interval(of=of) for of in ("table", "population"))
    return {
        "truth": float(y.mean()),
        "population": population(design).class_prior,
        "estimate": model.class_prior_,
        "lower": of_table.lower,
        "upper": of_table.upper,
        "state": float(STATES.index(model.class_prior_density_.identified)),
        "population_lower": of_all.lower,
        "population_upper": of_all.upper,
        **as_before(model.held_out_score_, s),
    }


RECORDS = Records(
    "populations.csv", ("design", "n", "c", "repeat"), measure, lambda: repeated(CELLS, REPEATS)
)

"""How often PU119 is raised: after honest new labels, and after the top of the list was marked."""

from __future__ import annotations

import warnings

import numpy as np

from unlabeled import PULogistic
from unlabeled.app.table_model import report_relabeled
from unlabeled.datasets import DATASET_NAMES, hide_labels

from ..study import Records, repeated
from .cells import MECHANISMS, draw_cell

REPEATS = 3
CELLS = [(dataset, mechanism) for dataset in DATASET_NAMES for mechanism in MECHANISMS]
MOST_ROWS = 1500
CHECKED = 100
"""How many rows at the top of the list are looked at."""

FELL = 0.6
"""A refit is wrong if the class prior falls below this part of the earlier one."""

FEWEST = 5
HONEST, TOP = "honest", "top"


def measure(dataset: str, mechanism: str, repeat: int) -> dict[str, float]:
    """Fit again after new labels of each kind; return whether PU119 was raised and the prior fell.

    NaN if there are too few new labels.
    """
    cell = draw_cell(dataset, mechanism, repeat)
    rng = np.random.default_rng([repeat, len(dataset)])
    rows = rng.permutation(len(cell.s))[:MOST_ROWS]
    X, y_true, before = cell.X[rows], cell.y_true[rows], cell.s[rows]
    found = {f"{kind}_{what}": np.nan for kind in (HONEST, TOP) for what in ("warned", "fell")}
    if before.sum() < FEWEST:
        return found
    score, prior, positives = fitted(X, before)
    more = hide_labels(
        y_true, propensity=0.5 * cell.propensity[rows], random_state=rng.integers(99)
    )
    unlabeled = np.flatnonzero(before == 0)
    top = unlabeled[np.argsort(-score[unlabeled])[:CHECKED]]
    marked = before.copy()
    marked[top[y_true[top] == 1]] = 1
    for kind, now in ((HONEST, np.maximum(before, more)), (TOP, marked)):
        if (now - before).sum() >= FEWEST:
            _, later_prior, later = fitted(X, now)
            found[f"{kind}_warned"] = float(is_warned(score, before, now, (positives, later)))
            found[f"{kind}_fell"] = float(later_prior < FELL * prior)
    return found


def fitted(X: np.ndarray, s: np.ndarray) -> tuple[np.ndarray, float, dict[str, float]]:
    """Return held-out scores, the class prior, and the number of positives with its interval."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = PULogistic(random_state=0).fit(X, s)
        found = model.class_prior_interval()
    ends = {name: getattr(found, name) * len(s) for name in ("estimate", "lower", "upper")}
    return model.held_out_score_, found.estimate, ends


def is_warned(score, before, now, positives) -> bool:
    """Return whether PU119 is raised."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        report_relabeled(score, before, now, positives)
    return bool(caught)


RECORDS = Records(
    "relabeled.csv", ("dataset", "mechanism", "repeat"), measure, lambda: repeated(CELLS, REPEATS)
)

"""How often PU119 is raised: after honest new labels, and after the top of the list was marked.

``python -m benchmarks.audit.relabelled 5`` draws every cell five times and prints, per mechanism,
how many refits raised the warning, and how many were wrong: the class prior fell by more than 40 %.
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from collections.abc import Iterator

import numpy as np

from unlabeled import PULogistic
from unlabeled.app.table_model import report_relabelled
from unlabeled.datasets import DATASET_NAMES, hide_labels

from .cells import MECHANISMS, draw_cell

MOST_ROWS = 1500
CHECKED = 100
"""How many rows at the top of the list are looked at."""

FELL = 0.6
FEWEST = 5


def main(repeats: int) -> None:
    """Print a table per kind of new labels."""
    counts: Counter[tuple[str, str, str]] = Counter()
    for repeat in range(repeats):
        for dataset in DATASET_NAMES:
            for mechanism in MECHANISMS:
                for kind, warned, fell in refits(dataset, mechanism, repeat):
                    counts[kind, mechanism, "refits"] += 1
                    counts[kind, mechanism, "warned"] += warned
                    counts[kind, mechanism, "fell"] += fell
                    counts[kind, mechanism, "fell and warned"] += warned and fell
    for kind in ("honest", "top"):
        for mechanism in MECHANISMS:
            names = ("refits", "warned", "fell", "fell and warned")
            print(kind, mechanism, *(f"{name} {counts[kind, mechanism, name]}" for name in names))


def refits(dataset: str, mechanism: str, repeat: int) -> Iterator[tuple[str, bool, bool]]:
    """Yield for each kind of new labels: whether PU119 was raised, and whether the prior fell."""
    cell = draw_cell(dataset, mechanism, repeat)
    rng = np.random.default_rng([repeat, len(dataset)])
    rows = rng.permutation(len(cell.s))[:MOST_ROWS]
    X, y_true, before = cell.X[rows], cell.y_true[rows], cell.s[rows]
    if before.sum() < FEWEST:
        return
    score, prior, positives = fitted(X, before)
    more = hide_labels(
        y_true, propensity=0.5 * cell.propensity[rows], random_state=rng.integers(99)
    )
    unlabelled = np.flatnonzero(before == 0)
    top = unlabelled[np.argsort(-score[unlabelled])[:CHECKED]]
    found = before.copy()
    found[top[y_true[top] == 1]] = 1
    for kind, now in (("honest", np.maximum(before, more)), ("top", found)):
        if (now - before).sum() >= FEWEST:
            _, later_prior, later = fitted(X, now)
            warned = is_warned(score, before, now, (positives, later))
            yield kind, warned, later_prior < FELL * prior


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
        report_relabelled(score, before, now, positives)
    return bool(caught)


if __name__ == "__main__":
    main(int(sys.argv[1]))

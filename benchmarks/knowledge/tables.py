"""The tables: ten sets of at most 3000 rows, labeled in five ways, and harder ones."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from reproduction.studies.draw import seed_of
from unlabeled.datasets import DATASET_NAMES

from ..audit.cells import MECHANISMS, NHANES, draw_cell
from ..nhanes import load_nhanes

MOST_ROWS = 3000
DATASETS = (*DATASET_NAMES, NHANES)
TOLD = "told"
LABELINGS = MECHANISMS | {TOLD: "by doctors"}
"""The ways to label; the last one is NHANES's own."""

CASES = {
    "plain": "as it is",
    "rare": "2 % positives",
    "ten": "10 labeled rows",
    "thirty": "30 labeled rows",
}
RARE_SHARE = 0.02
LARGE = ("adult", "musk", "spambase", NHANES)
"""Sets with enough negatives for positives to be rare among `MOST_ROWS` rows."""

HARD_LABELINGS = ("random", "posterior", "strongest")

_LABELED = {"ten": 10, "thirty": 30}


class Table(NamedTuple):
    """Standardized features, classes and labels of some rows, and P(S=1|Y=1,x) if it is known."""

    X: np.ndarray
    y_true: np.ndarray
    s: np.ndarray
    propensity: np.ndarray | None


def tables(case: str) -> list[tuple[str, str]]:
    """Return sets and ways to label of one case."""
    sets = LARGE if case == "rare" else DATASETS
    labelings = MECHANISMS if case == "plain" else HARD_LABELINGS
    found = [(dataset, labeling) for dataset in sets for labeling in labelings]
    return [*found, (NHANES, TOLD)] if case == "plain" else found


def draw_table(dataset: str, labeling: str, case: str, repeat: int) -> Table:
    """Draw rows and their labels."""
    random = np.random.default_rng(seed_of("knowledge", dataset, labeling, case, repeat))
    cell = draw_cell(dataset, "random" if labeling == TOLD else labeling, repeat)
    s = load_nhanes().told if labeling == TOLD else cell.s
    rows = random.permutation(len(s))
    if case == "rare":
        positive, negative = (rows[cell.y_true[rows] == one] for one in (1, 0))
        n_positive = round(RARE_SHARE * MOST_ROWS)
        rows = np.append(positive[:n_positive], negative[: MOST_ROWS - n_positive])
        rows = random.permutation(rows)
    rows = rows[:MOST_ROWS]
    s = s[rows].copy()
    if case in _LABELED:
        labeled = np.flatnonzero(s == 1)
        s[random.permutation(labeled)[_LABELED[case] :]] = 0
    is_known = labeling != TOLD and case not in _LABELED
    return Table(cell.X[rows], cell.y_true[rows], s, cell.propensity[rows] if is_known else None)

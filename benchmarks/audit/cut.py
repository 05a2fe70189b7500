"""The audited cut: how far it is from the cut that every truth of the table would give."""

from __future__ import annotations

import warnings
from itertools import product

import numpy as np
import pandas as pd
from sklearn.metrics import balanced_accuracy_score, f1_score
from sklearn.model_selection import train_test_split

from reproduction.studies.draw import seed_of
from unlabeled.audit import draw_audit
from unlabeled.datasets import DATASET_NAMES
from unlabeled.linear_model import PULogistic
from unlabeled.thresholds import choose_cut, scan_cuts

from ..study import Records, repeated
from .cells import MECHANISMS, draw_cell

RULES = {"f1": f1_score, "balanced_accuracy": balanced_accuracy_score}
"""The rules that choose a cut, and how test rows judge it."""

SPLITS, DRAWS, SIZE = 4, 20, 100
_TEST_SHARE = 0.25


def measure(dataset: str, mechanism: str, split: int) -> dict[str, float]:
    """Fit to one split; judge three cuts on its test rows.

    "before" is the model's, "after" the audited one (the mean over draws of the checked rows), and
    "every_truth" the one that the truth of every row of the table gives.
    """
    cell = draw_cell(dataset, mechanism, split)
    train, test = train_test_split(
        np.arange(len(cell.s)),
        test_size=_TEST_SHARE,
        random_state=seed_of("audit", "cut", dataset, mechanism, split),
        stratify=2 * cell.y_true + cell.s,
    )
    X, s, y_true = cell.X[train], cell.s[train], cell.y_true[train]
    size = min(SIZE, int(np.sum(s == 0)))
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for rule, judge in RULES.items():
            model = PULogistic(rule, random_state=0).fit(X, s)
            score, truth = model.positive_score(cell.X[test]), cell.y_true[test]
            every = choose_cut(scan_cuts(y_true, model.held_out_score_), rule, float(y_true.mean()))
            after = []
            for draw in range(DRAWS):
                seed = seed_of("audit", "draw", dataset, mechanism, split, draw)
                audit = draw_audit(model, X, s, size, random_state=seed)
                cut = audit.estimate(y_true[audit.rows]).choose_cut(rule)
                after.append(judge(truth, score > cut.threshold))
            found[f"{rule}_before"] = float(judge(truth, score > model.threshold_))
            found[f"{rule}_after"] = float(np.mean(after))
            found[f"{rule}_every_truth"] = float(judge(truth, score > every.threshold))
    return found


def summarize(cells: pd.DataFrame) -> pd.DataFrame:
    """Means over sets and splits, one row per mechanism."""
    means = cells.drop(columns=["dataset", "repeat"]).groupby("mechanism").mean()
    return means.loc[[one for one in MECHANISMS if one in means.index]]


RECORDS = Records(
    "cut.csv",
    ("dataset", "mechanism", "repeat"),
    measure,
    lambda: repeated(list(product(DATASET_NAMES, MECHANISMS)), SPLITS),
)

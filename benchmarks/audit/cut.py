"""The mended cut: how far it is from the cut that every truth of the table would give."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.metrics import balanced_accuracy_score, f1_score
from sklearn.model_selection import train_test_split

from unlabeled.audit import draw_audit
from unlabeled.linear_model import PULogistic
from unlabeled.paper.studies.draw import seed_of
from unlabeled.thresholds import choose_cut, scan_cuts

from .cells import draw_cell

RULES = {"f1": f1_score, "balanced_accuracy": balanced_accuracy_score}
"""The rules that choose a cut, and how test rows judge it."""

SPLITS, DRAWS, SIZE = 4, 20, 100
_TEST_SHARE = 0.25


def record_of(
    dataset: str, mechanism: str, split: int, draws: int = DRAWS, size: int = SIZE
) -> dict[str, Any]:
    """Fit to one split; compare the cut before, after (a mean over draws), and with every truth."""
    cell = draw_cell(dataset, mechanism, split)
    seed = seed_of("audit", "cut", dataset, mechanism, split)
    train, test = train_test_split(
        np.arange(len(cell.s)),
        test_size=_TEST_SHARE,
        random_state=seed % 2**32,
        stratify=2 * cell.y_true + cell.s,
    )
    X, s, y_true = cell.X[train], cell.s[train], cell.y_true[train]
    record: dict[str, Any] = {"dataset": dataset, "mechanism": mechanism, "split": split}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for rule, judge in RULES.items():
            model = PULogistic(rule, random_state=0).fit(X, s)
            score = model.positive_score(cell.X[test])
            truth = cell.y_true[test]
            every = choose_cut(scan_cuts(model.held_out_score_, y_true), rule, float(y_true.mean()))
            size_here = min(size, int((s == 0).sum()))
            after = []
            for draw in range(draws):
                random = seed_of("audit", "draw", dataset, mechanism, split, draw) % 2**32
                audit = draw_audit(model, X, s, size_here, random_state=random)
                cut = audit.estimate(y_true[audit.rows]).choose_cut(rule)
                after.append(float(judge(truth, score > cut.threshold)))
            record[rule] = {
                "before": float(judge(truth, score > model.threshold_)),
                "after": float(np.mean(after)),
                "every_truth": float(judge(truth, score > every.threshold)),
            }
    return record

"""How our own classifiers are used: PULogistic as it comes, and a cut over a forest."""

from __future__ import annotations

from typing import Any

from sklearn.ensemble import ExtraTreesClassifier

from unlabeled import PULogistic, PUThresholdClassifier

TREES, LEAST_LEAF = 100, 5


def make_pu_logistic(rule: str, seed: int) -> Any:
    """Return PULogistic with a rule for its cut."""
    return PULogistic(rule=rule, random_state=seed)


def make_forest(rule: str, seed: int) -> Any:
    """Return a forest of randomised trees, cut on its out-of-bag scores."""
    forest = ExtraTreesClassifier(
        TREES, min_samples_leaf=LEAST_LEAF, bootstrap=True, oob_score=True, random_state=seed
    )
    return PUThresholdClassifier(forest, rule=rule, cv="oob")

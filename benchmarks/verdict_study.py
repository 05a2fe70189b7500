"""How often the verdict of a comparison, and the choice of ``--method auto``, are right.

Run it with ``python -m benchmarks.verdict_study --draws 40``. It prints the table of the page
"Which method" of the documentation. Every draw is a table of 2000 rows.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier

from unlabeled import NaiveLogistic, PUEnsemble, PULogistic, PUThresholdClassifier
from unlabeled.app.table_model import line_or_ensemble
from unlabeled.comparison import compare_methods

ROWS, COLUMNS, SPLITS = 2000, 5, 5


@dataclass(frozen=True)
class Truth:
    """A population, and the verdicts that are right for it."""

    logit: Callable[[np.ndarray], np.ndarray]
    c: float
    right: tuple[str, ...]
    ensemble: bool


TRUTHS = {
    "linear, c = .4": Truth(
        lambda X: -0.5 + 1.5 * X[:, 0] - X[:, 1] + 0.5 * X[:, 2],
        0.4,
        ("naive-cut", "pu-logistic"),
        False,
    ),
    "interaction, c = .4": Truth(
        lambda X: -0.5 + 1.5 * X[:, 0] + 1.5 * X[:, 1] * X[:, 2], 0.4, ("ensemble",), True
    ),
    "linear, balanced, c = .95": Truth(
        lambda X: 1.5 * X[:, 0] - X[:, 1] + 0.5 * X[:, 2], 0.95, ("naive",), False
    ),
}


Outcome = tuple[str | None, bool]
"""The method that is enough, and whether `auto` takes the ensemble."""


def main() -> None:
    """Print how often each method was called enough, and how often `auto` took the ensemble."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=40, help="tables of each population")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    found: dict[str, list[Outcome]] = {name: [] for name in TRUTHS}
    for seed, name in product(range(options.draws), TRUTHS):
        found[name].append(_outcome(TRUTHS[name], seed))
        print(f"{name}, draw {seed}: {found[name][-1]}", file=sys.stderr, flush=True)
    for name, outcomes in found.items():
        _print_rates(name, outcomes)


def _print_rates(name: str, outcomes: list[Outcome]) -> None:
    truth = TRUTHS[name]
    print(f"{name}: {dict(Counter(enough for enough, _ in outcomes))}")
    right = {
        "verdict": [enough in truth.right for enough, _ in outcomes],
        "auto": [taken == truth.ensemble for _, taken in outcomes],
    }
    for what, said in right.items():
        share = float(np.mean(said))
        error = np.sqrt(share * (1 - share) / len(said))
        print(f"   {what} right: {share:.3f} (Monte-Carlo error {error:.3f})")


def _outcome(truth: Truth, seed: int) -> Outcome:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(ROWS, COLUMNS))
    positive = rng.random(ROWS) < expit(truth.logit(X))
    s = (positive & (rng.random(ROWS) < truth.c)).astype(int)
    models = _models(seed)
    compared = compare_methods(
        models, X, s, n_repeats=SPLITS, random_state=seed, order=tuple(models)
    )
    choice = line_or_ensemble(models["ensemble"].fit(X, s), s)
    return compared.verdict().enough, choice.ensemble


def _models(seed: int) -> dict[str, Any]:
    """Return the methods of the verdict; the ensemble has small members."""
    trees = ExtraTreesClassifier(50, min_samples_leaf=5, bootstrap=True, oob_score=True)
    boosting = HistGradientBoostingClassifier(max_iter=40, max_leaf_nodes=4)
    members = [("line", PULogistic()), ("trees", trees), ("boosting", boosting)]
    return {
        "naive": NaiveLogistic(),
        "naive-cut": PUThresholdClassifier(NaiveLogistic(), random_state=seed),
        "pu-logistic": PULogistic(random_state=seed),
        "ensemble": PUEnsemble(members=members, cv=3, random_state=seed),
    }


if __name__ == "__main__":
    main()

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
# The rule was settled on the tables of the seeds before this one.
FIRST_SEED = 1000


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
        lambda X: -0.5 + 1.5 * X[:, 0] + 1.5 * X[:, 1] * X[:, 2], 0.4, ("trees",), True
    ),
    "linear, balanced, c = .95": Truth(
        lambda X: 1.5 * X[:, 0] - X[:, 1] + 0.5 * X[:, 2], 0.95, ("naive",), False
    ),
}


Outcome = tuple[str | None, bool]
"""The simplest method that is not clearly beaten, and whether `auto` takes the ensemble."""


def main() -> None:
    """Print how often each method was the simplest not beaten, and `auto` took the ensemble."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=40, help="tables of each population")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    found: dict[str, list[Outcome]] = {name: [] for name in TRUTHS}
    for seed, name in product(range(FIRST_SEED, FIRST_SEED + options.draws), TRUTHS):
        found[name].append(_outcome(TRUTHS[name], seed))
        print(f"{name}, draw {seed}: {found[name][-1]}", file=sys.stderr, flush=True)
    for name, outcomes in found.items():
        _print_rates(name, outcomes)


def _print_rates(name: str, outcomes: list[Outcome]) -> None:
    truth = TRUTHS[name]
    print(f"{name}: {dict(Counter(simplest for simplest, _ in outcomes))}")
    right = {
        "verdict": [simplest in truth.right for simplest, _ in outcomes],
        "auto": [taken == truth.ensemble for _, taken in outcomes],
    }
    for what, said in right.items():
        share = float(np.mean(said))
        error = np.sqrt(share * (1 - share) / len(said))
        print(f"   {what} right: {share:.3f} (Monte-Carlo error {error:.3f})")


def _outcome(truth: Truth, seed: int) -> Outcome:
    X, s = drawn(truth, seed)
    models = _models(seed)
    order = tuple(models)
    compared = compare_methods(models, X, s, n_repeats=SPLITS, random_state=seed, order=order)
    return compared.verdict().not_beaten, takes_ensemble(X, s, seed)


def drawn(truth: Truth, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw rows and labels."""
    rng = np.random.default_rng([seed, ROWS])
    X = rng.normal(size=(ROWS, COLUMNS))
    positive = rng.random(ROWS) < expit(truth.logit(X))
    return X, (positive & (rng.random(ROWS) < truth.c)).astype(int)


def takes_ensemble(X: np.ndarray, s: np.ndarray, seed: int) -> bool:
    """Return whether `auto` takes the ensemble, here one of small members."""
    boosting = HistGradientBoostingClassifier(max_iter=40, max_leaf_nodes=4)
    members = [("line", PULogistic()), ("trees", _trees(seed)), ("boosting", boosting)]
    model = PUEnsemble(members=members, cv=3, random_state=seed).fit(X, s)
    return line_or_ensemble(model, s).ensemble


def _models(seed: int) -> dict[str, Any]:
    """Return the methods of the verdict; trees alone stand for the ensemble, to save time."""
    return {
        "naive": NaiveLogistic(),
        "naive-cut": PUThresholdClassifier(NaiveLogistic(), random_state=seed),
        "pu-logistic": PULogistic(random_state=seed),
        "trees": PUThresholdClassifier(_trees(seed), cv="oob"),
    }


def _trees(seed: int) -> ExtraTreesClassifier:
    return ExtraTreesClassifier(
        60, min_samples_leaf=5, bootstrap=True, oob_score=True, random_state=seed
    )


if __name__ == "__main__":
    main()

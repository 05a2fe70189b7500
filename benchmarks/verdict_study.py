"""How often the verdict of a comparison, and the choice of ``--method auto``, are right.

Run it with ``python -m benchmarks.verdict_study --draws 40``. It prints the table of the page
"Which method" of the documentation; every draw is a table of 2000 rows.
"""

from __future__ import annotations

import argparse
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
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


def main() -> None:
    """Print how often each method was called enough, and how often `auto` took the ensemble."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=40, help="tables of each population")
    parser.add_argument("--truth", choices=list(TRUTHS), action="append", help="only this one")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    for name in options.truth or TRUTHS:
        truth = TRUTHS[name]
        found = list(_outcomes(truth, options.draws))
        verdicts = Counter(enough for enough, _ in found)
        print(f"{name}: {dict(verdicts)}")
        _print_rate("verdict right", [enough in truth.right for enough, _ in found])
        _print_rate("auto right", [taken == truth.ensemble for _, taken in found], flush=True)


def _print_rate(what: str, right: list[bool], **more: Any) -> None:
    share = float(np.mean(right))
    error = np.sqrt(share * (1 - share) / len(right))
    print(f"   {what}: {share:.3f} (Monte-Carlo error {error:.3f})", **more)


def _outcomes(truth: Truth, draws: int) -> Iterator[tuple[str | None, bool]]:
    """Yield the method that is enough, and whether `auto` takes the ensemble, for each draw."""
    for seed in range(draws):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(ROWS, COLUMNS))
        positive = rng.random(ROWS) < expit(truth.logit(X))
        s = (positive & (rng.random(ROWS) < truth.c)).astype(int)
        models = _models(seed)
        compared = compare_methods(
            models, X, s, n_repeats=SPLITS, random_state=seed, order=tuple(models)
        )
        choice = line_or_ensemble(models["ensemble"].fit(X, s), s)
        yield compared.verdict().enough, choice.ensemble


def _models(seed: int) -> dict[str, Any]:
    """Return the methods of the verdict; the ensemble has small members."""
    trees = ExtraTreesClassifier(60, min_samples_leaf=5, bootstrap=True, oob_score=True)
    boosting = HistGradientBoostingClassifier(max_iter=40, max_leaf_nodes=4)
    members = [("line", PULogistic()), ("trees", trees), ("boosting", boosting)]
    return {
        "naive": NaiveLogistic(),
        "naive-cut": PUThresholdClassifier(NaiveLogistic(), random_state=seed),
        "pu-logistic": PULogistic(random_state=seed),
        "ensemble": PUEnsemble(members=members, grid={}, random_state=seed),
    }


if __name__ == "__main__":
    main()

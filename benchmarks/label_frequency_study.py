"""Errors of estimates of the label frequency: |estimate - c| on the paper's sets.

Run it with ``UNLABELED_DATA=folder python -m benchmarks.label_frequency_study --draws 3``.
Labels of the full sets are hidden anew in every draw; larger sets are cut to `--most-rows`.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from unlabeled.datasets import DATASET_NAMES, hide_labels, load_uci
from unlabeled.label_frequency import (
    DEDPUL,
    BestBin,
    ElkanNoto,
    KernelMean,
    OneDimensionalJoint,
    PriorBound,
    TIcE,
)

FREQUENCIES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
METHODS: dict[str, Callable[[int], Any]] = {
    "ElkanNoto, in sample": lambda seed: ElkanNoto(),
    "ElkanNoto, 5 folds": lambda seed: ElkanNoto(cv=5, random_state=seed),
    "TIcE": lambda seed: TIcE(random_state=seed),
    "OneDimensionalJoint": lambda seed: OneDimensionalJoint(random_state=seed),
    "the same, mode": lambda seed: OneDimensionalJoint("mode", random_state=seed),
    "BestBin": lambda seed: BestBin(random_state=seed),
    "DEDPUL": lambda seed: DEDPUL(random_state=seed),
    "KernelMean, KM2": lambda seed: KernelMean(random_state=seed),
    "KernelMean, KM1": lambda seed: KernelMean("KM1", random_state=seed),
    "PriorBound": lambda seed: PriorBound(random_state=seed),
}


@dataclass(frozen=True)
class Outcome:
    """One estimate; NaN if the method rejected the data."""

    method: str
    name: str
    c: float
    estimate: float
    seconds: float


def main() -> None:
    """Print mean absolute errors by label frequency and by set, and the mean error."""
    options = _options()
    tasks = product(options.sets, FREQUENCIES, options.seeds)
    outcomes = [
        outcome
        for part in Parallel(n_jobs=options.jobs)(
            delayed(estimates)(*task, options.most_rows) for task in tasks
        )
        for outcome in part
    ]
    print(f"{len(options.seeds)} draws, at most {options.most_rows} rows per set\n")
    _table("mean |estimate - c| by c", outcomes, lambda o: f"{o.c:.1f}", abs)
    _table("mean estimate - c by c", outcomes, lambda o: f"{o.c:.1f}", lambda error: error)
    _table("mean |estimate - c| by set", outcomes, lambda o: o.name, abs)


def estimates(name: str, c: float, seed: int, most_rows: int) -> list[Outcome]:
    """Apply every method to one draw of the labels of one set."""
    X, y_true = rows_of(name, most_rows)
    s = hide_labels(y_true, c, random_state=seed)
    outcomes = []
    for method, make in METHODS.items():
        start = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an estimate at a bound is part of the result
            try:
                estimate = make(seed).fit(X, s).label_frequency_
            except ValueError:
                estimate = np.nan
        outcomes.append(Outcome(method, name, c, estimate, time.perf_counter() - start))
    return outcomes


def rows_of(name: str, most_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Features and classes of a set; a large set is cut to a fixed part."""
    data = load_uci(name)
    keep = np.random.default_rng(0).permutation(len(data.y_true))[:most_rows]
    return data.X[keep], data.y_true[keep]


def _table(
    title: str,
    outcomes: Iterable[Outcome],
    column_of: Callable[[Outcome], str],
    error_of: Callable[[float], float],
) -> None:
    cells: dict[tuple[str, str], list[float]] = {}
    seconds: dict[str, list[float]] = {}
    for outcome in outcomes:
        error = error_of(outcome.estimate - outcome.c)
        cells.setdefault((outcome.method, column_of(outcome)), []).append(error)
        seconds.setdefault(outcome.method, []).append(outcome.seconds)
    columns = list(dict.fromkeys(column for _, column in cells))
    print(f"{title}\n{'':<22}" + "".join(f"{c[:9]:>10}" for c in [*columns, "mean", "seconds"]))
    for method, times in seconds.items():
        means = [np.nanmean(cells[method, column]) for column in columns]
        print(
            f"{method:<22}"
            + "".join(f"{mean:>10.3f}" for mean in [*means, np.mean(means), np.mean(times)])
        )
    print()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=1, help="processes of joblib")
    parser.add_argument("--most-rows", type=int, default=5000)
    parser.add_argument("--sets", nargs="+", default=list(DATASET_NAMES), choices=DATASET_NAMES)
    options = parser.parse_args()
    options.seeds = range(options.draws)
    return options


if __name__ == "__main__":
    main()

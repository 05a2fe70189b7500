"""Time and memory of PUEnsemble, as ratios to a forest of the same size.

The forest has 300 extremely randomized trees with leaves of five rows, and out-of-bag scores. Each
line is a process of its own, which fits the forest and then the ensemble to the same rows. With two
threads both get ``n_jobs=2``, and the boosting two OpenMP threads.

UNLABELED_BENCH_ROWS=20000 makes no larger table.
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier

from benchmarks.timings.against_logistic_regression import data_sets
from benchmarks.timings.own_process import Resident, in_own_process
from unlabeled import PUEnsemble
from unlabeled.datasets import hide_labels

from ..study import Key, Records

ADULT, MADE = "adult", "made"
SIZES, FEATURES = (10_000, 100_000, 1_000_000), 50
THREADS = (1, 2)
TREES, LEAF = 300, 5
MOST_ROWS_OF_FOREST, FEWER_TREES = 300_000, 30
"""Above this size the forest has fewer trees, and its time is multiplied."""

AIM = 10.0
"""Most time of the ensemble, in units of the forest's."""

_FREQUENCY = 0.5


def adult_rows() -> tuple[str, np.ndarray, np.ndarray]:
    """Return adult, or rows like it if it is not there; its name first."""
    name, (X, y_true) = next(iter(data_sets().items()))
    return name, X, y_true


def made_rows(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Make normal columns; the class hangs on a line, on products and on a step."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, FEATURES))
    line = X[:, :10] @ rng.normal(scale=0.3, size=10)
    products = X[:, 0] * X[:, 1] + X[:, 2] * X[:, 3]
    t = -1.5 + line + products + 1.5 * (np.abs(X[:, 4]) > 1)
    return X, (rng.random(n) < 1 / (1 + np.exp(-t))).astype(int)


def keys() -> list[Key]:
    """Return the lines of the table, no larger than UNLABELED_BENCH_ROWS."""
    most = int(os.environ.get("UNLABELED_BENCH_ROWS", max(SIZES)))
    adult = min(most, len(adult_rows()[1]))
    sizes = [n for n in SIZES if n <= most] or [most]
    return [(ADULT, adult, threads) for threads in THREADS] + [(MADE, n, 1) for n in sizes]


def measure(table: str, rows: int, threads: int) -> dict[str, float]:
    """Fit forest and ensemble in a process of their own; print a line."""
    found, _ = in_own_process(fit_both, table, rows, threads, threads=threads)
    found["wall_ratio"] = found["ensemble_wall"] / found["forest_wall"]
    found["cpu_ratio"] = found["ensemble_cpu"] / found["forest_cpu"]
    print(
        f"{table:<7}{rows:>9}{threads:>9}{found['wall_ratio']:>8.2f}{found['cpu_ratio']:>8.2f}"
        f"{AIM:>9.0f}{found['ensemble_wall']:>9.1f}{found['ensemble_cpu']:>9.1f}"
        f"{found['forest_wall']:>10.1f}{found['forest_cpu']:>9.1f}{found['table_mb']:>10.0f}"
        f"{found['ensemble_mb']:>10.0f}{found['forest_mb']:>10.0f}"
        f"{'  ABOVE' if found['wall_ratio'] > AIM else ''}",
        flush=True,
    )
    return found


def fit_both(table: str, rows: int, threads: int) -> dict[str, float]:
    """Fit forest and ensemble in this process; seconds and MB added to the peak."""
    X, y_true = made_rows(rows) if table == MADE else adult_rows()[1:]
    X, y_true = X[:rows], y_true[:rows]
    s = hide_labels(y_true, _FREQUENCY, random_state=0)
    jobs = None if threads == 1 else threads
    trees = TREES if rows <= MOST_ROWS_OF_FOREST else FEWER_TREES
    forest = ExtraTreesClassifier(
        trees,
        min_samples_leaf=LEAF,
        bootstrap=True,
        oob_score=True,
        random_state=0,
        n_jobs=jobs,
    )
    found = {"table_mb": X.nbytes / 1e6, "forest_trees": float(trees)}
    for name, model, times in (
        ("forest", forest, TREES / trees),
        ("ensemble", PUEnsemble(random_state=0, n_jobs=jobs), 1.0),
    ):
        wall, cpu, added = _timed(lambda model=model: model.fit(X, s))
        found |= {f"{name}_wall": times * wall, f"{name}_cpu": times * cpu, f"{name}_mb": added}
    return found


def _timed(work: Callable[[], Any]) -> tuple[float, float, float]:
    """Return seconds on the clock and of the processor, and MB added to the peak."""
    with Resident(os.getpid()) as before:
        time.sleep(0.2)
    wall, cpu = time.perf_counter(), time.process_time()
    with Resident(os.getpid()) as during, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        work()
    return time.perf_counter() - wall, time.process_time() - cpu, during.peak - before.peak


def main() -> None:
    """Print one line per table and number of threads."""
    print(f"\nPUEnsemble / a forest of {TREES} trees, c = {_FREQUENCY}; adult is {adult_rows()[0]}")
    print(
        f"Above {MOST_ROWS_OF_FOREST} rows the forest's time is that of {FEWER_TREES} trees, "
        f"multiplied by {TREES // FEWER_TREES}. MB are what a fit adds to the peak."
    )
    print(
        f"{'table':<7}{'rows':>9}{'threads':>9}{'ratio':>8}{'CPU':>8}{'at most':>9}{'s':>9}"
        f"{'CPU s':>9}{'forest, s':>10}{'CPU s':>9}{'table, MB':>10}{'MB':>10}{'forest':>10}"
    )
    for key in keys():
        measure(*key)


RECORDS = Records("cost.csv", ("table", "rows", "threads"), measure, keys, timed=True)

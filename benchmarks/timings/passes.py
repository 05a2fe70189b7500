"""Seconds per pass over Parquet files with Dask's threads, and how well they can be predicted.

A pass reads all files and evaluates the logistic loss and its gradient. The sizes take turns, and
the times are medians. A line through all sizes except the largest, with equal relative weights,
predicts the largest.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from benchmarks.timings.evaluations import LOSSES, seconds
from unlabeled import EnhancedLogistic
from unlabeled.engine.objective import Objective
from unlabeled.engine.rows import validate_rows

SHARES = (0.05, 0.125, 0.25, 0.5, 1.0)
THREADS, ROUNDS = 2, 3


def main(folder: Path) -> None:
    """Print seconds and MB/s for shares of the files, and the error of the prediction."""
    import dask

    paths = sorted(folder.glob("*.parquet"))
    counts = sorted({max(1, round(share * len(paths))) for share in SHARES})
    with dask.config.set(scheduler="threads", num_workers=THREADS):
        objectives = [_objective(paths[:count]) for count in counts]
        ways = [_evaluation(objective) for objective in objectives]
        times = np.array(seconds(ways, ROUNDS))
    rows = np.array([objective.X.shape[0] for objective in objectives])
    print(f"\nA pass over the files, {THREADS} threads: {'rows':>10}{'seconds':>9}{'MB/s':>7}")
    for n, one in zip(rows, times, strict=True):
        megabytes = n * objectives[0].X.shape[1] * 4 / 1e6
        print(f"{'':<36}{n:>10}{one:>9.2f}{megabytes / one:>7.0f}")
    if len(counts) > 2:
        slope, constant = np.polyfit(rows[:-1], times[:-1], 1, w=1 / rows[:-1])
        predicted = constant + slope * rows[-1]
        print(
            f"The last, predicted from the others: {predicted:.2f} s, "
            f"{100 * (predicted / times[-1] - 1):+.0f} %",
            flush=True,
        )


def _objective(paths: list[Path]) -> Objective:
    import dask.dataframe as dd

    frame = dd.read_parquet([str(path) for path in paths])
    X, s = frame.drop(columns="s"), frame["s"]
    rows = validate_rows(EnhancedLogistic(), X, s, None, None, anywhere=True)
    return Objective(*LOSSES["logistic"], rows.X, rows.s)


def _evaluation(objective: Objective):
    theta = np.full(objective.n_parameters, 0.01)
    return lambda: objective.value_gradient(theta)

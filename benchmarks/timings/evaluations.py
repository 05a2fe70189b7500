"""Seconds per evaluation of an objective: how they grow with the rows, and what Dask adds.

Value and gradient of the logistic loss and of JOINT's, with 50 single-precision columns. Sizes, and
NumPy and Dask, take turns, and the times are medians, so that other load on the machine affects all
of them. UNLABELED_BENCH_ROWS sets a number of rows below 20 million.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from unlabeled import EnhancedLogistic
from unlabeled.engine.losses import LogisticLoss, ProductLoss
from unlabeled.engine.objective import CONSTANT, FEATURES, Objective
from unlabeled.engine.rows import validate_rows

ROWS = (100_000, 300_000, 1_000_000, 3_000_000, 10_000_000, 20_000_000)
BESIDE_DASK = (1_000_000, 10_000_000)
N_FEATURES, CHUNK, ROUNDS = 50, 250_000, 7
THREADS = (1, 2)
SLOPE_WITHIN, MOST_OVERHEAD = 0.05, 1.5
LOSSES = {
    "logistic": (LogisticLoss(), (FEATURES,)),
    "JOINT": (ProductLoss(), (FEATURES, CONSTANT)),
}
_WRITTEN_AT_ONCE = 250_000
# Small sizes are evaluated on several parts in a row, until this many rows were read. So all sizes
# take a while, and no size finds its rows in the processor's cache.
_LEAST_ROWS = 3_000_000


def main() -> None:
    """Print the growth in memory and from a mapped file, and the overhead of Dask."""
    most = int(os.environ.get("UNLABELED_BENCH_ROWS", ROWS[-1]))
    sizes = tuple(n for n in ROWS if n <= most)
    with TemporaryDirectory() as name:
        mapped, s = _make(Path(name) / "X.npy", sizes[-1])
        print(
            f"\nSeconds per evaluation, value and gradient, p = {N_FEATURES}, float32, one thread"
        )
        print(f"{'n':>30}" + "".join(f"{n:>10}" for n in sizes) + f"{'slope':>9}{'within':>16}")
        _grow("mapped file", mapped, s, sizes)
        X = np.array(mapped)
        _grow("in memory", X, s, sizes)
    print("\nDask's threads over NumPy on one thread, the rows in memory, chunks of", CHUNK)
    print(f"{'loss':<10}{'n':>10}{'threads':>9}{'NumPy, s':>10}{'Dask, s':>10}{'ratio':>7}")
    for n in BESIDE_DASK:
        if n <= most:
            _beside_dask(X[:n], s[:n])


def _make(path: Path, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Write normal columns to a file that is mapped; every fifth row is labeled."""
    shape = (n, N_FEATURES)
    mapped = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=shape)
    rng = np.random.default_rng(0)
    for start in range(0, n, _WRITTEN_AT_ONCE):
        block = mapped[start : start + _WRITTEN_AT_ONCE]
        block[:] = rng.standard_normal(block.shape, dtype=np.float32)
    mapped.flush()
    return np.load(path, mmap_mode="r"), (rng.random(n) < 0.2).astype(np.float32)


def _grow(where: str, X: np.ndarray, s: np.ndarray, sizes: tuple[int, ...]) -> None:
    for name, (loss, designs) in LOSSES.items():
        parts = [_parts(n, max(n, min(len(s), _LEAST_ROWS))) for n in sizes]
        ways = [
            _evaluations([Objective(loss, designs, X[rows], s[rows]) for rows in part])
            for part in parts
        ]
        times = [t / len(part) for t, part in zip(seconds(ways), parts, strict=True)]
        slope = np.polyfit(np.log(sizes), np.log(times), 1)[0]
        bar = f"{1 - SLOPE_WITHIN:.2f} to {1 + SLOPE_WITHIN:.2f}"
        print(
            f"{where:<15}{name:<15}" + "".join(f"{one:>10.4f}" for one in times) + f"{slope:>9.3f}"
            f"{bar:>16}{'  OUTSIDE' if abs(slope - 1) > SLOPE_WITHIN else ''}",
            flush=True,
        )


def _beside_dask(X: np.ndarray, s: np.ndarray) -> None:
    import dask
    import dask.array

    rows = validate_rows(
        EnhancedLogistic(),
        dask.array.from_array(X, chunks=(CHUNK, N_FEATURES)),
        dask.array.from_array(s, chunks=CHUNK),
        None,
        None,
        anywhere=True,
    )
    for name, (loss, designs) in LOSSES.items():
        here = _evaluations([Objective(loss, designs, X, s)])
        chunked = _evaluations([Objective(loss, designs, rows.X, rows.s)])
        ways = [here] + [_on_threads(chunked, threads) for threads in THREADS]
        alone, *with_dask = seconds(ways)
        for threads, one in zip(THREADS, with_dask, strict=True):
            ratio = one / alone
            print(
                f"{name:<10}{len(s):>10}{threads:>9}{alone:>10.4f}{one:>10.4f}{ratio:>7.2f}"
                f"{'  ABOVE' if ratio > MOST_OVERHEAD else ''}",
                flush=True,
            )


def _parts(n: int, total: int) -> list[slice]:
    """Return consecutive parts of n rows."""
    return [slice(start, start + n) for start in range(0, total - n + 1, n)]


def _evaluations(objectives: list[Objective]) -> Callable[[], Any]:
    theta = np.full(objectives[0].n_parameters, 0.01)
    return lambda: [objective.value_gradient(theta) for objective in objectives]


def _on_threads(evaluate: Callable[[], Any], threads: int) -> Callable[[], Any]:
    import dask

    def run() -> None:
        with dask.config.set(scheduler="threads", num_workers=threads):
            evaluate()

    return run


def seconds(ways: list[Callable[[], Any]], rounds: int = ROUNDS) -> list[float]:
    """Return the median time of each way; they take turns, after one round that does not count."""
    times = np.empty((rounds + 1, len(ways)))
    for turn in range(rounds + 1):
        for k, way in enumerate(ways):
            start = time.perf_counter()
            way()
            times[turn, k] = time.perf_counter() - start
    return [float(one) for one in np.median(times[1:], axis=0)]


if __name__ == "__main__":
    main()

"""Fits to 20 million rows of 50 single-precision columns in Parquet, 4 GB, in little memory.

In memory, with Dask's threads, and on a cluster of two worker processes; in one more fit one of the
workers is killed. Every fit runs in a separate process. Its memory is that of the process with all
its children, without the page cache (Linux only).

UNLABELED_BENCH_ROWS sets another number of rows, UNLABELED_BENCH_FOLDER a folder in which the rows
are written once and stay. By hand: python -m benchmarks.timings.larger_than_memory.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.timings import passes
from benchmarks.timings.own_process import can_be_measured, in_own_process

if TYPE_CHECKING:
    from collections.abc import Iterator

ROWS, FEATURES, ROWS_A_FILE = 20_000_000, 50, 250_000
MOST_MB, MOST_APART = 1200.0, 1e-6
METHODS = ("EnhancedLogistic", "PULogistic", "JointLogistic")
KILLED = METHODS[:2]
"""The methods during whose fits a worker is killed."""
WAYS = {
    "memory": "in memory",
    "threads": "Dask, threads",
    "cluster": "two workers",
    "killed": "one is killed",
}
_WORKERS = 2
# In the middle of a fit: after this many passes over the rows.
_KILLED_AFTER = 8


def main() -> None:
    """Print one line per method and way."""
    rows = int(os.environ.get("UNLABELED_BENCH_ROWS", ROWS))
    gigabytes = rows * FEATURES * 4 / 1e9
    print(f"\nRows larger than memory: {rows} x {FEATURES} float32 in Parquet, {gigabytes:.1f} GB")
    if not can_be_measured():
        print("Memory is not measured: this system has no /proc/PID/status.")
    with _folder() as folder:
        start = time.perf_counter()
        if write(folder, rows):
            print(f"written in {time.perf_counter() - start:.0f} s", flush=True)
        print(
            f"{'method':<18}{'way':<15}{'seconds':>9}{'passes':>8}{'peak, MB':>10}{'at most':>9}"
            f"{'apart':>9}{'at most':>9}{'cut apart':>11}{'c':>9}{'times Enhanced':>16}"
        )
        enhanced: dict[str, Any] = {}
        for method in METHODS:
            reference = None
            for way in WAYS:
                if way == "killed" and method not in KILLED:
                    continue
                found = fit(folder, way, method)
                reference = reference or found
                enhanced.setdefault(way, found)
                _report(method, way, found, reference, enhanced[way])
        passes.main(folder)


def _report(
    method: str,
    way: str,
    found: dict[str, Any] | str,
    reference: dict[str, Any] | str,
    enhanced: dict[str, Any] | str,
) -> None:
    head = f"{method:<18}{WAYS[way]:<15}"
    if isinstance(found, str) or isinstance(reference, str) or isinstance(enhanced, str):
        print(f"{head}failed: {found}", flush=True)
        return
    coef, other = np.array(reference["coef"]), np.array(found["coef"])
    apart = float(np.linalg.norm(other - coef) / np.linalg.norm(coef))
    cut = abs(found["cut"] - reference["cut"]) / abs(reference["cut"])
    in_memory = way == "memory"
    above = not in_memory and (found["peak"] > MOST_MB or apart > MOST_APART)
    print(
        f"{head}{found['seconds']:>9.1f}{found['passes'] or '':>8}{found['peak']:>10.0f}"
        f"{'' if in_memory else f'{MOST_MB:.0f}':>9}"
        f"{'' if in_memory else f'{apart:.1e}':>9}{'' if in_memory else f'{MOST_APART:.0e}':>9}"
        f"{'' if in_memory else f'{cut:.1e}':>11}{found['c']:>9.5f}"
        f"{found['seconds'] / enhanced['seconds']:>16.2f}"
        f"{'  ABOVE' if above else ''}{_killed(way, found['killed_in'])}",
        flush=True,
    )


def _killed(way: str, number: int | None) -> str:
    if way != "killed":
        return ""
    return "  no worker was killed" if number is None else f"  killed in pass {number}"


@contextmanager
def _folder() -> Iterator[Path]:
    """The folder given, which stays, or a temporary one."""
    given = os.environ.get("UNLABELED_BENCH_FOLDER")
    if given is not None:
        Path(given).mkdir(parents=True, exist_ok=True)
        yield Path(given)
        return
    with TemporaryDirectory() as name:
        yield Path(name)


def write(folder: Path, n: int) -> bool:
    """Write correlated columns and SCAR labels, file by file; False if they exist."""
    import pyarrow as pa
    from pyarrow import parquet

    there = sorted(folder.glob("*.parquet"))
    if there:
        found = sum(parquet.read_metadata(path).num_rows for path in there)
        if found != n:
            sys.exit(f"{folder} has {found} rows, not {n}. Use another folder, or empty it.")
        return False
    rng = np.random.default_rng(0)
    direction = rng.normal(scale=0.25, size=FEATURES)
    mix = np.eye(FEATURES) + 0.3 * rng.normal(size=(FEATURES, FEATURES)) / np.sqrt(FEATURES)
    for k, start in enumerate(range(0, n, ROWS_A_FILE)):
        rng, size = np.random.default_rng([1, k]), min(ROWS_A_FILE, n - start)
        X = rng.standard_normal((size, FEATURES), dtype=np.float32) @ mix.astype(np.float32)
        y = rng.random(size) < 1 / (1 + np.exp(1.2 - X @ direction))
        s = (y & (rng.random(size) < 0.5)).astype(np.int8)
        table = pa.table({f"x{j}": X[:, j] for j in range(FEATURES)} | {"s": s})
        path = folder / f"part-{k:04d}.parquet"
        parquet.write_table(table, path, use_dictionary=False, compression="none")
    return True


def fit(folder: Path, way: str, method: str) -> dict[str, Any] | str:
    """Fit in a fresh process; return its results and peak memory, or its last line of errors."""
    try:
        found, peak = in_own_process(fit_here, way, method, str(folder))
    except RuntimeError as error:
        return str(error)
    return found | {"peak": peak}


def fit_here(way: str, method: str, folder: str) -> dict[str, Any]:
    """Fit in this process."""
    import unlabeled

    model = getattr(unlabeled, method)()
    passes_made = _Passes()
    with _rows(way, Path(folder), passes_made) as (X, s):
        start = time.perf_counter()
        model.fit(X, s)
        seconds = time.perf_counter() - start
    return {
        "seconds": seconds,
        "passes": passes_made.count,
        "killed_in": passes_made.killed_in,
        "coef": model.coef_[0].tolist(),
        "cut": model.threshold_,
        "c": model.label_frequency_,
    }


@contextmanager
def _rows(way: str, folder: Path, passes_made: _Passes) -> Iterator[tuple[Any, Any]]:
    """Rows and labels: in memory, or as a frame of Dask on threads or on a cluster."""
    if way == "memory":
        yield _read(folder)
        return
    import dask
    import dask.dataframe as dd

    dask.compute = passes_made.counted(dask.compute)
    frame = dd.read_parquet(folder)
    X, s = frame.drop(columns="s"), frame["s"]
    if way == "threads":
        with dask.config.set(scheduler="threads", num_workers=_WORKERS):
            yield X, s
        return
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=_WORKERS, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster),
    ):
        if way == "killed":
            worker = next(iter(cluster.workers.values()))
            threading.Thread(target=_kill, args=(worker.pid, passes_made), daemon=True).start()
        yield X, s


class _Passes:
    """Counts the passes over the rows, including the first one over the labels alone."""

    def __init__(self) -> None:
        self.count = 0
        self.killed_in: int | None = None

    def counted(self, compute: Any) -> Any:
        """Wrap Dask's `compute`."""

        def count(*arguments: Any, **options: Any) -> Any:
            self.count += 1
            return compute(*arguments, **options)

        return count


def _kill(pid: int, passes_made: _Passes) -> None:
    """Kill a worker in the middle of a fit and of a pass."""
    while passes_made.count < _KILLED_AFTER:
        time.sleep(0.01)
    time.sleep(0.5)
    os.kill(pid, signal.SIGKILL)
    passes_made.killed_in = passes_made.count


def _read(folder: Path) -> tuple[np.ndarray, np.ndarray]:
    """Read all rows into one array."""
    from pyarrow import parquet

    paths = sorted(folder.glob("*.parquet"))
    sizes = [parquet.read_metadata(path).num_rows for path in paths]
    X = np.empty((sum(sizes), FEATURES), dtype=np.float32)
    s = np.empty(sum(sizes), dtype=np.int8)
    for path, size, end in zip(paths, sizes, np.cumsum(sizes), strict=True):
        frame = parquet.read_table(path).to_pandas()
        s[end - size : end] = frame.pop("s")
        X[end - size : end] = frame
    return X, s


if __name__ == "__main__":
    main()

"""How time and memory grow with the number of rows, at 50 features, each in a fresh process."""

from __future__ import annotations

import resource
import time
from typing import Any

import numpy as np

from benchmarks.timings.own_process import in_own_process
from unlabeled import EnhancedLogistic, JointLogistic, PULogistic

ROWS = (10_000, 30_000, 100_000, 300_000, 1_000_000)
MANY_ROWS = (100_000, 300_000, 1_000_000, 3_000_000, 10_000_000, 20_000_000)
N_FEATURES = 50
METHODS = {"Enhanced": EnhancedLogistic, "JOINT": JointLogistic}


def fit_and_measure(method: str, n: int) -> dict[str, float]:
    """Fit once; return seconds, MB added to the peak of this process, and MB of X."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, N_FEATURES))
    y = rng.random(n) < 1 / (1 + np.exp(1.5 - X @ rng.normal(scale=0.2, size=N_FEATURES)))
    s = (y & (rng.random(n) < 0.5)).astype(int)
    model = METHODS[method]()
    model.fit(X[:1000], s[:1000])
    before, start = _peak(), time.perf_counter()
    model.fit(X, s)
    seconds = time.perf_counter() - start
    return {"seconds": seconds, "added": (_peak() - before) / 1024, "size": X.nbytes / 2**20}


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def fit_by_passes(n: int) -> dict[str, float]:
    """Fit PULogistic; return seconds of the fit, and of the search on a part of the rows.

    The search takes as long for any number of rows; the rest is passes.
    """
    X, s = np.empty((n, N_FEATURES), dtype=np.float32), np.empty(n, dtype=int)
    beta = np.random.default_rng(0).normal(scale=0.2, size=N_FEATURES)
    for k, start in enumerate(range(0, n, 100_000)):
        rng, rows = np.random.default_rng([1, k]), slice(start, start + 100_000)
        X[rows] = rng.standard_normal((100_000, N_FEATURES), dtype=np.float32)
        y = rng.random(100_000) < 1 / (1 + np.exp(1.5 - X[rows] @ beta))
        s[rows] = y & (rng.random(100_000) < 0.5)
    _TimesSearch().fit(X[:100_000], s[:100_000])
    whole = []
    for _ in range(3 if n <= 3_000_000 else 1):
        start, model = time.perf_counter(), _TimesSearch()
        model.fit(X, s)
        whole.append((time.perf_counter() - start, model.searched))
    seconds, searched = min(whole)
    return {"seconds": seconds, "search": searched}


class _TimesSearch(PULogistic):
    def _direction(self, *arguments: Any) -> Any:
        start = time.perf_counter()
        found = super()._direction(*arguments)
        self.searched = time.perf_counter() - start
        return found


def main() -> None:
    """Print time, memory beyond X, and the log-log slope of time in n."""
    by_passes()
    for method in METHODS:
        print(f"\nGrowth of {method} at p = {N_FEATURES}, one thread")
        print(f"{'n':>10}{'seconds':>10}{'us per row':>11}{'X, MB':>8}{'memory added, MB':>18}")
        times = []
        for n in ROWS:
            found, _ = in_own_process(fit_and_measure, method, n)
            elapsed = found["seconds"]
            times.append(elapsed)
            print(
                f"{n:>10}{elapsed:>10.3f}{1e6 * elapsed / n:>11.2f}{found['size']:>8.0f}"
                f"{found['added']:>18.0f}"
            )
        slope = np.polyfit(np.log(ROWS[1:]), np.log(times[1:]), 1)[0]
        print(f"log-log slope of time from {ROWS[1]} rows on: {slope:.2f} (1 is linear)")


def by_passes() -> None:
    """Print how the time of PULogistic grows from a size on at which it goes by passes."""
    print(f"\nGrowth of PULogistic by passes at p = {N_FEATURES}, float32, one thread")
    print(f"{'n':>10}{'seconds':>10}{'search':>10}{'passes':>10}{'us per row':>11}")
    passes = []
    for n in MANY_ROWS:
        found, _ = in_own_process(fit_by_passes, n)
        elapsed, search = found["seconds"], found["search"]
        passes.append(elapsed - search)
        each = 1e6 * passes[-1] / n
        print(f"{n:>10}{elapsed:>10.2f}{search:>10.2f}{passes[-1]:>10.2f}{each:>11.3f}", flush=True)
    slope = np.polyfit(np.log(MANY_ROWS), np.log(passes), 1)[0]
    print(f"log-log slope of the passes: {slope:.3f} (1 is linear)")


if __name__ == "__main__":
    main()

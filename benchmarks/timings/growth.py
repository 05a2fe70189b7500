"""How time and memory grow with the number of rows, at 50 features."""

from __future__ import annotations

import subprocess
import sys

import numpy as np

ROWS = (10_000, 30_000, 100_000, 300_000, 1_000_000)
MANY_ROWS = (100_000, 300_000, 1_000_000, 3_000_000, 10_000_000, 20_000_000)
N_FEATURES = 50

# Each size runs in a separate process, so that peaks of memory do not mix.
_PROGRAM = """
import resource, sys, time, warnings
import numpy as np
from unlabeled import EnhancedLogistic, JointLogistic
warnings.simplefilter("ignore")
n, p, name = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
rng = np.random.default_rng(0)
X = rng.normal(size=(n, p))
y = rng.random(n) < 1 / (1 + np.exp(1.5 - X @ rng.normal(scale=0.2, size=p)))
s = (y & (rng.random(n) < 0.5)).astype(int)
model = {"Enhanced": EnhancedLogistic, "JOINT": JointLogistic}[name]()
model.fit(X[:1000], s[:1000])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.perf_counter()
model.fit(X, s)
elapsed = time.perf_counter() - start
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(elapsed, (after - before) / 1024, X.nbytes / 2**20)
"""

# The search on a part of the rows takes as long for any number of rows; the rest is passes.
_BY_PASSES = """
import sys, time, warnings
import numpy as np
from unlabeled import PULogistic
warnings.simplefilter("ignore")
n, p = int(sys.argv[1]), int(sys.argv[2])
X, s = np.empty((n, p), dtype=np.float32), np.empty(n, dtype=int)
beta = np.random.default_rng(0).normal(scale=0.2, size=p)
for k, start in enumerate(range(0, n, 100_000)):
    rng, rows = np.random.default_rng([1, k]), slice(start, start + 100_000)
    X[rows] = rng.standard_normal((100_000, p), dtype=np.float32)
    y = rng.random(100_000) < 1 / (1 + np.exp(1.5 - X[rows] @ beta))
    s[rows] = y & (rng.random(100_000) < 0.5)
searched, search = [], PULogistic._direction
def timed(*arguments):
    start = time.perf_counter()
    found = search(*arguments)
    searched.append(time.perf_counter() - start)
    return found
PULogistic._direction = timed
PULogistic().fit(X[:100_000], s[:100_000])
whole = []
for _ in range(3 if n <= 3_000_000 else 1):
    start = time.perf_counter()
    PULogistic().fit(X, s)
    whole.append((time.perf_counter() - start, searched[-1]))
print(*min(whole))
"""


def main() -> None:
    """Print time, memory beyond X, and the log-log slope of time in n."""
    by_passes()
    for method in ("Enhanced", "JOINT"):
        print(f"\nGrowth of {method} at p = {N_FEATURES}, one thread")
        print(f"{'n':>10}{'seconds':>10}{'us per row':>11}{'X, MB':>8}{'memory added, MB':>18}")
        times = []
        for n in ROWS:
            elapsed, added, size = measure(method, n)
            times.append(elapsed)
            print(f"{n:>10}{elapsed:>10.3f}{1e6 * elapsed / n:>11.2f}{size:>8.0f}{added:>18.0f}")
        slope = np.polyfit(np.log(ROWS[1:]), np.log(times[1:]), 1)[0]
        print(f"log-log slope of time from {ROWS[1]} rows on: {slope:.2f} (1 is linear)")


def by_passes() -> None:
    """Print how the time of PULogistic grows from a size on at which it goes by passes."""
    print(f"\nGrowth of PULogistic by passes at p = {N_FEATURES}, float32, one thread")
    print(f"{'n':>10}{'seconds':>10}{'search':>10}{'passes':>10}{'us per row':>11}")
    passes = []
    for n in MANY_ROWS:
        command = [sys.executable, "-c", _BY_PASSES, str(n), str(N_FEATURES)]
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        elapsed, search = (float(word) for word in output.split())
        passes.append(elapsed - search)
        each = 1e6 * passes[-1] / n
        print(f"{n:>10}{elapsed:>10.2f}{search:>10.2f}{passes[-1]:>10.2f}{each:>11.3f}", flush=True)
    slope = np.polyfit(np.log(MANY_ROWS), np.log(passes), 1)[0]
    print(f"log-log slope of the passes: {slope:.3f} (1 is linear)")


def measure(method: str, n: int) -> tuple[float, float, float]:
    """Fit once in a fresh process; seconds, MB added to the peak, MB of X."""
    command = [sys.executable, "-c", _PROGRAM, str(n), str(N_FEATURES), method]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    elapsed, added, size = (float(word) for word in output.split())
    return elapsed, added, size

"""How time and memory grow with the number of rows, at 50 features."""

from __future__ import annotations

import subprocess
import sys

import numpy as np

ROWS = (10_000, 30_000, 100_000, 300_000, 1_000_000)
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


def main() -> None:
    """Print time, memory beyond X, and the log-log slope of time in n."""
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


def measure(method: str, n: int) -> tuple[float, float, float]:
    """Fit once in a fresh process; seconds, MB added to the peak, MB of X."""
    command = [sys.executable, "-c", _PROGRAM, str(n), str(N_FEATURES), method]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    elapsed, added, size = (float(word) for word in output.split())
    return elapsed, added, size

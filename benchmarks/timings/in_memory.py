"""EnhancedLogistic against scikit-learn's LogisticRegression at a million rows, in memory.

Both are fitted to the labels, unpenalized, with `tol` = 1e-4, in turns; the times are medians. The
two tolerances differ. scikit-learn's bounds the largest entry of the gradient of the mean loss, in
the units of the features. Ours bounds its norm in uncorrelated coordinates, relative to the
variation of the labels. Both numbers are printed for both.

Each number of threads has a separate process, since BLAS reads it once.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

from benchmarks.timings.against_logistic_regression import TOL, census_like, independent, seconds
from unlabeled import EnhancedLogistic
from unlabeled.engine.linear_fits import LinearProblem
from unlabeled.engine.losses import LogisticLoss

ROWS, FEATURES, ROUNDS = 1_000_000, 50, 3
THREADS = (1, 2)
BAR = 1.0
"""Most time of EnhancedLogistic, in units of LogisticRegression."""
_FREQUENCY = 0.5


def correlated(n: int, p: int) -> tuple[np.ndarray, np.ndarray]:
    """Make normal columns, each correlated .9 with the next one."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, p))
    for j in range(1, p):
        X[:, j] = 0.9 * X[:, j - 1] + np.sqrt(1 - 0.9**2) * X[:, j]
    t = -1.8 + X @ rng.normal(scale=0.3, size=p)
    return X, (rng.random(n) < 1 / (1 + np.exp(-t))).astype(int)


def dummies(n: int, p: int) -> tuple[np.ndarray, np.ndarray]:
    """Make skewed numbers and the dummies of categories, like adult's."""
    X, y_true = census_like(n)
    return np.ascontiguousarray(X[:, :p]), y_true


DESIGNS: dict[str, Callable[[int, int], tuple[np.ndarray, np.ndarray]]] = {
    "independent": independent,
    "correlated": correlated,
    "like adult": dummies,
}


@dataclass
class Timed:
    """A model and the times of its fits."""

    model: Any
    times: list[float] = field(default_factory=list)

    def fit(self, X: np.ndarray, s: np.ndarray) -> None:
        """Fit again and record the seconds."""
        self.times.append(seconds(self.model, X, s))

    @property
    def seconds(self) -> float:
        """Median of the fits."""
        return float(np.median(self.times))


def main() -> None:
    """Measure with one thread and with two, each in a separate process."""
    for threads in THREADS:
        environment = os.environ | {
            name: str(threads)
            for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
        }
        words = "one thread" if threads == 1 else f"{threads} threads"
        print(f"\nEnhancedLogistic / LogisticRegression, {ROWS} x {FEATURES}, {words}", flush=True)
        command = [sys.executable, "-m", "benchmarks.timings.in_memory"]
        subprocess.run(command, check=True, env=environment)


def measure(n: int = ROWS, p: int = FEATURES, rounds: int = ROUNDS) -> None:
    """Print one line per design, type and model, with the threads of this process."""
    print(
        f"{'columns':<13}{'type':<9}{'model':<11}{'ratio':>7}{'at most':>9}{'s':>8}{'min s':>8}"
        f"{'iterations':>12}{'norm, whitened':>16}{'largest entry':>15}"
    )
    for name, make in DESIGNS.items():
        X, y_true = make(n, p)
        s = y_true * (np.random.default_rng(2).random(n) < _FREQUENCY)
        for dtype in (np.float64, np.float32):
            X = X.astype(dtype, copy=False)
            _report(f"{name:<13}{np.dtype(dtype).name:<9}", X, s, rounds)


def _report(head: str, X: np.ndarray, s: np.ndarray, rounds: int) -> None:
    alone = Timed(LogisticRegression(C=np.inf, tol=TOL, max_iter=1000))
    ours = Timed(EnhancedLogistic(tol=TOL))
    for _ in range(rounds):
        alone.fit(X, s)
        ours.fit(X, s)
    for label, timed, bar in (("sklearn", alone, np.nan), ("Enhanced", ours, BAR)):
        ratio = timed.seconds / alone.seconds
        whitened, largest = gradients(timed.model, X, s)
        print(
            f"{head}{label:<11}{ratio:>7.2f}{'' if np.isnan(bar) else f'{bar:.2f}':>9}"
            f"{timed.seconds:>8.3f}{min(timed.times):>8.3f}{np.max(timed.model.n_iter_):>12}"
            f"{whitened:>16.1e}{largest:>15.1e}{'  ABOVE' if ratio > bar else ''}",
            flush=True,
        )


def gradients(model: Any, X: np.ndarray, s: np.ndarray) -> tuple[float, float]:
    """Gradient of the mean loss at the end of a fit, as our and scikit-learn's `tol` measure it.

    Returns
    -------
    whitened : float
        Norm in whitened coordinates over twice the standard deviation of the labels.
    largest : float
        Largest entry, in the units of the features.
    """
    theta = np.append(model.coef_[0], getattr(model, "naive_intercept_", model.intercept_[0]))
    problem = LinearProblem.of(X, None).objective(LogisticLoss(), s.astype(np.float64))
    _, gradient = problem.objective.value_gradient(theta)
    whitened = np.linalg.norm(problem.gradient_in_z(gradient)) / (2 * s.std())
    return float(whitened), float(np.max(np.abs(gradient)))


if __name__ == "__main__":
    measure()

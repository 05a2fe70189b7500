"""The linear classifiers on a GPU, compared with reading X once.

No evaluation of the objective can be faster than reading X from the memory of the device. The
whole fit, with checks, cut and posterior, is measured in such readings.

Run ``SCIPY_ARRAY_API=1 python -m benchmarks.timings.gpu`` on a machine where PyTorch or CuPy see
a GPU.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import numpy as np
import sklearn

from unlabeled import EnhancedLogistic, JointLogistic, NaiveLogistic, PULogistic
from unlabeled.engine.linear_fits import LinearProblem
from unlabeled.engine.losses import LogisticLoss
from unlabeled.engine.objective import Objective

BAR = 5.0
"""Readings of X that a fit may take per evaluation."""
MODELS = {
    "Naive": NaiveLogistic,
    "Enhanced": EnhancedLogistic,
    "JOINT": JointLogistic,
    "PULogistic": PULogistic,
}


class Library:
    """PyTorch or CuPy on their first GPU, or PyTorch on the CPU as a trial."""

    def __init__(self, name: str, device: str) -> None:
        self.name, self.device = name, device
        self.module = __import__(name)

    def wait(self) -> None:
        """Wait for the device."""
        if self.name == "cupy":
            self.module.cuda.Stream.null.synchronize()
        elif self.device != "cpu":
            self.module.cuda.synchronize()

    def describe(self) -> str:
        """Name of the device and of the library."""
        if self.name == "cupy":
            named = self.module.cuda.runtime.getDeviceProperties(0)["name"].decode()
        else:
            named = "cpu" if self.device == "cpu" else self.module.cuda.get_device_name()
        return f"{named}, {self.name} {self.module.__version__}"

    def put(self, array: np.ndarray) -> Any:
        """Bring a NumPy array to the device."""
        if self.name == "cupy":
            return self.module.asarray(array)
        return self.module.asarray(array, device=self.device)

    def seconds(self, work: Callable[[], Any]) -> float:
        """Time one run of `work`."""
        self.wait()
        start = time.perf_counter()
        work()
        self.wait()
        return time.perf_counter() - start


def rows(library: Library, n: int, p: int, dtype: str, correlation: float = 0.0) -> tuple[Any, Any]:
    """Make normal features, each correlated with the next one, and labels on the device."""
    xp = library.module
    beta = np.random.default_rng(0).normal(scale=0.2, size=p)
    X = library.put(np.empty((n, p), dtype=dtype))
    s = library.put(np.empty(n, dtype=np.int64))
    for k, start in enumerate(range(0, n, 1_000_000)):
        rng = np.random.default_rng([1, k])
        block = rng.standard_normal((min(1_000_000, n - start), p), dtype=np.float32)
        for j in range(1, p if correlation else 0):
            block[:, j] *= np.float32(np.sqrt(1 - correlation**2))
            block[:, j] += np.float32(correlation) * block[:, j - 1]
        t = block @ beta.astype(np.float32) - 1.5
        y = rng.random(len(t)) < 1 / (1 + np.exp(-t))
        where = slice(start, start + len(t))
        X[where] = library.put(block.astype(dtype))
        s[where] = library.put((y & (rng.random(len(t)) < 0.5)).astype(np.int64))
    assert int(xp.sum(s)) > 0
    return X, s


class Counted:
    """Counts evaluations of the objective of all rows while it is open."""

    def __init__(self, n_rows: int) -> None:
        self.n_rows, self.n_evaluations, self.seconds = n_rows, 0, 0.0

    def __enter__(self) -> Counted:
        self._plain = {
            name: getattr(Objective, name) for name in ("value_gradient", "value_gradient_hessian")
        }
        for name, plain in self._plain.items():
            setattr(Objective, name, self._counting(plain))
        return self

    def __exit__(self, *error: object) -> None:
        for name, plain in self._plain.items():
            setattr(Objective, name, plain)

    def _counting(self, plain: Callable[..., Any]) -> Callable[..., Any]:
        def counted(objective: Objective, theta: np.ndarray) -> Any:
            start = time.perf_counter()
            answer = plain(objective, theta)
            if objective.X.shape[0] == self.n_rows:
                self.n_evaluations += 1
                self.seconds += time.perf_counter() - start
            return answer

        return counted


def measure(library: Library, options: argparse.Namespace) -> None:
    """Print one line per model."""
    n, p = int(options.rows), options.features
    X, s = rows(library, n, p, options.dtype, options.correlation)
    xp = library.module
    reading = min(library.seconds(lambda: xp.sum(X)) for _ in range(10))
    size = n * p * np.dtype(options.dtype).itemsize / 1e9
    print(
        f"\n{library.describe()}: {n} x {p} {options.dtype}, correlation {options.correlation}, "
        f"{size:.1f} GB, read once in {1e3 * reading:.2f} ms"
    )
    head = f"{'model':<26}{'ms':>8}{'evaluations':>13}{'ms each':>9}{'beside, ms':>12}"
    print(f"{head}{'readings per evaluation':>24}{'bar':>6}")
    for name, model in MODELS.items():
        best, counts = _best_of(library, model, X, s, options.repeats)
        if options.profile:
            _profile(lambda model=model: model().fit(X, s))
        _line(name, best, counts, reading, BAR if name == "Enhanced" else None)
    with _all_rows_always():
        best, counts = _best_of(library, EnhancedLogistic, X, s, options.repeats)
        _line("Enhanced, all rows always", best, counts, reading, BAR)


def _best_of(library: Library, model: Any, X: Any, s: Any, repeats: int) -> tuple[float, Counted]:
    """Shortest of several fits, after a small one in which libraries load their kernels."""
    model().fit(X[:100_000], s[:100_000])
    best, counts = np.inf, Counted(X.shape[0])
    for _ in range(repeats):
        with Counted(X.shape[0]) as counted:
            taken = library.seconds(lambda: model().fit(X, s))
        if taken < best:
            best, counts = taken, counted
    return best, counts


def _line(name: str, best: float, counts: Counted, reading: float, bar: float | None) -> None:
    each = 1e3 * counts.seconds / counts.n_evaluations
    ratio = best / (reading * counts.n_evaluations)
    print(
        f"{name:<26}{1e3 * best:>8.1f}{counts.n_evaluations:>13}{each:>9.2f}"
        f"{1e3 * (best - counts.seconds):>12.1f}{ratio:>24.2f}{'' if bar is None else bar:>6}",
        flush=True,
    )


def _profile(work: Callable[[], Any]) -> None:
    """Print where a fit spends its time on the host, waiting for the device included."""
    found = cProfile.Profile()
    found.runcall(work)
    pstats.Stats(found).sort_stats("cumulative").print_stats("unlabeled|method", 45)


@contextmanager
def _all_rows_always() -> Iterator[None]:
    """Let fits start on all rows, not on a part of them: slower, with more evaluations."""
    plain = LinearProblem.fit_logistic

    def fit(problem: LinearProblem, target: Any, *arguments: Any, **options: Any) -> Any:
        mean = float(target.sum()) / target.shape[0]
        constant = np.zeros(problem.objective(LogisticLoss(), target).n_parameters)
        constant[-1] = np.log(mean / (1 - mean))
        return plain(problem, target, *arguments, **{"start": constant, **options})

    with mock.patch.object(LinearProblem, "fit_logistic", fit):
        yield


def compare(library: Library, n: int, p: int, dtype: str) -> None:
    """Print how far the coefficients are from NumPy's on the same rows."""
    X, s = rows(library, n, p, dtype)
    host = np.asarray(X.get() if library.name == "cupy" else X.cpu().numpy())
    labels = np.asarray(s.get() if library.name == "cupy" else s.cpu().numpy())
    for name, model in MODELS.items():
        there, here = model().fit(X, s), model().fit(host, labels)
        apart = np.linalg.norm(there.coef_ - here.coef_) / np.linalg.norm(here.coef_)
        predicted = there.predict(X)
        predicted = predicted.get() if library.name == "cupy" else predicted.cpu().numpy()
        differ = int(np.sum(np.asarray(predicted) != here.predict(host)))
        print(
            f"{library.name} and NumPy, {dtype}, {n} x {p}, {name}: coefficients {apart:.1e} apart,"
            f" {differ} predictions differ",
            flush=True,
        )


def main() -> None:
    """Run the measurement that the arguments select."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library", default="torch", choices=("torch", "cupy"))
    parser.add_argument("--device", default="cuda", help="cpu for a trial with PyTorch")
    parser.add_argument("--rows", type=float, default=1e7)
    parser.add_argument("--features", type=int, default=100)
    parser.add_argument("--dtype", default="float32", choices=("float32", "float64"))
    parser.add_argument("--correlation", type=float, default=0.0)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--compare", type=float, default=0, help="rows to compare with NumPy on")
    parser.add_argument("--profile", action="store_true", help="where each fit spends its time")
    options = parser.parse_args()
    library = Library(options.library, options.device)
    with sklearn.config_context(array_api_dispatch=True):
        if options.compare:
            compare(library, int(options.compare), options.features, options.dtype)
        else:
            measure(library, options)


if __name__ == "__main__":
    main()

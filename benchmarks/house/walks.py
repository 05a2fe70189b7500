"""How far a reader walks: the files, functions and depth of one call, counted while it runs.

Run as a program it prints the counts as JSON, so that another version of the package, on
``PYTHONPATH``, can be measured with the same ruler.
"""

from __future__ import annotations

import json
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

import numpy as np
import sklearn
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV

import unlabeled
from unlabeled import EnhancedLogistic, PropensityLogistic, PUEnsemble, PULogistic
from unlabeled.datasets import make_paper_gaussian


class Walk(NamedTuple):
    """What one call runs inside a package, how deep calls are nested below it, and how many."""

    files: int
    functions: int
    depth: int
    calls: int


class _Recorder:
    """Counts the calls of every thread whose code lies in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = str(folder)
        self.codes: set[CodeType] = set()
        self.deepest = self.calls = 0
        self._depths = threading.local()

    def __call__(self, frame: FrameType, event: str, argument: Any) -> None:
        if not frame.f_code.co_filename.startswith(self.folder):
            return
        depth = getattr(self._depths, "value", 0)
        if event == "call":
            self._depths.value = depth + 1
            self.codes.add(frame.f_code)
            self.calls += 1
            self.deepest = max(self.deepest, depth + 1)
        elif event == "return":
            self._depths.value = max(0, depth - 1)

    def walk(self) -> Walk:
        """Return the counts; lambdas and generators count as functions."""
        files = {code.co_filename for code in self.codes}
        return Walk(len(files), len(self.codes), self.deepest - 1, self.calls)


@contextmanager
def recorded(package: Any) -> Iterator[_Recorder]:
    """Record every call inside a package, in this thread and in those it starts."""
    recorder = _Recorder(Path(package.__file__).parent)
    threading.setprofile(recorder)
    sys.setprofile(recorder)
    try:
        yield recorder
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]


def measure_walks() -> dict[str, Walk]:
    """Return the walks of the calls that people read first.

    Each call runs once before it is recorded, so that imports and caches do not count.
    """
    data = make_paper_gaussian(1000, 0.3, random_state=0)
    X, s = data.X, data.s
    fitted = PULogistic().fit(X, s)
    calls: dict[str, tuple[Callable[[], object], Any]] = {
        "PULogistic.fit": (lambda: PULogistic().fit(X, s), unlabeled),
        "EnhancedLogistic.fit, NumPy": (lambda: EnhancedLogistic().fit(X, s), unlabeled),
        "EnhancedLogistic.fit, Dask": (_fit_chunks(X, s), unlabeled),
        "PUEnsemble.fit": (lambda: PUEnsemble(random_state=0).fit(X, s), unlabeled),
        "PropensityLogistic.fit": (
            lambda: PropensityLogistic(propensity_features=[0]).fit(X, s),
            unlabeled,
        ),
        "PULogistic.predict": (lambda: fitted.predict(X), unlabeled),
        "unlabeled fit, without checks and comparison": (_fit_command(X, s), unlabeled),
        "LogisticRegression.fit": (lambda: LogisticRegression().fit(X, s), sklearn),
        "LogisticRegressionCV.fit": (lambda: LogisticRegressionCV(Cs=5).fit(X, s), sklearn),
    }
    return {name: _walk_of(call, package) for name, (call, package) in calls.items()}


def _walk_of(call: Callable[[], object], package: Any) -> Walk:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        call()
        with recorded(package) as recorder:
            call()
    return recorder.walk()


def _fit_chunks(X: np.ndarray, s: np.ndarray) -> Callable[[], object]:
    import dask
    import dask.array as da

    rows, labels = da.from_array(X, chunks=(250, -1)), da.from_array(s, chunks=250)

    def fit() -> object:
        with dask.config.set(scheduler="synchronous"):
            return EnhancedLogistic().fit(rows, labels)

    return fit


def _fit_command(X: np.ndarray, s: np.ndarray) -> Callable[[], object]:
    from click.testing import CliRunner

    from unlabeled.cli import main

    header = ",".join([f"x{j}" for j in range(X.shape[1])] + ["label"])
    lines = (
        ",".join(f"{cell:.6f}" for cell in row) + f",{label}"
        for row, label in zip(X, s, strict=True)
    )
    table = "\n".join([header, *lines, ""])

    def fit() -> object:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "table.csv"
            file.write_text(table, "utf-8")
            arguments = ["fit", str(file), "--label", "label", "--out", f"{folder}/fit"]
            arguments += ["--no-checks", "--no-compare", "--quiet"]
            result = CliRunner().invoke(main, arguments, catch_exceptions=False)
            if result.exit_code:
                raise RuntimeError(result.output)
            return result

    return fit


if __name__ == "__main__":
    print(json.dumps({call: walk._asdict() for call, walk in measure_walks().items()}))

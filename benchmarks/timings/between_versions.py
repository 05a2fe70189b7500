"""Fit times of this version and of an earlier commit, interleaved: ratios with standard errors.

Two processes stay alive, one per version, and take turns with every fit, so that a busy machine
slows both. Times are CPU seconds of one thread. The ratio is new over old; its standard error comes
from the rounds. Usage: ``python -m benchmarks.timings.between_versions COMMIT``.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import IO

import click
import numpy as np

_REPOSITORY = Path(__file__).parents[2]
_WORSE, _ERRORS = 1.05, 2.0

# Runs in both versions, so it uses only what both have at the same place.
_WORKER = """
import json, sys, time, warnings
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
from unlabeled import (
    EnhancedLogistic, JointLogistic, NaiveLogistic, PULogistic,
    PUThresholdClassifier, WeightedLogistic,
)
from unlabeled.datasets import hide_labels, load_uci
from unlabeled.label_frequency import ElkanNoto, TIcE

warnings.simplefilter("ignore")
adult = load_uci("adult")
keep = np.random.default_rng(0).permutation(len(adult.y_true))[:26_048]
X = StandardScaler().fit_transform(adult.X[keep])
s = hide_labels(adult.y_true[keep], 0.5, random_state=0)
fitted = PULogistic().fit(X[:2000], s[:2000])
calls = {
    "Naive": lambda: NaiveLogistic().fit(X, s),
    "Enhanced": lambda: EnhancedLogistic().fit(X, s),
    "JOINT": lambda: JointLogistic().fit(X, s),
    "MM": lambda: JointLogistic(solver="mm").fit(X, s),
    "EN-weighted": lambda: WeightedLogistic(ElkanNoto()).fit(X, s),
    "TIcE-weighted": lambda: WeightedLogistic(TIcE(random_state=0)).fit(X, s),
    "PULogistic": lambda: PULogistic().fit(X, s),
    "leave-one-out cut": lambda: PUThresholdClassifier(NaiveLogistic(), cv="loo").fit(X, s),
    "five folds": lambda: PUThresholdClassifier(LogisticRegression(), random_state=0).fit(X, s),
    "PULogistic, 2000 rows": lambda: PULogistic().fit(X[:2000], s[:2000]),
    "Enhanced, 2000 rows": lambda: EnhancedLogistic().fit(X[:2000], s[:2000]),
    "predict": lambda: [fitted.predict(X) for _ in range(20)],
    "predict, one row": lambda: [fitted.predict(X[:1]) for _ in range(200)],
}
print(json.dumps(list(calls)), flush=True)
for line in sys.stdin:
    start = time.process_time()
    calls[json.loads(line)]()
    print(time.process_time() - start, flush=True)
"""


@click.command()
@click.argument("commit")
@click.option("--rounds", default=15, show_default=True, help="Timed fits per call and version.")
@click.option("--only", multiple=True, metavar="CALL", help="Time this call; may be repeated.")
def main(commit: str, rounds: int, only: tuple[str, ...]) -> None:
    """Time every method on adult with this version and with COMMIT, fit by fit in turns."""
    with tempfile.TemporaryDirectory() as folder:
        export_sources(commit, Path(folder))
        workers = [_worker(Path(folder) / "src"), _worker(_REPOSITORY / "src")]
        names, _ = (json.loads(_answer(worker)) for worker in workers)
        names = [name for name in names if not only or name in only]
        click.echo(f"new / old ({commit}), CPU seconds on adult, {rounds} rounds, one thread")
        click.echo(f"{'call':<24}{'ratio':>8}{'error':>8}{'old ms':>10}{'new ms':>10}")
        worse = [name for name in names if _compare(workers, name, rounds)]
        for worker in workers:
            worker.kill()
    if worse:
        click.echo(f"Worse by more than 5 % and two standard errors: {', '.join(worse)}.")


def export_sources(commit: str, folder: Path) -> None:
    """Write the package's sources at a commit to a folder."""
    archive = subprocess.run(
        ["git", "archive", "--format=tar", commit, "src"],
        cwd=_REPOSITORY,
        capture_output=True,
        check=True,
    ).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        files.extractall(folder, filter="data")


def _worker(source: Path) -> subprocess.Popen[str]:
    environment = os.environ | {"PYTHONPATH": str(source)}
    environment |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    return subprocess.Popen(
        [sys.executable, "-c", _WORKER],
        env=environment,
        cwd=source,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def _answer(worker: subprocess.Popen[str]) -> str:
    output: IO[str] | None = worker.stdout
    line = output.readline() if output else ""
    if not line:
        raise click.ClickException("A worker has ended; its error is above.")
    return line


def _seconds(worker: subprocess.Popen[str], name: str) -> float:
    if worker.stdin is None:
        raise click.ClickException("A worker has no input.")
    worker.stdin.write(json.dumps(name) + "\n")
    worker.stdin.flush()
    return float(_answer(worker))


def _compare(workers: list[subprocess.Popen[str]], name: str, rounds: int) -> bool:
    """Print one line; return whether the new version is clearly slower."""
    for worker in workers:
        _seconds(worker, name)  # warm up
    times = np.array(
        [
            # Whoever goes first takes turns as well.
            [_seconds(worker, name) for worker in workers[:: (1, -1)[k % 2]]][:: (1, -1)[k % 2]]
            for k in range(rounds)
        ]
    )
    logs = np.log(times[:, 1] / times[:, 0])
    ratio, error = np.exp(np.median(logs)), 1.25 * logs.std(ddof=1) / np.sqrt(rounds)
    old, new = 1000 * np.median(times, axis=0)
    worse = bool(ratio > _WORSE and ratio - 1 > _ERRORS * error)
    flag = "  WORSE" if worse else ""
    click.echo(f"{name:<24}{ratio:>8.3f}{error:>8.3f}{old:>10.1f}{new:>10.1f}{flag}")
    return worse


if __name__ == "__main__":
    main()

"""Fit times of pulearn 0.2.0 as multiples of ours, at 100 000 rows and 30 columns.

pulearn is not a dependency of this project: it is in the environment of ``make field``, and
``make bench`` uses that environment if it exists. Its classifiers have their defaults. A base
classifier, if needed, is scikit-learn's LogisticRegression with its defaults, the nearest to ours.
Bagging is timed twice: with its default bags, of all unlabeled rows, and with bags as large as the
number of labeled rows. nnPU is given the class prior, which it needs. Fits take turns, and each
time is the median. The columns are independent: the easiest case for LogisticRegression, and so for
the peers that use it.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

from benchmarks.timings.against_logistic_regression import independent, seconds
from unlabeled import EnhancedLogistic, PULogistic

ROWS, FEATURES, ROUNDS = 100_000, 30, 3
BARS = {
    "pulearn Elkan-Noto": 1.0,
    "pulearn bagging of ten": 15.0,
    "pulearn nnPU": 40.0,
}
"""Lower bounds of a peer's time as a multiple of EnhancedLogistic's."""
_FREQUENCY = 0.5

Makers = dict[str, Callable[[], Any]]


def main() -> None:
    """Print the table, or what to do if pulearn is missing."""
    if find_spec("pulearn") is None:
        print(
            "\nThe comparison with pulearn is skipped: pulearn is not installed. Run "
            "`make .venv-field/.ready`, which installs it with unlabeled, then `make bench` again."
        )
        return
    report()


def report(n: int = ROWS, p: int = FEATURES, rounds: int = ROUNDS) -> None:
    """Print one line per method."""
    X, y_true = independent(n, p)
    s = y_true * (np.random.default_rng(2).random(n) < _FREQUENCY)
    makers = {"EnhancedLogistic": EnhancedLogistic, "PULogistic": PULogistic}
    makers |= {"LogisticRegression alone": LogisticRegression}
    makers |= peers(int(s.sum()), float(y_true.mean()))
    times: dict[str, list[float]] = {name: [] for name in makers}
    for _ in range(rounds):
        for name, make in makers.items():
            times[name].append(seconds(make(), X, s))
    print(f"\nFit times, EnhancedLogistic being 1: {n} x {p}, c = {_FREQUENCY}, one thread")
    print(f"{'method':<36}{'ratio':>8}{'at least':>10}{'/ PULogistic':>14}{'ms':>10}")
    middle = {name: float(np.median(some)) for name, some in times.items()}
    for name, time in middle.items():
        ratio, bar = time / middle["EnhancedLogistic"], BARS.get(name)
        print(
            f"{name:<36}{ratio:>8.1f}{'' if bar is None else f'{bar:.0f}':>10}"
            f"{time / middle['PULogistic']:>14.2f}{1000 * time:>10.1f}"
            f"{'' if bar is None or ratio > bar else '  BELOW'}"
        )


def peers(labeled: int, class_prior: float) -> Makers:
    """Return functions that make pulearn's classifiers, which take labels 1 and 0."""
    from pulearn import BaggingPuClassifier, ElkanotoPuClassifier, NNPUClassifier

    def bagging(**settings: Any) -> Any:
        return BaggingPuClassifier(
            LogisticRegression(), n_estimators=10, random_state=0, **settings
        )

    return {
        "pulearn Elkan-Noto": lambda: ElkanotoPuClassifier(LogisticRegression(), random_state=0),
        "pulearn bagging of ten": bagging,
        "pulearn bagging of ten, small bags": lambda: bagging(max_samples=labeled),
        "pulearn nnPU": lambda: NNPUClassifier(class_prior, random_state=0),
    }


if __name__ == "__main__":
    main()

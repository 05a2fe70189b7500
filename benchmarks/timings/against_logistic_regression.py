"""Fit times as ratios to scikit-learn's LogisticRegression on the true classes.

One thread, the same `tol`. Each time is the best of several fits that take turns,
so that a busy machine slows all methods equally.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from unlabeled import (
    EnhancedLogistic,
    JointLogistic,
    NaiveLogistic,
    PULogistic,
    PUThresholdClassifier,
    WeightedLogistic,
)
from unlabeled.datasets import DatasetError, hide_labels, load_uci
from unlabeled.engine.linear_fits import LinearProblem
from unlabeled.engine.losses import KnownFrequencyLoss
from unlabeled.label_frequency import ElkanNoto, TIcE

TOL = 1e-4
ROUNDS = 7
METHODS: dict[str, tuple[Callable[[], Any], float]] = {
    "Naive": (lambda: NaiveLogistic(tol=TOL), 1.1),
    "Enhanced": (lambda: EnhancedLogistic(tol=TOL), 1.25),
    "JOINT": (lambda: JointLogistic(tol=TOL), 3.5),
    "EN-weighted": (lambda: WeightedLogistic(ElkanNoto(tol=TOL), tol=TOL), 3.0),
    "MM": (lambda: JointLogistic(solver="mm", tol=TOL), 8.0),
    "TIcE-weighted": (lambda: WeightedLogistic(TIcE(random_state=0), tol=TOL), 8.0),
    "PULogistic": (lambda: PULogistic(tol=TOL), 12.0),
}
LEAVE_ONE_OUT = 1.8
"""Most time of a cut on leave-one-out scores, in units of the naive fit it needs."""


def main() -> None:
    """Print the table for adult, if available, and for generated data of its size."""
    for name, (X, y_true) in data_sets().items():
        s = hide_labels(y_true, 0.5, random_state=0)
        print(f"\n{name}: {X.shape[0]} x {X.shape[1]}, c = .5, tol = {TOL}, one thread")
        print(
            f"{'method':<15}{'ratio':>7}{'at most':>9}{'ms':>8}{'iterations':>12}"
            f"{'gradient norm':>15}{'mean log-lik.':>16}"
        )
        report(X, s, y_true)


def data_sets() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return adult (80 %, standardized), if available, and generated data of its size."""
    sets = {}
    try:
        adult = load_uci("adult")
        keep = np.random.default_rng(0).permutation(len(adult.y_true))[:26_048]
        sets["adult"] = StandardScaler().fit_transform(adult.X[keep]), adult.y_true[keep]
    except (DatasetError, OSError) as error:
        print(f"adult is skipped: {error}")
    sets["generated like adult"] = census_like(26_048)
    sets["independent normal columns (no bar: the easiest case for L-BFGS)"] = independent(
        26_048, 57
    )
    return sets


def census_like(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Make 57 columns like adult's: 6 skewed numbers and the dummies of 8 categories."""
    rng = np.random.default_rng(1)
    latent = rng.normal(size=n)
    numbers = [np.exp(0.5 * rng.normal(size=n) + 0.3 * latent) for _ in range(4)]
    numbers += [rng.exponential(size=n) * (rng.random(n) < 0.08) for _ in range(2)]
    columns = [np.column_stack(numbers)]
    for n_levels in (9, 10, 7, 10, 6, 5, 2, 10):
        utility = np.log(rng.dirichlet(np.full(n_levels, 0.7)) + 0.002) + rng.gumbel(
            size=(n, n_levels)
        )
        level = np.argmax(utility + np.outer(latent, rng.normal(size=n_levels)), axis=1)
        columns.append(level[:, None] == np.arange(1, n_levels))
    X = StandardScaler().fit_transform(np.hstack(columns).astype(float))
    t = -1.8 + X @ rng.normal(scale=0.3, size=X.shape[1])
    return X, (rng.random(n) < 1 / (1 + np.exp(-t))).astype(int)


def independent(n: int, p: int) -> tuple[np.ndarray, np.ndarray]:
    """Make independent normal columns: the easiest case for an unpreconditioned solver."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, p))
    t = -1.8 + X @ rng.normal(scale=0.3, size=p)
    return X, (rng.random(n) < 1 / (1 + np.exp(-t))).astype(int)


def report(X: np.ndarray, s: np.ndarray, y_true: np.ndarray) -> None:
    """Print one line per method."""
    oracle = LogisticRegression(C=np.inf, tol=TOL, max_iter=1000)
    best = dict.fromkeys(["oracle", "cut", *METHODS], np.inf)
    fitted: dict[str, Any] = {}
    for _ in range(ROUNDS):
        best["oracle"] = min(best["oracle"], seconds(oracle, X, y_true))
        for name, (make, _) in METHODS.items():
            fitted[name] = make()
            best[name] = min(best[name], seconds(fitted[name], X, s))
        with_cut = PUThresholdClassifier(NaiveLogistic(tol=TOL), cv="loo")
        best["cut"] = min(best["cut"], seconds(with_cut, X, s))
    print(f"{'oracle':<15}{1:>7.2f}{'':>9}{1000 * best['oracle']:>8.1f}{oracle.n_iter_[0]:>12}")
    for name, (_, bar) in METHODS.items():
        ratio, model = best[name] / best["oracle"], fitted[name]
        norm, likelihood = quality(model, X, s)
        flag = "" if ratio <= bar else "  ABOVE"
        print(
            f"{name:<15}{ratio:>7.2f}{bar:>9.2f}{1000 * best[name]:>8.1f}{model.n_iter_:>12}"
            f"{norm:>15.1e}{likelihood:>16.8f}{flag}"
        )
    ratio = best["cut"] / best["Naive"]
    flag = "" if ratio <= LEAVE_ONE_OUT else "  ABOVE"
    print(f"leave-one-out cut: {ratio:.2f} of its naive fit (at most {LEAVE_ONE_OUT}){flag}")


def seconds(model: Any, X: np.ndarray, y: np.ndarray) -> float:
    """Time one fit, its warnings kept quiet."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = time.perf_counter()
        model.fit(X, y)
        return time.perf_counter() - start


def quality(model: Any, X: np.ndarray, s: np.ndarray) -> tuple[float, float]:
    """Gradient norm and mean log-likelihood of the labels under what the method fits.

    NaN for PULogistic, whose fit has a ridge and another intercept.
    """
    if isinstance(model, PULogistic):
        return float("nan"), float("nan")
    rows = LinearProblem.of(X, None)
    theta = np.append(model.coef_[0], getattr(model, "naive_intercept_", model.intercept_[0]))
    if isinstance(model, WeightedLogistic):
        from unlabeled.engine.losses import LogisticLoss

        problem = rows.objective(LogisticLoss(), s / model.label_frequency_)
    else:
        c = model.label_frequency_ if isinstance(model, JointLogistic) else 1.0
        problem = rows.objective(KnownFrequencyLoss(c), s.astype(float))
    value, gradient = problem.objective.value_gradient(theta)
    return float(np.linalg.norm(problem.gradient_in_z(gradient))), -value

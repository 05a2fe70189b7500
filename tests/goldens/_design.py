"""Small tables, backends and kinds of knowledge, and a pairwise design over them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import expit

N_ROWS = 420


@dataclass(frozen=True)
class Table:
    """Rows with their labels and with what nobody usually knows."""

    X: np.ndarray
    s: np.ndarray
    y: np.ndarray
    groups: np.ndarray
    weight: np.ndarray


def make_table(name: str) -> Table:
    """Make a table; its rows are the same on every machine."""
    rng = np.random.default_rng(sorted(TABLES).index(name))
    features, frequency = TABLES[name]
    X = rng.normal(size=(N_ROWS, features))
    logit = X[:, 0] + 0.7 * X[:, 1] - 0.8
    if name == "curved":
        logit = 1.5 * X[:, 0] ** 2 - 1.5 + X[:, 1]
    if name == "skewed":
        X = np.exp(0.7 * X)
    if name == "counts":
        X = np.floor(np.exp(X))
    y = (rng.uniform(size=N_ROWS) < expit(logit)).astype(int)
    chance = np.full(N_ROWS, frequency)
    if name == "by_feature":
        chance = np.clip(2 * frequency * expit(1.5 * X[:, 2]), 0, 1)
    s = ((rng.uniform(size=N_ROWS) < chance) & (y == 1)).astype(int)
    return Table(X, s, y, rng.integers(0, 90, size=N_ROWS), rng.integers(1, 4, size=N_ROWS) * 0.5)


TABLES = {
    "easy": (3, 0.5),
    "few_labels": (4, 0.12),
    "curved": (3, 0.5),
    "skewed": (5, 0.4),
    "counts": (4, 0.6),
    "by_feature": (4, 0.45),
}
CLASSIFIERS = (
    "PULogistic",
    "PULogistic, naive direction",
    "PULogistic, folds",
    "PUEnsemble",
    "PropensityLogistic",
    "EnhancedLogistic",
    "NaiveLogistic",
    "JointLogistic",
    "JointLogistic, MM",
    "WeightedLogistic",
    "PUThresholdClassifier, forest",
    "PUThresholdClassifier, leave-one-out",
)
BACKENDS = ("NumPy", "sparse", "frame", "map", "Dask", "PyTorch", "array API")
KNOWLEDGE = ("labels", "prior", "answers", "groups", "weights", "two samples", "names")
_LINES = ("PULogistic", "PULogistic, naive direction", "EnhancedLogistic", "NaiveLogistic")


def is_possible(classifier: str, backend: str, knowledge: str) -> bool:
    """Whether 0.2.0 takes this."""
    return _has_backend(classifier, backend, knowledge) and _has_knowledge(classifier, knowledge)


def _has_backend(classifier: str, backend: str, knowledge: str) -> bool:
    anywhere = classifier in (*_LINES, "JointLogistic")
    in_chunks = ("PUEnsemble", "PUThresholdClassifier, forest")
    if backend == "sparse":
        return classifier != "PUEnsemble"
    if backend not in ("Dask", "PyTorch", "array API"):
        return True
    if knowledge in ("answers", "groups", "names"):
        return False
    return anywhere or (backend == "Dask" and classifier in in_chunks)


def _has_knowledge(classifier: str, knowledge: str) -> bool:
    flagship = classifier.startswith("PULogistic")
    propensity = classifier == "PropensityLogistic"
    threshold = classifier.startswith("PUThresholdClassifier")
    return {
        "prior": flagship or propensity or threshold or classifier == "PUEnsemble",
        "answers": flagship or propensity or classifier == "JointLogistic",
        "groups": flagship
        or propensity
        or classifier in ("PUEnsemble", "PUThresholdClassifier, forest"),
        "names": propensity,
        "two samples": not propensity
        and classifier not in ("WeightedLogistic", "JointLogistic, MM"),
    }.get(knowledge, True)


def pairwise() -> list[tuple[str, str, str, str]]:
    """Choose (table, classifier, backend, knowledge) so that every possible pair occurs."""
    every = [
        (table, *rest)
        for table, *rest in product(TABLES, CLASSIFIERS, BACKENDS, KNOWLEDGE)
        if is_possible(*rest)
    ]
    pairs_of = {one: set(combinations(tuple(enumerate(one)), 2)) for one in every}
    missing = set().union(*pairs_of.values())
    chosen = []
    while missing:
        best = max(every, key=lambda one: len(pairs_of[one] & missing))
        chosen.append(best)
        missing -= pairs_of[best]
    return sorted(chosen)


def given_by(backend: str, X: np.ndarray, folder: Path) -> Any:
    """Return X as a backend has it."""
    if backend == "sparse":
        return sparse.csr_matrix(np.where(np.abs(X) < 0.3, 0.0, X))
    if backend == "frame":
        import pandas as pd

        return pd.DataFrame(X, columns=[f"f{i}" for i in range(X.shape[1])])
    if backend == "map":
        np.save(folder / "X.npy", X)
        return np.load(folder / "X.npy", mmap_mode="r")
    if backend == "Dask":
        import dask.array as da

        return da.from_array(X, chunks=(150, -1))
    if backend == "PyTorch":
        import torch

        return torch.asarray(X)
    if backend == "array API":
        import array_api_strict

        return array_api_strict.asarray(X)
    return X

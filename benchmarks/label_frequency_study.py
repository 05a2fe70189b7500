"""Errors of the estimators of the label frequency on the paper's nine sets.

Labels of all rows are hidden anew in every draw; larger sets are cut to `MOST_ROWS`.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from unlabeled.datasets import DATASET_NAMES, hide_labels, load_uci
from unlabeled.label_frequency import (
    DEDPUL,
    BestBin,
    ElkanNoto,
    KernelMean,
    OneDimensionalJoint,
    PriorBound,
    TIcE,
)

from .pages import PAGE, rst_of
from .study import Records, repeated

FREQUENCIES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
REPEATS, MOST_ROWS = 3, 5000
METHODS: dict[str, Callable[[int], Any]] = {
    "ElkanNoto, in sample": lambda seed: ElkanNoto(),
    "ElkanNoto, 5 folds": lambda seed: ElkanNoto(cv=5, random_state=seed),
    "TIcE": lambda seed: TIcE(random_state=seed),
    "OneDimensionalJoint": lambda seed: OneDimensionalJoint(random_state=seed),
    "the same, mode": lambda seed: OneDimensionalJoint("mode", random_state=seed),
    "BestBin": lambda seed: BestBin(random_state=seed),
    "DEDPUL": lambda seed: DEDPUL(random_state=seed),
    "KernelMean, KM2": lambda seed: KernelMean(random_state=seed),
    "KernelMean, KM1": lambda seed: KernelMean("KM1", random_state=seed),
    "PriorBound": lambda seed: PriorBound(random_state=seed),
}
_SECONDS = ", seconds"


def measure(dataset: str, c: float, repeat: int) -> dict[str, float]:
    """Apply every method to one draw of labels; NaN if it rejects the data."""
    data = load_uci(dataset)
    kept = np.random.default_rng(0).permutation(len(data.y_true))[:MOST_ROWS]
    X, s = data.X[kept], hide_labels(data.y_true[kept], c, random_state=repeat)
    found = {}
    for method, make in METHODS.items():
        start = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an estimate at a bound is part of the result
            try:
                found[method] = make(repeat).fit(X, s).label_frequency_
            except ValueError:
                found[method] = np.nan
        found[f"{method}{_SECONDS}"] = time.perf_counter() - start
    return found


RECORDS = Records(
    "estimates.csv",
    ("dataset", "c", "repeat"),
    measure,
    lambda: repeated(list(product(DATASET_NAMES, FREQUENCIES)), REPEATS),
)


def write_page(folder: Path) -> None:
    """Write mean errors by label frequency and by set."""
    cells = RECORDS.read(folder)
    error = pd.DataFrame({name: cells[name] - cells["c"] for name in METHODS})
    seconds = cells[[f"{name}{_SECONDS}" for name in METHODS]].mean().round(2).to_list()
    lines = ["Estimators of the label frequency", "=" * 33]
    for title, values, by in (
        ("Mean of abs(estimate - c), by c", error.abs(), "c"),
        ("Mean of estimate - c, by c", error, "c"),
        ("Mean of abs(estimate - c), by set", error.abs(), "dataset"),
    ):
        means = values.groupby(cells[by]).mean().T.assign(mean=values.mean()).round(3)
        table = means.assign(seconds=seconds).rename_axis("estimator").reset_index()
        lines += ["", title, "-" * len(title), "", rst_of(table)]
    (folder / PAGE).write_text("\n".join(lines) + "\n", encoding="utf-8")

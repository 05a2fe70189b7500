"""Size of model files with trees, and the time to write and to load them.

Run ``OMP_NUM_THREADS=1 python -m benchmarks.timings.tree_files``; minutes, most of them for the
fits. Times are of the processor, so that other programs do not matter.
"""

from __future__ import annotations

import argparse
import time
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import make_classification
from sklearn.ensemble import (
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)

from unlabeled import PUThresholdClassifier
from unlabeled.app.model_files import Card, read_model, write_model
from unlabeled.app.tables import table_pipeline


def models(trees: int) -> dict[str, Any]:
    """Return the models by what the table calls them."""
    forest = {"n_estimators": trees, "bootstrap": True, "random_state": 0}
    return {
        f"extra trees, {trees}, leaves of 2": ExtraTreesClassifier(**forest, min_samples_leaf=2),
        f"extra trees, {trees}, leaves of 5": ExtraTreesClassifier(**forest, min_samples_leaf=5),
        f"random forest, {trees}, leaves of 5": RandomForestClassifier(
            **forest, min_samples_leaf=5
        ),
        "boosting, 100 trees of 8 leaves": HistGradientBoostingClassifier(
            max_iter=100, max_leaf_nodes=8, random_state=0
        ),
    }


def measure(model: Any, n_rows: int, n_features: int) -> tuple[float, float, float]:
    """Return megabytes, seconds to write and seconds to load."""
    X, y = make_classification(n_rows, n_features, n_informative=10, random_state=0)
    s = (y * (np.random.default_rng(0).random(n_rows) < 0.5)).astype(int)
    frame = pd.DataFrame(X, columns=[f"x{number}" for number in range(n_features)])
    pipeline = table_pipeline(PUThresholdClassifier(model, cv="train", class_prior=0.5)).fit(
        frame, s
    )
    fingerprint = {"sha256": "0" * 64, "rows": n_rows, "columns": n_features}
    card = Card.of(pipeline, label="s", positive="1", fingerprint=fingerprint)
    with TemporaryDirectory() as folder:
        write_model(pipeline, folder, card)  # once before, so that no import is timed
        begun = time.process_time()
        write_model(pipeline, folder, card)
        written = time.process_time()
        loaded, _ = read_model(folder)
        end = time.process_time()
        size = (Path(folder) / "model.skops").stat().st_size
    if not np.array_equal(loaded.predict_proba(frame), pipeline.predict_proba(frame)):
        raise AssertionError("the loaded model predicts something else")
    return size / 1e6, written - begun, end - written


def main() -> None:
    """Print a line per model."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--features", type=int, default=50)
    parser.add_argument("--trees", type=int, default=300)
    given = parser.parse_args()
    print(f"{given.rows} rows of {given.features} features; MB, seconds to write, seconds to load")
    for name, model in models(given.trees).items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            size, write, load = measure(model, given.rows, given.features)
        print(f"{name:35} {size:8.2f} {write:8.2f} {load:8.2f}", flush=True)


if __name__ == "__main__":
    main()

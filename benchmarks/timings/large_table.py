"""`unlabeled fit` and `predict` on tables from CSV: a usual one, a long one and a wide one.

``python -m benchmarks.timings.large_table wide`` measures one of them.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.timings.own_process import in_own_process, run_unlabeled

ROWS, NUMBERS, LEVELS = 1_000_000, 41, (2, 5, 12, 30)


def write_table(
    path: Path, n: int = ROWS, numbers: int = NUMBERS, levels: Iterable[int] = LEVELS
) -> None:
    """Write numbers, categories, dates, true/false and gaps; a third of the fraud is found.

    Without `levels` all columns but the label and the number of the claim are numbers.
    """
    import pyarrow as pa
    from pyarrow import csv

    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, numbers))
    columns: dict[str, Any] = {"claim": np.arange(n) + 10_000_000}
    columns |= {f"x{j}": X[:, j].round(4) for j in range(numbers)}
    columns["x0"] = np.where(rng.random(n) < 0.1, np.nan, columns["x0"])
    for k in levels:
        columns[f"kind of {k}"] = rng.choice([f"level {i}" for i in range(k)], n)
    if levels:
        days = rng.integers(0, 1500, (n, 2))
        for j, name in enumerate(("opened", "paid")):
            columns[name] = (np.datetime64("2020-01-01") + days[:, j]).astype("datetime64[D]")
        columns["late"] = rng.random(n) < 0.2
    fraud = rng.random(n) < 1 / (1 + np.exp(2 - X[:, 1] + X[:, 2] - X[:, 3] / 2))
    columns["fraud"] = (fraud & (rng.random(n) < 0.3)).astype(int)
    table = pa.table({name: pa.array(one, from_pandas=True) for name, one in columns.items()})
    csv.write_csv(table, path)


TABLES: dict[str, tuple[int, int, tuple[int, ...]]] = {
    "usual": (20_000, 9, (2, 5, 12)),
    "long": (ROWS, NUMBERS, LEVELS),
    "wide": (5_000, 5_000, ()),
}
"""Rows, columns of numbers, and levels of categories; two columns are dates, one is true/false."""


def measure(name: str) -> None:
    """Print where the time goes, and the peak memory relative to the size of the table."""
    n, numbers, levels = TABLES[name]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        write_table(folder / "claims.csv", n, numbers, levels)
        size = (folder / "claims.csv").stat().st_size / 1e6
        options = ("--label", "fraud", "--id", "claim", "--quiet", "--out")
        fit, _ = in_own_process(run_unlabeled, temporary, "fit", "claims.csv", *options, "fit")
        summary = json.loads((folder / "fit" / "summary.json").read_text())
        predict, _ = in_own_process(
            run_unlabeled,
            temporary,
            "predict",
            "fit",
            "claims.csv",
            "--quiet",
            "--out",
            "new.parquet",
        )
    made = summary["made"]["seconds"]
    steps = ", ".join(f"{step} {seconds:.1f} s" for step, seconds in made.items())
    columns = len(summary["columns"]["used"])
    print(f"\nA table of {n} rows and {columns} columns, {size:.0f} MB as CSV, one thread")
    print(f"unlabeled fit: {fit['seconds']:.1f} s, {fit['cpu']:.1f} s of CPU ({steps})")
    print(f"  peak memory {fit['peak']:.0f} MB, {fit['peak'] / size:.1f} times the file")
    written = 1 - made.get("comparison", 0) / fit["seconds"]  # wide tables have none
    print(f"  until the fit is written / in all: {written:.2f}")
    print(f"unlabeled predict: {predict['seconds']:.1f} s, peak {predict['peak']:.0f} MB")


def main(names: Iterable[str] = ()) -> None:
    """Measure some tables, or all."""
    for name in names or TABLES:
        measure(name)


if __name__ == "__main__":
    main(sys.argv[1:])

"""`unlabeled fit` and `predict` on a table of a million rows and fifty columns, from CSV."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ROWS, NUMBERS, LEVELS = 1_000_000, 41, (2, 5, 12, 30)

_PROGRAM = """
import resource, sys, time
from unlabeled.cli import main
start = time.perf_counter()
code = main(sys.argv[1:], standalone_mode=False)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(time.perf_counter() - start, peak, file=open("measured.txt", "w"))
"""


def write_table(path: Path, n: int = ROWS) -> None:
    """Write numbers, categories, dates, true/false and gaps; a third of the fraud is found."""
    import pyarrow as pa
    from pyarrow import csv

    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, NUMBERS))
    columns = {"claim": np.arange(n) + 10_000_000}
    columns |= {f"x{j}": X[:, j].round(4) for j in range(NUMBERS)}
    columns["x0"] = np.where(rng.random(n) < 0.1, np.nan, columns["x0"])
    for k in LEVELS:
        columns[f"kind of {k}"] = rng.choice([f"level {i}" for i in range(k)], n)
    days = rng.integers(0, 1500, (n, 2))
    for j, name in enumerate(("opened", "paid")):
        columns[name] = (np.datetime64("2020-01-01") + days[:, j]).astype("datetime64[D]")
    columns["late"] = rng.random(n) < 0.2
    fraud = rng.random(n) < 1 / (1 + np.exp(2 - X[:, 1] + X[:, 2] - X[:, 3] / 2))
    columns["fraud"] = (fraud & (rng.random(n) < 0.3)).astype(int)
    table = pa.table({name: pa.array(one, from_pandas=True) for name, one in columns.items()})
    csv.write_csv(table, path)


def run(folder: Path, *words: str) -> tuple[float, float]:
    """Run a command in a separate process; return its seconds and its peak memory in MB."""
    subprocess.run([sys.executable, "-c", _PROGRAM, *words], check=True, cwd=folder)
    seconds, peak = (folder / "measured.txt").read_text().split()
    return float(seconds), float(peak)


def main() -> None:
    """Print where the time goes, and the peak memory relative to the size of the table."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_table(folder / "claims.csv")
        size = os.path.getsize(folder / "claims.csv") / 2**20
        options = ("--label", "fraud", "--id", "claim", "--quiet", "--out")
        fitted, peak = run(folder, "fit", "claims.csv", *options, "fit")
        made = json.loads((folder / "fit" / "summary.json").read_text())["made"]["seconds"]
        predicted, peak_of_predict = run(
            folder, "predict", "fit", "claims.csv", "--quiet", "--out", "new.parquet"
        )
    beyond = fitted - made["fit"]
    steps = ", ".join(f"{step} {seconds:.1f} s" for step, seconds in made.items())
    print(f"\nA table of {ROWS} rows and 50 columns, {size:.0f} MB as CSV, one thread")
    print(f"unlabeled fit: {fitted:.1f} s, {beyond:.1f} s beyond the fit itself ({steps})")
    print(f"  beyond the fit / the fit: {beyond / made['fit']:.2f}")
    print(f"  peak memory {peak:.0f} MB, {peak / size:.1f} times the file")
    print(f"unlabeled predict: {predicted:.1f} s, {peak_of_predict / size:.1f} times the file")


if __name__ == "__main__":
    main()

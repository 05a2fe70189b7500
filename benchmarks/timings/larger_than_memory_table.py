"""`unlabeled fit --memory 4GB` on 20 million rows of 20 mixed columns in Parquet.

The command runs in a separate process. Its seconds are compared with one pass over the files, and
its scores with those of a fit in memory to every tenth row.

UNLABELED_BENCH_ROWS sets another number of rows, and a limit in proportion, 1 GB at least.
UNLABELED_BENCH_FOLDER names a folder in which the rows are written once and stay. By hand: python
-m benchmarks.timings.larger_than_memory_table.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks.timings.own_process import in_own_process, run_unlabeled

ROWS, ROWS_A_FILE = 20_000_000, 500_000
MOST_MB, LEAST_MB = 4000, 1000
NUMBERS, LEVELS = 10, (5, 12, 30, 60, 150, 500)
_OPTIONS = ("--label", "fraud", "--id", "claim", "--method", "pu-logistic", "--no-compare")


def write_rows(folder: Path, n: int) -> bool:
    """Write the rows, file by file; False if they are there."""
    import pyarrow as pa
    from pyarrow import parquet

    there = sorted(folder.glob("claims-*.parquet"))
    if there:
        found = sum(parquet.read_metadata(path).num_rows for path in there)
        if found != n:
            sys.exit(f"{folder} has {found} rows, not {n}. Use another folder, or empty it.")
        return False
    for k, start in enumerate(range(0, n, ROWS_A_FILE)):
        columns = _columns(np.random.default_rng([0, k]), start, min(ROWS_A_FILE, n - start))
        parquet.write_table(pa.table(columns), folder / f"claims-{k:04d}.parquet")
    return True


def _columns(rng: np.random.Generator, start: int, size: int) -> dict[str, Any]:
    """Return rows with numbers, categories, dates and gaps; a third of the fraud is found."""
    import pyarrow as pa

    X = rng.standard_normal((size, NUMBERS), dtype=np.float32)
    columns: dict[str, Any] = {"claim": pa.array(np.arange(start, start + size))}
    columns |= {f"x{j}": pa.array(X[:, j]) for j in range(NUMBERS)}
    columns["x0"] = pa.array(X[:, 0], mask=rng.random(size) < 0.1)
    effect = np.zeros(size)
    for k in LEVELS:
        # Low numbers are frequent levels.
        level = np.minimum((k * rng.random(size) ** 2).astype(np.int32), k - 1)
        names = pa.array([f"{_WORDS[i % len(_WORDS)]} {i}" for i in range(k)])
        columns[f"kind of {k}"] = pa.DictionaryArray.from_arrays(pa.array(level), names).cast(
            pa.string()
        )
        effect += 0.3 * (level % 3 == 0)
    days = rng.integers(0, 1500, (size, 2))
    for j, name in enumerate(("opened", "paid")):
        columns[name] = pa.array(np.datetime64("2020-01-01", "D") + days[:, j])
    amount = rng.integers(1, 100_000, size)
    columns["amount"], columns["visits"] = pa.array(amount), pa.array(rng.poisson(3, size))
    logit = X[:, 1] - X[:, 2] + X[:, 3] / 2 + effect + days[:, 0] / 1500 + amount / 1e5 - 4
    fraud = rng.random(size) < 1 / (1 + np.exp(-logit))
    columns["fraud"] = pa.array((fraud & (rng.random(size) < 0.3)).astype(np.int8))
    return columns


_WORDS = ("roof", "water", "storm", "fire", "glass", "theft", "car", "garden", "pipe", "wall")


def read_once(folder: Path) -> float:
    """Return the seconds of one pass over all cells, batch by batch."""
    from pyarrow import parquet

    start = time.perf_counter()
    for path in sorted(folder.glob("claims-*.parquet")):
        with parquet.ParquetFile(path) as file:
            for _ in file.iter_batches(50_000):
                pass
    return time.perf_counter() - start


def run(folder: Path, *words: str) -> dict[str, float]:
    """Run a command in a separate process; return seconds, and peak memory in MB.

    ``peak`` is the resident memory as the system counts it, pages of mapped files included;
    ``anonymous`` leaves these out.
    """
    found, anonymous = in_own_process(run_unlabeled, str(folder), *words)
    return found | {"anonymous": anonymous}


def tenth(folder: Path) -> Path:
    """Write every tenth row to one file."""
    import pyarrow as pa
    from pyarrow import parquet

    parts = []
    for path in sorted(folder.glob("claims-*.parquet")):
        table = parquet.read_table(path)
        parts.append(table.take(np.arange(0, table.num_rows, 10)))
    parquet.write_table(pa.concat_tables(parts), folder / "tenth.parquet")
    return folder / "tenth.parquet"


def apart(folder: Path) -> tuple[float, float, float]:
    """Compare the scores of the same rows in both fits.

    Returns the correlation of the scores, the mean difference of the posteriors, and the share of
    rows that are decided alike.
    """
    from pyarrow import csv

    names = ["score", "posterior", "decision"]
    options = csv.ConvertOptions(include_columns=names)
    parts = []
    with csv.open_csv(folder / "parts" / "scored.csv", convert_options=options) as reader:
        start = 0
        for batch in reader:
            inside = np.arange(-start % 10, batch.num_rows, 10)
            parts.append(np.stack([batch[name].to_numpy()[inside] for name in names]))
            start += batch.num_rows
    big = np.concatenate(parts, axis=1)
    table = csv.read_csv(folder / "whole" / "scored.csv", convert_options=options)
    small = np.stack([table[name].to_numpy() for name in names])
    return (
        float(np.corrcoef(big[0], small[0])[0, 1]),
        float(np.abs(big[1] - small[1]).mean()),
        float((big[2] == small[2]).mean()),
    )


def main() -> None:
    """Print time and memory of a fit in parts, beside a fit in memory to a tenth of the rows."""
    rows = int(os.environ.get("UNLABELED_BENCH_ROWS", ROWS))
    with _folder() as folder:
        start = time.perf_counter()
        if write_rows(folder, rows):
            print(f"written in {time.perf_counter() - start:.0f} s", flush=True)
        most = max(LEAST_MB, MOST_MB * rows // ROWS)
        memory = ("--memory", f"{most}MB")
        size = sum(path.stat().st_size for path in folder.glob("claims-*.parquet")) / 1e6
        print(f"\nA table of {rows} rows and 20 columns in Parquet, {size:.0f} MB")
        once = read_once(folder)
        parts = run(folder, "fit", "claims-*.parquet", *_OPTIONS, *memory, "--out", "parts")
        summary = json.loads((folder / "parts" / "summary.json").read_text())
        steps = summary["made"]["seconds"]
        print(f"one pass over the files: {once:.1f} s")
        above = "  ABOVE" if parts["anonymous"] > most else ""
        print(
            f"unlabeled fit {' '.join(memory)}: {parts['seconds']:.0f} s, {parts['cpu']:.0f} s of "
            f"CPU, {parts['seconds'] / once:.1f} passes; peak {parts['anonymous']:.0f} MB, at most "
            f"{most}{above}; with pages of files {parts['peak']:.0f} MB"
        )
        print("  " + ", ".join(f"{step} {seconds:.1f} s" for step, seconds in steps.items()))
        predicted = run(folder, "predict", "parts", "claims-*.parquet", *memory, "--out", "new.csv")
        print(
            f"unlabeled predict: {predicted['seconds']:.0f} s, peak {predicted['peak']:.0f} MB, "
            f"anonymous {predicted['anonymous']:.0f} MB"
        )
        enough = ("--memory", "1TB", "--out", "whole")
        whole = run(folder, "fit", tenth(folder).name, *_OPTIONS, *enough)
        alike, difference, decided = apart(folder)
        print(
            f"a tenth of the rows in memory: {whole['seconds']:.0f} s, peak {whole['peak']:.0f} MB"
        )
        print(
            f"  its scores and those of all rows: correlation {alike:.6f}, posteriors "
            f"{difference:.4f} apart, {decided:.2%} of the rows decided alike"
        )


@contextmanager
def _folder() -> Iterator[Path]:
    """The folder given, of which the rows stay, or a temporary one."""
    given = os.environ.get("UNLABELED_BENCH_FOLDER")
    if given is None:
        with TemporaryDirectory() as name:
            yield Path(name)
        return
    folder = Path(given) / "claims"
    folder.mkdir(parents=True, exist_ok=True)
    try:
        yield folder
    finally:
        import shutil

        for name in ("parts", "whole"):
            shutil.rmtree(folder / name, ignore_errors=True)
        for name in ("new.csv", "tenth.parquet"):
            (folder / name).unlink(missing_ok=True)


if __name__ == "__main__":
    main()

"""A study as one CSV file, a row per cell; a stopped run can be continued."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import click
import pandas as pd
from joblib import Parallel, delayed

from unlabeled.engine.files import write_whole
from unlabeled.engine.progress import Progress, progress_bar

Key = tuple[Any, ...]


def measure_cells(
    path: Path,
    names: Sequence[str],
    keys: Sequence[Key],
    measure: str,
    *,
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Measure the cells that the file does not have yet; return all of them.

    Parameters
    ----------
    path : Path
        The file. It is written again after every cell.
    names : sequence of str
        Names of the columns that identify a cell.
    keys : sequence of tuple
        The cells, as values of these columns.
    measure : str
        A function, as "module:function". It is called with the values of a key, and returns
        numbers by name.
    n_jobs : int, default=1
        Worker processes.
    progress : callable, optional
        Called with the number of cells done and the number of all cells.
    """
    found = read_cells(path)
    done = set(found[list(names)].itertuples(index=False, name=None)) if len(found) else set()
    missing = [key for key in keys if key not in done]
    report = progress or (lambda done, total: None)
    report(len(keys) - len(missing), len(keys))
    workers = Parallel(n_jobs, return_as="generator_unordered", batch_size=1)
    rows = found.to_dict("records")
    measured = workers(delayed(_measured)(measure, names, key) for key in missing)
    for count, row in enumerate(measured, len(keys) - len(missing) + 1):
        rows.append(row)
        frame = pd.DataFrame(rows).sort_values(list(names), ignore_index=True)
        write_whole(path, lambda file, frame=frame: frame.to_csv(file, index=False))
        report(count, len(keys))
    return read_cells(path)


def study_command(
    measure: str, path: str, names: Sequence[str], cells: Sequence[Key], repeats: int, about: str
) -> click.Command:
    """Return a command that measures cells repeatedly, into the file `path` of a folder.

    The last of `names` is the number of the repeat.
    """

    @click.command(help=f"Measure {about}; continues a run.")
    @click.option(
        "--out",
        type=click.Path(file_okay=False, path_type=Path),
        required=True,
        help="Folder to fill.",
    )
    @click.option("--repeats", type=int, default=repeats, show_default=True)
    @click.option("--jobs", type=int, default=1, show_default=True)
    def main(out: Path, repeats: int, jobs: int) -> None:
        out.mkdir(parents=True, exist_ok=True)
        keys = [(*cell, repeat) for repeat in range(repeats) for cell in cells]
        with progress_bar("draws") as progress:
            measure_cells(out / path, names, keys, measure, n_jobs=jobs, progress=progress)

    return main


def read_cells(path: Path) -> pd.DataFrame:
    """Read the cells measured so far; an empty frame if there are none."""
    return pd.read_csv(path) if path.exists() else pd.DataFrame()


def _measured(measure: str, names: Sequence[str], key: Key) -> dict[str, Any]:
    module, _, name = measure.partition(":")
    found = getattr(import_module(module), name)(*key)
    rounded = {name: float(f"{value:.6g}") for name, value in found.items()}
    return dict(zip(names, key, strict=True)) | rounded

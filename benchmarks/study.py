"""A study: cells that are measured one by one, records that are rows of files, and a page.

A run that is stopped, or killed, goes on where it was. Numbers depend on the key of their cell
alone, not on the order of the cells or on the number of processes.
"""

from __future__ import annotations

import csv
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from unlabeled.engine.files import only_writer, remove_unfinished, write_whole
from unlabeled.engine.parallel import delayed, in_parallel
from unlabeled.engine.progress import Progress

Key = tuple[Any, ...]
"""A cell: the values of the columns that identify it."""

REPEAT = "repeat"
"""The column that numbers the repeats of a cell."""

LARGE = ("adult", "musk", "spambase")
"""Sets whose cells take long to measure; other sets show the same changes."""

TOLERANCE = 1e-3
"""Relative difference of numbers that are the same but for rounding."""


def repeated(cells: Sequence[Key], repeats: int) -> list[Key]:
    """Return each cell with the number of its repeat, the first repeats of all cells first."""
    return [(*cell, repeat) for repeat in range(repeats) for cell in cells]


@dataclass(frozen=True)
class Records:
    """Cells of one kind, and the CSV file with a row for each that was measured.

    Attributes
    ----------
    file : str
        The file, in the folder of the study.
    names : tuple of str
        Columns that identify a cell.
    measure : callable
        Takes the values of these columns, and returns numbers by name. Whatever is random in it
        has a seed that these values give.
    plan : callable
        Returns the keys of all cells, in the order in which they are measured.
    timed : bool
        Whether seconds are what is measured: one cell at a time, and never compared.
    needs : str, optional
        A package that only this measurement needs.
    """

    file: str
    names: tuple[str, ...]
    measure: Callable[..., Mapping[str, float]]
    plan: Callable[[], Sequence[Key]]
    timed: bool = False
    needs: str | None = None

    @property
    def name(self) -> str:
        """The name of the file without its ending."""
        return self.file.removesuffix(".csv")

    @property
    def can_run(self) -> bool:
        """Whether the package it needs is there."""
        return self.needs is None or find_spec(self.needs) is not None

    def read(self, folder: Path) -> pd.DataFrame:
        """Read the rows in a folder; the frame is empty if there are none.

        A last line that was cut off is left out.
        """
        path = folder / self.file
        text = path.read_text("utf-8") if path.exists() else ""
        whole = text[: text.rfind("\n") + 1]
        return pd.read_csv(StringIO(whole)) if whole else pd.DataFrame()

    def keys_in(self, found: pd.DataFrame) -> list[Key]:
        """Return the keys of rows."""
        return (
            list(found[list(self.names)].itertuples(index=False, name=None)) if len(found) else []
        )


@dataclass(frozen=True)
class Study:
    """What is measured for a page, and how the page is made from the records.

    Attributes
    ----------
    name : str
        Also the folder of the page under `docs`, if the documentation has it.
    about, cost : str
        What is measured, and how long it takes on two cores.
    records : tuple of Records
    write_page : callable, optional
        Writes the page into the folder of the records; a study of a page written by hand has none.
    """

    name: str
    about: str
    cost: str
    records: tuple[Records, ...]
    write_page: Callable[[Path], None] | None = None


def chosen(keys: Sequence[Key], names: Sequence[str], only: Mapping[str, set[str]]) -> list[Key]:
    """Return the keys whose columns have one of the values, as text, that `only` names."""
    wanted = {place: only[name] for place, name in enumerate(names) if name in only}
    return [key for key in keys if all(str(key[k]) in ones for k, ones in wanted.items())]


def measure_missing(
    records: Records,
    folder: Path,
    keys: Sequence[Key] | None = None,
    *,
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> None:
    """Measure the cells that have no row yet, and append each row when it is there.

    Parameters
    ----------
    records : Records
    folder : Path
    keys : sequence of tuple, optional
        The cells that are wanted; by default all of the plan.
    n_jobs : int, default=1
        Processes.
    progress : callable, optional
        Called with the number of cells that have a row and with the number of all wanted cells.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path, report = folder / records.file, progress or (lambda done, total=1.0: None)
    with only_writer(path, wait=0):
        remove_unfinished(folder, records.file)
        rows = _Rows(records, folder)
        keys = records.plan() if keys is None else keys
        missing = [key for key in keys if key not in rows.done]
        report(len(keys) - len(missing), len(keys))
        n_jobs = 1 if records.timed else max(1, min(n_jobs, len(missing)))
        tasks = (delayed(_measured)(records.measure, key, records.timed) for key in missing)
        measured = in_parallel(tasks, n_jobs, return_as="generator_unordered")
        for count, (key, numbers) in enumerate(measured, len(keys) - len(missing) + 1):
            if not numbers.keys().isdisjoint(records.names):
                raise ValueError(f"{records.file}: a number has the name of a column of the key")
            rows.append(dict(zip(records.names, key, strict=True)) | numbers)
            report(count, len(keys))
        if missing:
            rows.sort()


def _measured(
    measure: Callable[..., Mapping[str, float]], key: Key, timed: bool
) -> tuple[Key, dict[str, str]]:
    """Return the key of a cell and what was measured, with six digits."""
    with threadpool_limits(limits=None if timed else 1):
        found = measure(*key)
    return key, {name: f"{value:.6g}".replace("nan", "") for name, value in found.items()}


class _Rows:
    """The file of a run that measures."""

    def __init__(self, records: Records, folder: Path) -> None:
        self._records, self._folder, self._path = records, folder, folder / records.file
        found = records.read(folder)
        self.done, self._columns = set(records.keys_in(found)), list(found)
        if self._path.exists():  # a line that was cut off goes, or the next would be added to it
            text = self._path.read_bytes()
            with self._path.open("r+b") as file:
                file.truncate(text.rfind(b"\n") + 1)

    def append(self, row: Mapping[str, Any]) -> None:
        """Add a row. A kill leaves it whole, or cut off, or not there at all."""
        if not set(row) <= set(self._columns):
            self._add_columns([name for name in row if name not in self._columns])
        line = _line(row.get(name, "") for name in self._columns)
        with self._path.open("ab", buffering=0) as file:
            file.write(line)

    def _add_columns(self, names: list[str]) -> None:
        """Write the file again with columns for new names."""
        self._columns += names
        self._write(self._records.read(self._folder).reindex(columns=self._columns))

    def sort(self) -> None:
        """Put the rows in the order of their keys, in whatever order they were measured."""
        found = self._records.read(self._folder)
        self._write(found.sort_values(list(self._records.names), ignore_index=True))

    def _write(self, frame: pd.DataFrame) -> None:
        write_whole(self._path, lambda file: frame.to_csv(file, index=False))


def _line(cells: Iterator[Any]) -> bytes:
    text = StringIO()
    csv.writer(text, lineterminator="\n").writerow(list(cells))
    return text.getvalue().encode()


@dataclass(frozen=True)
class Again:
    """A cell that was measured again: its key, which of how many numbers differ, and seconds."""

    key: Key
    differing: Mapping[str, tuple[float, float]]
    of: int
    seconds: float

    def in_words(self) -> str:
        """Return the outcome."""
        shown = ", ".join(f"{k} {a:.4g} -> {b:.4g}" for k, (a, b) in [*self.differing.items()][:4])
        words = f"{len(self.differing)} of {self.of} differ: {shown}" if shown else "same"
        return f"{' '.join(map(str, self.key))} ({self.seconds:.1f} s): {words}"


def measure_again(records: Records, folder: Path, n: int, seed: int = 0) -> Iterator[Again]:
    """Measure `n` cells of the records again, none of a large set, and compare."""
    found = records.read(folder)
    if len(found):
        large = found[list(records.names)].isin(LARGE).any(axis=1)
        found = found[~large].sample(min(n, int((~large).sum())), random_state=seed)
    for key, row in zip(records.keys_in(found), found.to_dict("records"), strict=True):
        start = perf_counter()
        with warnings.catch_warnings(), threadpool_limits(limits=1):
            warnings.simplefilter("ignore")
            now = records.measure(*key)
        before = {name: value for name, value in row.items() if name not in records.names}
        yield Again(key, differences(before, now), len(before), perf_counter() - start)


def differences(
    old: Mapping[str, float], new: Mapping[str, float]
) -> dict[str, tuple[float, float]]:
    """Return the numbers that differ, or that only one has, with NaN for the other; no times."""
    names = [name for name in dict.fromkeys([*old, *new]) if "seconds" not in name]
    pairs = {name: (old.get(name, np.nan), float(new.get(name, np.nan))) for name in names}
    return {
        name: pair
        for name, pair in pairs.items()
        if not np.isclose(*pair, rtol=TOLERANCE, atol=1e-6, equal_nan=True)
    }

"""The parts of a plan: studies of cells, run in batches, repeat by repeat."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import groupby

from .methods import RIDGES, Key

PAPER_GAUSSIAN = "paper_gaussian"
"""The simulated data set: every task draws new rows."""

SYNTHETIC_TEST_ROWS = 10_000
"""Fresh test rows of a simulated task: enough to add hardly any noise."""

TEST_SHARE = 0.2
"""Fraction of a real set's rows that are test rows."""

PAPER_CAST = "reproduction.studies.methods:METHODS"
"""The paper's method registry as "module:attribute", from which workers import it."""

# Further settings that affect the results; part of every fingerprint.
_RULES = {
    "version": 1,
    "synthetic_test_rows": SYNTHETIC_TEST_ROWS,
    "test_share": TEST_SHARE,
    "ridges": RIDGES,
}


@dataclass(frozen=True)
class Cell:
    """One combination of data set, labeling mechanism, size and label frequency.

    `n` is 0 if the data set decides the number of rows; `c` is 0 if the mechanism decides the
    label frequency.
    """

    dataset: str
    mechanism: str
    n: int
    c: float


@dataclass(frozen=True)
class Task:
    """One draw of one cell. Every method is fitted to it.

    It uses the rows and labels of the study `splits_of`, or draws its own if that is empty.
    """

    study: str
    cell: Cell
    repeat: int
    splits_of: str = ""

    @property
    def drawn_by(self) -> str:
        """The study whose rows and labels it uses."""
        return self.splits_of or self.study


@dataclass(frozen=True)
class Batch:
    """The tasks of one study, data set and repeat: one worker runs them and writes one file."""

    study: str
    dataset: str
    repeat: int
    cells: tuple[Cell, ...]
    methods: tuple[Key, ...]
    cast: str = PAPER_CAST
    splits_of: str = ""

    @property
    def key(self) -> str:
        """Its name, unique in a results folder."""
        return f"{self.study}-{self.dataset}-{self.repeat:04d}"

    def tasks(self) -> Iterator[Task]:
        """Return its tasks, one per cell."""
        return (Task(self.study, cell, self.repeat, self.splits_of) for cell in self.cells)


@dataclass(frozen=True)
class Study:
    """Cells and methods to repeat.

    Attributes
    ----------
    name : str
        Name of the study.
    cells : tuple of Cell
        The cells to run.
    methods : tuple of (str, str)
        Keys of the methods in the registry.
    repeats : int
        Number of repeats of each cell.
    cast : str
        The method registry, as "module:attribute". Every worker must be able to import it.
    splits_of : str
        The study whose rows and labels this one reuses, repeat by repeat; empty if it draws
        its own.
    """

    name: str
    cells: tuple[Cell, ...]
    methods: tuple[Key, ...]
    repeats: int
    cast: str = PAPER_CAST
    splits_of: str = ""

    @property
    def datasets(self) -> tuple[str, ...]:
        """Its data sets, in order."""
        return tuple(dict.fromkeys(cell.dataset for cell in self.cells))

    @property
    def fingerprint(self) -> str:
        """SHA-256 of everything that affects a record; the number of repeats does not."""
        described = {**asdict(self), "repeats": None, "rules": _RULES}
        # Defaults of fields that came later are left out, so that old results stay valid.
        if self.cast == PAPER_CAST:
            del described["cast"]
        if not self.splits_of:
            del described["splits_of"]
        return hashlib.sha256(json.dumps(described, sort_keys=True).encode()).hexdigest()

    def batches(self, repeat: int) -> Iterator[Batch]:
        """Yield the batches of one repeat, counted from 0."""
        for dataset, cells in groupby(self.cells, key=lambda cell: cell.dataset):
            yield Batch(
                self.name, dataset, repeat, tuple(cells), self.methods, self.cast, self.splits_of
            )


@dataclass(frozen=True)
class Plan:
    """The studies of a run."""

    studies: tuple[Study, ...]

    def batches(self) -> Iterator[Batch]:
        """Yield all batches, repeat by repeat: a stopped run then has balanced results."""
        for repeat in range(max(study.repeats for study in self.studies)):
            for study in self.studies:
                if repeat < study.repeats:
                    yield from study.batches(repeat)

    def real_datasets(self) -> tuple[str, ...]:
        """Return the names of the data sets that must be loaded."""
        every = (dataset for study in self.studies for dataset in study.datasets)
        return tuple(dict.fromkeys(name for name in every if name != PAPER_GAUSSIAN))

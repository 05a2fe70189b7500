"""What will be run: studies of cells, in batches, repeat by repeat."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import groupby

from .methods import RIDGES

SYNTHETIC_TEST_ROWS = 10_000
"""Fresh test rows of a synthetic task: enough that the test adds no noise to speak of."""

TEST_SHARE = 0.2
"""Share of a real set's rows that is tested on."""

PAPER_CAST = "unlabeled.paper.studies.methods:METHODS"
"""The methods of the paper's studies, by the place they can be imported from."""

Key = tuple[str, str]
"""Name and setting of a method."""

_RULES = {
    "version": 1,
    "synthetic_test_rows": SYNTHETIC_TEST_ROWS,
    "test_share": TEST_SHARE,
    "ridges": RIDGES,
}


@dataclass(frozen=True)
class Cell:
    """What a study crosses.

    `n` is 0 where the data set decides the number of rows, `c` where the mechanism decides the
    label frequency.
    """

    dataset: str
    mechanism: str
    n: int
    c: float


@dataclass(frozen=True)
class Task:
    """One draw of one cell; all methods are fitted to it.

    Its rows and labels are those that the study `splits_of` draws, its own where that is empty.
    """

    study: str
    cell: Cell
    repeat: int
    splits_of: str = ""

    @property
    def drawn_by(self) -> str:
        """The study whose rows and labels it has."""
        return self.splits_of or self.study


@dataclass(frozen=True)
class Batch:
    """The tasks of one study, data set and repeat: run by one worker, written as one part."""

    study: str
    dataset: str
    repeat: int
    cells: tuple[Cell, ...]
    methods: tuple[Key, ...]
    cast: str = PAPER_CAST
    splits_of: str = ""

    @property
    def key(self) -> str:
        """Name of the batch, unique in a folder of results."""
        return f"{self.study}-{self.dataset}-{self.repeat:04d}"

    def tasks(self) -> Iterator[Task]:
        """Return its tasks.

        Returns
        -------
        tasks : iterator of Task
        """
        return (Task(self.study, cell, self.repeat, self.splits_of) for cell in self.cells)


@dataclass(frozen=True)
class Study:
    """Cells and methods, to be repeated.

    `cast` says where the methods are found, `splits_of` which other study's rows and labels they
    are fitted to, repeat by repeat, if any.
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
        """SHA-256 of all that decides a record's numbers, so not of the number of repeats."""
        described = {**asdict(self), "repeats": None, "rules": _RULES}
        # Described as before there was a choice: old results stay valid.
        if self.cast == PAPER_CAST:
            del described["cast"]
        if not self.splits_of:
            del described["splits_of"]
        return hashlib.sha256(json.dumps(described, sort_keys=True).encode()).hexdigest()

    def batches(self, repeat: int) -> Iterator[Batch]:
        """Yield the batches of one repeat.

        Parameters
        ----------
        repeat : int
            Its number, from 0.

        Yields
        ------
        batch : Batch
        """
        for dataset, cells in groupby(self.cells, key=lambda cell: cell.dataset):
            yield Batch(
                self.name, dataset, repeat, tuple(cells), self.methods, self.cast, self.splits_of
            )


@dataclass(frozen=True)
class Plan:
    """The studies of a run."""

    studies: tuple[Study, ...]

    def batches(self) -> Iterator[Batch]:
        """Yield all batches, repeat by repeat, so that what is done is balanced at any moment."""
        for repeat in range(max(study.repeats for study in self.studies)):
            for study in self.studies:
                if repeat < study.repeats:
                    yield from study.batches(repeat)

    def real_datasets(self) -> tuple[str, ...]:
        """Return the data sets that must be loaded.

        Returns
        -------
        names : tuple of str
        """
        every = (dataset for study in self.studies for dataset in study.datasets)
        return tuple(dict.fromkeys(name for name in every if name != PAPER_GAUSSIAN))


PAPER_GAUSSIAN = "paper_gaussian"
"""The data set that is drawn anew for every task."""

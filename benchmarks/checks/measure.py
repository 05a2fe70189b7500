"""One draw of labels, diagnosed, and its record."""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from threadpoolctl import threadpool_limits

from reproduction.studies.draw import load_rows, seed_of
from unlabeled import PULogistic
from unlabeled.datasets import hide_labels
from unlabeled.diagnostics import CHECKS, STATES, diagnose

FREQUENCIES = (0.5, 0.3)
MEASURED = tuple(name for name in CHECKS if name != "scar")
"""The checks studied here; benchmarks.coverage studies the SCAR test."""

FEWER_DRAWS = {"adult": 20, "musk": 20}
"""Limits for sets that take seconds per diagnosis."""

FILE = "records.jsonl"


@dataclass(frozen=True)
class Draw:
    """Which labels: the set, the label frequency and the number of the draw."""

    dataset: str
    c: float
    number: int


@dataclass(frozen=True)
class Record:
    """What the checks found on a draw.

    Attributes
    ----------
    draw : Draw
    labelled : int
        Number of labelled rows.
    seconds : float
        Duration of the last diagnosis, including the fit.
    states : dict
        State of every check by its name.
    """

    draw: Draw
    labelled: int
    seconds: float
    states: dict[str, str]


def record_of(draw: Draw, data_home: str | None, earlier: Record | None = None) -> Record:
    """Hide the labels of all rows of a set, and make the checks that an earlier record lacks."""
    known = {} if earlier is None else earlier.states
    checks = [name for name in MEASURED if name not in known]
    rows = load_rows(draw.dataset, data_home)
    seed = seed_of("checks", draw.dataset, draw.c, draw.number)
    s = hide_labels(rows.y_true, draw.c, random_state=seed)
    start = time.perf_counter()
    with threadpool_limits(limits=1), warnings.catch_warnings():
        # What the fit warns of is a finding, which an earlier record has.
        warnings.simplefilter("error" if "fit" in checks else "ignore")
        diagnosis = diagnose(PULogistic(), rows.X, s, checks=checks, random_state=0)
    seconds = time.perf_counter() - start
    states = {finding.check: finding.state for finding in diagnosis.findings}
    return Record(draw, int(s.sum()), seconds, known | states)


def levels_of(dataset: str, c: float, number: int) -> dict[str, float]:
    """Measure a draw; return how bad each check finds it."""
    return in_levels(record_of(Draw(dataset, c, number), None))


def in_levels(record: Record) -> dict[str, float]:
    """Return how bad each check found a draw, as a number."""
    return {check: float(STATES.index(state)) for check, state in record.states.items()}


class Records:
    """The records of a folder, one per line; a last line that was cut off is dropped."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / FILE
        self._records: dict[Draw, Record] = {}
        if self._file.exists():
            self._read()

    def is_whole(self, draw: Draw) -> bool:
        """Whether a draw has been measured, by all checks."""
        return draw in self._records and set(MEASURED) <= self._records[draw].states.keys()

    def get(self, draw: Draw) -> Record | None:
        """Return the record of a draw, whole or not; None if there is none."""
        return self._records.get(draw)

    def __getitem__(self, draw: Draw) -> Record:
        return self._records[draw]

    def __iter__(self) -> Iterator[Record]:
        return iter(self._records.values())

    def add(self, record: Record) -> None:
        """Add a record to memory and to the file."""
        self._records[record.draw] = record
        with self._file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(record)) + "\n")

    def _read(self) -> None:
        text = self._file.read_text("utf-8")
        whole, _, cut_off = text.rpartition("\n")
        for line in whole.splitlines():
            values = json.loads(line)
            draw = Draw(**values.pop("draw"))
            self._records[draw] = Record(draw, **values)
        if cut_off:
            self._file.write_text(whole + "\n" if whole else "", encoding="utf-8")

"""One draw of labels, diagnosed."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass

from threadpoolctl import threadpool_limits

from unlabeled import PULogistic
from unlabeled.datasets import hide_labels
from unlabeled.diagnostics import CHECKS, diagnose
from unlabeled.paper.studies.draw import load_rows, seed_of

FREQUENCIES = (0.5, 0.3)
MEASURED = tuple(name for name in CHECKS if name != "scar")
"""The checks looked at here; the SCAR test has a study of its own, benchmarks.coverage."""

FEWER_DRAWS = {"adult": 20, "musk": 20}
"""Most draws of sets that take seconds a diagnosis."""


@dataclass(frozen=True)
class Draw:
    """Which labels: of a set, at a label frequency, the how-manieth."""

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
        How many rows were labelled.
    seconds : float
        How long the diagnosis took, the fit included.
    states : dict
        State of every check by its name.
    """

    draw: Draw
    labelled: int
    seconds: float
    states: dict[str, str]


def record_of(draw: Draw, data_home: str | None) -> Record:
    """Hide the labels of all rows of a set and diagnose."""
    rows = load_rows(draw.dataset, data_home)
    seed = seed_of("checks", draw.dataset, draw.c, draw.number)
    s = hide_labels(rows.y_true, draw.c, random_state=seed)
    start = time.perf_counter()
    with threadpool_limits(limits=1), warnings.catch_warnings():
        warnings.simplefilter("error")  # what the fit warns of is a finding
        diagnosis = diagnose(PULogistic(), rows.X, s, checks=MEASURED, random_state=0)
    seconds = time.perf_counter() - start
    states = {finding.check: finding.state for finding in diagnosis.findings}
    return Record(draw, int(s.sum()), seconds, states)

"""Intervals that other pages measure: how often each holds the truth, in one table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.audit.coverage import DRAWS
from benchmarks.audit.coverage import MEASURES as CHECKED
from benchmarks.pages import Share, holds
from reproduction.outcome import number, with_error


@dataclass(frozen=True)
class Elsewhere:
    """An interval, where it is measured, and how its records say whether it held the truth.

    Attributes
    ----------
    words, where : str
        The interval, and the rows it was measured on.
    page, file : str
        The page, and the records beside it.
    cell : tuple of str
        Columns that identify a cell.
    holds : callable
        Takes the records; returns, for each, whether the interval held the truth, or how often.
    draws : int
        Draws per record.
    """

    words: str
    where: str
    page: str
    file: str
    cell: tuple[str, ...]
    holds: Callable[[pd.DataFrame], pd.Series]
    draws: int = 1


def _inside(lower: str, upper: str, truth: str) -> Callable[[pd.DataFrame], pd.Series]:
    """Return a function that looks whether the truth is inside; NaN if there is no interval."""
    return lambda records: holds(records[lower], records[upper], records[truth]).where(
        records[truth].notna()
    )


def _of_checked(measure: str) -> Callable[[pd.DataFrame], pd.Series]:
    return lambda records: records[f"{measure}_covered"].where(records["size"] == 100)


_SHARE = "share of positives"
_SETS, _LOGISTIC = "nine sets", "logistic populations"
INTERVALS = (
    *(
        Elsewhere(
            f"{measure} from 100 checked rows",
            "ten sets, five kinds of labeling, hostile tables too",
            "audit",
            "coverage.csv",
            ("dataset", "mechanism", "table"),
            _of_checked(measure),
            DRAWS,
        )
        for measure in CHECKED
    ),
    Elsewhere(
        f"{_SHARE}, PUEnsemble and unlabeled fit",
        _SETS,
        "count",
        "nine_sets.csv",
        ("dataset", "c"),
        _inside("lower", "upper", "truth"),
    ),
    Elsewhere(
        f"{_SHARE}, PULogistic",
        _SETS,
        "count",
        "nine_sets.csv",
        ("dataset", "c"),
        _inside("line_lower", "line_upper", "truth"),
    ),
    Elsewhere(
        f"{_SHARE}, PULogistic",
        _LOGISTIC,
        "count",
        "populations.csv",
        ("design", "n", "c"),
        _inside("lower", "upper", "truth"),
    ),
    Elsewhere(
        "prevalence, JointLogistic",
        "two samples of logistic populations",
        "two_samples",
        "populations.csv",
        ("prevalence", "n_cases", "n_population"),
        _inside("joint_lower", "joint_upper", "prevalence"),
    ),
    Elsewhere(
        "prevalence, PULogistic",
        "two samples of logistic populations",
        "two_samples",
        "populations.csv",
        ("prevalence", "n_cases", "n_population"),
        _inside("line_lower", "line_upper", "prevalence"),
    ),
    Elsewhere(
        f"{_SHARE}, with groups",
        "ten rows per person",
        "groups",
        "persons.csv",
        ("population", "method"),
        lambda records: _inside("lower", "upper", "truth")(records).where(records["groups"] == 1),
    ),
    Elsewhere(
        f"{_SHARE}, PropensityLogistic told the feature",
        "nine sets, labels that follow a feature",
        "not_at_random",
        "splits.csv",
        ("dataset", "labeling"),
        _inside("named_lower", "named_upper", "truth"),
    ),
)
"""Every interval that another page measures with its truth in the records."""

FEWEST = 15
"""Cells with fewer draws are left out: they would weigh as much as the others."""


def elsewhere_table(docs: Path) -> pd.DataFrame:
    """Return the table, from the records of pages in the folder of the documentation.

    Pages without records are left out.
    """
    rows = []
    for one in INTERVALS:
        path = docs / one.page / one.file
        cells = _cells(one, pd.read_csv(path)) if path.exists() else pd.DataFrame()
        if len(cells):
            rows.append(_row(one, cells))
    return pd.DataFrame(rows)


def _cells(one: Elsewhere, records: pd.DataFrame) -> pd.DataFrame:
    """How often the interval held in each cell, of how many draws."""
    held = one.holds(records)
    known = records.assign(held=held)[held.notna()]
    cells = known.groupby(list(one.cell))["held"].agg(["mean", "size"])
    cells["draws"] = cells["size"] * one.draws
    return cells[cells["draws"] >= FEWEST]


def _row(one: Elsewhere, cells: pd.DataFrame) -> dict[str, str]:
    draws = cells["draws"]
    # Cells have equal weight, as on the pages.
    shares = [Share(mean * of, of) for mean, of in zip(cells["mean"], draws, strict=True)]
    error = np.sqrt(sum(share.error**2 for share in shares)) / len(shares)
    worst = cells["mean"].idxmin()
    return {
        "interval": one.words,
        "rows": one.where,
        "coverage": with_error(cells["mean"].mean(), float(error)),
        "worst cell": f"{number(cells['mean'].min())} ({_named(worst)})",
        "cells": str(len(cells)),
        "draws": f"{int(draws.sum())}",
    }


def _named(cell: object) -> str:
    parts = cell if isinstance(cell, tuple) else (cell,)
    return ", ".join(f"{part:g}" if isinstance(part, float) else str(part) for part in parts)

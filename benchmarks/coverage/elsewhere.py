"""Intervals that other pages measure: how often each holds the truth, in one table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.audit.coverage import DRAWS
from benchmarks.audit.coverage import MEASURES as CHECKED
from unlabeled.paper.outcome import number, with_error


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

    def holds(records: pd.DataFrame) -> pd.Series:
        inside = (records[lower] <= records[truth]) & (records[truth] <= records[upper])
        return inside.astype(float).where(records[lower].notna() & records[truth].notna())

    return holds


def _of_checked(measure: str) -> Callable[[pd.DataFrame], pd.Series]:
    return lambda records: records[f"{measure}_covered"].where(records["size"] == 100)


_SHARE = "share of positives"
_SETS, _LOGISTIC = "nine sets", "logistic populations"
INTERVALS = (
    *(
        Elsewhere(
            f"{measure} from 100 checked rows",
            "ten sets, five kinds of labelling, hostile tables too",
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
        ("dataset", "labelling"),
        _inside("named_lower", "named_upper", "truth"),
    ),
)
"""Every interval that another page measures with its truth in the records."""


def elsewhere_table(docs: Path) -> pd.DataFrame:
    """Return the table, from the records of pages in the folder of the documentation.

    Pages without records are left out.
    """
    rows = []
    for one in INTERVALS:
        path = docs / one.page / one.file
        if path.exists():
            rows.append(_row(one, pd.read_csv(path)))
    return pd.DataFrame(rows)


def _row(one: Elsewhere, records: pd.DataFrame) -> dict[str, str]:
    held = one.holds(records)
    known = records.assign(held=held)[held.notna()]
    cells = known.groupby(list(one.cell))["held"].agg(["mean", "size"])
    draws = cells["size"] * one.draws
    # Cells have equal weight, as on the pages.
    variance = (cells["mean"] * (1 - cells["mean"]) / draws).sum() / len(cells) ** 2
    worst = cells["mean"].idxmin()
    return {
        "interval": one.words,
        "rows": one.where,
        "coverage": with_error(cells["mean"].mean(), float(np.sqrt(variance))),
        "worst cell": f"{number(cells['mean'].min())} ({_named(worst)})",
        "cells": str(len(cells)),
        "draws": f"{int(draws.sum())}",
    }


def _named(cell: object) -> str:
    parts = cell if isinstance(cell, tuple) else (cell,)
    return ", ".join(f"{part:g}" if isinstance(part, float) else str(part) for part in parts)

"""Tables of scores: every cell's mean and standard error, and the ranks of the methods."""

from __future__ import annotations

from typing import Any

import pandas as pd

from ._names import (
    MEASURES,
    MECHANISMS,
    METHODS,
    ONE_SETTING,
    PLACE,
    SETTINGS,
    SYNTHETIC,
    in_order,
    method_name,
    setting_of,
)
from ._table import Table
from ._words import number, with_error

SHOWN = {
    "synthetic": ("angle", "f1", "balanced_accuracy"),
    "real": ("f1", "balanced_accuracy"),
    "robustness": ("angle", "f1", "balanced_accuracy"),
}
DIGITS = {"angle": 2}
NOTE = "Mean (standard error) over the repeats; †k: k fits of the cell failed and are not in it."


def score_tables(summary: pd.DataFrame) -> list[Table]:
    """Make a table a study and measure, one block a data set."""
    tables = []
    for study, measures in SHOWN.items():
        for measure in measures:
            own = summary[(summary["study"] == study) & (summary["measure"] == measure)]
            if own["repeats"].sum():
                tables.append(_score_table(own, study, measure))
    return tables


def _score_table(own: pd.DataFrame, study: str, measure: str) -> Table:
    blocks = tuple(
        (_heading(study, str(name)), _compact(block, DIGITS.get(measure, 3)))
        for name, block in own.groupby("dataset")
    )
    title = f"{MEASURES[measure]}, {study} study"
    return Table(f"{study}-{measure.replace('_', '-')}", title, NOTE, blocks, own)


def _heading(study: str, dataset: str) -> str:
    if dataset != SYNTHETIC:
        return dataset
    return "" if study == "synthetic" else "synthetic"


def _compact(block: pd.DataFrame, digits: int) -> pd.DataFrame:
    rows = [name for name in PLACE[1:] if block[name].nunique() > 1] or ["c"]
    texts = block.assign(text=[_entry(row, digits) for row in block.itertuples()])
    wide = texts.pivot(index=rows, columns=["method", "setting"], values="text").fillna("")
    shown = wide[_columns(block)]
    shown.columns = [method_name(*column) for column in shown.columns]
    shown = shown.reset_index()
    shown[rows] = shown[rows].map(_coordinate).astype(object)
    return shown


def _columns(block: pd.DataFrame) -> list[tuple[str, str]]:
    present = set(zip(block["method"], block["setting"], strict=True))
    methods = in_order(list(block["method"]), METHODS)
    order = [(method, setting) for method in methods for setting in (ONE_SETTING, *SETTINGS)]
    return [pair for pair in order if pair in present]


def _coordinate(value: object) -> str:
    if isinstance(value, float):
        return f"{value:g}".replace("0.", ".")
    return MECHANISMS.get(str(value), str(value))


def _entry(row: Any, digits: int) -> str:
    failed = f" †{row.failed}" if row.failed else ""
    return with_error(row.mean, row.se, digits) + failed


def rank_table(summary: pd.DataFrame) -> Table | None:
    """Make the table of mean ranks over data sets and c, 1 being best, oracle left out."""
    rows = []
    for measure in SHOWN["real"]:
        for setting in SETTINGS:
            for method, rank, cells in _ranks(summary, measure, setting):
                rows.append((MEASURES[measure], setting, method, rank, cells))
    if not rows:
        return None
    numbers = pd.DataFrame(rows, columns=["measure", "setting", "method", "mean_rank", "cells"])
    shown = numbers.assign(
        column=numbers["measure"] + ", " + numbers["setting"],
        text=[number(rank, 2) for rank in numbers["mean_rank"]],
    ).pivot(index="method", columns="column", values="text")
    shown = shown.reindex([name for name in METHODS if name in shown.index]).fillna("")
    shown = shown[list(dict.fromkeys(numbers["measure"] + ", " + numbers["setting"]))]
    shown.insert(0, "Method", [method_name(name) for name in shown.index])
    cells = int(numbers["cells"].max())
    note = f"Mean rank (1 is best) over {cells} cells, a data set and a c each; without the oracle."
    return Table("ranks", "Mean ranks, real study", note, (("", shown),), numbers)


def _ranks(summary: pd.DataFrame, measure: str, setting: str) -> list[tuple[str, float, int]]:
    own = summary[
        (summary["study"] == "real")
        & (summary["measure"] == measure)
        & summary["setting"].isin(setting_of(setting))
        & (summary["method"] != "oracle")
    ]
    wide = own.pivot(index=PLACE, columns="method", values="mean").dropna()
    ranks = wide.rank(axis=1, ascending=False).mean()
    return [(method, rank, len(wide)) for method, rank in ranks.items()] if len(wide) else []

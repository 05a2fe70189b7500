"""The tables of the page."""

from __future__ import annotations

from typing import Any

import pandas as pd

from reproduction.outcome import Table, number

from .summary import LIMIT, Summary
from .words import signed, thousands


def difference_table(ours: list[Summary]) -> Table:
    """PULogistic on every set."""
    lines = [
        {
            "Set": one.name,
            "Rows": thousands(one.n_train),
            "α": number(one.class_prior),
            "Difference": _difference(one),
            "RMS": number(one.rms),
            f"Within {number(LIMIT, 2)}": "yes" if one.is_within else "no",
            "ECE": _ece(one),
            "By chance": number(one.chance),
        }
        for one in ours
    ]
    return _table(pd.DataFrame(lines))


def prior_table(ours: list[Summary]) -> Table:
    """What the labels say about the class prior on every set."""
    lines = [
        {
            "Set": one.name,
            "α": number(one.class_prior),
            "Left open": f"{number(one.priors.low, 2)} to {number(one.priors.high, 2)}",
            "α is among them": f"{one.n_held} of {one.repeats}",
            "Likeliest − α": signed(one.priors.likeliest - one.class_prior),
            "Taken − α": signed(one.priors.taken - one.class_prior),
        }
        for one in ours
        if one.priors is not None
    ]
    return _table(pd.DataFrame(lines))


def comparison_table(summaries: list[Summary]) -> Table:
    """The methods side by side, one block per measure."""
    measures = {
        "Mean posterior − α": _difference,
        "Root mean square of it": lambda one: number(one.rms),
        "Expected calibration error": _ece,
    }
    blocks = []
    for heading, write in measures.items():
        lines: dict[str, dict[str, str]] = {}
        for one in summaries:
            lines.setdefault(one.name, {"Set": one.name})[one.method] = write(one)
        blocks.append((heading, pd.DataFrame(list(lines.values()))))
    return _table(*blocks)


def _table(*blocks: Any) -> Table:
    named = [block if isinstance(block, tuple) else ("", block) for block in blocks]
    return Table("calibration", "Calibration", "", tuple(named), pd.DataFrame())


def _difference(one: Summary) -> str:
    return f"{signed(one.difference)} ({number(one.se)})"


def _ece(one: Summary) -> str:
    return f"{number(one.ece)} ({number(one.ece_se)})"

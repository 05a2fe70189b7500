"""From records to rates, and to what the page says of them."""

from __future__ import annotations

import numpy as np
import pandas as pd

from unlabeled.diagnostics import CHECKS
from unlabeled.diagnostics._finding import STATES

from .measure import Record

NOTE, WARNING = STATES.index("note"), STATES.index("warning")
FALSE_ALARMS = ("leakage", "label quality", "class prior")


def rates_of(records: list[Record]) -> pd.DataFrame:
    """Return how often each check fired, a row a set, label frequency and check."""
    lines = []
    for record in records:
        for check, state in record.states.items():
            level = STATES.index(state)
            lines.append(
                {
                    "dataset": record.draw.dataset,
                    "c": record.draw.c,
                    "check": check,
                    "applicable": state != "not applicable",
                    "note": level >= NOTE,
                    "warning": level >= WARNING,
                }
            )
    grouped = pd.DataFrame(lines).groupby(["dataset", "c", "check"], sort=False)
    rates = grouped[["applicable", "note", "warning"]].mean()
    rates.insert(0, "draws", grouped.size())
    for name in ("note", "warning"):
        rates[f"{name}_error"] = np.sqrt(rates[name] * (1 - rates[name]) / rates["draws"])
    return rates.reset_index()


def rate_table(rates: pd.DataFrame, c: float, level: str) -> pd.DataFrame:
    """Return rates at one label frequency, in percent of all draws, a row a set."""
    own = rates[rates["c"] == c]
    rows = []
    for dataset in own["dataset"].unique():
        of_set = own[own["dataset"] == dataset].set_index("check")
        cells = {check: _cell(of_set.loc[check], level) for check in CHECKS}
        rows.append({"Set": dataset, **cells})
    return pd.DataFrame(rows)


def _cell(line: pd.Series, level: str) -> str:
    if line["applicable"] == 0:
        return "–"
    rate, error = 100 * line[level], 100 * line[f"{level}_error"]
    return f"{rate:.0f} ({error:.0f})" if error else f"{rate:.0f}"


def headlines(rates: pd.DataFrame) -> str:
    """Say which checks give false alarms, and where."""
    sentences = []
    for check in FALSE_ALARMS:
        own = rates[rates["check"] == check]
        fired = own[own["warning"] > 0.05]
        mean = f"on {100 * own['warning'].mean():.1f} % of all draws"
        if len(fired) == 0:
            sentences.append(f"``{check}`` warns {mean}, and nowhere on more than 5 %.")
            continue
        places = ", ".join(
            f"{line.dataset} at c = {line.c:g} ({100 * line.warning:.0f} %)"
            for line in fired.sort_values("warning", ascending=False).itertuples()
        )
        sentences.append(f"``{check}`` warns {mean}, and on more than 5 % on {places}.")
    return " ".join(sentences)


def time_table(records: list[Record]) -> pd.DataFrame:
    """Return how long a diagnosis takes, the fit included."""
    lines = pd.DataFrame(
        {"Set": record.draw.dataset, "Median seconds": record.seconds} for record in records
    )
    median = lines.groupby("Set", sort=False).median().map(lambda value: f"{value:.2f}")
    return median.reset_index()

"""The paper's table of training times, as ratios to the oracle, ours beside it."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd

from ._claim import Part, Where
from ._estimate import Estimate
from ._judge import find
from ._names import METHODS, ONE_SETTING, SETTINGS, method_name
from ._table import Table
from ._words import ABSENT, with_error

PAPER_SECONDS = {
    "oracle": 0.05,
    "enhanced": 0.22,
    "joint": 0.23,
    "mm": 201.0,
    "en": 0.66,
    "tice": 0.9,
}


def time_table(records: pd.DataFrame) -> Table | None:
    """Make the paper's table of training times, as ratios to the oracle, with ours beside it."""
    timed = records[records["study"] == "timing"]
    if timed.empty:
        return None
    numbers = pd.DataFrame(
        _times(own, method, setting)
        for _, own in timed.groupby("dataset")
        for method in METHODS
        for setting in (ONE_SETTING, *SETTINGS)
        if ((own["method"] == method) & (own["setting"] == setting)).any()
    )
    blocks = tuple((name, _shown(own)) for name, own in numbers.groupby("dataset"))
    note = (
        "Mean training time and its ratio to the oracle's; standard errors in brackets, from "
        "paired repeats. Seconds are of different machines and programs: compare ratios. The "
        "paper's are those of adult."
    )
    return Table("times", "Training times", note, blocks, numbers)


def _shown(numbers: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "Method": map(method_name, numbers["method"], numbers["setting"]),
            "Seconds (paper)": map(_plain, numbers["paper_seconds"]),
            "Ratio (paper)": map(_plain, numbers["paper_ratio"]),
            "Seconds (ours)": [
                with_error(mean, se, 4)
                for mean, se in zip(numbers["seconds"], numbers["seconds_se"], strict=True)
            ],
            "Ratio (ours)": map(_ratio, numbers["ratio"], numbers["ratio_se"]),
            "Fits": numbers["fits"].astype(str),
            "Failed": numbers["failed"].astype(str),
        }
    )


def _times(timed: pd.DataFrame, method: str, setting: str) -> dict[str, Any]:
    seconds = _measure(timed, "mean", (method,), setting)
    ratio = _measure(timed, "ratio", (method, "oracle"), setting)
    if method == "oracle":
        ratio = Estimate(1.0, 0.0, seconds.repeats)
    own = timed[(timed["method"] == method) & (timed["setting"] == setting)]
    paper = PAPER_SECONDS.get(method, math.nan)
    return {
        "dataset": own["dataset"].iloc[0],
        "method": method,
        "setting": setting,
        "paper_seconds": paper,
        "paper_ratio": paper / PAPER_SECONDS["oracle"],
        "seconds": seconds.value,
        "seconds_se": seconds.se,
        "ratio": ratio.value,
        "ratio_se": ratio.se,
        "fits": len(own),
        "failed": int(own["failed"].sum()),
    }


def _measure(
    timed: pd.DataFrame, statistic: str, methods: tuple[str, ...], setting: str
) -> Estimate:
    part = Part(statistic, methods, Where("timing"), measures=("fit_seconds",))
    return find(timed, part, setting).estimate


def _plain(value: float) -> str:
    return f"{value:g}" if math.isfinite(value) else ABSENT


def _ratio(value: float, se: float) -> str:
    return with_error(value, se, 2 if value < 10 else 1)

"""Enhanced minus each competitor on every data set, paired: what the optimiser changes."""

from __future__ import annotations

import pandas as pd

from ._claim import Where
from ._claim_types import greater
from ._judge import find
from ._names import COMPETITORS, MEASURES, SETTINGS, method_name
from ._table import Table
from ._words import ABSENT, number

NOTE = (
    "Mean over c of Enhanced minus the competitor, on the same rows and labels (standard error "
    "over complete repeats). Above 0 Enhanced is better. A sign that changes between the two "
    "settings of a competitor is the optimiser's work, not the method's."
)


def difference_table(records: pd.DataFrame) -> Table | None:
    """Make the table of paired differences in the real study."""
    names = sorted(records.loc[records["study"] == "real", "dataset"].unique())
    rows = [
        _difference(records, measure, name, other, setting)
        for measure in ("f1", "balanced_accuracy")
        for name in names
        for other in COMPETITORS
        for setting in SETTINGS
    ]
    if not rows:
        return None
    numbers = pd.DataFrame(rows)
    blocks = tuple(
        (MEASURES[measure], _shown(own)) for measure, own in numbers.groupby("measure", sort=False)
    )
    return Table("differences", "Enhanced minus its competitors", NOTE, blocks, numbers)


def _difference(
    records: pd.DataFrame, measure: str, name: str, other: str, setting: str
) -> dict[str, object]:
    part = greater("enhanced", other, Where("real", (name,)), measure)
    estimate = find(records, part, setting).estimate
    return {
        "measure": measure,
        "dataset": name,
        "competitor": other,
        "setting": setting,
        "difference": estimate.value,
        "se": estimate.se,
        "repeats": estimate.repeats,
    }


def _shown(numbers: pd.DataFrame) -> pd.DataFrame:
    texts = numbers.assign(
        column=[*map(method_name, numbers["competitor"], numbers["setting"])],
        text=[*map(_signed, numbers["difference"], numbers["se"])],
    )
    wide = texts.pivot(index="dataset", columns="column", values="text")
    return wide[list(dict.fromkeys(texts["column"]))].reset_index(names="Data set")


def _signed(value: float, se: float) -> str:
    text = number(value, signed=True)
    return text if text == ABSENT else f"{text} ({number(se)})"

"""Tables that are lists: lost cells, ten labels, failures, times."""

from __future__ import annotations

import pandas as pd

from unlabeled.paper.outcome import Table, number, with_error

from ..pages import frequency
from .cast import ROLES
from .compare import MEASURES, below_enhanced, losses
from .studies import REAL
from .ten import ten_shown, ten_summary, ten_verdicts


def loss_table(records: pd.DataFrame) -> Table:
    """Cells in which a method that is not handed the prior beats PULogistic."""
    numbers = losses(records)
    shown = _cells(numbers).assign(
        **{
            "Beaten by": numbers["winners"].astype(str),
            "Most by": numbers["method"],
            "Lead": _leads(numbers),
        }
    )
    note = "Beaten by: how many methods. Lead: the largest mean paired difference, and its error."
    return Table("losses", "Where we lose", note, (("", shown),), numbers)


def enhanced_table(records: pd.DataFrame) -> Table:
    """Cells in which PULogistic is clearly below Enhanced."""
    numbers = below_enhanced(records)
    shown = _cells(numbers).assign(**{"Enhanced − PULogistic": _leads(numbers)})
    note = "Clearly: by more than .01 and two standard errors of the paired difference."
    return Table("below-enhanced", "Below Enhanced", note, (("", shown),), numbers)


def _cells(numbers: pd.DataFrame) -> pd.DataFrame:
    columns = {
        "Measure": numbers["measure"].map(MEASURES),
        "Set": numbers["dataset"],
        "c": [frequency(c) for c in numbers["c"]],
    }
    return pd.DataFrame(columns)


def _leads(numbers: pd.DataFrame) -> list[str]:
    return [with_error(row.lead, row.se) for row in numbers.itertuples()]


def ten_table(records: pd.DataFrame) -> Table:
    """Ten labelled rows on every set, with a verdict."""
    numbers, verdicts = ten_summary(records), ten_verdicts(records)
    note = (
        "Means over the draws, in brackets the standard error over them. All or none: draws in "
        "which every test row, or none, is predicted positive. Warnings: codes, and in how many "
        "draws. Verdict: of PULogistic's balanced accuracy, by two standard errors."
    )
    shown = ten_shown(numbers, verdicts)
    numbers = numbers.assign(verdict=numbers["dataset"].map(verdicts))
    return Table("ten-labels", "Ten labelled rows", note, (("", shown),), numbers)


def failure_table(records: pd.DataFrame) -> Table:
    """Fits that failed or were not made, with the reason."""
    lost = records[records["error"] != ""]
    groups = lost.groupby(["method", "setting", "dataset", "error"])
    numbers = groups.agg(fits=("error", "size"), c=("c", _frequencies)).reset_index()
    keys = zip(numbers["method"], numbers["setting"], strict=True)
    shown = pd.DataFrame(
        {
            "Method": [ROLES[key].name for key in keys],
            "Set": numbers["dataset"],
            "c": numbers["c"],
            "Fits": numbers["fits"].astype(str),
            "Why": numbers["error"],
        }
    )
    note = "A limit is ours; every other reason is what the package said."
    return Table("failures", "Fits that failed or were not made", note, (("", shown),), numbers)


def _frequencies(column: pd.Series) -> str:
    return ", ".join(frequency(c) for c in sorted(set(column.round(9))) if c > 0)


def time_table(records: pd.DataFrame) -> Table:
    """Mean seconds of a fit, by method and set, over all c."""
    done = records[(records["error"] == "") & (records["study"] == REAL)]
    means = done.groupby(["method", "setting", "dataset"])["fit_seconds"].mean()
    wide = means.unstack("dataset")
    lines = [
        {"Method": role.name, **{name: number(value, 2) for name, value in wide.loc[key].items()}}
        for key, role in ROLES.items()
        if key in wide.index
    ]
    note = "Means, each fit on one core while others ran beside it: a guide, not a benchmark."
    shown = pd.DataFrame(lines)
    return Table("times", "Seconds a fit", note, (("", shown),), means.reset_index())

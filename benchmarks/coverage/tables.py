"""The tables of the page, from records."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from benchmarks.pages import Share
from reproduction.outcome import number

from ..study import Records

LOW, HIGH = {1000: 0.92, 2000: 0.92, 5000: 0.93}, 0.97
"""The range in which a coverage of 95 % should lie, by the number of rows."""

COEFFICIENTS = ("x1", "x2", "x3", "intercept")
LIKELIHOOD = {
    **{f"naive.{name}": f"naive, {name}" for name in COEFFICIENTS},
    **{f"joint_sandwich.{name}": f"JOINT, {name}" for name in COEFFICIENTS},
    "c_profile_covers": "c, profile likelihood",
    "c_logit": "c, normal on the logit",
    "class_prior_covers": "class prior",
}
OTHER_COVARIANCES = {
    f"joint_{kind}.{name}": f"JOINT, {name}, {kind}"
    for kind in ("observed", "expected")
    for name in COEFFICIENTS
}
SCORES = {
    "c_covers": "c, profile along the held-out scores",
    "class_prior_covers": "class prior, the same",
    **{f"coefficient.{name}": f"coefficient, {name}" for name in COEFFICIENTS[:3]},
}
_RULE = {
    "recall_covers": "recall of the rule",
    "share_covers": "share predicted",
    "f1_pu_covers": "F1_PU of the rule",
    "precision_covers": "precision of the rule",
    "f1_covers": "F1 of the rule",
}
BOOTSTRAP = {
    "label_frequency_percentile_covers": "c, percentile",
    "class_prior_percentile_covers": "class prior, percentile",
    **_RULE,
}
PU_LOGISTIC = {
    "label_frequency_covers": "c",
    "class_prior_covers": "class prior of the population",
    **_RULE,
}


@dataclass(frozen=True)
class Cell:
    """Records of one cell."""

    arguments: dict[str, object]
    records: pd.DataFrame

    def share(self, column: str, holds: Callable[[pd.Series], pd.Series] | None = None) -> Share:
        """How often a column is 1, or `holds`; records without a value do not count."""
        values = self.records[column].dropna() if column in self.records else pd.Series(dtype=float)
        happened = values >= 0.5 if holds is None else holds(values)
        return Share(int(happened.sum()), len(values))


def cells_of(folder: Path, records: Records) -> list[Cell]:
    """Read the records of a study, and divide them by cell, in the order of the plan."""
    found, names = records.read(folder), list(records.names[:-1])
    rows = dict(list(found.groupby(names))) if len(found) else {}
    cells = dict.fromkeys(key[:-1] for key in records.plan())
    return [Cell(dict(zip(names, one, strict=True)), rows[one]) for one in cells if one in rows]


def coverage_table(cells: list[Cell], rows: dict[str, str], design: str) -> pd.DataFrame:
    """Coverage of every interval on one design, one column per sample size and label frequency."""
    columns: dict[str, list[str]] = {"interval": list(rows.values())}
    for cell in cells:
        if cell.arguments["design"] != design:
            continue
        head = f"n = {cell.arguments['n']}, c = {number(float(str(cell.arguments['c'])), 1)}"
        columns[head] = [_marked(cell.share(key), int(str(cell.arguments["n"]))) for key in rows]
    return pd.DataFrame(columns)


def outside(cells: list[Cell], rows: dict[str, str]) -> list[str]:
    """List the coverages that are outside their range by more than two errors of its end."""
    found = []
    for cell in cells:
        n = int(str(cell.arguments["n"]))
        for key, name in rows.items():
            share = cell.share(key)
            if share.is_below(LOW[n]) or share.is_above(HIGH):
                where = f"{cell.arguments['design']}, n = {n}, c = {cell.arguments['c']:g}"
                value = share.in_words()
                found.append(f"{name} ({where}): {value}")
    return found


def one_table(cells: list[Cell], column: str) -> pd.DataFrame:
    """How often the profile interval of c contains 1, and its length."""
    lines = []
    for cell in cells:
        share = cell.share(column)
        width = cell.records["c_profile_upper"] - cell.records["c_profile_lower"]
        lines.append(
            {
                "design": cell.arguments["design"],
                "n": cell.arguments["n"],
                "c": number(float(str(cell.arguments["c"])), 1),
                "contains 1": share.in_words(),
                "estimate is 1": number(cell.share("at_boundary").value),
                "median length": number(float(width.median()), 2),
                "samples": len(cell.records),
            }
        )
    return pd.DataFrame(lines)


def rejection_table(cells: list[Cell], peers: list[Cell]) -> pd.DataFrame:
    """Rejections at 5 % of the SCAR tests."""
    flagged = {_key(cell): cell.share("flagged") for cell in peers}
    lines = []
    for cell in cells:
        ours = cell.share("p_value", _rejects)
        line = {
            "design": cell.arguments["design"],
            "n": cell.arguments["n"],
            "c": number(float(str(cell.arguments["c"])), 1),
            "labeling": mechanism_in_words(str(cell.arguments["mechanism"])),
            "scar_test": ours.in_words(),
            "published, c estimated": number(cell.share("published", _rejects).value),
            "published, true c": number(cell.share("published_true_c", _rejects).value),
            "pulearn flags": number(flagged.get(_key(cell), Share(0, 0)).value),
            "samples": ours.of,
        }
        lines.append(line)
    return pd.DataFrame(lines)


def reading_table(cells: list[Cell]) -> pd.DataFrame:
    """How often the feature that labeling depends on is named."""
    lines = []
    for cell in cells:
        if not str(cell.arguments["mechanism"]).startswith("x1:"):
            continue
        lines.append(
            {
                "labeling": mechanism_in_words(str(cell.arguments["mechanism"])),
                "x1 is named": number(cell.share("first_named").value),
                "x1 gains most": number(cell.share("first_largest").value),
                "another is named too": number(cell.share("others_named").value),
                "samples": len(cell.records),
            }
        )
    return pd.DataFrame(lines)


def real_table(cells: list[Cell]) -> pd.DataFrame:
    """Rejections on real sets whose labels are SCAR."""
    lines = []
    for cell in cells:
        share = cell.share("p_value", _rejects)
        lines.append(
            {
                "set": cell.arguments["dataset"],
                "rejected": share.in_words(2),
                "mean estimate of c": number(float(cell.records["label_frequency"].mean()), 2),
                "samples": share.of,
            }
        )
    return pd.DataFrame(lines)


def real_prior_table(cells: list[Cell]) -> pd.DataFrame:
    """How often the interval of the class prior contains the share of positives of a real set."""
    lines = []
    for cell in cells:
        share, records = cell.share("class_prior_covers"), cell.records
        width = (records["class_prior_upper"] - records["class_prior_lower"]).median()
        lines.append(
            {
                "set": cell.arguments["dataset"],
                "c": number(float(str(cell.arguments["c"])), 1),
                "share of positives": number(float(records["truth"].iloc[0]), 3),
                "mean estimate": number(float(records["class_prior"].mean()), 3),
                "coverage": share.in_words(2),
                "median length": number(float(width), 2),
                "samples": share.of,
            }
        )
    return pd.DataFrame(lines)


def mechanism_in_words(mechanism: str) -> str:
    """Return how labels were drawn."""
    if mechanism == "scar":
        return "SCAR"
    if mechanism.startswith("x1:"):
        return f"e = σ(a + {mechanism[3:]} x1)"
    return "e ∝ y" if mechanism == "y^1" else f"e ∝ y{'²' if mechanism == 'y^2' else mechanism[1:]}"


def _rejects(p_value: pd.Series) -> pd.Series:
    return p_value <= 0.05 + 1e-6


def _key(cell: Cell) -> tuple[object, ...]:
    return tuple(sorted(cell.arguments.items()))


def _marked(share: Share, n: int) -> str:
    """Coverage with its error, and a star if it is outside its range."""
    text = share.in_words()
    return text if not share.of or LOW[n] <= share.value <= HIGH else f"{text} *"

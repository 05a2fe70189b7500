"""A fit in a few sentences."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..tables import count


def told(record: dict[str, Any], out: Path) -> str:
    """Say how many rows are positive, what the cut finds, what to doubt, and where it is."""
    serious, doubts = _findings(record, "serious"), _findings(record, "warning")
    blocks = [serious, [_positives(record), _cut(record)], [*doubts, *_warnings(record)]]
    blocks.append([f"The report is {out / 'report.html'}; every row is in {out / 'scored.csv'}."])
    return "\n\n".join("\n".join(block) for block in blocks if block)


def _positives(record: dict[str, Any]) -> str:
    all_rows, hidden = record["positives"], record["hidden_positives"]
    if record["class_prior"]["given"]:
        known = f"as the class prior that was given, {record['class_prior']['estimate']:g}, says"
        return (
            f"{_about(all_rows['estimate'])} of {count(record['table']['rows'])} rows are "
            f"positive, {known}; {_about(hidden['estimate'])} of them without a label."
        )
    return (
        f"About {_about(all_rows['estimate'])} of {count(record['table']['rows'])} rows are "
        f"positive{_between(all_rows, record)}; {_about(hidden['estimate'])} of them without a "
        f"label{_between(hidden)}."
    )


def _between(numbers: dict[str, Any], record: dict[str, Any] | None = None) -> str:
    if numbers["lower"] is None:
        return ""
    level = f"{record['class_prior']['level']:.0%} interval: " if record else ""
    return f" ({level}{_about(numbers['lower'])} to {_about(numbers['upper'])})"


def _cut(record: dict[str, Any]) -> str:
    cut = record["cut"]
    unlabelled = count(cut["selected_unlabelled"])
    said = (
        f"{count(cut['selected'])} rows are selected, {unlabelled} of them unlabelled: recall "
        f"about {cut['recall']:.0%}, precision about {cut['precision']:.0%}."
    )
    if cut["precision"] > 1.005:
        said += " More than 100%: the number of positives and this recall cannot both be right."
    return said


def _findings(record: dict[str, Any], state: str) -> list[str]:
    found = [one for one in record["findings"] if one["state"] == state]
    return [f"{state.capitalize()} ({one['code']}): {one['message']}" for one in found]


def _warnings(record: dict[str, Any]) -> list[str]:
    return [
        f"Warning ({one['code']}): {one['message']}"
        if one["code"]
        else f"Warning: {one['message']}"
        for one in record["warnings"]
    ]


def _about(number: float) -> str:
    return count(round(number))

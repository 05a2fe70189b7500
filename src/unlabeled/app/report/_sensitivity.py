"""How count, recall and precision would be if labels followed a column."""

from __future__ import annotations

from typing import Any

from ..table_model import FitRecord, count_is_told, recall_range
from ._text import finite, level

_OFTEN = {0.5: "half as often", 2.0: "twice as often"}
_NUMBERS = ("positives", "lower", "upper", "recall", "precision")
_OLDER = "the summary was made by an older version; fit again to see it"


def sensitivity_section(record: FitRecord) -> dict[str, Any]:
    """Return a line for labels as given, two per column, and why there may be none."""
    part = record.sensitivity
    columns = [one for one in part.get("columns") or [] if isinstance(one, dict)]
    as_given, lines = None, []
    for column in columns:
        for one in column.get("scenarios") or []:
            times = finite(one.get("times")) if isinstance(one, dict) else None
            if times == 1 and as_given is None:
                as_given = _line(record, one)
            elif times in _OFTEN:
                lines.append(_line(record, one) | _words(column, _OFTEN[times]))
    why_not = str(part.get("why_not") or _OLDER)
    return {
        "as_given": as_given,
        "lines": lines,
        "why_not": None if lines and as_given else why_not,
        "level": level(part),
    }


def _line(record: FitRecord, one: dict[str, Any]) -> dict[str, Any]:
    """Return the numbers of a line; none that needs the number of positives if it is not told."""
    numbers = {name: finite(one.get(name)) for name in _NUMBERS}
    recall = numbers["recall"]
    ends = None if recall is None else recall_range(record, recall)
    numbers["recall_lower"], numbers["recall_upper"] = ends or (None, None)
    if not count_is_told(record):
        numbers |= dict.fromkeys(("positives", "precision"))
    return numbers


def _words(column: dict[str, Any], often: str) -> dict[str, Any]:
    group = str(column.get("group") or column.get("column") or "")
    return {"group": group, "often": often, "rows": finite(column.get("rows"))}

"""Compute the numbers that the page shows for a cut; `report.js` computes the same."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...thresholds import rule_words
from ..table_model import (
    PER_ERROR,
    FitRecord,
    count_is_told,
    counted_by_answers,
    independent_labeled,
    rates_at,
    recall_range,
)
from ._summary import labeled_rows
from ._text import all_finite, count, finite, percent, plain, three

_CURVE = ("threshold", "recall", "share", "selected", "selected_unlabeled", "posterior")
# Approximate number of cuts in the table.
_STEPS = 10

# What one number of positives decides: nothing of it is shown if labels do not tell any.
_NEED_COUNT = (
    *("precision", "precision_unlabeled", "f1"),
    *("cost", "total_cost", "missed", "false_alarms"),
)
_PRECISION_ENDS = ("precision_lower", "precision_upper")

# Marks closer than this, in percent of the plot's width and height, get one label.
_NEAR = (4.0, 6.0)
_SIDE = 1000
# With a smaller share of positives, the page opens with the first rows only.
_RARE = 0.05
# The first rows are a picture of their own if they are at most this share.
_FIRST = 0.5
_PER_CURVE = 60


def cut_section(record: FitRecord) -> dict[str, Any]:
    """Return the numbers at the chosen cut, at the cuts of other rules, and at about ten more."""
    curve, chosen = record.curve, record.cut["index"]
    method, now, rules = record.method, numbers_at(record, chosen), _rules(record)
    return {
        "chosen": chosen,
        "last": len(curve["threshold"]) - 1,
        "now": now,
        "rule": rule_words(str(method.get("rule") or "")).name,
        "where": method.get("cut") or "",
        "source": curve.get("source") or "",
        "honest": curve.get("honest") is not False,
        "costs": costs(record),
        "rules": rules,
        "scale": _opens_with(record),
        "description": _description(now),
        "pictures": [_picture(record, scale, now, rules) for scale in scales(record)],
        "table": [
            {"index": k, "chosen": k == chosen, **numbers_at(record, k)} for k in _steps(record)
        ],
    }


def for_script(record: FitRecord) -> dict[str, Any]:
    """Return the numbers that the slider needs."""
    return {
        "rows": record.table["rows"],
        "labeled": record.label["labeled"],
        "labeled_rows": labeled_rows(record),
        "independent": independent_labeled(record),
        "told": count_is_told(record),
        "recall_is_range": recall_range(record, 1.0) is not None,
        "labeled_are_counted": _labeled_are_counted(record),
        "prior": three(record.class_prior),
        "per_error": PER_ERROR,
        "costs": costs(record),
        "chosen": record.cut["index"],
        "curve": {
            name: column if all_finite(column) else [finite(value) for value in column]
            for name, column in ((name, record.curve[name]) for name in _CURVE)
        },
        "scales": {
            scale.name: {"low": scale.low, "high": scale.high, "logarithmic": scale.logarithmic}
            for scale in scales(record)
        },
    }


def numbers_at(record: FitRecord, index: int) -> dict[str, float | None]:
    """Return what the page shows about a cut, at the costs of the record."""
    at: dict[str, Any] = {name: record.curve[name][index] for name in _CURVE}
    recall, share, selected = at["recall"], at["share"], at["selected"]
    # Labeled rows are positive, so precision is at least their share.
    labeled = (selected - at["selected_unlabeled"]) / selected if selected else None
    n_labeled = independent_labeled(record)
    of_rates = rates_at(recall, share, record.class_prior, n_labeled, labeled or 0.0)
    if recall <= 0 or share <= 0:
        of_rates |= dict.fromkeys(_PRECISION_ENDS)
    lower, upper = recall_range(record, recall) or (None, None)
    numbers = at | {name: of_rates[name] for name in ("precision", "f1", *_PRECISION_ENDS)}
    numbers |= {"selected_share": selected / record.table["rows"], "labeled_share": labeled}
    numbers |= {"recall_lower": lower, "recall_upper": upper}
    prior, told = finite(record.class_prior.get("estimate")), count_is_told(record)
    if prior is None or not told:
        numbers |= dict.fromkeys(_NEED_COUNT)
    else:
        numbers |= _with_prior(record, index, prior)
    if not told:
        numbers["posterior"] = None
    return {name: finite(value) for name, value in numbers.items()}


def costs(record: FitRecord) -> dict[str, float]:
    """Return the costs of a miss and of a false alarm; 1 where they are not given."""
    known = {name: finite(record.costs.get(name)) for name in ("miss", "false_alarm")}
    return {name: 1.0 if value is None else value for name, value in known.items()}


def _with_prior(record: FitRecord, index: int, prior: float) -> dict[str, Any]:
    """Return the costs of a cut, and the precision among its unlabeled rows.

    That precision is None where fewer than one unlabeled row is expected.
    """
    curve, rows, cost = record.curve, record.table["rows"], costs(record)
    recall, share = curve["recall"][index], curve["share"][index]
    found = min(prior * recall, share)
    per_row = cost["miss"] * (prior - found) + cost["false_alarm"] * (share - found)
    # Labeled rows at random are found as often as all positives, others are counted.
    labeled = labeled_rows(record) / rows * recall
    if _labeled_are_counted(record):
        labeled = (curve["selected"][index] - curve["selected_unlabeled"][index]) / rows
    others = share - labeled
    sure = min(1.0, max(0.0, prior * recall - labeled) / others) if others * rows >= 1 else None
    return {
        "precision_unlabeled": sure,
        "cost": per_row,
        "total_cost": per_row * rows,
        "missed": (prior - found) * rows,
        "false_alarms": (share - found) * rows,
    }


def _labeled_are_counted(record: FitRecord) -> bool:
    """Whether labeled rows may be found more often than the other positives."""
    return bool(record.labeled_by) or counted_by_answers(record)


def _rules(record: FitRecord) -> list[dict[str, Any]]:
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    rules = record.rules[: len(letters)]
    return [
        {
            "letter": letter,
            "index": rule["index"],
            "name": words.name,
            "wants": words.wants,
            "numbers": numbers_at(record, rule["index"]),
        }
        for letter, rule in zip(letters, rules, strict=False)
        for words in [rule_words(str(rule.get("name") or ""))]
    ]


def _steps(record: FitRecord) -> list[int]:
    """Return about ten cuts, evenly spaced in the number of rows, and the chosen one."""
    selected = record.curve["selected"]
    first, last = selected[0], selected[-1]
    wanted = [first + (last - first) * k / _STEPS for k in range(_STEPS + 1)]
    known = np.array(selected, dtype=np.float64)
    nearest = {int(np.abs(known - target).argmin()) for target in wanted}
    return sorted(nearest | {record.cut["index"]})


@dataclass(frozen=True)
class Scale:
    """An axis of the share of rows selected, from `low` to `high`; the reader chooses a `label`."""

    name: str
    label: str
    low: float
    high: float
    logarithmic: bool = False

    def place(self, share: Any) -> Any:
        """Return where shares are, from 0 to 1; more than 1 is beyond the picture."""
        if not self.logarithmic:
            return share / self.high
        width = math.log(self.high / self.low)
        return np.maximum(0.0, np.log(np.maximum(share, self.low) / self.low) / width)

    def shares(self) -> np.ndarray:
        """Return shares along the axis, enough of them to draw a line that is straight in share."""
        if self.logarithmic:
            return np.geomspace(self.low, self.high, _PER_CURVE)
        return np.array([0.0, self.high])

    def ticks(self) -> list[dict[str, Any]]:
        """Return places in percent of the width, and the shares there, in percent."""
        if self.logarithmic:
            first = math.ceil(math.log10(self.low) - 1e-9)
            shares = [10.0**power for power in range(first, 1)]
        else:
            parts = 5 if round(self.high / 10 ** math.floor(math.log10(self.high))) == 5 else 4
            shares = [self.high * k / parts for k in range(parts + 1)]
        return [
            {
                "x": round(float(100 * self.place(share)), 3),
                "text": plain(float(f"{100 * share:.4g}")),
            }
            for share in shares
        ]


def scales(record: FitRecord) -> list[Scale]:
    """Return the axes that a reader can choose from."""
    rows, first = record.table["rows"], _first(record)
    found = [Scale("all", "all", 0.0, 1.0)]
    if first <= _FIRST:
        found.insert(0, Scale("first", f"the first {count(first * rows)}", 0.0, first))
    if rows > 1:
        found.append(Scale("logarithmic", "logarithmic", 1 / rows, 1.0, True))
    return found


def _first(record: FitRecord) -> float:
    """Return a round share of first rows that has most positives and the chosen cut."""
    chosen = record.curve["share"][record.cut["index"]]
    wanted = max(3 * (finite(record.class_prior.get("estimate")) or 0.0), 1.5 * chosen)
    wanted = max(wanted, 10 / record.table["rows"])
    power = 10.0 ** math.floor(math.log10(wanted))
    return min(1.0, next(k * power for k in (1, 2, 5, 10) if k * power >= wanted * (1 - 1e-9)))


def _opens_with(record: FitRecord) -> str:
    """Return the axis that the page opens with: all rows, unless positives are rare."""
    prior = finite(record.class_prior.get("estimate"))
    if prior is None or prior >= _RARE:
        return "all"
    names = [scale.name for scale in scales(record)]
    return "first" if "first" in names else names[-1]


def _picture(
    record: FitRecord, scale: Scale, chosen: dict[str, Any], rules: list[dict[str, Any]]
) -> dict[str, Any]:
    """Return the lines and marks of recall against the fraction selected, on one axis.

    Lines are in a square of 1000 by 1000 that is stretched. Marks are in percent, so that
    circles stay round and letters stay readable at every width.
    """
    curve, ends = record.curve, three(record.class_prior)
    places = [_place(scale, rule["numbers"]) for rule in rules]
    return {
        "name": scale.name,
        "label": scale.label,
        "ticks": scale.ticks(),
        "curve": _curve(scale, [0.0, *curve["share"]], [0.0, *curve["recall"]]),
        "chance": _line(scale, scale.shares(), scale.shares()),
        "perfect": _line(scale, *_rise(scale, prior)) if (prior := ends["estimate"]) else None,
        "band": _band(scale, ends["lower"], ends["upper"]),
        "chosen": _place(scale, chosen),
        "marks": [place for place in places if place["x"] <= 100],
        "letters": _letters(scale, rules),
        "beyond": [
            rule["letter"] for rule, place in zip(rules, places, strict=True) if place["x"] > 100
        ],
    }


def _place(scale: Scale, numbers: dict[str, Any]) -> dict[str, float]:
    x = round(float(100 * scale.place(numbers["share"])), 3)
    return {"x": x, "y": round(100 - 100 * numbers["recall"], 3)}


def _line(scale: Scale, shares: Any, recalls: Any) -> str:
    across = (_SIDE * scale.place(np.asarray(shares))).tolist()
    down = (_SIDE * (1 - np.asarray(recalls))).tolist()
    return " ".join(f"{x:.4g},{y:.4g}" for x, y in zip(across, down, strict=True))


def _curve(scale: Scale, shares: list[float], recalls: list[float]) -> str:
    """Draw the part of a curve that is on the axis, to its very ends."""
    inside = [share for share in shares if scale.low < share < scale.high]
    ends = [scale.low, *inside, scale.high]
    return _line(scale, ends, np.interp(ends, shares, recalls))


def _rise(scale: Scale, prior: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the curve on which every selected row is positive until all positives are selected."""
    shares = np.unique([*scale.shares(), min(prior, scale.high)])
    return shares, np.minimum(1.0, shares / prior)


def _band(scale: Scale, lower: float | None, upper: float | None) -> str | None:
    if not lower or not upper:
        return None
    there, back = _rise(scale, lower), _rise(scale, upper)
    return f"{_line(scale, *there)} {_line(scale, back[0][::-1], back[1][::-1])}"


def _letters(scale: Scale, rules: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the letters of the rules in the picture; marks that are close get one label."""
    groups: list[dict[str, Any]] = []
    for rule in sorted(rules, key=lambda rule: rule["index"]):
        place = _place(scale, rule["numbers"])
        if place["x"] > 100:
            continue
        near = groups and (
            abs(place["x"] - groups[-1]["last"]["x"]) < _NEAR[0]
            and abs(place["y"] - groups[-1]["last"]["y"]) < _NEAR[1]
        )
        if near:
            groups[-1]["text"] += f" {rule['letter']}"
            groups[-1]["last"] = place
        else:
            groups.append({**place, "text": rule["letter"], "last": place})
    return groups


def _description(chosen: dict[str, Any]) -> str:
    recall = percent(chosen["recall"])
    if chosen["recall_lower"] is not None:
        recall = f"{percent(chosen['recall_lower'])} to {percent(chosen['recall_upper'])}"
    return (
        f"Recall against the share of rows selected. The chosen cut selects "
        f"{percent(chosen['share'])} of the rows and finds {recall} of the "
        "positives. The table of cuts has the numbers."
    )

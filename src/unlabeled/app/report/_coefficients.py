"""What drives the score: coefficients, and the effects of one standard deviation."""

from __future__ import annotations

import math
from typing import Any

from ..table_model import FitRecord
from ._text import brief, decimals_for, finite, level, number, signed

_MOST_DRAWN, _MOST_LISTED = 20, 500
_NUMBERS = ("coef", "lower", "upper", "spread", "effect")


def coefficients_section(record: FitRecord) -> dict[str, Any] | None:
    """Return the coefficients, split into those to plot and the others; None if there are none."""
    part = record.coefficients
    rows = [_row(row) for row in part.get("rows") or []]
    rows = [row for row in rows if row["coef"] is not None]
    if not rows:
        return None
    drawn, rest = rows[:_MOST_DRAWN], rows[_MOST_DRAWN:_MOST_LISTED]
    scale = _scale(drawn)
    unit = part.get("scale") or "log-odds of the class per unit of the feature"
    odds = "log-odds" in unit
    decimals = decimals_for(max(abs(row["effect"] or 0.0) for row in rows))
    for row in rows:
        row["effect_text"] = signed(row["effect"], decimals)
    for row in drawn:
        row["drawn"] = _drawn(row, scale, decimals)
    return {
        "rows": drawn,
        "rest": rest,
        "in_all": len(rows),
        "ticks": [{"x": _place(tick, scale), "text": _tick(tick)} for tick in _ticks(scale)],
        "zero": _place(0.0, scale),
        "unit": unit,
        "of": "log-odds of being positive" if odds else "score",
        "interval": part.get("interval") or "",
        "level": level(part),
        "has_intervals": any(row["lower"] is not None for row in rows),
        "has_words": any(row["words"] for row in rows),
        "example": _example(drawn[0]) if odds else None,
    }


def members_of(record: FitRecord) -> dict[str, Any] | None:
    """Return the members of an ensemble, and why others were left out; None without members."""
    method = record.method
    members = [one for one in method.get("members") or [] if isinstance(one, dict)]
    left_out = method.get("left_out")
    if not members:
        return None
    return {
        "rows": [
            {
                "name": str(one.get("name") or ""),
                "what": str(one.get("what") or ""),
                "weight": finite(one.get("weight")),
                "log_likelihood": finite(one.get("log_likelihood")),
            }
            for one in members
        ],
        "left_out": [
            f"Left out: {name}. {why}"
            for name, why in (left_out if isinstance(left_out, dict) else {}).items()
        ],
    }


def propensity_of(record: FitRecord) -> dict[str, Any] | None:
    """Return how often positive rows are labeled, by what labels follow; None if at random."""
    part = record.labeled_by or {}
    given = part.get("settings")
    settings = [one for one in given if isinstance(one, dict)] if isinstance(given, list) else []
    known = [one for one in settings if finite(one.get("labeled")) is not None]
    least: dict[str, float] = {}
    for one in known:
        column = str(one.get("column") or "")
        least[column] = min(least.get(column, math.inf), one["labeled"])
    if not known:
        return None
    return {
        "sentence": str(part.get("sentence") or ""),
        "rows": [
            {
                "column": str(one.get("column") or ""),
                "value": str(one.get("value") or ""),
                "rows": finite(one.get("rows")),
                "labeled": one["labeled"],
                "times": one["labeled"] / max(least[str(one.get("column") or "")], 1e-12),
            }
            for one in known
        ],
    }


def _row(row: dict[str, Any]) -> dict[str, Any]:
    numbers = {name: finite(row.get(name)) for name in _NUMBERS}
    if numbers["lower"] is None or numbers["upper"] is None:
        numbers["lower"] = numbers["upper"] = None
    coef, spread = numbers["coef"], numbers["spread"]
    if numbers["effect"] is None and coef is not None and spread is not None:
        numbers["effect"] = coef * spread
    feature = str(row.get("feature") or "")
    column = str(row.get("column") or "")
    return {
        "feature": feature,
        "column": "" if column in feature else column,
        "words": _words(row.get("words"), numbers["effect"]),
        **numbers,
    }


def _words(part: Any, effect: float | None) -> str:
    """Write which words of a text feature go with a higher score, and which with a lower one."""
    known = part if isinstance(part, dict) and effect is not None else {}
    higher, lower = ("large", "small") if (effect or 0.0) >= 0 else ("small", "large")
    written = [
        f"words that {verb} the score: {', '.join(str(word) for word in known[way])}"
        for verb, way in (("raise", higher), ("lower", lower))
        if isinstance(known.get(way), list) and known[way]
    ]
    return "; ".join(written)


def _ends(row: dict[str, Any]) -> list[float]:
    """Return the effect and, if known, its lower and upper bound; empty for an unknown effect."""
    if row["effect"] is None:
        return []
    if row["lower"] is None or row["spread"] is None:
        return [row["effect"]]
    return [row["effect"], row["lower"] * row["spread"], row["upper"] * row["spread"]]


def _scale(rows: list[dict[str, Any]]) -> tuple[float, float]:
    """Return the axis limits: they contain 0 and all effects, but may clip very wide intervals."""
    effects = [abs(row["effect"]) for row in rows if row["effect"] is not None]
    most = 4 * max(effects, default=0.0) or 1.0
    values = [max(-most, min(most, end)) for row in rows for end in _ends(row)] + [0.0]
    low, high = min(values), max(values)
    room = 0.06 * ((high - low) or 1.0)
    return low - room, high + room


def _place(value: float, scale: tuple[float, float]) -> float:
    low, high = scale
    return round(100 * (value - low) / (high - low), 3)


def _drawn(
    row: dict[str, Any], scale: tuple[float, float], decimals: int | None
) -> dict[str, Any] | None:
    ends = _ends(row)
    if not ends:
        return None
    text = f"Effect of one standard deviation: {signed(ends[0], decimals)}"
    shown: dict[str, Any] = {"x": _place(ends[0], scale), "text": text}
    if len(ends) == 3:
        shown["from"], shown["to"] = (_place(end, scale) for end in ends[1:])
        shown["text"] += f", from {signed(ends[1], decimals)} to {signed(ends[2], decimals)}"
    return shown


def _ticks(scale: tuple[float, float]) -> list[float]:
    """Return three to six round numbers inside the scale."""
    width = (scale[1] - scale[0]) / 4
    power = 10.0 ** math.floor(math.log10(width))
    step = next(step * power for step in (1, 2, 5, 10) if step * power >= width * 0.999)
    first, last = math.ceil(scale[0] / step), math.floor(scale[1] / step)
    return [k * step for k in range(first, last + 1)]


def _tick(value: float) -> str:
    return number(value) if value and abs(value) < 1e-4 else f"{value:g}".replace("-", "\u2212")


def _example(row: dict[str, Any]) -> dict[str, Any] | None:
    """Return what the largest effect means, for a sentence."""
    effect = row["effect"]
    if effect is None or row["spread"] is None or not 0 < abs(effect) < 20:
        return None
    return {
        "feature": row["feature"],
        "spread": brief(row["spread"]),
        "times": brief(math.exp(abs(effect))),
        "verb": "multiplies" if effect > 0 else "divides",
    }

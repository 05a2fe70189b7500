"""Recall against share selected, as places in a picture whose sides are 100 %."""

from __future__ import annotations

from typing import Any

from ._numbers import finite, percent

# Marks nearer than this, in percent of the sides, share a label.
_NEAR = (4.0, 6.0)
_SCALE = 1000


def curve_picture(summary: dict[str, Any], section: dict[str, Any]) -> dict[str, Any]:
    """Return the lines and marks of the picture.

    Lines are in a square of 1000 by 1000 that is stretched; marks are in percent, so that
    circles stay round and letters stay readable at every width.
    """
    curve, prior = summary["curve"], summary["class_prior"]
    chosen = section["now"]
    return {
        "curve": _line([0.0, *curve["share"]], [0.0, *curve["recall"]]),
        "perfect": _perfect(finite(prior.get("estimate"))),
        "band": _band(finite(prior.get("lower")), finite(prior.get("upper"))),
        "chosen": _place(chosen["share"], chosen["recall"]),
        "marks": [
            _place(rule["numbers"]["share"], rule["numbers"]["recall"]) for rule in section["rules"]
        ],
        "letters": _letters(section["rules"]),
        "description": _description(chosen),
    }


def _place(share: float, recall: float) -> dict[str, float]:
    return {"x": round(100 * share, 3), "y": round(100 - 100 * recall, 3)}


def _line(shares: list[float], recalls: list[float]) -> str:
    return " ".join(
        f"{_SCALE * share:.4g},{_SCALE * (1 - recall):.4g}"
        for share, recall in zip(shares, recalls, strict=True)
    )


def _perfect(prior: float | None) -> str | None:
    """Where every selected row is positive, until all positives are selected."""
    return None if prior is None else _line([0.0, prior, 1.0], [0.0, 1.0, 1.0])


def _band(lower: float | None, upper: float | None) -> str | None:
    if lower is None or upper is None:
        return None
    return _line([0.0, lower, upper], [0.0, 1.0, 1.0])


def _letters(rules: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Letters of the rules, those of neighbours together."""
    groups: list[dict[str, Any]] = []
    for rule in sorted(rules, key=lambda rule: rule["index"]):
        place = _place(rule["numbers"]["share"], rule["numbers"]["recall"])
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
    return (
        "A curve that rises from nothing selected and nothing found to everything selected and "
        f"everything found. The chosen cut selects {percent(chosen['share'])} of the rows and "
        f"finds {percent(chosen['recall'])} of the positives. The table of cuts has the numbers."
    )

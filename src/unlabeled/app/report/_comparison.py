"""How the method compares with others, from the record of a comparison."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..table_model import FitRecord
from ._text import NOT_KNOWN, SPACE, count, decimals_for, finite, fixed

_HEADINGS = {
    "f1_pu": "F1_PU",
    "f1": "F1",
    "label_auc": "Label AUC",
    "label_frequency": "Label frequency",
    "class_prior": "Class prior",
    "to_best": "Difference from the best",
}
_MEANINGS = {
    "f1_pu": "F1_PU is recall² / share; larger is better, and it can exceed 1.",
    "recall": "Recall: share of the labeled rows that are predicted positive.",
    "share": "Share: share of all rows that are predicted positive.",
    "gain": "Gain: recall minus share.",
    "label_auc": "Label AUC: how often a labeled row scores above an unlabeled one.",
    "label_frequency": "Label frequency: share of the positives that are labeled.",
    "class_prior": "Class prior: share of all rows that are positive.",
}
# With a class prior that is too large they come out larger; no reader wants to see that number.
_AT_MOST_ONE = ("precision", "f1")
# The difference from the best is put second, whatever the order of the measures.
_NOT_MEASURES = ("name", "splits", "failed", "failures", "warnings", "to_best")


_NAMES = {"ensemble": "the ensemble"}
_WHY_LEFT_OUT = {
    "ensemble": ": fitting it to every split usually takes longer than all others together. "
    "`unlabeled compare` compares it too"
}


def about_used_method(method: Any, compared: Iterable[Any]) -> str:
    """Say that the method that was used is not among the names of compared ones; "" if it is."""
    if not isinstance(method, str) or not method or method in set(compared):
        return ""
    return (
        f"The method that was used, {_NAMES.get(method, method)}, is not among the compared ones"
        f"{_WHY_LEFT_OUT.get(method, '')}."
    )


def comparison_section(record: FitRecord) -> dict[str, Any] | None:
    """Return a table with one row per method and one column per measure; None without one."""
    part = record.comparison
    if not isinstance(part, dict):
        return None
    methods = [one for one in part.get("methods") or [] if isinstance(one, dict)]
    if not methods:
        return None
    best, own = part.get("best"), record.method.get("name")
    columns = {name: _decimals(methods, name) for name in _columns(part, methods)}
    reading = [text for text in part.get("reading") or [] if isinstance(text, str)]
    left_out = about_used_method(own, [str(one.get("name")) for one in methods])
    return {
        "columns": [_HEADINGS.get(name, name.replace("_", " ").capitalize()) for name in columns],
        "rows": [
            {
                "name": str(one.get("name") or ""),
                "own": one.get("name") == own,
                "cells": [
                    _cell(one, key, decimals, one.get("name") == best)
                    for key, decimals in columns.items()
                ],
            }
            for one in methods
        ],
        "reading": [*([left_out] if left_out else []), *reading],
        "how": _how(part),
        "columns_mean": " ".join(_MEANINGS[name] for name in columns if name in _MEANINGS),
        "repeats": part.get("repeats"),
        "warned": _warned(methods),
        "failed": _failed(methods, part),
        "agreement": _agreement(part),
    }


def _columns(part: dict[str, Any], methods: list[dict[str, Any]]) -> list[str]:
    known = part.get("measures") or [key for one in methods for key in one]
    measures = [key for key in dict.fromkeys(known) if key not in _NOT_MEASURES]
    if any("to_best" in one for one in methods):
        measures.insert(1, "to_best")
    return measures


def _mean_and_error(value: Any) -> tuple[float | None, float | None]:
    part = value if isinstance(value, dict) else {"mean": value}
    mean = finite(part.get("mean", part.get("difference")))
    return mean, finite(part.get("error", part.get("se")))


def _decimals(methods: list[dict[str, Any]], key: str) -> int:
    """Return the decimals of a column: two, or more if all its numbers are small."""
    means = [abs(_mean_and_error(one.get(key))[0] or 0.0) for one in methods]
    return max(2, decimals_for(max(means)) or 2)


def _cell(method: dict[str, Any], key: str, decimals: int, is_best: bool) -> dict[str, Any]:
    """Return a cell: text, a number, or a mean with its standard error."""
    value = method.get(key)
    if key == "to_best" and is_best:
        return {"text": "the best", "more": "", "value": None}
    if isinstance(value, str):
        return {"text": value, "more": "", "value": None}
    mean, error = _mean_and_error(value)
    if key in _AT_MOST_ONE and mean is not None and mean > 1:
        return {"text": "above 1", "more": "", "value": None}
    if mean is None:
        return {"text": NOT_KNOWN, "more": "", "value": None}
    return {
        "text": fixed(mean, decimals),
        "more": "" if error is None or key == "seconds" else f"±{SPACE}{fixed(error, decimals)}",
        "value": mean,
    }


def _how(part: dict[str, Any]) -> str:
    rows, how = part.get("rows"), ""
    if not isinstance(rows, dict):
        rows = {}
    if {"fitted_to", "held_out"} <= set(rows) and part.get("repeats"):
        how = (
            f"Means and standard errors over {count(finite(part['repeats']))} random splits: "
            f"{count(finite(rows['fitted_to']))} rows to fit, "
            f"{count(finite(rows['held_out']))} to evaluate."
        )
    note = part.get("note")
    if not isinstance(note, str) or not note:
        return how
    return f"{how} {note[:1].upper()}{note[1:].removesuffix('.')}.".strip()


def _warned(methods: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the methods that warned, with the number of splits for each code."""
    return [
        {"name": one.get("name"), "codes": one["warnings"]}
        for one in methods
        if isinstance(one.get("warnings"), dict) and one["warnings"]
    ]


def _failed(methods: list[dict[str, Any]], part: dict[str, Any]) -> list[str]:
    return [
        f"{one.get('name')} failed on {one['failed']} of {part.get('repeats')} splits: "
        f"{next(iter(one.get('failures') or ['the reason is unknown']))}"
        for one in methods
        if one.get("failed")
    ]


def _agreement(part: dict[str, Any]) -> dict[str, Any] | None:
    """Return how often every two methods decide the same, and how alike they rank."""
    agreement = part.get("agreement")
    if not isinstance(agreement, dict) or len(agreement.get("methods") or []) < 2:
        return None
    alike = (agreement.get("decide_alike") or {}).get("mean")
    ranks = (agreement.get("rank_correlation") or {}).get("mean")
    names = agreement["methods"]
    if not alike or not ranks:
        return None
    pairs = [(i, j) for i in range(len(names)) for j in range(i)]
    return {
        "pairs": [
            {
                "first": names[j],
                "second": names[i],
                "alike": finite(alike[i][j]),
                "ranks": finite(ranks[i][j]),
            }
            for i, j in pairs
        ]
    }

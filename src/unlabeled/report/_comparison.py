"""How the method compares with others, from whatever record of it there is."""

from __future__ import annotations

from typing import Any

from ._numbers import finite, number

_WORDS = {"f1_pu": "F1_PU", "f1": "F1", "mcc": "Matthews correlation"}
_NAMES = ("name", "method", "label")


def comparison_section(summary: dict[str, Any]) -> dict[str, Any] | None:
    """Return a table, a row a method and a column a measure; None without a comparison."""
    record = summary.get("comparison")
    methods = record.get("methods") if isinstance(record, dict) else None
    if not isinstance(methods, list) or not methods:
        return None
    methods = [one for one in methods if isinstance(one, dict)]
    columns = list(dict.fromkeys(key for one in methods for key in one if _is_column(one, key)))
    return {
        "columns": [_heading(name) for name in columns],
        "rows": [
            {
                "name": _name(one),
                "own": _name(one) == (summary.get("method") or {}).get("name"),
                "cells": [_cell(one.get(key)) for key in columns],
            }
            for one in methods
        ],
        "notes": [record[key] for key in ("note", "sentence") if isinstance(record.get(key), str)],
    }


def _name(method: dict[str, Any]) -> str:
    return next((str(method[key]) for key in _NAMES if method.get(key)), "")


def _is_column(method: dict[str, Any], key: str) -> bool:
    value = method[key]
    return key not in _NAMES and (
        isinstance(value, str) or finite(value) is not None or _mean(value) is not None
    )


def _mean(value: Any) -> float | None:
    if not isinstance(value, dict):
        return None
    return finite(value.get("mean", value.get("estimate", value.get("value"))))


def _heading(key: str) -> str:
    words = key.replace("_", " ")
    return _WORDS.get(key, words[:1].upper() + words[1:])


def _cell(value: Any) -> dict[str, Any]:
    """Return a cell: text, a number, or a mean with its standard error or interval."""
    if isinstance(value, str):
        return {"text": value, "more": "", "value": None}
    mean = finite(value) if not isinstance(value, dict) else _mean(value)
    return {"text": number(mean), "more": _spread(value), "value": mean}


def _spread(value: Any) -> str:
    if not isinstance(value, dict):
        return ""
    error, ends = finite(value.get("se")), [finite(value.get(end)) for end in ("lower", "upper")]
    if None not in ends:
        return f"{number(ends[0])} to {number(ends[1])}"
    return "" if error is None else f"± {number(error)}"

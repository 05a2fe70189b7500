"""How the fit was made: everything needed to make it again."""

from __future__ import annotations

import shlex
from pathlib import PurePath
from typing import Any

from ..table_model import FitRecord, audit_command
from ._text import count, finite, number


def provenance_section(record: FitRecord) -> dict[str, Any]:
    """Return facts, columns and remarks."""
    columns, notes = record.columns, record.notes
    return {
        "facts": _facts(record),
        "used": columns.get("used") or [],
        "not_used": columns.get("not_used") or {},
        "remarks": [
            *record.remarks,
            *(f"{about.capitalize()}: {text}" for about, text in notes.items() if text),
        ],
    }


def folder_of(record: FitRecord) -> str:
    """Return the folder that the fit was written to; DIR if it is unknown."""
    words = _words(record)
    return words[words.index("--out") + 1] if "--out" in words[:-1] else "DIR"


def command_to_draw(record: FitRecord, folder: str) -> str | None:
    """Return the command that draws rows to check; None if there are too few."""
    words, audit = _words(record), record.audit or {}
    name = str(record.table.get("name") or "TABLE")
    # The record has no path of the table, but the command has.
    table = next((word for word in words[2:] if PurePath(word).name == name), name)
    earlier = len(audit.get("audits") or [])
    check = f"{folder}-check{f'-{earlier + 1}' if earlier else ''}"
    return audit_command(folder, table, check, finite(record.label.get("unlabeled")))


def _words(record: FitRecord) -> list[str]:
    """Return the words of the command that made the fit; none if it is not known."""
    try:
        return shlex.split(str(record.made.get("command") or ""))
    except ValueError:
        return []


def _facts(record: FitRecord) -> list[dict[str, Any]]:
    made, table = record.made, record.table
    facts: list[tuple[str, Any, bool]] = [
        ("Command", made.get("command"), True),
        ("When", made.get("at"), False),
        ("Table", table.get("name"), True),
        ("Rows", count(table["rows"]), False),
        ("Columns", _counted(table.get("columns")), False),
        ("Bytes", _counted(table.get("bytes")), False),
        ("SHA-256", table.get("sha256"), True),
        ("Label", _label(record.label), False),
        ("Checked rows", _checked(record.checked), False),
        ("Groups", (record.groups or {}).get("sentence"), False),
        ("Labels follow", _follows(record.labeled_by), False),
        ("Row ID column", record.columns.get("id"), True),
        ("Method", _method(record.method), False),
        ("Why this method", record.method.get("why"), False),
        ("Class prior", _how(record.class_prior), False),
        ("Label frequency", _how(record.label_frequency), False),
        ("Random seed", made.get("seed"), False),
        ("Versions", _pairs(made.get("versions")), False),
        ("Seconds", _pairs(_written(made.get("seconds"))), False),
    ]
    return [
        {"name": name, "value": str(value), "code": code}
        for name, value, code in facts
        if value not in (None, "")
    ]


def _counted(value: Any) -> str | None:
    if isinstance(value, list):
        return count(len(value))
    return None if finite(value) is None else count(value)


def _label(label: dict[str, Any]) -> str:
    if label.get("cases"):
        return f"the rows of {label['cases']}, beside the table"
    labeled = f"{label.get('column')} = {label.get('positive')}"
    others = label.get("other_values") or {}
    parts = [f"{count(finite(times))} with {value!r}" for value, times in others.items()]
    if label.get("blank"):
        parts.append(f"{count(finite(label['blank']))} blank")
    return labeled + (f" (unlabeled rows: {', '.join(parts)})" if parts else "")


def _checked(part: Any) -> str | None:
    """Write how many checked rows the fit used."""
    if not isinstance(part, dict):
        return None
    found = (f"{count(finite(part.get(kind)))} {kind}" for kind in ("positive", "negative"))
    said = part.get("said") or []
    sentences = " ".join(str(one) for one in said) if isinstance(said, list) else ""
    return f"{', '.join(found)}; the fit uses them. {sentences}".removesuffix(". ")


def _follows(part: Any) -> str | None:
    """Write the columns that labeling follows."""
    columns = part.get("columns") if isinstance(part, dict) else None
    return ", ".join(str(one) for one in columns) if isinstance(columns, list) else None


def _method(method: dict[str, Any]) -> str:
    names = [str(method[key]) for key in ("name", "class") if method.get(key)]
    return ", ".join(dict.fromkeys(names))


def _how(part: dict[str, Any]) -> str | None:
    estimate = finite(part.get("estimate"))
    if estimate is None:
        return None
    if part.get("given"):
        return f"{number(estimate)}, as given"
    method = part.get("method")
    if not method:
        return number(estimate)
    lower, upper = finite(part.get("lower")), finite(part.get("upper"))
    ends = "" if lower is None or upper is None else f" {number(lower)} to {number(upper)}"
    of = "for the population that the rows were drawn from"
    return f"{number(estimate)} (interval{ends}: {method}; {of})"


def _written(seconds: Any) -> dict[str, str]:
    known = seconds if isinstance(seconds, dict) else {}
    return {name: f"{finite(value) or 0.0:.1f}" for name, value in known.items()}


def _pairs(part: Any) -> str | None:
    if not isinstance(part, dict) or not part:
        return None
    return ", ".join(f"{name} {value}" for name, value in part.items())

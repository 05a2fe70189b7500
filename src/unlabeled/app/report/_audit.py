"""What checked rows say, beside what labels alone said."""

from __future__ import annotations

from typing import Any

from ._count import level
from ._cut import rule_words
from ._text import count, finite, percent, plain, ratio

_MEASURES = {
    "count": ("Positive rows", "labelled ones included"),
    "precision": ("Precision", "of the selected rows are positive"),
    "recall": ("Recall", "of the positives are selected"),
    "f1": ("F1", "combines both; 1 is best"),
}
_FORMATS = {"count": "count", "f1": "ratio"}
_WRITE = {"count": count, "f1": ratio}


def audit_section(summary: dict[str, Any]) -> dict[str, Any] | None:
    """Return what labels alone said and what checked rows say; None without checked rows."""
    audit = summary.get("audit")
    if not audit:
        return None
    rows = finite(audit["table"].get("rows")) or 1.0
    return {
        "verdict": audit.get("verdict") or "",
        "checked": audit.get("checked"),
        "missing": audit.get("missing"),
        "audits": len(audit.get("audits") or []),
        "level": level(audit),
        "table": audit["table"].get("name") or "",
        "fitted": bool(audit["table"].get("fitted")),
        "rows": [_row(name, audit, rows) for name in _MEASURES if audit.get(name)],
        "ticks": (0, 25, 50, 75, 100),
        "range": _range(audit),
        "scar": (audit.get("scar") or {}).get("sentence"),
        "cut": _cut(audit.get("cut") or {}),
    }


def audited_title(summary: dict[str, Any]) -> dict[str, str] | None:
    """Return title and range of the page by the checked rows, if they are of the fitted table."""
    audit = summary.get("audit")
    if not audit or not audit["table"].get("fitted"):
        return None
    found = _three(audit.get("count"))
    claimed = finite((audit.get("claimed") or {}).get("count"))
    said = "" if claimed is None else f" The labels alone said about {count(claimed)}."
    return {
        "title": f"About {count(found['estimate'])} of {count(summary['table']['rows'])} rows are "
        "positive",
        "range": f"Between {count(found['lower'])} and {count(found['upper'])} ({level(audit)} "
        f"interval), by {count(finite(audit.get('checked')))} checked rows.{said}",
    }


def _three(record: Any) -> dict[str, float | None]:
    known = record or {}
    return {name: finite(known.get(name)) for name in ("estimate", "lower", "upper")}


def _row(name: str, audit: dict[str, Any], rows: float) -> dict[str, Any]:
    found, claimed = _three(audit[name]), finite((audit.get("claimed") or {}).get(name))
    title, means = _MEASURES[name]
    most = rows if name == "count" else 1.0
    write = _WRITE.get(name, percent)
    said = "" if claimed is None else f"Labels alone said {write(claimed)}. "
    return {
        "name": title,
        "means": means,
        "format": _FORMATS.get(name, "percent"),
        "claimed": claimed,
        **found,
        "x": {end: _place(value, most) for end, value in (*found.items(), ("claimed", claimed))},
        "text": f"{title}. {said}Checked rows say {write(found['estimate'])}, between "
        f"{write(found['lower'])} and {write(found['upper'])}.",
    }


def _place(value: float | None, most: float) -> float | None:
    return None if value is None else round(100 * min(1.0, max(0.0, value / most)), 3)


def _range(audit: dict[str, Any]) -> dict[str, float | None] | None:
    """Return the ends of the count whatever the missing answers are; None if none is missing."""
    if not audit.get("missing"):
        return None
    return _three((audit.get("range") or {}).get("count"))


def _cut(cut: dict[str, Any]) -> dict[str, Any] | None:
    if finite(cut.get("threshold")) is None:
        return None
    measures = [
        {"name": _MEASURES[name][0], "format": _FORMATS.get(name, "percent"), **_three(cut[name])}
        for name in ("precision", "recall", "f1")
        if _three(cut.get(name))["estimate"] is not None
    ]
    return {
        "rule": rule_words(str(cut.get("rule") or ""))["name"],
        "threshold": plain(finite(cut["threshold"])),
        "selected": finite(cut.get("selected")),
        "before": finite(cut.get("selected_before")),
        "measures": measures,
    }

"""What checked rows say, beside what labels alone said."""

from __future__ import annotations

from typing import Any

from scipy.special import expit

from ...thresholds import rule_words
from ..table_model import FitRecord
from ._count import level
from ._text import count, finite, percent, plain, ratio

_MEASURES = {
    "count": ("Positive rows", "labelled ones included"),
    "precision": ("Precision", "of the selected rows are positive"),
    "recall": ("Recall", "of the positives are selected"),
    "f1": ("F1", "combines both; 1 is best"),
}
_FORMATS = {"count": "count", "f1": "ratio"}
_WRITE = {"count": count, "f1": ratio}
# With at most this share of the answers missing, the title is still an estimate.
_FEW_MISSING = 0.05


def audit_section(summary: FitRecord) -> dict[str, Any] | None:
    """Return what labels alone said and what checked rows say; None without checked rows."""
    audit = summary.audit
    if not audit:
        return None
    rows = finite(audit["table"].get("rows")) or 1.0
    return {
        "verdict": audit.get("verdict") or "",
        "warnings": audit.get("warnings") or [],
        "claimed_by": _claimed_by(audit),
        "of_fit": f"the {_claimed_by(audit).removeprefix('the ')}",
        "checked": audit.get("checked"),
        "missing": audit.get("missing") or 0,
        "many_missing": _many_missing(audit),
        "audits": len(audit.get("audits") or []),
        "level": level(audit),
        "table": audit["table"].get("name") or "",
        "fitted": bool(audit["table"].get("fitted")),
        "rows": [_row(name, audit, rows) for name in _MEASURES if audit.get(name)],
        "ticks": (0, 25, 50, 75, 100),
        "alike": _three(audit.get("count")),
        "scar": (audit.get("scar") or {}).get("sentence"),
        "cut": _cut(audit, rows),
    }


def _claimed_by(audit: dict[str, Any]) -> str:
    """Return who claimed what the checked rows are compared with; older audits do not say."""
    return str(audit.get("claimed_by") or "labels alone")


def _claimant(audit: dict[str, Any]) -> str:
    return f"The {_claimed_by(audit).removeprefix('the ')}"


def audited_title(summary: FitRecord) -> dict[str, str] | None:
    """Return title and range of the page by the checked rows, if they are of the fitted table."""
    audit = summary.audit
    if not audit or not audit["table"].get("fitted"):
        return None
    found = _three(_honest(audit, "count"))
    estimate, ends = count(found["estimate"]), [count(found[end]) for end in ("lower", "upper")]
    rows, checked = count(summary.table["rows"]), count(finite(audit.get("checked")))
    missing = finite(audit.get("missing")) or 0.0
    claimed = finite((audit.get("claimed") or {}).get("count"))
    said = "" if claimed is None else f" {_claimant(audit)} said about {count(claimed)}."
    if _many_missing(audit):
        return {
            "title": f"Between {ends[0]} and {ends[1]} of {rows} rows are positive",
            "range": f"This is the {level(audit)} interval by {checked} checked rows, whatever the "
            f"{count(missing)} missing answers are. If rows without an answer are like the others "
            f"with similar scores, about {estimate} rows are positive.{said}",
        }
    whatever = ", whatever the missing answers are" if missing else ""
    return {
        "title": f"About {estimate} of {rows} rows are positive",
        "range": f"Between {ends[0]} and {ends[1]} ({level(audit)} interval{whatever}), by "
        f"{checked} checked rows.{said}",
    }


def _many_missing(audit: dict[str, Any]) -> bool:
    """Whether so many answers are missing that estimates depend on what they would be."""
    missing, checked = (finite(audit.get(name)) or 0.0 for name in ("missing", "checked"))
    return missing > _FEW_MISSING * (missing + checked)


def _honest(record: dict[str, Any], name: str, missing: Any = None) -> Any:
    """Return a measure with an interval that holds whatever missing answers are.

    Without such an interval it has none.
    """
    found = record.get(name)
    if not (record.get("missing") if missing is None else missing) or not found:
        return found
    return (record.get("range") or {}).get(name) or {"estimate": found.get("estimate")}


def _three(record: Any) -> dict[str, float | None]:
    known = record or {}
    return {name: finite(known.get(name)) for name in ("estimate", "lower", "upper")}


def _row(name: str, audit: dict[str, Any], rows: float) -> dict[str, Any]:
    found, claimed = _three(_honest(audit, name)), finite((audit.get("claimed") or {}).get(name))
    title, means = _MEASURES[name]
    most = rows if name == "count" else 1.0
    write = _WRITE.get(name, percent)
    said = "" if claimed is None else f"{_claimant(audit)} said {write(claimed)}. "
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


def _cut(audit: dict[str, Any], rows: float) -> dict[str, Any] | None:
    """Return the audited threshold, what it selects, and how good that is."""
    cut = audit.get("cut") or {}
    threshold = finite(cut.get("threshold"))
    if threshold is None:
        return None
    found = {
        name: _three(_honest(cut, name, audit.get("missing") or 0))
        for name in ("recall", "precision", "f1")
    }
    measures = [
        {
            "name": _MEASURES[name][0],
            "means": _MEASURES[name][1],
            "format": _FORMATS.get(name, "percent"),
            **one,
        }
        for name, one in found.items()
        if one["estimate"] is not None
    ]
    selected = finite(cut.get("selected"))
    return {
        "rule": rule_words(str(cut.get("rule") or "")).name,
        "threshold": plain(threshold),
        "selected": selected,
        "share": None if selected is None else selected / rows,
        "unlabelled": finite(cut.get("selected_unlabelled")),
        "before": finite(cut.get("selected_before")),
        "posterior": _posterior(cut.get("posterior_line"), threshold),
        "measures": measures,
        "file": audit.get("file"),
    }


def _posterior(line: Any, threshold: float) -> float | None:
    """Return the audited posterior of a row at the threshold."""
    ends = [finite(one) for one in line] if isinstance(line, list) else []
    if len(ends) != 2 or ends[0] is None or ends[1] is None:
        return None
    return float(expit(ends[0] + ends[1] * threshold))

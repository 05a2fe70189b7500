"""What checked rows say, beside what labels alone said."""

from __future__ import annotations

from typing import Any

from scipy.special import expit

from ...thresholds import rule_words
from ..table_model import FitRecord
from ._text import FORMATS, count, finite, level, plain, three

_MEASURES = {
    key: {"name": name, "means": means, "format": kind}
    for key, name, means, kind in (
        ("count", "Positive rows", "labeled ones included", "count"),
        ("precision", "Precision", "of the selected rows are positive", "percent"),
        ("recall", "Recall", "of the positives are selected", "percent"),
        ("f1", "F1", "combines both; 1 is best", "ratio"),
    )
}
# With at most this share of the answers missing, the title is still an estimate.
_FEW_MISSING = 0.05


def audit_section(record: FitRecord) -> dict[str, Any] | None:
    """Return what labels alone said and what checked rows say; None without checked rows."""
    audit = record.audit
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
        "alike": three(audit.get("count")),
        "ends": audit.get("ends") or [],
        "wrong_labels": (audit.get("wrong_labels") or {}).get("sentence"),
        "scar": (audit.get("scar") or {}).get("sentence"),
        "cut": _cut(audit, rows),
    }


def _claimed_by(audit: dict[str, Any]) -> str:
    """Return who claimed what the checked rows are compared with; older audits do not say."""
    return str(audit.get("claimed_by") or "labels alone")


def _claimant(audit: dict[str, Any]) -> str:
    return f"The {_claimed_by(audit).removeprefix('the ')}"


def audited_title(record: FitRecord) -> dict[str, str] | None:
    """Return title and range of the page by the checked rows, if they are of the fitted table."""
    audit = record.audit
    if not audit or not audit["table"].get("fitted"):
        return None
    found = three(_honest(audit, "count", audit.get("missing")))
    estimate, ends = count(found["estimate"]), [count(found[end]) for end in ("lower", "upper")]
    rows, checked = count(record.table["rows"]), count(finite(audit.get("checked")))
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


def _honest(part: dict[str, Any], name: str, missing: Any) -> Any:
    """Return a measure with the interval, if any, that holds whatever missing answers are."""
    found = part.get(name)
    if not missing or not found:
        return found
    return (part.get("range") or {}).get(name) or {"estimate": found.get("estimate")}


def _row(name: str, audit: dict[str, Any], rows: float) -> dict[str, Any]:
    found = three(_honest(audit, name, audit.get("missing")))
    claimed = finite((audit.get("claimed") or {}).get(name))
    measure, most = _MEASURES[name], rows if name == "count" else 1.0
    write = FORMATS[measure["format"]]
    said = "" if claimed is None else f"{_claimant(audit)} said {write(claimed)}. "
    return {
        **measure,
        "claimed": claimed,
        **found,
        "x": {end: _place(value, most) for end, value in (*found.items(), ("claimed", claimed))},
        "text": f"{measure['name']}. {said}Checked rows say {write(found['estimate'])}, between "
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
    measures = [
        _MEASURES[name] | three(_honest(cut, name, audit.get("missing")))
        for name in ("recall", "precision", "f1")
    ]
    selected = finite(cut.get("selected"))
    return {
        "rule": rule_words(str(cut.get("rule") or "")).name,
        "threshold": plain(threshold),
        "selected": selected,
        "share": None if selected is None else selected / rows,
        "unlabeled": finite(cut.get("selected_unlabeled")),
        "before": finite(cut.get("selected_before")),
        "posterior": _posterior(cut.get("posterior_line"), threshold),
        "measures": [one for one in measures if one["estimate"] is not None],
        "file": audit.get("file"),
        "kept": bool(cut.get("kept")),
        "ends": [] if cut.get("kept") else cut.get("ends") or [],
    }


def _posterior(line: Any, threshold: float) -> float | None:
    """Return the audited posterior of a row at the threshold."""
    ends = [finite(one) for one in line] if isinstance(line, list) else []
    if len(ends) != 2 or ends[0] is None or ends[1] is None:
        return None
    return float(expit(ends[0] + ends[1] * threshold))

"""What the codes of a report mean, and what to do: nobody has to look them up elsewhere."""

from __future__ import annotations

from typing import Any

from ..codes import CODES
from ._findings import Found


def glossary(summary: dict[str, Any], found: Found) -> dict[str, dict[str, str]]:
    """Return anchor, meaning, remedy and page of the documentation of the codes that occur."""
    occur = {one["code"] for one in (*found.speaking, *found.warnings)} | _compared(summary)
    return {
        code: {
            "anchor": f"code-{code.lower()}",
            "means": CODES[code].meaning,
            "remedy": CODES[code].remedy,
            "page": f"checks.html#{code.lower()}",
        }
        for code in sorted(occur & CODES.keys())
    }


def _compared(summary: dict[str, Any]) -> set[str]:
    """Codes of the warnings that compared methods gave."""
    record = summary.get("comparison")
    methods = record.get("methods") if isinstance(record, dict) else None
    warned = [one.get("warnings") for one in methods or [] if isinstance(one, dict)]
    return {code for codes in warned if isinstance(codes, dict) for code in codes}

"""What the codes of a report mean, and what to do: nobody has to look them up elsewhere."""

from __future__ import annotations

from typing import Any

from ..codes import CODES
from ._findings import Found

REMEDIES: dict[str, str] = {
    "PU101": "Say which value marks labelled rows.",
    "PU102": "Use pu-logistic, which has a ridge; or fewer columns, or more labels.",
    "PU103": "Use pu-logistic, which has a ridge; or drop the column that separates.",
    "PU104": "Nothing, for decisions. To read coefficients, drop one of the columns.",
    "PU105": "Use pu-logistic; look for a column that nearly gives the labels away.",
    "PU106": "Give the class prior if you know it. Ranks and recall do without it.",
    "PU107": "Use another method: pu-logistic, or joint.",
    "PU108": "Distrust the number of positives; look for better columns, or give the class prior.",
    "PU109": "Nothing, for a handful of rows. For many, use joint, or give the class prior.",
    "PU110": "Look at the columns: they say little about who is labelled. If hardly any row is "
    "negative, it may also be right.",
    "PU111": "Look at the columns: they say little about who is labelled.",
    "PU112": "Give a smaller class prior. With few labelled rows chance alone can do this.",
    "PU113": "Give a smaller class prior, or none: it is then estimated.",
    "PU114": "Label more rows, if that can be done. Otherwise use the ranks, not the cut.",
    "PU115": "More labelled rows help, or a method that needs fewer.",
    "PU116": "Compare some scores with those of the fit, or fit again.",
    "PU117": "Fit again, and let it end.",
    "PU201": "Ask how rows came to be labelled. If it was by a column, the answers are about rows "
    "like the labelled ones; a few rows labelled at random would tell more.",
    "PU202": "Give the class prior if you know it; more rows and better columns help. Ranks and "
    "recall do without it.",
    "PU203": "Use pu-logistic or joint. Transforming skewed columns also helps.",
    "PU204": "Find out when the column becomes known. If that is after a row is labelled, drop it.",
    "PU205": "Look at the rows that are listed, and take wrong labels off.",
    "PU206": "Drop the unlabelled copies.",
}
"""What to do about each code, for somebody who fits from a terminal."""


def glossary(summary: dict[str, Any], found: Found) -> dict[str, dict[str, str]]:
    """Return anchor, meaning, remedy and page of the documentation of the codes that occur."""
    occur = {one["code"] for one in (*found.speaking, *found.warnings)} | _compared(summary)
    return {
        code: {
            "anchor": f"code-{code.lower()}",
            "means": CODES[code],
            "remedy": REMEDIES[code],
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

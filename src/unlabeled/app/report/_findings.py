"""Findings of the checks and warnings of the fit, with what their codes mean and what to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...codes import CODES
from ...diagnostics import STATES
from ..tables import without_python

_PROBLEMS = ("serious", "warning", "note")


@dataclass(frozen=True)
class Found:
    """Findings and warnings, in the order of the summary.

    Attributes
    ----------
    findings, warnings : list of dict
        With `anchor`, `state`, `code`, `check`, `message` and `means`.
    """

    findings: list[dict[str, Any]]
    warnings: list[dict[str, Any]]

    def of_state(self, *states: str) -> list[dict[str, Any]]:
        """Return the findings of some states, the worst state first."""
        kept = [one for one in self.findings if one["state"] in states]
        return sorted(kept, key=lambda one: -STATES.index(one["state"]))

    @property
    def problems(self) -> list[dict[str, Any]]:
        """Findings of a problem, the worst first."""
        return self.of_state(*_PROBLEMS)

    def standing(self, codes: set[str], main: str) -> dict[str, Any]:
        """Return what speaks against an assumption.

        `codes` are related to it, and the check `main` tests it.
        """
        against = [one for one in self.problems if one["code"] in codes]
        against += [one for one in self.warnings if one["code"] in codes]
        checked = [one for one in self.findings if one["code"] == main]
        if any(one["state"] in ("serious", "warning") for one in against):
            state = "in doubt"
        elif against:
            state = "uncertain"
        elif any(one["state"] == "fine" for one in checked):
            state = "no evidence against it"
        else:
            state = "not checked"
        why = next((one["message"] for one in checked if one["state"] == "not applicable"), None)
        return {"state": state, "against": against, "why": why if state == "not checked" else None}


def found_of(summary: dict[str, Any]) -> Found:
    """Return findings and warnings with their anchors in the page and what their codes mean."""
    findings = [
        {**_common(one, f"finding-{k}"), "check": one.get("check") or "", "state": _state(one)}
        for k, one in enumerate(summary.get("findings") or [], 1)
    ]
    warnings = [
        {**_common(one, f"warning-{k}"), "check": "fit", "state": "warning"}
        for k, one in enumerate(summary.get("warnings") or [], 1)
    ]
    return Found(findings, warnings)


def _common(one: dict[str, Any], anchor: str) -> dict[str, Any]:
    code = one.get("code") or ""
    message = str(one.get("message") or "").removeprefix(f"[{code}] ")
    if code in CODES and one.get("state") not in ("fine", "not applicable"):
        message = without_python(message) or f"{CODES[code].meaning}."
    return {
        "anchor": anchor,
        "code": code,
        "message": message[:1].upper() + message[1:],
        "means": CODES[code].meaning if code in CODES else "",
    }


def _state(one: dict[str, Any]) -> str:
    state = one.get("state")
    return state if state in STATES else "note"


def glossary(summary: dict[str, Any], found: Found) -> dict[str, dict[str, str]]:
    """Return meaning, remedy, anchor and place in the documentation for every code on the page."""
    occur = {one["code"] for one in (*found.problems, *found.warnings)} | _compared(summary)
    return {
        code: {
            "anchor": f"code-{code.lower()}",
            "means": CODES[code].meaning,
            "remedy": CODES[code].remedy,
            "page": f"docs/checks.rst of the documentation, section {code}",
        }
        for code in sorted(occur & CODES.keys())
    }


def _compared(summary: dict[str, Any]) -> set[str]:
    """Return the codes of the warnings of compared methods."""
    record = summary.get("comparison")
    methods = record.get("methods") if isinstance(record, dict) else None
    warned = [one.get("warnings") for one in methods or [] if isinstance(one, dict)]
    return {code for codes in warned if isinstance(codes, dict) for code in codes}

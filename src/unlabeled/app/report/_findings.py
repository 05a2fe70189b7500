"""Findings of the checks and warnings of the fit, with what their codes mean and what to do."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup, escape

from ...codes import CODES, section_of
from ...diagnostics import STATES
from ..table_model import FitRecord
from ._text import unbroken

_PROBLEMS = ("serious", "warning", "note")
_CODE = re.compile(r"\bPU\d{3}\b")
_QUOTED = re.compile(r"`([^`]+)`")
# Text that names a code without showing it.
_NOT_SHOWN = ("code", "page")
_LONGEST_PROSE = 1200


@dataclass(frozen=True)
class Findings:
    """Findings and warnings, in the order of the record.

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

    def standing(self, codes: set[str], main: Collection[str]) -> dict[str, Any]:
        """Return what speaks against an assumption.

        `codes` are related to it, and the checks `main` test it.
        """
        against = [one for one in self.problems if one["code"] in codes]
        against += [one for one in self.warnings if one["code"] in codes]
        checked = [one for one in self.findings if one["code"] in main]
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


def findings_of(record: FitRecord) -> Findings:
    """Return findings and warnings with their anchors in the page and what their codes mean."""
    findings = [
        {**_common(one, f"finding-{k}"), "check": one.get("check") or "", "state": _state(one)}
        for k, one in enumerate(record.findings, 1)
    ]
    warnings = [
        {**_common(one, f"warning-{k}"), "check": "fit", "state": "warning"}
        for k, one in enumerate(record.warnings, 1)
    ]
    return Findings(findings, warnings)


def _common(one: dict[str, Any], anchor: str) -> dict[str, Any]:
    code = one.get("code") or ""
    message = str(one.get("message") or "").removeprefix(f"[{code}] ")
    if isinstance(one.get("terminal"), str) and code in CODES:
        message = one["terminal"] or f"{CODES[code].meaning}."
    return {
        "anchor": anchor,
        "code": code,
        "message": message[:1].upper() + message[1:],
        "means": CODES[code].meaning if code in CODES else "",
    }


def _state(one: dict[str, Any]) -> str:
    state = one.get("state")
    return state if state in STATES else "note"


def glossary(record: FitRecord, found: Findings) -> dict[str, dict[str, Any]]:
    """Return every code on the page: meaning, remedy, anchor, where it was seen, documentation."""
    told = [*found.problems, *found.warnings]
    occur = {one["code"] for one in told} | _compared(record)
    occur |= _codes_in(" ".join(_texts(record.dump())))
    new = occur & CODES.keys()
    while new:  # what one code says may name another
        occur |= new
        new = (
            _codes_in(" ".join(f"{CODES[code].meaning} {CODES[code].remedy}" for code in new))
            - occur
        )
    return {
        code: {
            "anchor": f"code-{code.lower()}",
            "means": CODES[code].meaning,
            "remedy": CODES[code].remedy,
            "seen": [one["anchor"] for one in told if one["code"] == code],
            "page": section_of(code),
        }
        for code in sorted(occur & CODES.keys())
    }


def prose_with(codes: dict[str, dict[str, Any]]) -> Callable[..., Markup]:
    """Return a filter for sentences: codes link to what they mean, and no number breaks.

    Text in backticks becomes code.
    Longer text than `most` is shortened; its `title` then has all of it.
    """

    def link(found: re.Match[str]) -> str:
        known = codes.get(found[0])
        return f'<a class="code" href="#{known["anchor"]}">{found[0]}</a>' if known else found[0]

    def prose(text: object, most: int = _LONGEST_PROSE) -> Markup:
        whole = unbroken(str(text))
        short = whole if len(whole) <= most else f"{whole[: most - 1].rstrip()}…"
        shown = _QUOTED.sub(r"<code>\1</code>", _CODE.sub(link, str(escape(short))))
        title = "" if short == whole else f' title="{escape(whole)}"'
        return Markup(f"<bdi{title}>{shown}</bdi>")

    return prose


def _codes_in(text: str) -> set[str]:
    return {code for code in _CODE.findall(text) if code in CODES}


def _texts(value: Any) -> Iterator[str]:
    """Yield the text of a part that the page may show."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, one in value.items():
            if key not in _NOT_SHOWN:
                yield from _texts(one)
    elif isinstance(value, list):
        for one in value:
            if not isinstance(one, float | int):
                yield from _texts(one)


def _compared(record: FitRecord) -> set[str]:
    """Return the codes of the warnings of compared methods."""
    part = record.comparison
    methods = part.get("methods") if isinstance(part, dict) else None
    warned = [one.get("warnings") for one in methods or [] if isinstance(one, dict)]
    return {code for codes in warned if isinstance(codes, dict) for code in codes}

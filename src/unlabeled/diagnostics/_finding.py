"""What one check found, and what all of them found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ..engine.result_table import ResultTable, TextTable

STATES = ("not applicable", "fine", "note", "warning", "serious")
"""The states of a finding, the worst last."""


@dataclass(frozen=True)
class Finding:
    """What one check found.

    Attributes
    ----------
    check : str
        Name of the check.
    code : str
        Key of `codes.CODES`.
    state : {"fine", "note", "warning", "serious", "not applicable"}
    message : str
        What was found, what it means, what to do; or why the check does not apply.
    facts : dict
        The numbers behind the message: plain numbers, texts and lists of them.
    """

    check: str
    code: str
    state: str
    message: str
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def page(self) -> str:
        """The page of the documentation that explains the code."""
        return f"checks.html#{self.code.lower()}"

    @property
    def _shown_code(self) -> str:
        """The code if there is something to look up."""
        return "" if self.state in ("fine", "not applicable") else self.code


@dataclass(frozen=True)
class Diagnosis(ResultTable):
    """Findings, in the order of the checks; prints as text, shows as HTML in a notebook.

    `to_frame` has one row per check: check, code, state and message.

    Attributes
    ----------
    findings : tuple of Finding
        ``diagnosis["leakage"]`` returns the finding of one check; iterating over the diagnosis
        yields all findings.
    note : str or None
        Which rows were checked, if not all of them.
    """

    findings: tuple[Finding, ...]
    note: str | None = None

    def __getitem__(self, check: str) -> Finding:
        for finding in self.findings:
            if finding.check == check:
                return finding
        names = ", ".join(repr(one.check) for one in self.findings)
        raise KeyError(f"`check` must be a check that was run, {names}; got {check!r}.")

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    @property
    def worst(self) -> str:
        """The worst state found."""
        return max((finding.state for finding in self.findings), key=STATES.index)

    def _columns(self) -> dict[str, list[str]]:
        columns = ("check", "code", "state", "message")
        return {name: [getattr(finding, name) for finding in self.findings] for name in columns}

    def _tables(self) -> list[TextTable]:
        rows = [
            (finding.check, finding._shown_code, finding.state, finding.message) for finding in self
        ]
        note = [] if self.note is None else [f"Checked {self.note}."]
        return [TextTable("", [[*self._columns()], *rows], note, left=range(4), is_wrapped=True)]

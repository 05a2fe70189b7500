"""The record of a fit: what `summary.json` holds, part by part."""

from __future__ import annotations

from dataclasses import MISSING, dataclass, field, fields
from typing import Any

Part = dict[str, Any]
"""Plain numbers, texts, lists and dicts."""

FORMAT = 1
"""Number of the format of a record; a later format has a larger one."""


@dataclass(kw_only=True)
class FitRecord:
    """What is known of a fit, without data about individual rows.

    A part that an older version did not write is empty. The documentation's page on the command
    line lists what the parts hold.

    Attributes
    ----------
    format : int
    made : dict
        How the fit was made: command, time, seed, seconds, versions.
    table, label : dict
        What was read, and what counted as labelled.
    checked, groups, labelled_by : dict or None
        What the fit knew beside the labels: checked rows, groups, columns that labelling follows.
    columns : dict
        Which columns were used.
    remarks : list of str
    method : dict
    class_prior, label_frequency, positives, hidden_positives : dict
        ``estimate``, ``lower`` and ``upper``; None where they are not known.
    if_checked : dict or None
        How long an audit's intervals would be.
    cut, curve : dict
        The chosen cut, and the cuts that a reader can choose from.
    rules : list of dict
        Where on the curve other rules cut.
    coefficients, sensitivity : dict
    findings, warnings : list of dict
        Each has a ``message``, and ``terminal`` if the command line is told something else.
    comparison : dict or None
    costs, notes : dict
    audit : dict or None
        What checked rows said.
    """

    format: int = FORMAT
    made: Part = field(default_factory=dict)
    table: Part
    label: Part
    checked: Part | None = None
    groups: Part | None = None
    labelled_by: Part | None = None
    columns: Part = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    method: Part = field(default_factory=dict)
    class_prior: Part
    label_frequency: Part = field(default_factory=dict)
    positives: Part = field(default_factory=dict)
    hidden_positives: Part = field(default_factory=dict)
    if_checked: Part | None = None
    cut: Part
    curve: Part
    rules: list[Part] = field(default_factory=list)
    coefficients: Part = field(default_factory=dict)
    sensitivity: Part = field(default_factory=dict)
    findings: list[Part] = field(default_factory=list)
    warnings: list[Part] = field(default_factory=list)
    comparison: Part | None = None
    costs: Part = field(default_factory=dict)
    notes: Part = field(default_factory=dict)
    audit: Part | None = None

    @classmethod
    def of(cls, summary: Part) -> FitRecord:
        """Read a record from its dump, also from one of an older version."""
        known = {part.name: summary.get(part.name) for part in fields(cls)}
        given = {name: value for name, value in known.items() if value is not None}
        for part in fields(cls):
            if part.name not in given and part.default is part.default_factory is MISSING:
                given[part.name] = {}
        record = cls(**given)
        for column in record.sensitivity.get("columns") or []:
            if isinstance(column, dict) and "if" in column:  # what 0.2.0 called it
                column["scenarios"] = column.pop("if")
        return record

    def dump(self) -> Part:
        """Return the record as plain values, for JSON."""
        parts = {part.name: getattr(self, part.name) for part in fields(self)}
        if self.audit is None:
            del parts["audit"]
        return parts

"""The record of a fit: plain numbers and texts, which `summary.json` holds part by part."""

from __future__ import annotations

import platform
from dataclasses import MISSING, asdict, dataclass, field, fields, replace
from typing import Any

import numpy as np

from ... import rates
from ...audit import draw_audit
from ...codes import told_in_terminal
from ...diagnostics import Diagnosis, Finding
from ...engine.result_table import plain
from ...engine.versions import versions_of
from ...linear_model import JointLogistic
from ...scores import positive_groups_density
from ...thresholds import rule_words
from ..tables import Table, checked_record, count
from ._columns import coefficients_record, labeled_by_record, sensitivity_record
from ._curve import Curve, curve_of, rates_at
from ._fit import TableFit

Part = dict[str, Any]
"""Plain numbers, texts, lists and dicts."""

FORMAT = 1
"""Number of the format of a record; a later format has a larger one."""

LEVEL = 0.95
_PACKAGES = ("unlabeled", "numpy", "scipy", "scikit-learn", "pandas", "pyarrow")
# The record says what this many checked rows would tell.
_CHECKED_ROWS = 100
# These find labels that are not random.
_OF_RANDOM_LABELS = ("scar", "labeling")
_OF_EVERY_CUT = ("threshold", "recall", "share", "posterior", "selected", "selected_unlabeled")
# Above this a precision does not come from chance alone.
_MOST_PRECISE = 1.05


@dataclass(kw_only=True)
class FitRecord:
    """What is known of a fit. Of single rows it has only the positions of doubtful labels.

    A part that an older version did not write is empty. The documentation's page on the command
    line lists what the parts hold.

    Attributes
    ----------
    format : int
    made : dict
        How the fit was made: command, time, seed, seconds, versions.
    table, label : dict
        What was read, and what counted as labeled.
    checked, groups, labeled_by : dict or None
        What the fit knew beside the labels: checked rows, groups, columns that labeling follows.
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
    labeled_by: Part | None = None
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


def record_of(
    fit: TableFit,
    table: Table | None,
    *,
    method: str,
    made: dict[str, Any],
    fingerprint: dict[str, Any] | None = None,
    why: str | None = None,
    class_prior: float | None = None,
    diagnosis: Diagnosis | None = None,
    notes: dict[str, str | None] | None = None,
    costs: tuple[float, float] = (1.0, 1.0),
) -> FitRecord:
    """Describe a fit for people and programs, without any cell of a row.

    Parameters
    ----------
    fit : TableFit
        A table and the classifier fitted to it.
    table : Table or None
        The table as it was read; None for rows that were given in Python.
    method : str
        Name of the method.
    made : dict
        How the fit was made: command, time, seed, seconds.
    fingerprint : dict, optional
        ``sha256`` and ``bytes`` of the file.
    why : str, optional
        Why this method was chosen, if it was chosen by the labels.
    class_prior : float, optional
        The class prior, if it was given.
    diagnosis : Diagnosis, optional
        The findings of the checks.
    notes : dict, optional
        Notes on the checks and on the comparison.
    costs : (float, float)
        Costs of a miss and of a false alarm.

    Returns
    -------
    record : FitRecord
    """
    labels, prepared, curve = fit.labels, fit.prepared, curve_of(fit)
    prior, frequency = _prior_and_frequency(fit, class_prior, LEVEL)
    known = 0 if labels.cases else labels.n_labeled
    n_rows = int(labels.of_population.sum())
    positives, hidden = _positives(prior, n_rows, known)
    versions = {"python": platform.python_version()} | versions_of(_PACKAGES)
    return FitRecord(
        made={**made, "versions": versions},
        table={
            "name": None if table is None else table.path.name,
            "rows": n_rows,
            "columns": len(prepared.features)
            if table is None
            else len(table.columns) - bool(labels.cases),
            **(fingerprint or {}),
        },
        label=labels.to_dict() | {"sentence": str(labels)},
        checked=_checked(fit),
        groups=_groups(fit),
        labeled_by=labeled_by_record(fit),
        columns={
            "used": list(prepared.features),
            "not_used": prepared.dropped,
            "id": prepared.id,
        },
        remarks=[*(() if table is None else table.remarks), *prepared.remarks],
        method=_method(fit, method) | {"why": why},
        class_prior=prior,
        label_frequency=frequency,
        positives=positives,
        hidden_positives=hidden,
        if_checked=_if_checked(fit, made.get("seed")),
        cut=_cut(fit, curve, prior),
        curve={
            "source": curve.source,
            "honest": curve.honest,
            **{name: getattr(curve, name).tolist() for name in _OF_EVERY_CUT},
        },
        rules=[{"name": name, "index": place} for name, place in curve.best.items()],
        coefficients=coefficients_record(fit, LEVEL),
        sensitivity=sensitivity_record(fit, LEVEL, _followed(diagnosis)),
        findings=_findings(diagnosis, _goes_by_answers(fit)),
        warnings=_warnings(fit, diagnosis) + _contradiction(curve, prior),
        costs={"miss": costs[0], "false_alarm": costs[1]},
        notes={"checks": None, "comparison": None} | (notes or {}),
    )


def _checked(fit: TableFit) -> dict[str, Any] | None:
    """Return how many rows were checked, and what that moved; None if none was."""
    found = checked_record(fit.checked)
    return found if found is None or not fit.said else found | {"said": list(fit.said)}


def _goes_by_answers(fit: TableFit) -> bool:
    """Whether answers say how many rows are positive, however rows were labeled."""
    density = getattr(fit.classifier, "class_prior_density_", None)
    return fit.checked is not None and density is not None and not fit.labeled_by


def _groups(fit: TableFit) -> dict[str, Any] | None:
    """Return how many groups the folds kept together; None without groups."""
    prepared = fit.prepared
    if prepared.groups is None:
        return None
    effect = _design_effect(fit)
    sentence = (
        f"Folds kept {count(prepared.n_groups)} groups ({prepared.group}) together; the "
        f"{count(len(prepared.groups))} rows tell as much as "
        f"{count(round(len(prepared.groups) / effect))} independent ones."
    )
    return {
        "column": prepared.group,
        "number": prepared.n_groups,
        "design_effect": effect,
        "sentence": sentence,
        "unasked": None
        if prepared.repeated is None
        else f"{prepared.repeated.remark} {prepared.repeated.answers}",
        "positives": _positive_groups(fit),
    }


def _positive_groups(fit: TableFit) -> dict[str, Any] | None:
    """Return how many groups have a positive row; None for copies, and if labels follow columns."""
    density = getattr(fit.classifier, "class_prior_density_", None)
    score, groups, s = fit.held_out_score, fit.prepared.groups, fit.labels.s
    at_random = not fit.has_propensity and not getattr(fit.classifier, "is_mended", False)
    no_count = not at_random or fit.labels.cases or fit.prepared.groups_are_copies
    if density is None or score is None or no_count:
        return None
    assert groups is not None
    share = positive_groups_density(s.astype(np.float64), score, groups, density)
    interval, number = share.interval(LEVEL), fit.prepared.n_groups
    return {
        "estimate": interval.estimate * number,
        "lower": interval.lower * number,
        "upper": interval.upper * number,
        "labeled": len(np.unique(groups[s == 1])),
        "identified": share.identified,
    }


def _design_effect(fit: TableFit) -> float:
    """How many rows tell as much as one independent row."""
    return float(getattr(fit.classifier, "_design_effect_", 1.0))


def _method(fit: TableFit, name: str) -> dict[str, Any]:
    model = fit.classifier
    rule = getattr(model, "rule", None)
    if rule is not None:
        cut = f"{rule_words(str(getattr(rule, 'name', rule))).cut}, on held-out rows"
    elif hasattr(model, "f1_pu_"):
        cut = "the one with the largest F1_PU, on the training rows"
    else:
        cut = "at a fitted probability of 1/2"
    return {
        "name": name,
        "class": type(model).__name__,
        "rule": getattr(rule, "name", rule),
        "cut": cut,
        "members": [
            {
                "name": name,
                "what": type(member).__name__,
                "weight": float(model.member_weights_[name]),
                "log_likelihood": float(model.member_log_likelihoods_[name]),
            }
            for name, member in getattr(model, "members_", {}).items()
        ],
        "left_out": dict(getattr(model, "left_out_", {})),
    }


def _if_checked(fit: TableFit, seed: Any) -> dict[str, Any] | None:
    """Return how long an audit's interval of the count will be, at most; None for few rows."""
    s = fit.in_memory.labels.s
    if np.sum(s == 0) <= _CHECKED_ROWS or fit.checked is not None:
        return None
    rows = fit.in_memory.as_fitted
    audit = draw_audit(fit.classifier, *rows, size=_CHECKED_ROWS, random_state=seed)
    lengths = audit.expected_lengths((_CHECKED_ROWS,))
    found = {
        str(name): float(longest)
        for name, longest in zip(lengths["measure"], lengths["longest"], strict=True)
    }
    found["count"] *= len(fit.labels.s) / len(s)
    return {"rows": _CHECKED_ROWS, **found}


def _cut(fit: TableFit, curve: Curve, of_prior: dict[str, Any]) -> dict[str, Any]:
    k = curve.chosen
    r, q = float(curve.recall[k]), float(curve.share[k])
    decided, s = fit.scored.decision, fit.labels.s
    selected = decided[fit.labels.of_population]
    unlabeled = int(decided[s == 0].sum())
    known = 1 - unlabeled / selected.sum() if selected.any() else 0.0
    # Their propensities give labeled rows weights, and recall counts as many as tell as much.
    n_labeled = fit.classifier.cuts_.labeled[-1] if fit.has_propensity else int(s.sum())
    return {
        "index": k,
        "threshold": float(curve.threshold[k]),
        "posterior": float(curve.posterior[k]),
        "selected": int(selected.sum()),
        "selected_unlabeled": unlabeled,
        "labeled_found": int(decided[s == 1].sum()),
        "recall": r,
        "share": q,
        **rates_at(r, q, of_prior, n_labeled / _design_effect(fit), known),
        "f1_pu": float(rates.f1_pu(r, q)),
    }


def _warnings(fit: TableFit, diagnosis: Diagnosis | None) -> list[dict[str, Any]]:
    """Return the warnings of the fit that no finding of a check repeats."""
    found = [] if diagnosis is None else diagnosis.findings
    reported = {one.code for one in found if one.state in ("note", "warning", "serious")}
    return [warning_record(code, text) for code, text in fit.warnings if code not in reported]


def warning_record(code: str | None, said: str) -> dict[str, Any]:
    """Describe a warning, for JSON."""
    return {"code": code, "message": str(said)} | _terminal(said)


def _terminal(said: str) -> dict[str, str]:
    """Return what the terminal is told without the remedy of the code, if Python is told more."""
    terminal = told_in_terminal(said)
    return {} if terminal == said else {"terminal": terminal}


def _contradiction(curve: Curve, prior: dict[str, Any]) -> list[dict[str, Any]]:
    """Warn (PU112) if more positives than rows would have to be above the cut.

    If the class prior has an interval, that of the precision says how far off it may be.
    """
    recall, share = float(curve.recall[curve.chosen]), float(curve.share[curve.chosen])
    if prior["lower"] is not None or prior["estimate"] * recall <= _MOST_PRECISE * share:
        return []
    text = (
        f"A share of {prior['estimate']:.1%} positives, with a recall of {recall:.0%}, would be "
        f"more than the {share:.1%} of the rows that are selected. So the share of positives is "
        "probably too large, and the precision, shown as 100 %, too."
    )
    return [{"code": "PU112", "message": text}]


def _followed(diagnosis: Diagnosis | None) -> str | None:
    """Return the feature that labels seem to follow; None if no check found one."""
    found = [] if diagnosis is None else [one for one in diagnosis if one.check == "labeling"]
    return next((one.facts["feature"] for one in found if one.state == "warning"), None)


def _findings(diagnosis: Diagnosis | None, by_answers: bool = False) -> list[dict[str, Any]]:
    if diagnosis is None:
        return []
    return [
        plain(asdict(one) | {"message": str(one.message), "page": one.page})
        | _terminal(one.message)
        for one in (map(_beside_answers, diagnosis.findings) if by_answers else diagnosis.findings)
    ]


def _beside_answers(one: Finding) -> Finding:
    """Say of labels that are not random that the number of positives does not go by them."""
    if one.state != "warning" or one.check not in _OF_RANDOM_LABELS:
        return one
    found, _, _ = told_in_terminal(one.message).partition(". ")
    said = f"{found.rstrip('.')}. The number of positives goes by the answers all the same."
    return replace(one, state="note", message=said)


# The class prior and the label frequency.


def _prior_and_frequency(
    fit: TableFit, given: float | None, level: float
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the class prior and the label frequency, each with its interval if there is one."""
    model, share = fit.classifier, float(np.mean(fit.labels.s))
    if given is not None:
        frequency = min(1.0, fit.labels.sampling.label_frequency(given, share))
        return _without_interval(given, True), _without_interval(frequency, True)
    prior, frequency = float(model.class_prior_), float(model.label_frequency_)
    density = getattr(model, "class_prior_density_", None)
    if isinstance(model, JointLogistic):
        rows = fit.as_fitted
        of_frequency = model.label_frequency_interval(
            *rows, confidence_level=level, **fit.of_checked
        )
        of_prior = model.class_prior_interval(*rows, confidence_level=level, **fit.of_checked)
    elif density is not None:
        of_frequency = model.label_frequency_interval(confidence_level=level)
        of_prior = model.class_prior_interval(confidence_level=level)
    else:
        return _without_interval(prior, False), _without_interval(frequency, False)
    method = "by labels and answers" if _goes_by_answers(fit) else of_prior.method
    common = {"level": level, "method": method, "given": False}
    told: dict[str, Any] = {"identified": None, "said": []}
    if density is not None:  # how far the labels identify it, and what each score says about it
        told["identified"] = density.identified
        told["said"] = [
            {"name": name, "probability": probability, "estimate": estimate}
            for name, (probability, estimate) in density.said.items()
        ]
    # With two labeled rows the estimate can lie outside the interval.
    return (
        {**of_prior.with_estimate(prior).to_dict(), **common, **told},
        {**of_frequency.with_estimate(frequency).to_dict(), **common},
    )


def _without_interval(value: float, given: bool) -> dict[str, Any]:
    ends = dict.fromkeys(("lower", "upper", "level", "method"))
    return {"estimate": value, **ends, "given": given, "identified": None, "said": []}


def _positives(
    prior: dict[str, Any], n_rows: int, n_labeled: int
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return how many rows are positive, and how many of them have no label."""
    # All labeled rows are positive, even if the interval for the population ends below.
    rows = {
        end: None if prior[end] is None else max(prior[end] * n_rows, float(n_labeled))
        for end in ("estimate", "lower", "upper")
    }
    hidden = {end: None if n is None else n - n_labeled for end, n in rows.items()}
    return rows, hidden

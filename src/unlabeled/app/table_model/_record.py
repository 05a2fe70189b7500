"""Describe a fit to a table as plain numbers and texts, for JSON."""

from __future__ import annotations

import platform
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

import numpy as np

from ... import rates
from ...audit import draw_audit
from ...codes import told_in_terminal
from ...diagnostics import Diagnosis
from ...engine.versions import versions_of
from ...inference import Intervals
from ...linear_model import JointLogistic, PULogistic, estimates_from_part
from ...scores import PriorDensity
from ...thresholds import rule_words
from ..tables import Table, Topic, checked_record, count, topics_of
from ._curve import Curve, curve_of
from ._fit import TableFit
from ._fit_record import FitRecord
from ._headline import rates_at
from ._labelled_by import label_weight_effect, labelled_by_record
from ._sensitivity import sensitivity_record

LEVEL = 0.95
_PACKAGES = ("unlabeled", "numpy", "scipy", "scikit-learn", "pandas", "pyarrow")
# With more features than this, a covariance takes too much memory.
_MOST_FEATURES = 1000
# The record says what this many checked rows would tell.
_CHECKED_ROWS = 100
# Above this a precision does not come from chance alone.
_MOST_PRECISE = 1.05


def record_of(
    fit: TableFit,
    table: Table,
    *,
    method: str,
    fingerprint: dict[str, Any],
    made: dict[str, Any],
    why: str | None = None,
    class_prior: float | None = None,
    diagnosis: Diagnosis | None = None,
    comparison: dict[str, Any] | None = None,
    notes: dict[str, str | None] | None = None,
    costs: tuple[float, float] = (1.0, 1.0),
) -> FitRecord:
    """Describe a fit for people and programs; the record has no data about individual rows.

    Parameters
    ----------
    fit : TableFit
        A table and the classifier fitted to it.
    table : Table
        The table as it was read.
    method : str
        Name of the method.
    fingerprint : dict
        ``sha256`` and ``bytes`` of the file.
    made : dict
        How the fit was made: command, time, seed, seconds.
    why : str, optional
        Why this method was chosen, if it was chosen by the labels.
    class_prior : float, optional
        The class prior, if it was given.
    diagnosis : Diagnosis, optional
        The findings of the checks.
    comparison : dict, optional
        See `comparison.Comparison.record`.
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
    known = 0 if labels.cases else labels.n_labelled
    n_rows = int(labels.in_table.sum())
    positives, hidden = _positives(prior, n_rows, known)
    versions = {"python": platform.python_version()} | versions_of(_PACKAGES)
    return FitRecord(
        made={**made, "versions": versions},
        table={
            "name": table.path.name,
            "rows": n_rows,
            "columns": len(table.columns) - bool(labels.cases),
            **fingerprint,
        },
        label=labels.record() | {"sentence": str(labels)},
        checked=checked_record(fit.checked),
        groups=_groups(fit),
        labelled_by=labelled_by_record(fit, fit.labelled_by),
        columns={
            "used": list(prepared.features),
            "not_used": prepared.dropped,
            "id": prepared.id,
        },
        remarks=[*table.remarks, *prepared.remarks],
        method=_method(fit, method) | {"why": why},
        class_prior=prior,
        label_frequency=frequency,
        positives=positives,
        hidden_positives=hidden,
        if_checked=_if_checked(fit, made.get("seed")),
        cut=_cut(fit, curve, prior),
        curve=_curve(curve),
        rules=[{"name": name, "index": place} for name, place in curve.best.items()],
        coefficients=_coefficients(fit, LEVEL),
        sensitivity=sensitivity_record(fit, LEVEL),
        findings=_findings(diagnosis),
        warnings=_warnings(fit, diagnosis) + _contradiction(curve, prior),
        comparison=comparison,
        costs={"miss": costs[0], "false_alarm": costs[1]},
        notes={"checks": None, "comparison": None} | (notes or {}),
    )


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
    }


def _design_effect(fit: TableFit) -> float:
    """How many rows tell as much as one independent row."""
    return float(getattr(fit.classifier, "design_effect_", 1.0))


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
        "rule": rule,
        "cut": cut,
        "members": _members(model),
        "left_out": dict(getattr(model, "left_out_", {})),
    }


def _members(model: Any) -> list[dict[str, Any]]:
    """Return the members of an ensemble with their weights; none for other classifiers."""
    return [
        {
            "name": name,
            "what": type(member).__name__,
            "weight": float(model.member_weights_[name]),
            "log_likelihood": float(model.member_log_likelihoods_[name]),
        }
        for name, member in getattr(model, "members_", {}).items()
    ]


def _if_checked(fit: TableFit, seed: Any) -> dict[str, Any] | None:
    """Return how long an audit's interval of the count will be, at most; None for few rows."""
    s = fit.part.labels.s
    if np.sum(s == 0) <= _CHECKED_ROWS or fit.checked is not None:
        return None
    X_numeric = fit.part.X_numeric
    audit = draw_audit(fit.classifier, X_numeric, s, size=_CHECKED_ROWS, random_state=seed)
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
    selected = decided[fit.labels.in_table]
    unlabelled = int(decided[s == 0].sum())
    known = 1 - unlabelled / selected.sum() if selected.any() else 0.0
    n_labelled = int(s.sum()) / (_design_effect(fit) * label_weight_effect(fit))
    return {
        "index": k,
        "threshold": float(curve.threshold[k]),
        "posterior": float(curve.posterior[k]),
        "selected": int(selected.sum()),
        "selected_unlabelled": unlabelled,
        "labelled_found": int(decided[s == 1].sum()),
        "recall": r,
        "share": q,
        **rates_at(r, q, of_prior, n_labelled, known),
        "f1_pu": float(rates.f1_pu(r, q)),
    }


def _curve(curve: Curve) -> dict[str, Any]:
    columns = ("threshold", "recall", "share", "posterior", "selected", "selected_unlabelled")
    numbers = {name: getattr(curve, name).tolist() for name in columns}
    return {"source": curve.source, "honest": curve.honest, **numbers}


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


def _findings(diagnosis: Diagnosis | None) -> list[dict[str, Any]]:
    if diagnosis is None:
        return []
    return [
        _plain(asdict(one) | {"message": str(one.message), "page": one.page})
        | _terminal(one.message)
        for one in diagnosis.findings
    ]


def _plain(value: Any) -> Any:
    """Return Python's own numbers and texts, None for numbers that JSON does not have."""
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, str) or value is None:
        return value
    if isinstance(value, np.ndarray | list | tuple | Iterable):
        return [_plain(one) for one in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value


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
        rows = (fit.X_numeric, fit.labels.s)
        of_frequency = model.label_frequency_interval(*rows, level=level, **fit.of_checked)
        of_prior = model.class_prior_interval(*rows, level=level, **fit.of_checked)
    elif density is not None:
        of_frequency = model.label_frequency_interval(level=level)
        of_prior = model.class_prior_interval(level=level)
    else:
        return _without_interval(prior, False), _without_interval(frequency, False)
    common = {"level": level, "method": of_prior.method, "given": False}
    # With two labelled rows the estimate can lie outside the interval.
    return (
        {**of_prior.with_estimate(prior).record(), **common, **_known(density)},
        {**of_frequency.with_estimate(frequency).record(), **common},
    )


def _known(density: PriorDensity | None) -> dict[str, Any]:
    """Return how far the labels identify the class prior, and what each score says about it."""
    if density is None:
        return {"identified": None, "said": []}
    said = [
        {"name": name, "probability": probability, "estimate": estimate}
        for name, (probability, estimate) in density.said.items()
    ]
    return {"identified": density.identified, "said": said}


def _without_interval(value: float, given: bool) -> dict[str, Any]:
    ends = dict.fromkeys(("lower", "upper", "level", "method"))
    return {"estimate": value, **ends, "given": given, "identified": None, "said": []}


def _positives(
    prior: dict[str, Any], n_rows: int, n_labelled: int
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return how many rows are positive, and how many of them have no label."""
    # All labelled rows are positive, even if the interval for the population ends below.
    rows = {
        end: None if prior[end] is None else max(prior[end] * n_rows, float(n_labelled))
        for end in ("estimate", "lower", "upper")
    }
    hidden = {end: None if n is None else n - n_labelled for end, n in rows.items()}
    return rows, hidden


# The coefficients.


def _coefficients(fit: TableFit, level: float) -> dict[str, Any]:
    """Return the coefficients, sorted by effect size; empty if the score is not linear."""
    model = getattr(fit.classifier, "estimator_", fit.classifier)
    if not hasattr(model, "coef_"):
        return {"scale": None, "interval": None, "level": level, "rows": []}
    # The log-odds of the class are a line along the score; its slope scales the coefficients.
    slope = fit.classifier.posterior_line_[1]
    coef = slope * np.asarray(model.coef_[0], dtype=np.float64)
    intervals, how = _intervals(model, fit, level, slope)
    spread = fit.part.X_numeric.std(axis=0)
    sources = fit.pipeline[0].output_to_input_
    topics = topics_of(fit.pipeline[0], fit.part.prepared.X, fit.part.X_numeric)
    rows = [
        {
            "feature": name,
            "column": sources[name],
            "words": _words(topics.get(name)),
            "coef": float(coef[j]),
            "lower": _number(intervals.lower[j]),
            "upper": _number(intervals.upper[j]),
            "spread": float(spread[j]),
            "effect": float(coef[j] * spread[j]),
        }
        for j, name in enumerate(fit.feature_names)
    ]
    rows.sort(key=lambda row: -abs(row["effect"]))
    scale = "log-odds of the class, per unit of the feature"
    return {"scale": scale, "interval": how, "level": level, "rows": rows}


def _intervals(model: Any, fit: TableFit, level: float, slope: float) -> tuple[Intervals, str]:
    n_features = fit.X_numeric.shape[1]
    unknown = np.full(n_features, np.nan)
    none = Intervals(unknown, unknown, unknown, level, "none")
    if not hasattr(model, "estimates"):
        return none, "none: this method gives no standard errors"
    if n_features > _MOST_FEATURES:
        return none, f"none: there are more than {_MOST_FEATURES} features"
    if not model.converged_:
        return none, "none: the fit did not converge"
    if fit.prepared.groups is not None:
        return none, "none: standard errors would take the rows of a group as independent"
    found = _estimates(model, fit)
    intervals = found.interval(level)[:n_features]
    if np.isnan(intervals.lower).all():
        return intervals, "none: there are too few labelled rows for so many features"
    if isinstance(model, PULogistic) and not fit.labelled_by:
        return intervals, (
            "for the log-odds of the class, if they are a weighted sum of the features. They are "
            "averaged over what the labels say about the number of positives, and come from a fit "
            "that is not pulled towards 0 as the score is. So an effect can lie outside"
        ) + _from_a_part(fit)
    intervals = intervals.map(lambda end: slope * end)
    if isinstance(model, PULogistic):
        return intervals, (
            "normal, with robust (sandwich) standard errors. They treat the ridge and the scale of "
            "the posterior as known, so the intervals are too narrow"
        )
    if isinstance(model, JointLogistic):
        return intervals, "normal, with robust (sandwich) standard errors"
    return intervals, (
        "normal, with robust (sandwich) standard errors. They treat the scale of the posterior as "
        "known, so the intervals are too narrow"
    )


def _estimates(model: Any, fit: TableFit) -> Any:
    """Return the coefficients with their covariance, from those rows that are in memory."""
    X_numeric, s = fit.part.X_numeric, fit.part.labels.s
    if fit.part is fit:
        return model.estimates(X_numeric, s, **fit.of_checked)
    return estimates_from_part(model, X_numeric, s)


def _from_a_part(fit: TableFit) -> str:
    """Say that intervals come from a part of the rows, if they do."""
    n_rows, n_drawn = len(fit.labels.s), len(fit.part.labels.s)
    if n_drawn == n_rows:
        return ""
    return (
        f". They come from {count(n_drawn)} of the {count(n_rows)} rows, drawn at random, and are "
        "wider than those of all rows"
    )


def _words(topic: Topic | None) -> dict[str, list[str]] | None:
    """Return words that are typical of large, and of small, values of a text feature."""
    return None if topic is None else {"large": list(topic.large), "small": list(topic.small)}


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None

"""All that can be said about a fitted table, as plain numbers and texts."""

from __future__ import annotations

import platform
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

import numpy as np

from ... import rates
from ...diagnostics import Diagnosis
from ...engine.versions import versions_of
from ...inference import intervals_of_scores
from ...linear_model import JointLogistic, PULogistic
from ...meta import PUThresholdClassifier
from ..tables import Prepared, Table, Topic, topics_of
from ._curve import Curve, curve_of
from ._fit import TableFit

# How many rows are positive, with an interval.

_OF_JOINT = "profile likelihood"
_OF_SCORES = "profile likelihood along the left-out scores"


def prior_and_frequency(
    fit: TableFit, given: float | None, level: float
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The class prior and the label frequency, each with its interval where there is one."""
    model, share = fit.classifier, float(np.mean(fit.labels.s))
    if given is not None:
        return _known(given), _known(min(1.0, share / given))
    ends = _ends(fit, level)
    prior, frequency = float(model.class_prior_), float(model.label_frequency_)
    if ends is None:
        return _without(prior), _without(frequency)
    of_prior, of_frequency, method = ends
    common = {"level": level, "method": method, "given": False}
    return (
        {"estimate": prior, **_around(prior, of_prior), **common},
        {"estimate": frequency, **_around(frequency, of_frequency), **common},
    )


def positives(
    prior: dict[str, Any], n_rows: int, n_labelled: int
) -> tuple[dict[str, Any], dict[str, Any]]:
    """How many rows are positive, and how many of them have no label."""
    ends = ("estimate", "lower", "upper")
    shares = {end: prior[end] for end in ends}
    # Labelled rows are positive for sure, whatever an interval for the population says.
    rows = {
        end: None if one is None else max(one * n_rows, float(n_labelled))
        for end, one in shares.items()
    }
    hidden = {end: None if n is None else n - n_labelled for end, n in rows.items()}
    return rows, hidden


def _ends(
    fit: TableFit, level: float
) -> tuple[tuple[float, float], tuple[float, float], str] | None:
    model = fit.classifier
    if isinstance(model, JointLogistic):
        frequency = model.label_frequency_interval(fit.numbers, fit.labels.s, level=level)
        prior = model.class_prior_interval(fit.numbers, fit.labels.s, level=level)
        return (prior.lower, prior.upper), (frequency.lower, frequency.upper), _OF_JOINT
    if isinstance(model, PULogistic | PUThresholdClassifier):
        cuts = getattr(model, "observed_cuts_", model.cuts_)
        frequency, prior = intervals_of_scores(cuts, level)
        return (prior.lower, prior.upper), (frequency.lower, frequency.upper), _OF_SCORES
    return None


def _around(estimate: float, ends: tuple[float, float]) -> dict[str, float]:
    """Ends that hold the estimate, which with two labelled rows may lie outside."""
    return {"lower": min(ends[0], estimate), "upper": max(ends[1], estimate)}


def _known(value: float) -> dict[str, Any]:
    return {**_without(value), "given": True}


def _without(value: float) -> dict[str, Any]:
    ends = dict.fromkeys(("lower", "upper", "level", "method"))
    return {"estimate": value, **ends, "given": False}


# What drives the score: coefficients with their intervals.

# More features than this, and a covariance is not worth its memory.
_MOST_FEATURES = 1000
_SCALE = "log-odds of the class, per unit of the feature"


def coefficients_of(fit: TableFit, level: float) -> dict[str, Any]:
    """Coefficients of the features, the strongest first; none of a score that is not linear."""
    model = getattr(fit.classifier, "estimator_", fit.classifier)
    if not hasattr(model, "coef_"):
        return {"scale": None, "interval": None, "level": level, "rows": []}
    # The posterior is a line along the score: its slope makes log-odds of coefficients.
    slope = fit.classifier.posterior_line_[1]
    coef = slope * np.asarray(model.coef_[0], dtype=np.float64)
    ends, how = _interval(model, fit, level)
    ends = slope * ends
    spread = fit.numbers.std(axis=0)
    sources = fit.pipeline[0].output_to_input_
    topics = topics_of(fit.pipeline[0], fit.prepared.X, fit.numbers)
    rows = [
        {
            "feature": name,
            "column": sources[name],
            "words": _words(topics.get(name)),
            "coef": float(coef[j]),
            "lower": _number(ends[j, 0]),
            "upper": _number(ends[j, 1]),
            "spread": float(spread[j]),
            "effect": float(coef[j] * spread[j]),
        }
        for j, name in enumerate(fit.feature_names)
    ]
    rows.sort(key=lambda row: -abs(row["effect"]))
    return {"scale": _SCALE, "interval": how, "level": level, "rows": rows}


def _interval(model: Any, fit: TableFit, level: float) -> tuple[np.ndarray, str]:
    n_features = fit.numbers.shape[1]
    none = np.full((n_features, 2), np.nan)
    if not hasattr(model, "estimates"):
        return none, "none: this method gives no standard errors"
    if n_features > _MOST_FEATURES:
        return none, f"none: there are more than {_MOST_FEATURES} features"
    if not model.converged_:
        return none, "none: the fit has no finite optimum"
    ends = model.estimates(fit.numbers, fit.labels.s).interval(level)[:n_features]
    if isinstance(model, PULogistic):
        return ends, (
            "normal, from the sandwich covariance; the ridge, the label frequency and the scale of "
            "the posterior are held, and the ridge shrinks coefficients towards 0"
        )
    if isinstance(model, JointLogistic):
        return ends, "normal, from the sandwich covariance"
    return ends, "normal, from the sandwich covariance; the scale of the posterior is held"


def _words(topic: Topic | None) -> dict[str, list[str]] | None:
    """Words of rows where a feature of text is large, and where it is small."""
    return None if topic is None else {"large": list(topic.large), "small": list(topic.small)}


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


FORMAT = 1
"""Number of the form of a record; a later form has a larger one."""

LEVEL = 0.95
_PACKAGES = ("unlabeled", "numpy", "scipy", "scikit-learn", "pandas", "pyarrow", "skrub")


def record_of(
    fit: TableFit,
    table: Table,
    *,
    method: str,
    fingerprint: dict[str, Any],
    made: dict[str, Any],
    class_prior: float | None = None,
    diagnosis: Diagnosis | None = None,
    comparison: dict[str, Any] | None = None,
    notes: dict[str, str | None] | None = None,
    costs: tuple[float, float] = (1.0, 1.0),
) -> dict[str, Any]:
    """Write down a fit for people and programs; nothing in it is about a single row.

    Parameters
    ----------
    fit : TableFit
    table : Table
        As it was read.
    method : str
        Name of the method.
    fingerprint : dict
        ``sha256`` and ``bytes`` of the file.
    made : dict
        How it was made: command, time, seed, seconds.
    class_prior : float, optional
        As it was given.
    diagnosis : Diagnosis, optional
    comparison : dict, optional
        See `comparison.Comparison.record`.
    notes : dict, optional
        What must be known about the checks and the comparison.
    costs : (float, float)
        Of a miss and of a false alarm.

    Returns
    -------
    record : dict
        Of numbers, texts, lists and dicts, for JSON. The documentation's page on the command
        line says what is in it.
    """
    labels, prepared, curve = fit.labels, fit.prepared, curve_of(fit)
    prior, frequency = prior_and_frequency(fit, class_prior, LEVEL)
    of_all, hidden = positives(prior, len(labels.s), labels.n_labelled)
    versions = {"python": platform.python_version()} | versions_of(_PACKAGES)
    return {
        "format": FORMAT,
        "made": {**made, "versions": versions},
        "table": _table(table) | fingerprint,
        "label": labels.record() | {"sentence": str(labels)},
        "columns": _columns(prepared),
        "remarks": [*table.remarks, *prepared.remarks],
        "method": _method(fit, method),
        "class_prior": prior,
        "label_frequency": frequency,
        "positives": of_all,
        "hidden_positives": hidden,
        "cut": _cut(fit, curve, prior["estimate"]),
        "curve": _curve(curve),
        "rules": [{"name": name, "index": place} for name, place in curve.best.items()],
        "coefficients": coefficients_of(fit, LEVEL),
        "findings": _findings(diagnosis),
        "warnings": _warnings(fit, diagnosis),
        "comparison": comparison,
        "costs": {"miss": costs[0], "false_alarm": costs[1]},
        "notes": {"checks": None, "comparison": None} | (notes or {}),
    }


def _table(table: Table) -> dict[str, Any]:
    return {"name": table.path.name, "rows": len(table), "columns": len(table.columns)}


def _columns(prepared: Prepared) -> dict[str, Any]:
    features = list(prepared.features)
    return {"used": features, "not_used": prepared.dropped, "id": prepared.id}


def _method(fit: TableFit, name: str) -> dict[str, Any]:
    model = fit.classifier
    rule = getattr(model, "rule", None)
    if rule is not None:
        cut = f"where {rule} is best, on scores of rows left out of the fit"
    elif hasattr(model, "f1_pu_"):
        cut = "where F1_PU is largest, on the scores of the rows of the fit"
    else:
        cut = "where the fitted probability is 1/2"
    return {"name": name, "class": type(model).__name__, "rule": rule, "cut": cut}


def _cut(fit: TableFit, curve: Curve, prior: float) -> dict[str, Any]:
    k = curve.chosen
    r, q = float(curve.recall[k]), float(curve.share[k])
    decided, s = fit.scored.decision, fit.labels.s
    return {
        "index": k,
        "threshold": float(curve.threshold[k]),
        "posterior": float(curve.posterior[k]),
        "selected": int(decided.sum()),
        "selected_unlabelled": int(decided[s == 0].sum()),
        "labelled_found": int(decided[s == 1].sum()),
        "recall": r,
        "share": q,
        "precision": float(rates.precision(r, q, prior)),
        "f1": float(rates.f1(r, q, prior)),
        "f1_pu": float(rates.f1_pu(r, q)),
    }


def _curve(curve: Curve) -> dict[str, Any]:
    columns = ("threshold", "recall", "share", "posterior", "selected", "selected_unlabelled")
    numbers = {name: getattr(curve, name).tolist() for name in columns}
    return {"source": curve.source, "honest": curve.honest, **numbers}


def _warnings(fit: TableFit, diagnosis: Diagnosis | None) -> list[dict[str, Any]]:
    """What the fit warned of, but for what a check says too."""
    found = [] if diagnosis is None else diagnosis.findings
    told = {one.code for one in found if one.state in ("note", "warning", "serious")}
    return [{"code": code, "message": text} for code, text in fit.warnings if code not in told]


def _findings(diagnosis: Diagnosis | None) -> list[dict[str, Any]]:
    if diagnosis is None:
        return []
    return [_plain(asdict(one) | {"page": one.page}) for one in diagnosis.findings]


def _plain(value: Any) -> Any:
    """Numbers and texts of Python, None for numbers that JSON does not have."""
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

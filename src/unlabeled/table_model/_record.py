"""All that can be said about a fitted table, as plain numbers and texts."""

from __future__ import annotations

import platform
from collections.abc import Iterable
from dataclasses import asdict
from importlib.metadata import version
from typing import Any

import numpy as np

from .. import rates
from ..diagnostics import Diagnosis
from ..tables import Prepared, Table
from ._coefficients import coefficients_of
from ._curve import Curve, curve_of
from ._fit import TableFit
from ._prior import positives, prior_and_frequency

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
    return {
        "format": FORMAT,
        "made": {**made, "versions": _versions()},
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


def _versions() -> dict[str, str]:
    return {"python": platform.python_version()} | {name: version(name) for name in _PACKAGES}


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

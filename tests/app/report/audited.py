"""What an audit adds to a summary."""

from __future__ import annotations

from typing import Any


def three(estimate: float, lower: float, upper: float) -> dict[str, float]:
    return {"estimate": estimate, "lower": lower, "upper": upper}


def audit_of(**changed: Any) -> dict[str, Any]:
    """Return the section `audit` of a summary."""
    return {
        "level": 0.95,
        "checked": 96,
        "missing": 4,
        "count": three(420.0, 350.0, 505.0),
        "class_prior": three(0.42, 0.35, 0.505),
        "precision": three(0.81, 0.7, 0.9),
        "recall": three(0.52, 0.44, 0.6),
        "f1": three(0.633, 0.56, 0.7),
        "claimed": {
            "count": 250.0,
            "class_prior": 0.25,
            "precision": 0.6,
            "recall": 0.7,
            "f1": 0.646,
        },
        "verdict": "The labels alone claimed about 250 positives. The checked rows say more.",
        "range": {
            "count": three(420.0, 330.0, 540.0),
            "class_prior": three(0.42, 0.33, 0.54),
            "precision": three(0.81, 0.68, 0.92),
            "recall": three(0.52, 0.4, 0.62),
            "f1": three(0.633, 0.54, 0.72),
        },
        "scar": {"p_value": 0.01, "sentence": "Labels do not look selected at random."},
        "cut": {
            "rule": "f1",
            "threshold": 0.125,
            "posterior_line": [-1.0, 2.0],
            "selected": 512,
            "selected_unlabeled": 400,
            "selected_before": 300,
            "precision": three(0.7, 0.6, 0.8),
            "recall": three(0.8, 0.7, 0.9),
            "f1": three(0.747, 0.68, 0.81),
            "range": {
                "precision": three(0.7, 0.58, 0.83),
                "recall": three(0.8, 0.66, 0.91),
                "f1": three(0.747, 0.65, 0.84),
            },
        },
        "table": {"name": "patients.csv", "rows": 1000, "fitted": True},
        "audits": ["bdfgh"],
        "file": "audited.csv",
        "at": "2026-11-16T10:00:00+00:00",
    } | changed

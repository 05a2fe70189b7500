"""A summary made from a fit by the library's own objects, independent of `unlabeled fit`."""

from __future__ import annotations

import copy
from dataclasses import asdict
from typing import Any

import numpy as np
import pytest
from scipy.special import expit

from unlabeled import PULogistic, rates
from unlabeled.app.report import ShownRows
from unlabeled.app.report._rows import Row
from unlabeled.diagnostics import diagnose
from unlabeled.thresholds import choose_cut, get_rule, shown_rules, with_enough_labeled

NAMES = ("age", "bmi", "sex=male", "blood pressure (systolic)", "smoker", "visit (days)")
NAMES += ("region=east", "region=south", "region=west")
NAMES += tuple(f"notes (text {k})" for k in range(15))
SPREADS = (12.1, 4.2, 0.5, 15.0, 0.45, 210.0)
CUTS = 300

ROWS = ShownRows(
    "patient",
    tuple(Row(2 * k, f"P{k:03d}", 3.0 - k, 0.9 / k, int(k < 3), f"age {k}") for k in range(1, 6)),
    843,
)


def patients(rows: int = 1000, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Some ill patients are diagnosed, at random; return features, labels and who is ill."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, len(NAMES)))
    X[:, : len(SPREADS)] *= SPREADS
    eta = -1.4 + 0.1 * X[:, 0] + 0.22 * X[:, 1] + 1.6 * X[:, 2] - 0.02 * X[:, 3]
    ill = rng.random(rows) < expit(eta)
    return X, (ill & (rng.random(rows) < 0.5)).astype(int), ill.astype(int)


def fitted(rows: int = 1000, seed: int = 0) -> tuple[PULogistic, np.ndarray, np.ndarray]:
    """Return a fit to the patients, their features and labels."""
    X, s, _ = patients(rows, seed)
    return PULogistic(random_state=0).fit(X, s), X, s


def summary_of(model: PULogistic, X: np.ndarray, s: np.ndarray) -> dict[str, Any]:
    """Return the summary of a fit."""
    rows, labeled, prior = len(s), int(s.sum()), float(model.class_prior_)
    curve, rules, chosen = curve_of(model, X, s)
    at = {name: curve[name][chosen] for name in ("threshold", "recall", "share")}
    recall, share = at["recall"], at["share"]
    frequency = labeled / rows / prior
    return {
        "format": 1,
        "made": {
            "command": "unlabeled fit patients.csv --label diagnosis --id patient --out fit",
            "at": "2026-11-15T17:40:00+00:00",
            "versions": {"unlabeled": "0.1.0", "python": "3.11.7", "scikit-learn": "1.7.2"},
            "seed": 0,
            "seconds": {"read": 0.1, "fit": 2.14, "checks": 3.0, "comparison": 4.0},
        },
        "table": {
            "name": "patients.csv",
            "rows": rows,
            "columns": 9,
            "bytes": 73123,
            "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        },
        "label": {
            "column": "diagnosis",
            "positive": "yes",
            "labeled": labeled,
            "unlabeled": rows - labeled,
            "other_values": {"no": rows - labeled - 20},
            "blank": 20,
            "sentence": f"{labeled} of {rows} rows are labeled: `diagnosis` is 'yes'; the others "
            "count as unlabeled.",
        },
        "columns": {
            "used": ["age", "bmi", "sex", "blood pressure", "smoker", "visit", "region", "notes"],
            "not_used": {"patient": "it names the rows", "hospital": "the same value in every row"},
            "id": "patient",
        },
        "remarks": ["'notes' is taken as text: more than 40 values, ten features."],
        "method": {
            "name": "pu-logistic",
            "class": "PULogistic",
            "rule": "f1",
            "cut": "where F1 is largest (on left-out scores)",
        },
        "class_prior": interval(prior, 0.82 * prior, 1.25 * prior),
        "label_frequency": interval(frequency, frequency / 1.25, frequency / 0.82),
        "positives": ends(prior * rows, 0.82 * prior * rows, 1.25 * prior * rows),
        "hidden_positives": ends(
            *(factor * prior * rows - labeled for factor in (1.0, 0.82, 1.25))
        ),
        "cut": at
        | {
            "index": chosen,
            "selected": curve["selected"][chosen],
            "selected_unlabeled": curve["selected_unlabeled"][chosen],
            "labeled_found": curve["selected"][chosen] - curve["selected_unlabeled"][chosen],
            "precision": float(rates.precision(recall, share, prior)),
            "f1": float(rates.f1(recall, share, prior)),
            "f1_pu": float(rates.f1_pu(recall, share)),
        },
        "curve": {"source": "scores of rows left out of the fit", "honest": True, **curve},
        "rules": rules,
        "coefficients": coefficients_of(model, X),
        "findings": [
            asdict(one) | {"page": one.page}
            for one in diagnose(model, X, s, checks=CHECKED, random_state=0).findings
        ],
        "warnings": [],
        "comparison": {
            "methods": [
                {"name": "pu-logistic", "f1_pu": {"mean": 2.41, "se": 0.05}, "cut": "f1"},
                {"name": "naive", "f1_pu": {"mean": 2.2, "se": 0.06}, "cut": "0.5"},
            ],
            "note": "Ten folds of the same rows; larger is better.",
        },
        "costs": {"miss": 1.0, "false_alarm": 1.0},
        "notes": {"checks": None, "comparison": None},
    }


CHECKED = ("fit", "labels", "separation", "leakage", "duplicates", "class prior")


def interval(estimate: float, lower: float, upper: float) -> dict[str, Any]:
    about = {"level": 0.95, "method": "profile likelihood", "given": False}
    return ends(estimate, lower, upper) | about


def ends(estimate: float, lower: float, upper: float) -> dict[str, Any]:
    return {"estimate": estimate, "lower": lower, "upper": upper}


def curve_of(
    model: PULogistic, X: np.ndarray, s: np.ndarray
) -> tuple[dict[str, list[Any]], list[dict[str, Any]], int]:
    """Return the curve, the best cut of every rule, and the place of the chosen one."""
    cuts, score = model.cuts_, X @ model.coef_[0]
    best = {name: _best(model, name) for name in shown_rules()}
    kept = np.linspace(0, len(cuts.score) - 1, CUTS).round().astype(int)
    kept = np.unique([*kept, model.cut_.index, *best.values()])
    below = cuts.next_score[kept]
    middle = np.where(np.isfinite(below), (cuts.score[kept] + below) / 2, cuts.score[kept] - 1)
    threshold = np.where(kept == model.cut_.index, model.threshold_, middle)
    above = score[None, :] > threshold[:, None]
    curve = {
        "threshold": threshold.tolist(),
        "recall": cuts.recall[kept].tolist(),
        "share": cuts.share[kept].tolist(),
        "selected": above.sum(axis=1).tolist(),
        "selected_unlabeled": (above & (s == 0)).sum(axis=1).tolist(),
        "posterior": model.posterior_at(threshold).tolist(),
    }
    place = {int(index): k for k, index in enumerate(kept)}
    rules = [{"name": name, "index": place[index]} for name, index in best.items()]
    return curve, rules, place[model.cut_.index]


def _best(model: PULogistic, name: str) -> int:
    rule = with_enough_labeled(get_rule(name), model.cuts_.labeled[-1])
    return choose_cut(model.cuts_, rule, model.class_prior_).index


def coefficients_of(model: PULogistic, X: np.ndarray) -> dict[str, Any]:
    spread, slope = X.std(axis=0), model.posterior_line_[1]
    rows = [
        {
            "feature": name,
            "column": name.partition("=")[0].partition(" (")[0],
            "coef": float(coef),
            "lower": float(coef - 0.2 / one),
            "upper": float(coef + 0.2 / one),
            "spread": float(one),
            "effect": float(coef * one),
        }
        for name, coef, one in zip(NAMES, slope * model.coef_[0], spread, strict=True)
    ]
    return {
        "scale": "log-odds of the class per unit of the feature",
        "interval": "percentiles of 200 bootstrap resamples",
        "level": 0.95,
        "rows": sorted(rows, key=lambda row: -abs(row["effect"])),
    }


@pytest.fixture(scope="session")
def fit():
    return fitted()


@pytest.fixture(scope="session")
def made_summary(fit) -> dict[str, Any]:
    return summary_of(*fit)


@pytest.fixture
def summary(made_summary) -> dict[str, Any]:
    """A copy for every test."""
    return copy.deepcopy(made_summary)

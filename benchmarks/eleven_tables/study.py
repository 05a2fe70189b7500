"""Run `unlabeled fit` on a table, and hold what it tells against the true classes."""

from __future__ import annotations

import json
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from reproduction.studies.draw import seed_of
from unlabeled.cli import main as unlabeled

from ..study import Records, repeated
from .tables import TABLES, Drawn

REPEATS = 20
CELLS = [(name,) for name in TABLES]
TOP = 100


def measure(table: str, repeat: int) -> dict[str, float]:
    """Draw a table, and compare what a fit tells with the truth."""
    return told(TABLES[table].draw(np.random.default_rng(seed_of("eleven tables", table, repeat))))


def told(drawn: Drawn) -> dict[str, float]:
    """Fit with the defaults, and compare count, precision and chances with the truth."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        out = Path(folder) / "fit"
        arguments = [*drawn.write(Path(folder)), "--out", str(out), "--no-compare", "--quiet"]
        unlabeled(["fit", *arguments], standalone_mode=False)
        record = json.loads((out / "summary.json").read_text("utf-8"))
        scored = pd.read_csv(out / "scored.csv")
    return _compared(record, scored, drawn)


def _compared(record: dict[str, Any], scored: pd.DataFrame, drawn: Drawn) -> dict[str, float]:
    positives, cut = record["positives"], record["cut"]
    selected = scored["decision"].to_numpy() == 1
    first = scored.sort_values("rank_among_unlabeled").index[:TOP]
    chances = {
        end: float(scored[f"posterior_if_unlabeled{end}"].iloc[first].mean())
        for end in ("", "_lower", "_upper")
    }
    doubts = [one for one in record["findings"] if one["state"] in ("warning", "serious")]
    return {
        "rows": len(scored),
        "labeled": record["label"]["labeled"],
        "count": positives["estimate"],
        "count_lower": _number(positives["lower"]),
        "count_upper": _number(positives["upper"]),
        "true_count": float(drawn.y.sum()),
        "precision": _number(cut["precision"]),
        "precision_lower": _number(cut["precision_lower"]),
        "precision_upper": _number(cut["precision_upper"]),
        "true_precision": float(drawn.y[selected].mean()) if selected.any() else np.nan,
        "recall": _number(cut["recall"]),
        "true_recall": float(selected[drawn.y].mean()),
        "top": chances[""],
        "top_lower": chances["_lower"],
        "top_upper": chances["_upper"],
        "true_top": float(drawn.y[first].mean()),
        "doubted": float(bool(doubts or record["warnings"])),
        "ensemble": float(record["method"]["name"] == "ensemble"),
    }


def _number(value: float | None) -> float:
    return np.nan if value is None else float(value)


RECORDS = Records("tables.csv", ("table", "repeat"), measure, lambda: repeated(CELLS, REPEATS))

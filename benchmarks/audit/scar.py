"""Size and power of the direct test of SCAR, over labels and draws of the checked rows."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

from reproduction.studies.draw import seed_of
from unlabeled.audit import draw_audit
from unlabeled.linear_model import PULogistic

from ..study import Key, Records, repeated
from .cells import DATASETS, MECHANISMS, Cell, draw_cell

SIZE = 100
"""Checked rows."""

DRAWS = 20
"""Draws of the checked rows per column of labels."""

# Columns of labels. Under SCAR the labels are random too, so the size needs many of them.
_LABELS = {"random": 50}
_LABELS_OTHERWISE = 5
_LABELS_LARGE = {"adult": 10, "musk": 10, "spambase": 20}


def keys() -> list[Key]:
    """Return the columns of labels of every cell, the first of all cells first."""
    repeats = {
        (dataset, mechanism): min(
            _LABELS.get(mechanism, _LABELS_OTHERWISE), _LABELS_LARGE.get(dataset, _LABELS["random"])
        )
        for dataset, mechanism in product(DATASETS, MECHANISMS)
    }
    cells = repeated(list(repeats), max(repeats.values()))
    return [key for key in cells if key[-1] < repeats[key[:-1]]]


def measure(dataset: str, mechanism: str, repeat: int) -> dict[str, float]:
    """Draw labels, fit, and return shares and means over draws of the checked rows."""
    cell = draw_cell(dataset, mechanism, seed_of(f"loo-{dataset}-{mechanism}", repeat))
    model = cell.fit()
    drawn = [_one_draw(cell, model, draw) for draw in range(DRAWS)]
    tested = [one for one in drawn if "rejected" in one]
    names = ("rejected", "difference", "smallest_difference")
    means = {
        name: float(np.mean([one[name] for one in tested])) if tested else np.nan for name in names
    }
    found = float(np.mean([one["found"] for one in drawn]))
    return {"tested": float(len(tested)), "found": found, **means}


def _one_draw(cell: Cell, model: PULogistic, seed: int) -> dict[str, float]:
    """Draw the rows to check, answer them by the truth, and test."""
    audit = draw_audit(model, cell.X, cell.s, size=SIZE, random_state=seed)
    positive = cell.y_true[audit.rows] == 1
    test = audit.estimate(positive.astype(int)).scar_test
    found = {"found": float(positive.sum())}
    if test is None:
        return found
    return found | {
        "rejected": float(test.p_value <= test.significance_level),
        "difference": test.difference,
        "smallest_difference": test.smallest_difference,
    }


def table(folder: Path) -> pd.DataFrame:
    """One line per cell: tests done, share rejected with its standard error over labels."""
    found, lines = RECORDS.read(folder), []
    cells = dict(list(found.groupby(["dataset", "mechanism"]))) if len(found) else {}
    for dataset, mechanism in product(DATASETS, MECHANISMS):
        if (dataset, mechanism) not in cells:
            continue
        records = cells[dataset, mechanism]
        done = records[records["tested"] > 0]
        rejected, weight = done["rejected"], done["tested"]
        share = float(np.average(rejected, weights=weight)) if len(done) else np.nan
        spread = np.sqrt(np.sum((weight * (rejected - share)) ** 2)) / max(weight.sum(), 1)
        lines.append(
            {
                "dataset": dataset,
                "mechanism": mechanism,
                "tests": int(weight.sum()),
                "found": records["found"].mean(),
                "rejected": share,
                "error": spread,
                "difference": done["difference"].mean(),
                "smallest": done["smallest_difference"].mean(),
            }
        )
    return pd.DataFrame(lines)


RECORDS = Records("scar_draws.csv", ("dataset", "mechanism", "repeat"), measure, keys)

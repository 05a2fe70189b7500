"""How often intervals from checked rows hold the truth, and how long they are, cell by cell.

The fit is held fixed; only the draw of the rows is random. What an interval depends on is the
number of positives drawn in each stratum, so that these numbers are drawn, not rows.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from itertools import product

import numpy as np
from scipy.stats import norm

from reproduction.studies.draw import seed_of
from unlabeled.audit import (
    TablePredictions,
    Tally,
    design_of,
    judge,
    measure_intervals,
    measure_of,
)

from ..study import Records
from .cells import DATASETS, MECHANISMS, draw_cell

SIZES = (50, 100, 200)
MEASURES = ("count", "precision", "recall", "f1")
DRAWS = 2000

TABLES = {
    "plain": "as it is",
    "shuffled": "scores shuffled among the unlabeled rows",
    "reversed": "scores reversed among the unlabeled rows",
    "rarer": "three of four unlabeled positives made negative",
    "missing": "three of ten negative answers missing, at the range over missing answers",
    "new": "no row labeled, as in a table of new rows",
    "two_samples": "the unlabeled rows alone are the table, as in two samples",
}
"""What is done to a cell before rows are drawn. All but the first are hostile."""


def measure(dataset: str, mechanism: str, table: str, size: int) -> dict[str, float]:
    """Draw the answers `DRAWS` times; return coverage and mean length of each interval."""
    judged, y_true = _table(dataset, mechanism, table)
    of = np.flatnonzero(~judged.labeled)
    if size > len(of):
        return {"drawn_share": float("nan")}
    design = design_of(judged, of, size)
    random = np.random.default_rng(seed_of("audit", "coverage", dataset, mechanism, table, size))
    positives = np.bincount(design.stratum, y_true[of]).astype(np.int64)
    seen = random.hypergeometric(
        positives, design.rows - positives, design.drawn, (DRAWS, len(positives))
    )
    above = np.bincount(design.stratum, judged.predicted[of]) > 0
    tallies = _tallies(judged, design.rows, design.drawn, seen, above, random, table == "missing")
    n_rows, n_predicted = len(y_true), int(judged.predicted.sum())
    truth = [float(y_true[judged.predicted == side].sum()) for side in (True, False)]
    found = {"drawn_share": size / len(of), "positives": float(y_true.sum())}
    for name in MEASURES:
        function = measure_of(name, n_rows, n_predicted)
        limits = [measure_intervals(tally, function) for tally in tallies]
        lower = np.min([one.lower for one in limits], axis=0)
        upper = np.max([one.upper for one in limits], axis=0)
        value = float(function(*(np.array(one) for one in truth)))
        inside = (lower <= value + 1e-9) & (value - 1e-9 <= upper)
        found[f"{name}_covered"] = float(inside.mean())
        found[f"{name}_length"] = float(np.mean(upper - lower))
    at_random = random.hypergeometric(
        int(y_true[of].sum()), int((1 - y_true[of]).sum()), size, DRAWS
    )
    found["wilson_length"] = wilson_length(at_random, size, len(of))
    return found


def wilson_length(positive: np.ndarray, drawn: int, rows: int) -> float:
    """Mean length of Wilson's interval of a count, rows drawn at random without replacement.

    The finite-population correction makes the drawn rows count as more. Limits are rounded
    outwards to whole rows, as ours are.
    """
    if drawn == rows:
        return 0.0
    z, n = float(norm.ppf(0.975)), drawn * (rows - 1) / (rows - drawn)
    share = positive / drawn
    middle = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    lower = np.maximum(np.floor(rows * (middle - half) + 1e-9), positive)
    upper = np.minimum(np.ceil(rows * (middle + half) - 1e-9), rows - drawn + positive)
    return float(np.mean(upper - lower))


@lru_cache(maxsize=2)
def _judged(dataset: str, mechanism: str) -> tuple[TablePredictions, np.ndarray]:
    cell = draw_cell(dataset, mechanism)
    return judge(cell.fit(), cell.X, cell.s), cell.y_true


def _table(dataset: str, mechanism: str, table: str) -> tuple[TablePredictions, np.ndarray]:
    """Return what the model says about the table, made hostile, and its truth."""
    judged, y_true = _judged(dataset, mechanism)
    of = np.flatnonzero(~judged.labeled)
    if table == "new":
        return replace(judged, labeled=np.zeros_like(judged.labeled)), y_true
    if table == "two_samples":
        assert judged.logit is not None
        columns = (judged.score, judged.predicted, judged.labeled, judged.logit)
        score, predicted, labeled, logit = (column[of] for column in columns)
        judged = replace(judged, score=score, predicted=predicted, labeled=labeled, logit=logit)
        return judged, y_true[of]
    random = np.random.default_rng(seed_of("audit", "table", dataset, mechanism, table))
    if table == "rarer":
        hidden = of[y_true[of] == 1]
        y_true = y_true.copy()
        y_true[random.permutation(hidden)[len(hidden) // 4 :]] = 0
    if table in ("shuffled", "reversed"):
        order = np.lexsort((judged.score[of], judged.predicted[of]))
        source = random.permutation(of) if table == "shuffled" else of[order[::-1]]
        target = of if table == "shuffled" else of[order]
        assert judged.logit is not None
        score, predicted, logit = (
            column.copy() for column in (judged.score, judged.predicted, judged.logit)
        )
        for column, values in zip(
            (score, predicted, logit), (judged.score, judged.predicted, judged.logit), strict=True
        ):
            column[target] = values[source]
        judged = replace(judged, score=score, predicted=predicted, logit=logit)
    return judged, y_true


def _tallies(
    judged: TablePredictions,
    rows: np.ndarray,
    drawn: np.ndarray,
    seen: np.ndarray,
    above: np.ndarray,
    random: np.random.Generator,
    missing: bool,
) -> list[Tally]:
    """One tally of all draws; four if negative answers are missing: their extremes per side."""
    known = [float(np.sum(judged.labeled & (judged.predicted == side))) for side in (True, False)]
    if not missing:
        filled = [seen]
    else:
        lost = random.binomial(drawn - seen, 0.3)
        filled = [
            seen + lost * np.where(above, of_above, of_below)
            for of_above, of_below in product((0, 1), repeat=2)
        ]
    return [Tally(rows, drawn, one, above, known[0], known[1]) for one in filled]


def keys() -> list[tuple[str, str, str, int]]:
    """All cells, the plain ones first."""
    return [
        (dataset, mechanism, table, size)
        for table in TABLES
        for dataset, mechanism, size in product(DATASETS, MECHANISMS, SIZES)
    ]


RECORDS = Records("coverage.csv", ("dataset", "mechanism", "table", "size"), measure, keys)

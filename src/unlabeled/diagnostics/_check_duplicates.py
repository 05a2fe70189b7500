"""Labelled rows that have an unlabelled twin."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._case import Case
from ._check import Check, Look

_CONTINUOUS = 0.95
_SOME, _MANY = 0.01, 0.05
_MOST_SHOWN = 20


def look(case: Case) -> Look:
    """Count labelled rows with an unlabelled row of the same features.

    Where at least 95 % of the unlabelled rows are distinct, equal rows are
    copies, not coincidences: a note if 1 % of the labelled rows have one, a warning if
    5 % have, as when labelled rows were also left in the unlabelled table. With
    fewer distinct rows it is a note: SCAR itself labels some of equal rows and not
    others.
    """
    group = _groups(case.dense)
    labelled, unlabelled = case.s == 1, case.s == 0
    has_twin = labelled & np.isin(group, group[unlabelled])
    count = int(has_twin.sum())
    share = count / case.n_labelled
    distinct = len(np.unique(group[unlabelled])) / int(unlabelled.sum())
    facts = {
        "labelled_rows_with_a_twin": count,
        "share": share,
        "distinct_share_of_unlabelled_rows": distinct,
        "rows": np.flatnonzero(has_twin)[:_MOST_SHOWN].tolist(),
    }
    if count == 0:
        return Look("fine", "No labelled row has an unlabelled twin.", facts)
    return _judged(count, share, distinct, facts)


def _judged(count: int, share: float, distinct: float, facts: dict[str, Any]) -> Look:
    rows = "row has" if count == 1 else "rows have"
    seen = f"{count} labelled {rows} an unlabelled row of the same features ({share:.1%})"
    if distinct < _CONTINUOUS:
        return Look(
            "note",
            f"{seen}. Only {distinct:.0%} of the unlabelled rows are distinct, so that is to be "
            "expected: of equal positives some are labelled. Check that none is a copy.",
            facts,
        )
    if share < _SOME:
        return Look("fine", f"{seen}: too few to matter.", facts)
    if share < _MANY:
        return Look("note", f"{seen}, where nearly all rows differ: copies, perhaps.", facts)
    return Look(
        "warning",
        f"{seen}, where nearly all rows differ: copies. A copy says that a labelled row is not, "
        "which lowers the label frequency. Drop the unlabelled copies, unless the unlabelled "
        "rows are a sample of the whole population, kept on purpose.",
        facts,
    )


def _groups(X: np.ndarray) -> np.ndarray:
    """Number the distinct rows; 0.0 and -0.0 are one value."""
    rows = np.ascontiguousarray(X + 0.0)
    whole = rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()
    return np.unique(whole, return_inverse=True)[1].ravel()


duplicates = Check("duplicates", "PU206", look)

"""Labelled rows with the same features as an unlabelled row."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._case import Case, CheckResult

_CONTINUOUS = 0.95
_SOME, _MANY = 0.01, 0.05
_MOST_SHOWN = 20


def check_duplicates(case: Case) -> CheckResult:
    """Count labelled rows with an unlabelled twin: a row with the same features.

    If at least 95 % of the unlabelled rows are distinct, equal rows are probably copies: the
    labelled rows may also have been kept among the unlabelled ones. It is a note if 1 % of the
    labelled rows have a twin, and a warning if 5 % have. With fewer distinct rows it is a note:
    under SCAR some of several equal rows are labelled and others are not.
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
        return CheckResult(
            "fine", "No labelled row has the same features as an unlabelled row.", facts
        )
    return _judged(count, share, distinct, facts)


def _judged(count: int, share: float, distinct: float, facts: dict[str, Any]) -> CheckResult:
    rows, have = ("row", "has") if count == 1 else ("rows", "have")
    found = f"{count} labelled {rows} ({share:.1%}) {have} the same features as an unlabelled row."
    if distinct < _CONTINUOUS:
        return CheckResult(
            "note",
            f"{found} Only {distinct:.0%} of the unlabelled rows are distinct, so this is "
            "expected: some of several equal positives are labelled. Check that none is a copy.",
            facts,
        )
    if share < _SOME:
        return CheckResult("fine", f"{found} That is too few to matter.", facts)
    if share < _MANY:
        return CheckResult(
            "note",
            f"{found} Nearly all other rows differ, so these may be copies. If they are, drop the "
            "unlabelled ones.",
            facts,
        )
    return CheckResult(
        "warning",
        f"{found} Nearly all other rows differ, so these are copies. Each copy counts a labelled "
        "row as unlabelled, which lowers the label frequency. Drop the unlabelled copies, unless "
        "the unlabelled rows are meant to be a sample of the whole population.",
        facts,
    )


def _groups(X: np.ndarray) -> np.ndarray:
    """Number the distinct rows; 0.0 and -0.0 are one value."""
    rows = np.ascontiguousarray(X + 0.0)
    whole = rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()
    return np.unique(whole, return_inverse=True)[1].ravel()

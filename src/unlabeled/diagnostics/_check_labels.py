"""Checks of the labels: enough of them, and no unlabelled twins."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._case import Case, Check, CheckResult

# Whether there are labelled rows enough.

_FEW = 10
_ENOUGH_A_PARAMETER = 10


def look_at_labels(case: Case) -> CheckResult:
    """Count labelled rows, and labelled rows a parameter where nothing penalises the fit.

    Fewer than ten are too few to choose anything from. An unpenalised fit
    with fewer labelled rows than parameters will hardly generalise; with fewer than
    ten a parameter its coefficients are biased away from 0 and their intervals too
    narrow, by the rule of thumb of logistic regression (Peduzzi et al. 1996,
    https://doi.org/10.1016/S0895-4356(96)00236-3).
    """
    n_labelled, n_rows = case.n_labelled, len(case.s)
    counted = f"{n_labelled} of {n_rows} rows {'is' if n_labelled == 1 else 'are'} labelled"
    facts = {"labelled": n_labelled, "rows": n_rows}
    if n_labelled < _FEW:
        return CheckResult(
            "warning",
            f"{counted}: too few to choose a ridge, a class prior and a cut from. The answer "
            "rests on the model more than on them. Label more rows.",
            facts,
        )
    if case.is_penalised:
        return CheckResult("fine", f"{counted}.", facts)
    facts["parameters"] = n_parameters = case.seen.X.shape[1] + 1
    if n_labelled >= _ENOUGH_A_PARAMETER * n_parameters:
        return CheckResult("fine", f"{counted}, for {n_parameters} parameters.", facts)
    fewer = n_labelled < n_parameters
    means = (
        "an unpenalised fit rests on few rows and will hardly generalise"
        if fewer
        else "coefficients come out too large, and their intervals too narrow"
    )
    return CheckResult(
        "warning" if fewer else "note",
        f"{counted}, for {n_parameters} parameters: {means}. Use a finite `C`, or PULogistic.",
        facts,
        code="PU102",
    )


labels = Check("labels", "PU114", look_at_labels)


# Labelled rows that have an unlabelled twin.

_CONTINUOUS = 0.95
_SOME, _MANY = 0.01, 0.05
_MOST_SHOWN = 20


def look_at_duplicates(case: Case) -> CheckResult:
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
        return CheckResult("fine", "No labelled row has an unlabelled twin.", facts)
    return _judged(count, share, distinct, facts)


def _judged(count: int, share: float, distinct: float, facts: dict[str, Any]) -> CheckResult:
    rows = "row has" if count == 1 else "rows have"
    seen = f"{count} labelled {rows} an unlabelled row of the same features ({share:.1%})"
    if distinct < _CONTINUOUS:
        return CheckResult(
            "note",
            f"{seen}. Only {distinct:.0%} of the unlabelled rows are distinct, so that is to be "
            "expected: of equal positives some are labelled. Check that none is a copy.",
            facts,
        )
    if share < _SOME:
        return CheckResult("fine", f"{seen}: too few to matter.", facts)
    if share < _MANY:
        return CheckResult("note", f"{seen}, where nearly all rows differ: copies, perhaps.", facts)
    return CheckResult(
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


duplicates = Check("duplicates", "PU206", look_at_duplicates)

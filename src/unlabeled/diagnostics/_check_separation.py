"""Labelled rows told from the others without a doubt."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from ._case import Case, NotApplicable
from ._check import Check, Look, listed

_SURE = 0.99
_MANY = 0.5


def look(case: Case) -> Look:
    """Look for columns and scores that separate, or nearly.

    Separated: a column has all labelled rows on one side, or the unpenalised
    logistic fit has no finite optimum. Nearly: that fit gives more than half of
    the labelled rows P(S=1|x) > 0.99, which under SCAR is at most c. With a
    ridge every optimum is finite, and the check does not apply.
    """
    if case.is_penalised:
        raise NotApplicable("a penalty keeps the optimum finite; see the check `leakage`")
    columns = [case.names[j] for j in case.separating]
    if columns:
        return _separated(f"by column{'s' if len(columns) > 1 else ''} {listed(columns)}", columns)
    if case.is_separated:
        return _separated("by the fitted score, wholly or in part", [])
    share = float(np.mean(expit(case.naive.predictor()[case.s == 1]) > _SURE))
    facts = {"share_of_labelled_rows_surely_labelled": share}
    if share > _MANY:
        return Look(
            "warning",
            f"The logistic fit gives {share:.0%} of the labelled rows a probability of being "
            f"labelled above {_SURE}: labelled and unlabelled rows are nearly separated, and "
            "coefficients hang on a few rows. Use a finite `C`, and see the check `leakage`.",
            facts,
        )
    return Look("fine", "Labelled and unlabelled rows overlap.", facts)


def _separated(where: str, columns: list[str]) -> Look:
    return Look(
        "serious",
        f"Labelled and unlabelled rows are separated {where}: no finite unpenalised optimum "
        "exists, and some coefficients depend on `tol`. Use a finite `C`, or PULogistic; merge or "
        "drop columns that few rows have.",
        {"columns": columns},
    )


separation = Check("separation", "PU103", look)

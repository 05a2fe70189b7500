"""Whether labeled and unlabeled rows are separated."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from ..codes import Message
from ._case import Case, CheckResult, listed

_SURE = 0.99
_MANY = 0.5
_GROW = (
    "Coefficients can grow without limit if some combination of columns picks out rows of which "
    "none, or all, are labeled."
)
_SEE_LEAKAGE = "The check `leakage` reports a column that gives the label away."


def check_separation(case: Case) -> CheckResult:
    """Look for columns, or a score, that separate labeled from unlabeled rows.

    Rows are separated if a column has all labeled rows on one side of all unlabeled rows, or
    if the unpenalized logistic fit has no finite optimum. They are nearly separated if that fit
    gives more than half of the labeled rows P(S=1|x) > 0.99; under SCAR this probability is at
    most c. With a ridge every optimum is finite, and models that are not linear have no
    coefficients: both are fine.
    """
    if not case.is_linear:
        return CheckResult(
            "fine",
            f"{_GROW} This model has no coefficients, so that is no problem here. {_SEE_LEAKAGE}",
        )
    if case.is_penalized:
        return CheckResult(
            "fine",
            f"{_GROW} The penalty of this model keeps them finite. {_SEE_LEAKAGE}",
        )
    columns = [case.names[j] for j in case.separating]
    if columns:
        plural = len(columns) > 1
        column, separate = ("Columns", "each separate") if plural else ("Column", "separates")
        return _separated(
            f"{column} {listed(columns)} {separate} labeled from unlabeled rows", columns
        )
    if case.is_separated:
        return _separated(
            "The fitted score separates labeled from unlabeled rows, completely or in part", []
        )
    share = float(np.mean(expit(case.naive.predictor()[case.s == 1]) > _SURE))
    facts = {"share_of_labeled_rows_surely_labeled": share}
    if share > _MANY:
        return CheckResult(
            "warning",
            Message(
                f"The logistic fit gives {share:.0%} of the labeled rows a probability above "
                f"{_SURE} of being labeled. Labeled and unlabeled rows are nearly separated, "
                "and the coefficients depend on a few rows.",
                python="Use a finite `C`, and see the check `leakage`.",
            ),
            facts,
        )
    return CheckResult("fine", "Labeled and unlabeled rows overlap.", facts)


def _separated(what: str, columns: list[str]) -> CheckResult:
    it, are = ("it", "is") if len(columns) == 1 else ("them", "are")
    leak = (
        f" Find out whether {listed(columns)} {are} known before a row is labeled. If not, drop "
        f"{it}."
        if columns
        else ""
    )
    return CheckResult(
        "serious",
        Message(
            f"{what}. Without a penalty some coefficients then grow without limit.{leak}",
            python="Use PULogistic, or a finite `C`.",
            more="It also helps to merge columns that are non-zero in few rows.",
        ),
        {"columns": columns},
    )

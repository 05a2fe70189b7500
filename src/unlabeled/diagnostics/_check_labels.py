"""Whether there are enough labeled rows."""

from __future__ import annotations

import numpy as np

from ..codes import Message
from ..linear_model import FEW_LABELED
from ._case import Case, CheckResult

_ENOUGH_PER_PARAMETER = 10


def check_labels(case: Case) -> CheckResult:
    """Count labeled rows, and labeled rows per parameter if the fit has no penalty.

    Fewer than ten are too few to choose a penalty, a class prior or a threshold. An unpenalized
    fit with fewer labeled rows than parameters will hardly generalize. With fewer than ten per
    parameter its coefficients are biased away from 0 and their intervals too narrow, by the
    rule of thumb of logistic regression (Peduzzi et al. 1996,
    https://doi.org/10.1016/S0895-4356(96)00236-3).
    """
    n_labeled, n_rows, unit = case.n_labeled, len(case.s), "rows"
    if case.groups is not None:  # rows of one group tell little more than one of them
        n_labeled = len(np.unique(case.groups[case.s == 1]))
        n_rows, unit = len(np.unique(case.groups)), "groups"
    counted = f"{n_labeled} of {n_rows} {unit} {'is' if n_labeled == 1 else 'are'} labeled"
    facts = {"labeled": n_labeled, unit: n_rows}
    if n_labeled < FEW_LABELED:
        return CheckResult(
            "serious",
            f"Only {counted}, too few to choose a ridge, a class prior and a cut. The "
            f"results depend more on the model than on the labels. Label at least {FEW_LABELED} "
            f"{unit}.",
            facts,
        )
    if case.is_penalized:
        return CheckResult("fine", f"{counted}.", facts)
    facts["parameters"] = n_parameters = case.inner.X.shape[1] + 1
    if n_labeled >= _ENOUGH_PER_PARAMETER * n_parameters:
        return CheckResult("fine", f"{counted}, for {n_parameters} parameters.", facts)
    fewer = n_labeled < n_parameters
    means = (
        "An unpenalized fit then depends on few rows and will hardly generalize"
        if fewer
        else "Coefficients then come out too large, and their intervals too narrow"
    )
    return CheckResult(
        "warning" if fewer else "note",
        Message(
            f"{counted}, for {n_parameters} parameters. {means}.",
            python="Use a finite `C`, or PULogistic.",
        ),
        facts,
        code="PU102",
    )
